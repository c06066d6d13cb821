"""Moving the repository's refs to where an import says.

Every branch is updated on its own, and all annotated tags are one transaction. What is refused is
told in an `Outcome` and never stops the others. The order of the branches is kept, because
it decides which of ``x`` and ``x/y`` gets its way.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence

from fastio.objects.kinds import Oid
from fastio.records import record
from fastio.store.ancestry import find_descents, peel_to_commits
from fastio.store.packed_refs import PackedRefs
from fastio.store.ref_changes import Cause, Change, ChangeRunner, Outcome, Status, refusal
from fastio.store.ref_space import RefSpace
from fastio.store.ref_transactions import (
    RefTable,
    RefTransactions,
    delete_command,
    read_refs,
    transaction,
    update_command,
)
from fastio.store.repository import Repository

_REPLACE = b"refs/replace/"
# git writes these itself and refuses them, some versions only some of them.
_GITS_OWN = {b"FETCH_HEAD", b"MERGE_HEAD"}


@record
class BranchUpdate:
    """Where a ref of the branch table should point.

    Attributes:
        name: Full name of the ref.
        new: Its tip, None if it has none.
        delete: Whether a ref without tip is to be deleted, or else left alone.
    """

    name: bytes
    new: Oid | None
    delete: bool = False


class RefUpdater:
    """Updates branches and tags at a checkpoint, or at the end."""

    def __init__(
        self,
        repository: Repository,
        *,
        is_known_ancestor: Callable[[Oid, Oid], bool] = lambda old, new: False,
        is_known_commit: Callable[[Oid], bool] = lambda oid: False,
    ) -> None:
        """Prepare to update refs; no process is started yet.

        Args:
            repository: Whose refs.
            is_known_ancestor: Answers True if the caller knows that *old* and *new* are commits
                and *old* is an ancestor of *new*, which saves asking git.
            is_known_commit: Answers True if the caller knows that this is a commit, and is there.
        """
        self._repository, self._git = repository, repository.git
        self._zero_oid = repository.object_format.zero_oid
        self._is_known_ancestor, self._is_known_commit = is_known_ancestor, is_known_commit
        self._packed = PackedRefs(repository)
        self._transactions = RefTransactions(repository.git)
        # What was read, and is kept true: the table, and the names that were asked for.
        self._table, self._asked = RefTable(), set[bytes]()
        self._runner = ChangeRunner(self._transactions, RefSpace())

    def close(self) -> None:
        """End the git process, if there is one."""
        self._transactions.close()

    def update_branches(
        self, updates: Sequence[BranchUpdate], *, force: bool = False, may_recall: bool = False
    ) -> list[Outcome]:
        """Update each ref, whatever becomes of the others.

        Args:
            updates: In the order in which to update.
            force: Whether values may be replaced that the new ones do not descend from.
            may_recall: Whether to go by what refs were after the last update, if all of them took
                part in that. If they are different by now, those that change are read again; one
                that has its new value already is not looked at.

        Returns:
            One outcome for each update, in the same order.
        """
        if not any(update.new or update.delete for update in updates):
            return [Outcome(update.name, Status.UNCHANGED) for update in updates]
        recalls = may_recall and all(update.name in self._asked for update in updates)
        if not recalls:
            self._read(updates)
        outcomes = self._update(updates, force)
        refused = [
            number
            for number, outcome in enumerate(outcomes)
            if outcome.status in (Status.REFUSED, Status.NOT_DELETED)
        ]
        if recalls and refused:
            updates = [updates[number] for number in refused]
            self._read(updates)
            for number, outcome in zip(refused, self._update(updates, force), strict=True):
                outcomes[number] = outcome
        return outcomes

    def _read(self, updates: Sequence[BranchUpdate]) -> None:
        """Read the refs that are to be updated."""
        self._transactions.start()  # git starts up while another one reads
        self._asked = {update.name for update in updates}
        is_new = self._has_no_refs() and all(name.startswith(b"refs/") for name in self._asked)
        table = self._table = RefTable() if is_new else read_refs(self._git, self._asked)
        space = RefSpace((*table.values, *table.targets))
        self._runner = ChangeRunner(self._transactions, space, self._packed)

    def _has_no_refs(self) -> bool:
        """Tell whether there is not one ref, as before a first import: no need to start a git."""
        repository = self._repository
        directory = repository.common_dir
        if repository.ref_format != "files" or repository.git_dir != directory:
            return False
        if os.path.lexists(os.path.join(directory, b"packed-refs")):
            return False
        try:
            return _is_empty(os.path.join(directory, b"refs"))
        except OSError:
            return False

    def _update(self, updates: Sequence[BranchUpdate], force: bool) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for wave in _waves(updates, self._table):
            outcomes += self._update_wave(wave, force)
        return outcomes

    def update_tags(self, tags: Sequence[tuple[bytes, Oid]]) -> list[Outcome]:
        """Set all tags in one transaction, replacing what is there.

        Args:
            tags: Full names of the refs and their values.

        Returns:
            An outcome for each; if they are refused, the first one's tells why.
        """
        if not tags:
            return []
        self._transactions.start()
        table = read_refs(self._git, [name for name, _ in tags])
        self._asked.difference_update(name for name, _ in tags)
        commands = (update_command(name, oid, None) for name, oid in tags)
        [said] = self._transactions.run([transaction(commands)])
        if said is not None:
            first = refusal(tags[0][0], Status.REFUSED, said)
            others = (Outcome(name, Status.REFUSED, b"", Cause.WITH_OTHERS) for name, _ in tags[1:])
            return [first, *others]
        return [
            Outcome(name, Status.UNCHANGED if table.get(name) == oid else Status.UPDATED)
            for name, oid in tags
        ]

    def _update_wave(self, wave: Sequence[BranchUpdate], force: bool) -> list[Outcome]:
        """Decide and run updates that do not bear on one another's old values."""
        table = self._table
        refusals = {} if force or not table.values else self._find_refusals(wave, table)
        outcomes: list[Outcome] = []
        changes: dict[int, Change] = {}
        values, targets = table.values, table.targets
        for number, update in enumerate(wave):
            final = targets.get(update.name, update.name)
            old = values.get(final)
            outcome, command = self._decide(update, old, final)
            outcome = refusals.get(update.name, outcome)
            outcomes.append(outcome)
            if command and outcome.status is not Status.REFUSED:
                new = update.new if update.new and self._is_known_commit(update.new) else None
                changes[number] = Change(final, command, outcome, old=old, new=new)
        self._runner.run(list(changes.values()))
        for number, change in changes.items():
            outcomes[number] = change.outcome
            _note(table, wave[number], change.outcome)
        return outcomes

    def _decide(self, update: BranchUpdate, old: Oid | None, final: bytes) -> tuple[Outcome, bytes]:
        """What should become of a ref if nothing is in its way, and the command for it."""
        name, new = update.name, update.new
        if new is None:
            if old is None or not update.delete:
                return Outcome(name, Status.UNCHANGED), b""
            if final == b"HEAD":  # detached: git would delete the file
                said = b"cannot delete HEAD: without it this would be no repository"
                return refusal(name, Status.NOT_DELETED, said), b""
            return Outcome(name, Status.DELETED), delete_command(name)
        if name.startswith(_REPLACE) and name == _REPLACE + new.hex().encode():
            said = b"warning: dropping %s since it would point to itself\n" % name
            command = b"" if old is None else delete_command(name)
            return Outcome(name, Status.DELETED, said), command
        if name in _GITS_OWN:
            return refusal(name, Status.REFUSED, b"%s is not ours to update" % name), b""
        if old == new:
            return Outcome(name, Status.UNCHANGED), b""
        return Outcome(name, Status.UPDATED), update_command(name, new, old or self._zero_oid)

    def _find_refusals(self, wave: Sequence[BranchUpdate], table: RefTable) -> dict[bytes, Outcome]:
        """Updates that would lose commits."""
        changes: list[tuple[bytes, Oid, Oid]] = []
        for update in wave:
            old, new = table.get(update.name), update.new
            if not new or not old or new == old or self._is_known_ancestor(old, new):
                continue
            if update.name != _REPLACE + new.hex().encode():
                changes.append((update.name, old, new))
        commits = peel_to_commits(self._git, {oid for _, *both in changes for oid in both})
        descents = find_descents(
            self._git,
            {
                (commits[old], commits[new])
                for _, old, new in changes
                if {old, new} <= commits.keys()
            },
        )
        refusals: dict[bytes, Outcome] = {}
        for name, old, new in changes:
            no_commit = next((oid for oid in (old, new) if oid not in commits), None)
            if no_commit:
                cause = Cause.NO_COMMIT
                said = b"error: %s: %s is not a commit\n" % (name, no_commit.hex().encode())
            elif (commits[old], commits[new]) not in descents:
                cause = Cause.LOSES_COMMITS
                said = b"warning: not updating %s (new tip %s does not contain %s)\n" % (
                    *(name, new.hex().encode()),
                    old.hex().encode(),
                )
            else:
                continue
            refusals[name] = Outcome(name, Status.REFUSED, said, cause)
        return refusals


def _is_empty(directory: bytes) -> bool:
    """Tell whether there is nothing but directories below *directory*."""
    with os.scandir(directory) as entries:
        return all(
            entry.is_dir(follow_symlinks=False) and _is_empty(entry.path) for entry in entries
        )


def _waves(updates: Iterable[BranchUpdate], table: RefTable) -> Iterator[list[BranchUpdate]]:
    """Cut before an update whose ref (HEAD's branch, say) was already met under another name."""
    wave: list[BranchUpdate] = []
    met: set[bytes] = set()
    for update in updates:
        final = table.targets.get(update.name, update.name)
        if final in met:
            yield wave
            wave, met = [], set()
        wave.append(update)
        met.add(final)
    yield wave


def _note(table: RefTable, update: BranchUpdate, outcome: Outcome) -> None:
    """Keep the table true after a change that git has made."""
    name = table.final_name(update.name)
    if outcome.status is Status.UPDATED and update.new:
        table.values[name] = update.new
    elif outcome.status is Status.DELETED:
        table.values.pop(name, None)
