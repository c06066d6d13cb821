"""Making an import visible: the pack is closed, then refs move, then marks are written.

In that order, so that whatever happens in between, no ref points at nothing and no mark names an
object that is not there.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from fastio.errors import FastioError, PackError
from fastio.importer.explode import explode
from fastio.importer.refusals import Refusals
from fastio.objects.collisions import refuse_collision
from fastio.objects.kinds import COMMIT, Oid
from fastio.store.marks_file import write_marks
from fastio.store.ref_changes import Outcome, Status
from fastio.store.refs import BranchUpdate, RefUpdater

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fastio.importer.executor import Executor
    from fastio.importer.object_sink import ObjectSink
    from fastio.importer.options import ImportOptions
    from fastio.store.pack_writer import FinishedPack
    from fastio.store.repository import Repository


class Published:
    """What has been made visible so far.

    Attributes:
        changed: Refs that are not what they were, and how they were changed last.
        refused: Refs that are not where the stream has them: REFUSED or NOT_DELETED.
        failed: Whether something was refused, or could not be written.
        lacks_marks: Whether the marks file could not be written.
    """

    def __init__(self) -> None:
        self.packs = self.pack_bytes = self.loose_objects = 0
        self.changed: dict[bytes, Status] = {}
        self.refused: dict[bytes, Status] = {}
        self.failed = self.lacks_marks = False

    def add(self, outcome: Outcome) -> None:
        """Take in what became of a ref, now or since the checkpoint before."""
        name, status = outcome.name, outcome.status
        self.failed |= outcome.is_failure
        if status is Status.REFUSED or status is Status.NOT_DELETED:
            self.refused[name] = status
            return
        if self.refused:
            self.refused.pop(name, None)
        if status is not Status.UNCHANGED:
            self.changed[name] = status

    def count(self, status: Status) -> int:
        """How many refs are in *status*."""
        return sum(
            value is status for each in (self.changed, self.refused) for value in each.values()
        )


class Publisher:
    """Closes packs, updates refs and exports marks.

    Args:
        say: Is given lines for stderr, ``error: `` or ``warning: `` included.

    Attributes:
        confirm: Raises an error if what was read cannot be believed; see `Source.confirm`.
    """

    def __init__(
        self,
        repository: Repository,
        options: ImportOptions,
        sink: ObjectSink,
        executor: Executor,
        say: Callable[[bytes], None],
    ) -> None:
        self._repository, self._options, self._sink = repository, options, sink
        self._executor, self._say = executor, say
        self._refs = RefUpdater(
            repository,
            is_known_ancestor=self._is_known_ancestor,
            is_known_commit=lambda oid: sink.kind_in_map(oid) == COMMIT,
        )
        self._refusals = Refusals(say)
        self._fast_forwards: set[tuple[Oid, Oid]] = set()
        self._keep_files: list[bytes] = []
        self.confirm: Callable[[], None] = lambda: None
        self.marks_complete = False
        # The pack, by number, that is in the repository or has gone into it as loose objects.
        self._closed = -1
        self.result = Published()

    def close_pack(self) -> None:
        """Complete the open pack; a small one becomes loose objects instead."""
        self.confirm()
        refuse_collision(self._named)
        pack, config = self._sink.pack, self._repository.config
        limit = config.unpack_limit
        if (
            pack.count
            and (limit < 0 or pack.count <= limit)
            and explode(self._sink, self._repository)
        ):
            self.result.loose_objects += pack.count
            pack.abort()
            self._sink.forget_places()
            self._closed = self._sink.pack_number
            return
        finished = self._sink.finish_pack(index_version=config.index_version, keep=True)
        self._closed = self._sink.pack_number
        if finished is not None:
            _log_pack(finished)
            self.result.packs += 1
            self.result.pack_bytes += finished.size
            if finished.keep_path is not None:
                self._keep_files.append(finished.keep_path)
            if self._options.export_pack_edges is not None:
                self._write_edges(self._options.export_pack_edges, finished)

    def _named(self, oid: bytes) -> str:
        """What to call an object: by its mark as well, if it has one."""
        sink = self._sink
        entry = sink.map.find(oid)
        mark = next((mark for mark, of in sink.marks.items() if of == entry), None)
        return oid.hex() if mark is None else f"{oid.hex()} (mark :{mark})"

    def _write_edges(self, path: str, finished: FinishedPack) -> None:
        """Add a line with the tips of branches that grew in a pack, and the tags that it holds.

        As in git, a branch that grew and was then reset to what lies elsewhere is listed all the
        same, and one that was reset to a commit of the pack is not.
        """
        executor, objects = self._executor, self._sink.map
        number = self._sink.pack_number
        oids = [
            branch.tip
            for branch in executor.branches.in_update_order()
            if branch.tip and branch.newest >= 0 and objects.pack(branch.newest) == number
        ]
        for _, oid in executor.tags:
            entry = objects.find(oid)
            if entry >= 0 and objects.pack(entry) == number:
                oids.append(oid)
        shown = self._repository.shown(finished.pack_path)
        line = (b"./" if shown.startswith(b"objects/") else b"") + shown + b":"
        line += b"".join(b" " + oid.hex().encode() for oid in dict.fromkeys(oids))
        try:
            with open(path, "ab") as file:
                file.write(line + b"\n")
        except OSError as error:
            raise PackError(f"cannot write '{path}': {error.strerror}") from error

    def checkpoint(self) -> None:
        """Publish everything so far and go on in a new pack."""
        self._sink.write_pending()
        if self._sink.pack.count:
            self.close_pack()
            self._sink.next_pack()
        self.update_refs(again=True)
        self.export_marks()

    def update_refs(self, *, again: bool = False) -> None:
        """Move all branches, each on its own, then set all tags at once.

        Args:
            again: Whether this will be done once more, at the end.
        """
        branches = self._executor.branches.in_update_order()
        updates = [BranchUpdate(branch.name, branch.tip, branch.delete) for branch in branches]
        self._fast_forwards = {
            (branch.published, branch.tip) for branch in branches if branch.published and branch.tip
        }
        for branch in branches:
            branch.published = branch.tip
        force = self._options.force
        for outcome in self._refs.update_branches(updates, force=force, may_recall=again):
            self._tell(outcome)
        for outcome in self._refs.update_tags(list(self._tag_refs())):
            self._tell(outcome)
        self._refusals.end()

    def _tell(self, outcome: Outcome) -> None:
        self.result.add(outcome)
        if outcome.status is Status.UPDATED:
            return
        self._refusals.add(outcome)
        replaces_itself = outcome.status is Status.DELETED
        if outcome.status is Status.NOT_DELETED or (replaces_itself and not self._options.quiet):
            self._say(outcome.message)

    def _is_known_ancestor(self, old: Oid, new: Oid) -> bool:
        return (old, new) in self._fast_forwards

    def _tag_refs(self) -> Iterator[tuple[bytes, Oid]]:
        for name, oid in self._executor.tags:
            yield b"refs/tags/" + name, oid

    def export_marks(self) -> None:
        """Write the marks file, if one is asked for and the imported marks are all known."""
        path = self._options.export_marks
        if path is None or (self._options.import_marks and not self.marks_complete):
            return
        try:
            write_marks(path, self._marks(), self._repository.config.shared_permissions)
        except FastioError as error:
            self.result.failed = self.result.lacks_marks = True
            self._say(b"error: %s\n" % os.fsencode(str(error)))

    def _marks(self) -> Iterator[tuple[int, Oid]]:
        """All marks, without those of objects that were lost because their pack was."""
        sink, is_lost = self._sink, self._closed != self._sink.pack_number
        for mark, entry in sink.marks.items():
            if not is_lost or sink.is_kept(entry):
                yield mark, Oid(sink.map.oid(entry))

    def remove_keep_files(self) -> None:
        """Let go of the packs: from now on refs hold their objects."""
        for path in self._keep_files:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        self._keep_files.clear()

    def rescue(self) -> None:
        """After a fatal error: keep the objects and marks there are; refs stay as they were."""
        pack = self._sink.pack
        try:
            if pack.is_open and not pack.entries.broken:
                self._sink.write_pending(here=True)
                self.close_pack()
        except (FastioError, OSError) as error:
            self._say(b"error: %s\n" % os.fsencode(str(error)))
        pack.abort()
        self.remove_keep_files()
        self.export_marks()

    def abandon(self) -> None:
        """Keep nothing of the open pack."""
        self._sink.pack.abort()
        self.remove_keep_files()

    def close(self) -> None:
        """End the processes that helped."""
        self._refs.close()


def _log_pack(pack: FinishedPack) -> None:
    import logging  # noqa: PLC0415 - it takes 4 ms, which small imports need not pay

    logger = logging.getLogger(__name__)
    logger.debug("pack %s holds %d objects", pack.name.decode(), pack.count)
