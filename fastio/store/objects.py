"""All objects of an existing repository: its packs, loose objects and alternates.

Look-ups go to the pack that answered last first, since neighbours in history are neighbours in
packs. Idx files are opened when first searched. A repository with many packs keeps only some of
them open, the ones used last.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from fastio.errors import FastioError, ObjectError, PackError
from fastio.objects.kinds import Oid
from fastio.store._loose import touch_loose
from fastio.store._pack_search import PackSearch
from fastio.store.alternates import find_alternates
from fastio.store.copies import Copies
from fastio.store.idx import PackIndex
from fastio.store.large_objects import Opened, large_loose
from fastio.store.loose import loose_info, read_loose
from fastio.store.multi_pack_index import MultiPackIndex, open_multi_pack_index
from fastio.store.object_cache import ObjectCache
from fastio.store.pack_reader import PackFile
from fastio.store.replacements import Replacements
from fastio.store.repository import Repository

if TYPE_CHECKING:
    from fastio.store.commits_ahead import CommitsAhead

T = TypeVar("T")
# Each costs two mappings at most, of the 65,530 that Linux allows, and no descriptor. Past the
# limit every look-up opens packs anew, some 40 us each: 900 checkpoints took 60 s with 256.
MAX_OPEN_PACKS = 8192


class ObjectStore:
    """Reads objects that are stored already; what is being imported is not its business.

    As everywhere in git, what ``refs/replace/`` names for an object is read in its place.

    Args:
        repository: Where they are.
        max_open_packs: How many packs stay open.
        cache: For objects that may be needed again.
        warn: Is told of packs that are left out because their idx cannot be used.

    Attributes:
        object_format: The repository's.
        search: Answers compiled code whether a pack has an object, and of which type objects are.
        commits_ahead: Commits that were read ahead, for readers: with the number of their pack and
            the generation of `search` that it belongs to.
    """

    def __init__(
        self,
        repository: Repository,
        *,
        max_open_packs: int = MAX_OPEN_PACKS,
        cache: ObjectCache | None = None,
        warn: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self._repository, self._warn = repository, warn
        self.object_format = repository.object_format
        self._max_open = max_open_packs
        self.cache = ObjectCache() if cache is None else cache
        self._replacements = Replacements(repository)
        self._directories: list[bytes] | None = None
        # Path without suffix to the open pack, None for a closed one; last used at the end.
        self._packs: dict[bytes, PackFile | None] | None = None
        self._left_out: set[bytes] = set()
        self._refreshed: set[bytes] = set()
        self._open_count = 0
        self.commits_ahead: tuple[CommitsAhead, int, int] | None = None
        self.search = PackSearch(
            self.object_format.oid_size,
            self.open_packs,
            lambda oid: self._find_pack(oid, usable=True) is not None,
            lambda oid: (self.info(Oid(oid)) or (0,))[0],
            replaces=self._replacements.any,
            open_multi=self._open_multi,
        )

    def find_packed(self, oid: bytes) -> bool:
        """Tell whether an object is in a pack, alternates included.

        A pack that is cut short or gone does not count: who asks would rely on it.
        """
        return self.search.has(oid)

    def refresh(self, oids: list[Oid]) -> list[bool]:
        """Tell which objects are stored, and make their files look new.

        What is old and not referred to is pruned one day; this keeps the objects for a while.
        """
        found = [self.search.has(oid) and self._refresh_packed(oid) for oid in oids]
        for directory in self.object_directories():
            touch_loose(directory, oids, found)
        return found

    def _refresh_packed(self, oid: Oid) -> bool:
        place = self._find_pack(oid, usable=True)
        if place is None:
            return False
        path = place[0].path
        if path not in self._refreshed:
            try:
                os.utime(path)
            except OSError:  # it is gone, or not ours to touch
                return False
            self._refreshed.add(path)
        return True

    def kind(self, oid: Oid) -> int | None:
        """Return an object's type; None when it is missing."""
        return self.search.kind(oid)

    def read(self, oid: Oid) -> tuple[int, bytes]:
        """Read an object as (type, content).

        Raises:
            ObjectError: It is missing, or its loose file is damaged.
            PackError: Its pack is damaged.
        """
        found = self._rescued(self._read_once, self._replacements.of(oid))
        if found is None:
            raise self.missing(oid)
        return found

    def rescue(self, oid: Oid, damage: FastioError) -> tuple[int, bytes]:
        """Read another copy of an object of which one is damaged.

        Args:
            oid: The object itself, whatever is read in its place.
            damage: Raised if there is no other one.
        """
        found = Copies(self._places, self.object_directories, self.object_format).find(oid)
        if found is None:
            raise damage
        self._warn(f"{damage}; another copy of object {oid.hex()} is read")
        return found

    def replaced(self, oid: Oid) -> Oid:
        """Return the object that is read in the place of *oid*, mostly itself."""
        return self._replacements.of(oid)

    def missing(self, oid: Oid) -> ObjectError:
        """Make the error for an object that is not here, which says how to get it if it can be."""
        remote = self._repository.config.promisor_remote
        if remote is None:
            return ObjectError(f"object {oid.hex()} is missing")
        return ObjectError(
            f"object {oid.hex()} is missing: this is a partial clone, and {remote} keeps what it "
            f"has left out; 'git cat-file -e {oid.hex()}' fetches this object, "
            f"'git fetch --refetch --no-filter {remote}' all of them"
        )

    def open(self, oid: Oid, *, above: int) -> Opened | None:
        """Read an object, or open it if it is larger than *above*; None when it is missing.

        Raises:
            ObjectError: Its loose file is damaged.
            PackError: Its pack is damaged.
        """

        def open_once(oid: Oid) -> Opened | None:
            return self._open_once(oid, above)

        return self._rescued(open_once, self._replacements.of(oid))

    def info(self, oid: Oid) -> tuple[int, int] | None:
        """Tell type and size of an object; None when it is missing."""
        return self._retried(self._info_once, self._replacements.of(oid))

    def open_packs(self) -> list[PackFile] | None:
        """Open all packs, the one used last first; None if they are too many."""
        packs = self._known_packs()
        if len(packs) > self._max_open:
            return None
        opened = []
        for path, known in reversed(list(packs.items())):
            pack = self._open_pack(path) if known is None else known
            if pack is not None:
                opened.append(pack)
        return opened

    def object_directories(self) -> list[bytes]:
        """List where objects may lie: the repository's own directory, then its alternates."""
        if self._directories is None:
            own, git = self._repository.objects_dir, self._repository.git
            self._directories = [own, *find_alternates(own, git.environment, git.directory)]
        return self._directories

    def reload(self) -> bool:
        """Look again for packs, after some were added or taken away.

        Returns:
            Whether there were such changes.
        """
        before, after = self._known_packs(), self._list_packs()
        gone, new = before.keys() - after.keys(), after.keys() - before.keys()
        if gone or new:
            self.search.forget()
        for path in gone:
            self._close_pack(path)
            del before[path]
        before.update(dict.fromkeys(new))
        return bool(gone or new)

    def close(self) -> None:
        """Close all files."""
        self.search.forget()
        for path in self._packs or ():
            self._close_pack(path)
        self._packs = None
        self.cache.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _retried(self, look_up: Callable[[Oid], T], oid: Oid) -> T:
        """Look up once, and once more if another process has changed the packs meanwhile."""
        try:
            found = look_up(oid)
        except PackError:  # perhaps the pack is gone, its objects being in a new one
            if not self.reload():
                raise
            return look_up(oid)
        if found is None and self.reload():
            return look_up(oid)
        return found

    def _rescued(
        self, look_up: Callable[[Oid], T | tuple[int, bytes]], oid: Oid
    ) -> T | tuple[int, bytes]:
        """Look up; if what is found is damaged, read another copy."""
        try:
            return self._retried(look_up, oid)
        except (ObjectError, PackError) as error:
            return self.rescue(oid, error)

    def _places(self, oid: Oid) -> Iterator[tuple[PackFile, int]]:
        """All packs that have an object, and where."""
        for path, known in list(self._known_packs().items()):
            pack = self._open_pack(path) if known is None else known
            if pack is not None and (offset := pack.find(oid)) >= 0:
                yield pack, offset

    def _read_once(self, oid: Oid) -> tuple[int, bytes] | None:
        if place := self._find_pack(oid):
            pack, offset = place
            return pack.read(offset)
        return next(
            filter(None, (read_loose(path, oid) for path in self.object_directories())), None
        )

    def _open_once(self, oid: Oid, above: int) -> Opened | None:
        if place := self._find_pack(oid):
            pack, offset = place
            return pack.open(offset, above=above)
        for directory in self.object_directories():
            if opened := large_loose(directory, oid, above=above) or read_loose(directory, oid):
                return opened
        return None

    def _info_once(self, oid: Oid) -> tuple[int, int] | None:
        if place := self._find_pack(oid):
            pack, offset = place
            return pack.info(offset)
        return next(
            filter(None, (loose_info(path, oid) for path in self.object_directories())), None
        )

    def _known_packs(self) -> dict[bytes, PackFile | None]:
        if self._packs is None:
            self._packs = self._list_packs()
        return self._packs

    def _list_packs(self) -> dict[bytes, PackFile | None]:
        """Packs with an idx, in no particular order."""
        found: dict[bytes, PackFile | None] = {}
        for directory in self.object_directories():
            folder = os.path.join(directory, b"pack")
            try:
                names = set(os.listdir(folder))
            except OSError:
                continue
            for name in names:
                if name.endswith(b".idx") and name[:-4] + b".pack" in names:
                    found[os.path.join(folder, name[:-4])] = None
        return found

    def _find_pack(self, oid: bytes, *, usable: bool = False) -> tuple[PackFile, int] | None:
        packs = self._known_packs()
        for path, known in reversed(packs.items()):
            pack = self._open_pack(path) if known is None else known
            if (
                pack is not None
                and (offset := pack.find(oid)) >= 0
                and (not usable or pack.is_usable())
            ):
                packs[path] = packs.pop(path)
                return pack, offset
        return None

    def _open_multi(self) -> list[MultiPackIndex]:
        if not self._repository.config.use_multi_pack_index:
            return []
        folders = [os.path.join(directory, b"pack") for directory in self.object_directories()]
        found = [open_multi_pack_index(folder, self.object_format) for folder in folders]
        return [index for index in found if index is not None]

    def _open_pack(self, path: bytes) -> PackFile | None:
        """Open a pack's idx; None if the file is gone, which `reload` will notice, or damaged."""
        if path in self._left_out or not os.path.exists(path + b".idx"):
            return None
        try:
            index = PackIndex(path + b".idx", self.object_format)
        except PackError as error:
            self._left_out.add(path)
            self._warn(f"leaving out a pack: {error}")
            return None
        pack = PackFile(path + b".pack", index, self.object_format, cache=self.cache)
        packs = self._known_packs()
        if self._open_count >= self._max_open:
            oldest = next(other for other in packs if packs[other] is not None)
            self._close_pack(oldest)
        packs[path] = pack
        self._open_count += 1
        return pack

    def _close_pack(self, path: bytes) -> None:
        packs = self._known_packs()
        pack = packs[path]
        if pack is not None:
            pack.close()
            packs[path] = None
            self._open_count -= 1
