"""Changes of refs, made one by one, of which some have no room beside others.

A change that is refused stops no other. That one has no room is found out here: git would say the
same, but end at it, and to start another one for each of thousands takes its time. Everything else
that may be in the way (a lock, a value that changed meanwhile) is for git to tell.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence

from fastio.objects.kinds import Oid
from fastio.records import record
from fastio.store.packed_refs import PackedRefs
from fastio.store.ref_space import RefSpace
from fastio.store.ref_transactions import RefTransactions


class Status(enum.Enum):
    """What became of a ref."""

    UPDATED = "updated"
    UNCHANGED = "unchanged"
    DELETED = "deleted"
    REFUSED = "refused"
    NOT_DELETED = "not deleted"


class Cause(enum.Enum):
    """Why a ref was refused."""

    LOSES_COMMITS = "loses commits"
    NO_COMMIT = "no commit"
    NO_ROOM = "no room"
    LOCKED = "locked"
    WITH_OTHERS = "with others"
    OTHER = "other"


@record
class Outcome:
    """What became of one ref.

    Attributes:
        name: Its full name.
        status: What happened to it.
        message: Lines for the user's stderr, ``error: `` or ``warning: `` included.
        cause: Why it was refused; None if it was not.
    """

    name: bytes
    status: Status
    message: bytes = b""
    cause: Cause | None = None

    @property
    def is_failure(self) -> bool:
        """Whether it makes the import's exit status 1; a failed deletion does not."""
        return self.status is Status.REFUSED


def refusal(name: bytes, status: Status, said: bytes) -> Outcome:
    """An outcome that carries what git (or we) said as an error."""
    text = said.strip().removeprefix(b"fatal: ").removeprefix(b"prepare: ")
    cause = Cause.LOCKED if b".lock'" in text else Cause.OTHER
    return Outcome(name, status, b"error: %s\n" % text, cause)


def no_room(name: bytes, rival: bytes) -> Outcome:
    """The outcome for a ref that cannot stand beside *rival*."""
    said = b"error: cannot create %s: %s exists\n" % (name, rival)
    return Outcome(name, Status.REFUSED, said, Cause.NO_ROOM)


class Change:
    """A change to be made.

    Attributes:
        name: The ref that really changes; symbolic ones have been followed.
        command: What to tell git.
        old: What the ref holds now; None if it is to be made.
        new: The commit that it is to hold; None if it is to go, or that is not known to be one.
        outcome: What becomes of it, if git lets it pass; afterwards, what became of it.
    """

    __slots__ = ("command", "name", "new", "old", "outcome")

    def __init__(
        self, name: bytes, command: bytes, outcome: Outcome, *, old: Oid | None, new: Oid | None
    ) -> None:
        self.name, self.command, self.outcome, self.old, self.new = name, command, outcome, old, new

    @property
    def may_be_packed(self) -> bool:
        """Whether `PackedRefs` may make it: nothing has to be peeled, no symbolic ref followed."""
        if self.outcome.name != self.name:
            return False
        return self.new is not None or self.outcome.status is Status.DELETED


class ChangeRunner:
    """Makes changes, in order.

    Args:
        transactions: Runs them.
        space: The names of refs that there are; kept true.
        packed: Makes many at once where it can.
    """

    def __init__(
        self, transactions: RefTransactions, space: RefSpace, packed: PackedRefs | None = None
    ) -> None:
        self._transactions, self._space, self._packed = transactions, space, packed

    def run(self, changes: Sequence[Change]) -> None:
        """Make all of *changes* that can be made, and set every one's outcome."""
        while changes:
            rivals = self._plan(changes)
            if not rivals:
                self._send(changes)
                return
            failed = self._send([change for change in changes if change.name not in rivals])
            left = [change for change in changes if change.name in rivals]
            # What was in the way of these did not come about: there is room after all.
            changes = [change for change in left if rivals[change.name] in failed]
            for change in left:
                rival = rivals[change.name]
                if rival not in failed:
                    change.outcome = no_room(change.outcome.name, rival)

    def _plan(self, changes: Iterable[Change]) -> dict[bytes, bytes]:
        """Enter changes into the space as if all went well; return who stands in whose way."""
        rivals: dict[bytes, bytes] = {}
        for change in changes:
            if change.outcome.status is Status.DELETED:
                self._space.remove(change.name)
            elif change.old is None:
                rival = self._space.claim(change.name)
                if rival is not None:
                    rivals[change.name] = rival
        return rivals

    def _without_packed(self, changes: Sequence[Change]) -> Sequence[Change]:
        """Make what can be made at once; return the others."""
        if self._packed is None:
            return changes
        moves = [(each.name, each.old, each.new) for each in changes if each.may_be_packed]
        made = self._packed.move(moves, self._space)
        return [change for change in changes if change.name not in made]

    def _send(self, changes: Sequence[Change]) -> set[bytes]:
        """Let git make changes; returns the names of new refs that did not come about."""
        failed = set()
        changes = self._without_packed(changes)
        answers = self._transactions.run_each([change.command for change in changes])
        for change, said in zip(changes, answers, strict=True):
            if said is None:
                continue
            if change.outcome.status is Status.DELETED:
                self._space.add(change.name)
                change.outcome = refusal(change.outcome.name, Status.NOT_DELETED, said)
                continue
            change.outcome = refusal(change.outcome.name, Status.REFUSED, said)
            if change.old is None:
                self._space.remove(change.name)
                failed.add(change.name)
        return failed
