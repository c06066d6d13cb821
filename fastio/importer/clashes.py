"""Names of refs that cannot all be had, told when the second one appears and not hours later.

What becomes of them is decided at the end, as in git: the first one is made, the other refused. The
names of this run are compared as they come. Those that the repository has are asked of git only
while there is nothing else to do, or when the stream turns out to be long: a short one is over, and
its refusals told, before git would have answered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from fastio.importer.branches import show
from fastio.store.ref_names import check_ref_format
from fastio.store.ref_space import RefSpace
from fastio.store.ref_transactions import MAX_PATTERNS, read_refs

if TYPE_CHECKING:
    from fastio.importer.branches import BranchTable
    from fastio.store.git import Git
    from fastio.stream.parser import Place

# More of them would bury everything else; the end tells them all.
MAX_WARNINGS: Final = 20
# So often git is asked about a few new names only; then all refs are read, and kept.
_MAX_LOOKS: Final = 8
_NO_TAG: Final = "no tag of this import will be set"
_UNLESS: Final = "will be refused at the end, unless the stream deletes the other one"


class ClashWatch:
    """Watches the names of refs that an import will make.

    Args:
        git: Git of the repository.
        branches: All branches of the run.
        place: Tells where the command stands that is being executed.
        warn: Is given each warning's text.
    """

    def __init__(
        self,
        git: Git,
        branches: BranchTable,
        place: Callable[[], Place],
        warn: Callable[[str], None],
    ) -> None:
        self._git, self._branches, self._place, self._warn = git, branches, place, warn
        self._space = RefSpace()
        self._tags: set[bytes] = set()
        self._new: list[tuple[bytes, Place]] = []
        self._on_disk: RefSpace | None = None
        self._looks = self._warnings = 0

    @property
    def has_new(self) -> bool:
        """Whether there are names that were not looked for in the repository yet."""
        return bool(self._new)

    def claim(self, name: bytes) -> None:
        """Take in that a ref of that name is going to be made."""
        place = self._place()
        rival = self._space.claim(name)
        if rival is not None:
            self._tell(name, f"cannot stand beside {show(rival)}: one of them {_UNLESS}", place)
            self._space.add(name)
        elif name.startswith(b"refs/"):
            self._new.append((name, place))

    def claim_tag(self, name: bytes) -> None:
        """Take in that an annotated tag is going to be made, along with all others."""
        if not check_ref_format(name):
            self._tell(name, f"is no name for a ref: {_NO_TAG}", self._place())
        if name in self._tags:
            self._tell(name, f"comes a second time: {_NO_TAG}", self._place())
        self._tags.add(name)
        self.claim(name)

    def release(self, name: bytes) -> None:
        """Take in that a ref of that name is not going to be made after all, or deleted."""
        self._space.remove(name)
        self._tags.discard(name)

    def look(self) -> None:
        """Compare new names with those that the repository has."""
        new, self._new = self._new, []
        on_disk = self._read([name for name, _ in new])
        if not on_disk:
            return
        for name, place in new:
            rival = on_disk.rival(name)
            if rival is None or rival in self._space or self._is_deleted(rival):
                continue
            what = f"cannot stand beside {show(rival)}, which the repository has: it {_UNLESS}"
            self._tell(name, what, place)

    def _read(self, names: list[bytes]) -> RefSpace:
        """Return the refs that there are, as far as they bear on *names*."""
        if self._on_disk is not None:
            return self._on_disk
        self._looks += 1
        everything = self._looks > _MAX_LOOKS or len(names) >= MAX_PATTERNS
        table = read_refs(self._git, None if everything else names)
        space = RefSpace((*table.values, *table.targets))
        if everything:
            self._on_disk = space
        return space

    def _is_deleted(self, name: bytes) -> bool:
        branch = self._branches.get(name)
        return branch is not None and branch.tip is None and branch.delete

    def _tell(self, name: bytes, what: str, place: Place) -> None:
        self._warnings += 1
        if self._warnings <= MAX_WARNINGS:
            offset, number, _ = place
            self._warn(f"{show(name)} {what} (byte {offset}, command {number})")
        if self._warnings == MAX_WARNINGS:
            self._warn("there may be more such names; the end tells which refs were refused")
