"""Trees for the tests of what compares them: an object store of trees only, and a model."""

from __future__ import annotations

from collections.abc import Mapping

from fastio.errors import ObjectError
from fastio.exporter.changes import Change
from fastio.objects.kinds import SHA1, TREE, ObjectFormat, Oid
from fastio.store._pack_search import PackSearch
from fastio.store.object_reader import ObjectReader
from tests.objects.models import Entry, model_tree

Files = Mapping[bytes, Entry]
ZERO = Oid(bytes(20))


class TreeStore:
    """As much of an object store as an `ObjectReader` asks for."""

    def __init__(self, object_format: ObjectFormat = SHA1) -> None:
        self.object_format = object_format
        self.commits_ahead = None
        self.search = PackSearch(
            object_format.oid_size, list, lambda _oid: False, lambda _oid: 0, replaces=False
        )
        self.objects: dict[Oid, tuple[int, bytes]] = {}
        self.read_oids: list[Oid] = []

    def add(self, content: bytes, kind: int = TREE) -> Oid:
        """Store an object."""
        oid = self.object_format.hash_object(kind, content)
        self.objects[oid] = (kind, content)
        return oid

    def add_files(self, files: Files) -> Oid:
        """Store the trees of *files*, whole paths as keys; what a file stands above is left out."""
        content: dict[bytes, Entry] = {}
        below: dict[bytes, dict[bytes, Entry]] = {}
        for path, entry in files.items():
            head, slash, rest = path.partition(b"/")
            if slash:
                below.setdefault(head, {})[rest] = entry
            else:
                content[head] = entry
        content |= {name: (0o040000, self.add_files(part)) for name, part in below.items()}
        return self.add(model_tree(content))

    def open(self, oid: Oid, *, above: int) -> tuple[int, bytes] | None:
        """Read an object; None if there is no such one."""
        self.read_oids.append(oid)
        return self.objects.get(oid)

    def read(self, oid: Oid) -> tuple[int, bytes]:
        """Read an object that `open` does not find."""
        if (found := self.open(oid, above=0)) is None:
            raise ObjectError(f"object {oid.hex()} is missing")
        return found

    def object_directories(self) -> list[bytes]:
        """Where loose objects lie: nowhere."""
        return []

    def reload(self) -> bool:
        """Look for packs, of which there are none."""
        return False


def reader_of(store: TreeStore, *, memory: int = 1 << 20) -> ObjectReader:
    """Read the trees of *store*."""
    return ObjectReader(store, memory=memory)  # type: ignore[arg-type]


def canonical(mode: int) -> int:
    """The mode of a file as git understands it."""
    kind = mode & 0o170000
    if kind == 0o100000:
        return 0o100755 if mode & 0o100 else 0o100644
    return kind if kind in (0o120000, 0o040000) else 0o160000


def model_changes(old: Files, new: Files, *, unchanged: bool = False) -> list[Change]:
    """What two sets of files differ in."""
    changes = []
    for path in sorted({*old, *new}):
        before, after = (
            (canonical(files[path][0]), files[path][1]) if path in files else (0, ZERO)
            for files in (old, new)
        )
        if before == after:
            status = "U"
        elif path not in old or path not in new:
            status = "D" if path in old else "A"
        else:
            status = "M" if (before[0] ^ after[0]) & 0o170000 == 0 else "T"
        if status != "U" or unchanged:
            changes.append(Change(status, path, path, before[0], after[0], before[1], after[1]))
    return changes
