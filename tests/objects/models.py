"""Plain-Python models of trees and deltas: slow, and right at a glance."""

from __future__ import annotations

from collections.abc import Mapping

from fastio.objects.kinds import SHA1, TREE, Oid
from fastio.objects.trees import DIRECTORY, is_directory

Entry = tuple[int, Oid]


def model_tree(content: Mapping[bytes, Entry]) -> bytes:
    """The canonical bytes: sorted by name, a directory's as if it ended in a slash."""

    def place(name: bytes) -> bytes:
        return name + b"/" if is_directory(content[name][0]) else name

    return b"".join(
        b"%o %s\x00%s" % (content[name][0], name, content[name][1])
        for name in sorted(content, key=place)
    )


def model_root(files: Mapping[bytes, Entry]) -> Oid:
    """The root oid of a branch that holds *files*, whole paths as keys."""
    content: dict[bytes, Entry] = {}
    below: dict[bytes, dict[bytes, Entry]] = {}
    for path, entry in files.items():
        head, slash, rest = path.partition(b"/")
        if slash:
            below.setdefault(head, {})[rest] = entry
        else:
            content[head] = entry
    content |= {name: (DIRECTORY, model_root(part)) for name, part in below.items()}
    return SHA1.hash_object(TREE, model_tree(content))


def model_apply(base: bytes, delta: bytes) -> bytes:
    """Deltified representation of gitformat-pack(5), copies limited as in pack version 2."""
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = delta[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    assert number() == len(base)
    size = number()
    target = b""
    while at < len(delta):
        command = delta[at]
        at += 1
        if command < 0x80:
            assert command > 0
            target += delta[at : at + command]
            at += command
            continue
        assert not command & 0x40
        fields = [0] * 6
        for bit in range(6):
            if command >> bit & 1:
                fields[bit] = delta[at]
                at += 1
        offset = int.from_bytes(fields[:4], "little")
        length = int.from_bytes(fields[4:], "little") or 0x10000
        assert offset + length <= len(base)
        target += base[offset : offset + length]
    assert len(target) == size
    return target


class FlatTree(dict[bytes, Entry]):
    """A branch's tree as whole paths, with fast-import's changes done the slow way."""

    def below(self, path: bytes) -> dict[bytes, Entry]:
        """What stands at *path* (under ``b""``) or below it (under the rest of the path)."""
        if not path:
            return dict(self)
        found = {name[len(path) + 1 :]: self[name] for name in self if name.startswith(path + b"/")}
        return {b"": self[path]} if path in self else found

    def remove(self, path: bytes) -> None:
        for name in list(self):
            if not path or name == path or name.startswith(path + b"/"):
                del self[name]

    def put(self, path: bytes, content: dict[bytes, Entry]) -> None:
        self.remove(path)
        parts = path.split(b"/")
        for count in range(1, len(parts)):
            self.pop(b"/".join(parts[:count]), None)  # a file in the way
        for name, entry in content.items():
            self[b"/".join(filter(None, [path, name]))] = entry
