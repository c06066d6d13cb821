"""A repository as content: a sample of its objects, in the form in which an import stores them.

Some thousand objects are drawn at random. Their headers alone say what there is of each kind and
size. Of each of these strata some objects are read:

* What a pack has as a delta gives a delta of our own coder, against the same base. Commits and tags
  are full objects all the same, since an import makes no deltas of those.
* A loose blob is a delta if git's log knows a version before it at the same path.
* Deltas of trees are mostly stored as they are: no codec makes them smaller (see the importer's
  tree store, which also says up to which size).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastio.bench.content import DELTA, FULL, Content, Payload
from fastio.bench.drawing import Drawn, Urn
from fastio.bench.strata import PIECE, Strata
from fastio.bench.timing import cpu_seconds
from fastio.errors import FastioError, RepositoryError
from fastio.importer._tree_store import MOST_STORED_TREE_DELTA
from fastio.objects.kinds import BLOB, TREE, Oid
from fastio.objects.trees import tree_delta
from fastio.store.large_objects import LargeObject, Opened
from fastio.store.objects import ObjectStore
from workers._tasks import LEAST_DELTA_TARGET
from workers.delta import encode_delta

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from fastio.store.repository import Repository

DRAWN = 50_000  # objects whose headers are read, which takes two seconds
LARGE = 4 << 20  # bytes of an object that is not held in memory
FIRST_PIECES = 16  # of such an object, one of which is taken
LOG_COMMITS = 20_000  # newest commits that are asked for the versions before loose blobs
LOG_PIECE = 1 << 20
_CHANGE = re.compile(rb"^:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) [MT]", re.MULTILINE)


class RepositorySample:
    """Takes a sample of a repository's objects.

    Args:
        repository: The repository; what it borrows from alternates counts.
        name: What to call it.
        random: Chooses.
        progress: Is called now and then.
        warn: Is told of packs that cannot be used.
    """

    def __init__(
        self,
        repository: Repository,
        name: str,
        random: Random,
        *,
        progress: Callable[[], None],
        warn: Callable[[str], None],
    ) -> None:
        self._repository, self._name, self._random = repository, name, random
        self._progress = progress
        self._store = ObjectStore(repository, warn=warn)

    def take(self, budget: int) -> Content:
        """Take a sample of about *budget* bytes.

        Raises:
            FastioError: There are no objects.
            ObjectError, PackError: One that was chosen is damaged.
        """
        with self._store:
            urn = Urn(self._store)
            if not urn.count:
                raise FastioError(f"there is no object to measure with in '{self._name}'")
            content = Content(self._name, "repository", urn.count)
            self._fill(content, list(urn.draw(self._random, DRAWN)), budget)
            return content

    def _fill(self, content: Content, drawn: list[Drawn], budget: int) -> None:
        share = content.objects / len(drawn)  # of how many each is one
        before = self._versions_before({one.oid for one in drawn if one.is_loose_blob})
        strata: Strata[Drawn] = Strata(self._random)
        for one in drawn:
            base = before.get(one.oid)
            found = one if base is None else Drawn(one.oid, one.kind, one.size, base=base)
            strata.add((one.kind, found.is_delta), one.size, found)
            content.steered += share * (one.kind != BLOB)
        for chosen in strata.choose(budget):
            self._progress()
            weight = share * chosen.weight
            if chosen.item.is_delta:
                self._add_delta(content, chosen.item, weight)
            else:
                self._add_full(content, self._open(chosen.item), weight)

    def _add_full(self, content: Content, opened: Opened, weight: float) -> None:
        if isinstance(opened, LargeObject):
            size = opened.size
            wanted = self._random.randrange(FIRST_PIECES)
            for number, data in enumerate(opened.pieces):  # noqa: B007 - the last, if they are few
                if number == wanted:
                    break
        else:
            data = opened[1]
            size = len(data)
        content.size += weight * size
        content.add(FULL, Payload(self._piece_of(data), size, weight))

    def _piece_of(self, data: bytes) -> bytes:
        if len(data) <= PIECE:
            return data
        start = self._random.randrange(len(data) - PIECE + 1)
        return data[start : start + PIECE]

    def _add_delta(self, content: Content, one: Drawn, weight: float) -> None:
        opened, base = self._open(one), self._open_base(one)
        if isinstance(opened, LargeObject) or isinstance(base, LargeObject):
            self._add_full(content, opened, weight)
            return
        target = opened[1]
        delta = self._tree_delta(base[1], target) if one.kind == TREE else None
        if one.kind == BLOB and len(target) >= LEAST_DELTA_TARGET:
            limit = len(target) // 2
            delta = encode_delta(base[1], target, max_size=limit)
            content.delta_seconds += weight * cpu_seconds(
                lambda: encode_delta(base[1], target, max_size=limit)
            )
        if delta is None:
            self._add_full(content, opened, weight)
            return
        content.size += weight * len(target)
        if one.kind == TREE and len(delta) <= MOST_STORED_TREE_DELTA:
            content.kept_size += weight * len(delta)
        else:
            content.add(DELTA, Payload(self._piece_of(delta), len(delta), weight))

    def _tree_delta(self, base: bytes, target: bytes) -> bytes | None:
        return tree_delta(base, target, self._store.object_format.oid_size)

    def _open(self, one: Drawn) -> Opened:
        if one.pack is not None:
            return one.pack.open(one.offset, above=LARGE)
        return self._open_oid(one.oid)

    def _open_base(self, one: Drawn) -> Opened:
        base = one.base
        if one.pack is not None and not isinstance(base, bytes):
            assert base is not None
            return one.pack.open(base, above=LARGE)
        assert isinstance(base, bytes)
        return self._open_oid(base)

    def _open_oid(self, oid: Oid) -> Opened:
        opened = self._store.open(oid, above=LARGE)
        if opened is None:
            raise self._store.missing(oid)
        return opened

    def _versions_before(self, oids: set[Oid]) -> dict[Oid, Oid]:
        """Ask git's log for the version before each of some blobs at the same path.

        Nothing is kept of what the log says of others, nor of versions that are not here: a partial
        clone need not have them, and nothing is fetched.
        """
        if not oids:
            return {}
        words = ("log", "--all", "--raw", "--no-abbrev", "--no-renames", "--format=")
        before: dict[Oid, Oid] = {}
        limit = f"--max-count={LOG_COMMITS}"
        git = self._repository.git.with_environment(GIT_NO_LAZY_FETCH="1")
        with git.start(*words, limit, capture_stderr=True) as log:
            while log.wait_for(lambda: len(log.output) >= LOG_PIECE) or log.output:
                self._progress()
                piece, newline, rest = bytes(log.output).rpartition(b"\n")
                log.output[:] = rest
                for old, new in _CHANGE.findall(piece):
                    oid = Oid(bytes.fromhex(new.decode()))
                    if oid in oids:
                        before[oid] = Oid(bytes.fromhex(old.decode()))
                if not newline:
                    break
            ended = log.finish()
        if ended.status:
            reason = ended.stderr.decode(errors="replace").strip()
            raise RepositoryError(f"git log failed: {reason.removeprefix('fatal: ')}")
        return {new: old for new, old in before.items() if self._store.kind(old) == BLOB}
