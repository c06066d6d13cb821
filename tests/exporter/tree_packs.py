"""Trees in a pack, as deltas of each other."""

from __future__ import annotations

import random
from dataclasses import dataclass

from fastio.objects.kinds import Oid
from fastio.store._pack_search import PackSearch
from fastio.store.idx import IndexView
from tests.exporter.crafted import REF_DELTA, TREE, Entry, number, pack_of
from tests.exporter.trees import TreeStore

LONGEST_COPY = 0xFFFF


def copy(offset: int, size: int) -> bytes:
    return b"\xff" + offset.to_bytes(4, "little") + size.to_bytes(3, "little")


def odd_delta(rng: random.Random, base: bytes, target: bytes) -> bytes:
    """A delta whose copies begin and end anywhere, and come from anywhere now and then."""
    shortest, at, parts, near = rng.choice([1, 4, 16]), 0, [], 0
    while at < len(target):
        place = base.find(target[at : at + shortest], 0 if rng.random() < 0.2 else near)
        size = 0
        if place >= 0 and rng.random() < 0.95:
            longest = min(len(base) - place, len(target) - at, LONGEST_COPY)
            while size < longest and base[place + size] == target[at + size]:
                size += 1
        if size:
            size = size if rng.random() < 0.8 else rng.randint(1, size)
            parts.append(copy(place, size))
            near = place + size
        else:
            size = min(rng.randint(1, 30), len(target) - at)
            parts.append(bytes([size]) + target[at : at + size])
            near = min(near + size, len(base))
        at += size
    return number(len(base)) + number(len(target)) + b"".join(parts)


@dataclass
class _Pack:
    """As much of a pack as a `PackSearch` asks for."""

    content: bytes
    index: IndexView
    path: bytes = b"pack-1.pack"

    def is_usable(self) -> bool:
        return True


class PackedTrees(TreeStore):
    """A store whose trees can be put into a pack."""

    def pack(self, rng: random.Random) -> None:
        """Pack all objects, most as deltas of some other one before."""
        entries: list[Entry] = []
        packed: list[Oid] = []
        for oid, (_kind, content) in self.objects.items():
            if packed and rng.random() < 0.95:
                base = packed[-rng.randint(1, min(3, len(packed)))]
                delta = odd_delta(rng, self.objects[base][1], content)
                entries.append(Entry(oid.hex(), REF_DELTA, delta, base))
            else:
                entries.append(Entry(oid.hex(), TREE, content))
            packed.append(oid)
        content, idx = pack_of(entries)
        pack = _Pack(content, IndexView(idx, 20))
        self.search = PackSearch(
            20, lambda: [pack], lambda _oid: False, lambda _oid: 0, replaces=False
        )
