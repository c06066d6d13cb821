"""The refs that a stream names: their form, whether they have commits, and which exclude others."""

from __future__ import annotations

from collections.abc import Iterator

from fastio.errors import StreamError
from fastio.store.ref_names import check_ref_format, is_part_of_git
from fastio.store.ref_space import RefSpace
from fastio.stream.excerpt import visible


class Ref:
    """A ref and what is known of it so far.

    Attributes:
        name: The full name.
        offset: Offset in the stream of the command that named it first.
        command_number: That command's number.
        has_tip: Whether there is a commit, as far as one can know.
        is_tag: Whether nothing but ``tag`` has named it, so that ``from`` does not find it.
        deleted: Whether it goes away when refs are updated and there is no tip.
        exists: Whether it was there when refs were updated last.
    """

    __slots__ = ("command_number", "deleted", "exists", "has_tip", "is_tag", "name", "offset")

    def __init__(self, name: bytes, offset: int, command_number: int) -> None:
        self.name, self.offset, self.command_number = name, offset, command_number
        self.has_tip = self.is_tag = self.deleted = self.exists = False

    def error(self, reason: str, kind: str) -> StreamError:
        """Return an error at the place where this ref was named first."""
        return StreamError(reason, self.offset, self.command_number, kind=kind)


class RefBook:
    """All refs of a stream by their exact name.

    Attributes:
        with_tips: Names of the branches that have commits.
    """

    def __init__(self) -> None:
        self._refs: dict[bytes, Ref] = {}
        self._space = RefSpace()  # those that exist
        self.with_tips: set[bytes] = set()

    def __len__(self) -> int:
        return len(self._refs)

    def get(self, name: bytes) -> Ref | None:
        """Return the branch of that name, if the stream has one."""
        ref = self._refs.get(name)
        return None if ref is None or ref.is_tag else ref

    def open(self, name: bytes, offset: int, command_number: int) -> Ref:
        """Return the branch of that name; it is there from now on."""
        ref = self._add(name, offset, command_number)
        ref.is_tag = False
        return ref

    def set_tip(self, ref: Ref, has_tip: bool) -> None:
        """Take note whether a branch has a commit."""
        ref.has_tip = has_tip
        if has_tip:
            self.with_tips.add(ref.name)
        else:
            self.with_tips.discard(ref.name)

    def set_tag(self, name: bytes, offset: int, command_number: int) -> None:
        """Take note of a tag; *name* is that of its ref."""
        ref = self._refs.get(name)
        if ref is None:
            ref = self._add(name, offset, command_number)
            ref.is_tag = True
        ref.has_tip = True

    def _add(self, name: bytes, offset: int, command_number: int) -> Ref:
        return self._refs.setdefault(name, Ref(name, offset, command_number))

    def update(self) -> Iterator[StreamError]:
        """Do as if refs were updated now, and yield what stands against that."""
        for ref in self._refs.values():
            if ref.has_tip and not ref.exists:
                rival = self._space.rival(ref.name)
                if rival is not None:
                    yield _clash(ref, self._refs[rival])
                ref.exists = True
                self._space.add(ref.name)
            elif ref.deleted and not ref.has_tip and ref.exists:
                ref.exists = False
                self._space.remove(ref.name)

    def case_collisions(self) -> Iterator[StreamError]:
        """Yield what differs from an earlier name in upper and lower case only."""
        seen: dict[bytes, Ref] = {}
        for ref in self._refs.values():
            first = seen.setdefault(ref.name.lower(), ref)
            if first is not ref and ref.exists and first.exists:
                reason = f"{visible(ref.name)} and {visible(first.name)} differ in case only"
                yield ref.error(reason, "case")


def name_error(name: bytes) -> StreamError | None:
    """Return what is wrong with the name of a ref, if anything is."""
    if not check_ref_format(name, allow_onelevel=True):
        return StreamError(f"no ref can have this name: {visible(name)}", kind="ref-name")
    if is_part_of_git(name):
        return StreamError(f"git has a file of its own at '{visible(name)}'", kind="reserved-name")
    return None


def _clash(one: Ref, other: Ref) -> StreamError:
    first, second = sorted((one, other), key=lambda ref: (ref.command_number, ref.offset))
    reason = (
        f"{visible(second.name)} cannot be beside {visible(first.name)}"
        f" (byte {first.offset}, command {first.command_number})"
    )
    return second.error(reason, "ref-clash")
