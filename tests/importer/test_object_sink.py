"""Objects on their way into the pack: hashed, looked up, written as deltas where that pays."""

import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from fastio.errors import ObjectError
from fastio.importer._tree_store import Counters, TreeStore
from fastio.importer.object_sink import ObjectSink
from fastio.objects._path_edits import edit_paths
from fastio.objects._tree_cache import TREE_OVERHEAD
from fastio.objects.kinds import BLOB, COMMIT, SHA1, TREE, Oid
from fastio.objects.trees import EXECUTABLE, REGULAR, tree_delta
from fastio.store._pack_search import PackSearch
from fastio.store.object_cache import ObjectCache
from fastio.store.objmap import ELSEWHERE
from fastio.store.pack_writer import PackWriter
from tests.importer.target import Target


class FakeStore:
    """A repository that holds some objects in packs."""

    def __init__(self) -> None:
        self.packed: set[Oid] = set()
        self.reloads = 0
        self.cache = ObjectCache()
        # Too many packs to be open, so that it asks.
        self.search = PackSearch(
            20, lambda: None, self.find_packed, lambda oid: self.kind(oid) or 0, replaces=False
        )

    def find_packed(self, oid: Oid) -> bool:
        return oid in self.packed

    def read(self, oid: Oid) -> tuple[int, bytes]:
        raise ObjectError(f"object {oid.hex()} is missing")

    def kind(self, oid: Oid) -> int | None:
        return TREE if oid in self.packed else None

    def reload(self) -> None:
        self.reloads += 1


@pytest.fixture
def sink(tmp_path: Path) -> Iterator[ObjectSink]:
    """Its chains have at most three deltas; it remembers some twenty trees."""

    def open_pack() -> PackWriter:
        return PackWriter(bytes(tmp_path / "objects/pack"), SHA1, fsync=False)

    store = FakeStore()
    sink = ObjectSink(SHA1, store, open_pack, depth=3, level=-1, tree_cache=20_000)
    yield sink
    sink.pack.abort()


def tree_of(number: int, *, entries: int = 25) -> bytes:
    """A tree whose first entry depends on *number*."""
    names = [b"100644 file%03d\0" % name + Random(name).randbytes(20) for name in range(entries)]
    return b"100644 a%d\0" % number + bytes(20) + b"".join(names)


def store_versions(sink: ObjectSink, count: int) -> list[Oid]:
    oids: list[Oid] = []
    for number in range(count):
        tree, base = tree_of(number), oids[-1] if oids else None
        delta = None if base is None else tree_delta(sink.trees.load(base), tree, 20)
        oids.append(sink.trees.store(tree, base, delta))
    return oids


def depths(sink: ObjectSink, oids: list[Oid]) -> list[int]:
    return [sink.map.depth(sink.map.find(oid)) for oid in oids]


def test_trees_are_deltas_against_their_previous_version(sink: ObjectSink) -> None:
    oids = store_versions(sink, 4)
    assert depths(sink, oids) == [0, 1, 2, 3]
    assert oids == [SHA1.hash_object(TREE, tree_of(number)) for number in range(4)]
    assert [sink.read(oid) for oid in oids] == [(TREE, tree_of(number)) for number in range(4)]


def test_long_chain_starts_again_from_its_first_tree(sink: ObjectSink) -> None:
    oids = store_versions(sink, 12)
    found = depths(sink, oids)
    assert max(found) == 3
    assert found[:6] == [0, 1, 2, 3, 1, 2]
    assert [sink.read(oid)[1] for oid in oids] == [tree_of(number) for number in range(12)]


def test_oid_is_right_wherever_a_tree_was_edited(sink: ObjectSink) -> None:
    names = [b"file%04d" % number for number in range(600)]
    root = edit_paths(sink.trees, None, [(name, REGULAR, bytes(20)) for name in names])
    for number in (0, *range(1, 600, 7), 599):
        changes = [(names[number], EXECUTABLE, b"%20d" % number)]
        if number % 5 == 1:  # so that the tree's size changes now and then
            changes.append((b"z%d" % number, REGULAR, bytes(20)))
        root = edit_paths(sink.trees, root, changes)
        assert isinstance(root, bytes)
        assert root == SHA1.hash_object(TREE, sink.trees.load(root))


def test_delta_that_does_not_pay_is_not_used(sink: ObjectSink) -> None:
    base = sink.trees.store(tree_of(0, entries=1), None, None)
    tree = tree_of(1, entries=1)
    oid = sink.trees.store(tree, base, tree_delta(tree_of(0, entries=1), tree, 20))
    assert depths(sink, [base, oid]) == [0, 0]


def test_nothing_is_written_twice(sink: ObjectSink) -> None:
    [oid] = store_versions(sink, 1)
    again = sink.trees.store(tree_of(0), None, None)
    first, second = (sink.store_object(COMMIT, b"body") for _ in range(2))
    assert (again, first, sink.pack.count) == (oid, second, 2)
    counters = sink.counters
    assert (counters[TREE].stored, counters[TREE].duplicates) == (1, 1)
    assert (counters[COMMIT].stored, counters[COMMIT].duplicates) == (1, 1)


def test_object_of_an_existing_pack_is_not_written(sink: ObjectSink) -> None:
    oid = Oid(SHA1.hash_object(COMMIT, b"body"))
    sink.store.packed.add(oid)
    entry = sink.store_object(COMMIT, b"body")
    assert (sink.map.pack(entry), sink.pack.count) == (ELSEWHERE, 0)
    assert sink.kind_of(oid) == COMMIT


def test_base_elsewhere_is_no_base(sink: ObjectSink) -> None:
    base = Oid(SHA1.hash_object(TREE, tree_of(0)))
    sink.store.packed.add(base)
    assert sink.trees.store(tree_of(0), None, None) == base
    oid = sink.trees.store(tree_of(1), base, tree_delta(tree_of(0), tree_of(1), 20))
    assert (depths(sink, [oid]), sink.pack.count) == ([0], 1)


def test_bases_of_the_pack_before_are_no_bases(sink: ObjectSink, tmp_path: Path) -> None:
    target = Target(tmp_path / "check", "--bare")
    [base] = store_versions(sink, 1)
    finished = sink.finish_pack(index_version=2, keep=False)
    sink.next_pack()
    assert (finished.count, sink.store.reloads) == (1, 1)
    target.git("verify-pack", str(finished.pack_path, "ascii"))
    oid = sink.trees.store(tree_of(1), base, tree_delta(tree_of(0), tree_of(1), 20))
    assert depths(sink, [oid]) == [0]
    assert sink.trees.store(tree_of(0), None, None) == base  # still known
    assert sink.pack.count == 1


def test_large_file_is_appended_as_it_is(sink: ObjectSink, tmp_path: Path) -> None:
    content = b"content" * 1000
    oid, packed = Oid(SHA1.hash_object(BLOB, content)), zlib.compress(content)
    (tmp_path / "payload").write_bytes(packed)
    with open(tmp_path / "payload", "rb") as file:
        sink.append_file(oid, BLOB, len(content), file, len(packed))
    assert sink.read(oid) == (BLOB, content)


def test_what_is_no_tree_is_refused(sink: ObjectSink) -> None:
    entry = sink.store_object(COMMIT, b"body")
    with pytest.raises(ObjectError, match="is a commit, not a tree"):
        sink.trees.load(Oid(sink.map.oid(entry)))
    with pytest.raises(ObjectError, match="missing"):
        sink.trees.load(Oid(b"x" * 20))
    assert sink.kind_of(Oid(b"x" * 20)) is None


def test_loose_objects_have_no_place_any_more(sink: ObjectSink) -> None:
    oids = store_versions(sink, 3)
    sink.forget_places()
    assert {sink.map.pack(sink.map.find(oid)) for oid in oids} == {ELSEWHERE}
    assert depths(sink, oids) == [0, 0, 0]


def test_cache_forgets_the_tree_unused_for_longest(sink: ObjectSink) -> None:
    cache = TreeStore(sink, sink.map, Counters(), 2 * (100 + TREE_OVERHEAD) + 50)
    oids = [Oid(bytes([number]) * 20) for number in range(3)]
    for oid in oids[:2]:
        cache.add(oid, bytes(100))
    assert cache.get(oids[0]) == bytes(100)
    cache.add(oids[2], bytes(100))
    assert [cache.get(oid) is not None for oid in oids] == [True, False, True]
    assert (cache.anchor(oids[0]), cache.anchor(oids[1])) == (oids[0], oids[1])


def test_memory_of_small_trees_is_bounded(sink: ObjectSink) -> None:
    oids = [Oid(number.to_bytes(20)) for number in range(20_000)]
    tracemalloc.start()
    try:
        cache = TreeStore(sink, sink.map, Counters(), 1 << 20)
        for oid in oids:
            cache.add(oid, oid + b"tree")
        assert tracemalloc.get_traced_memory()[0] < 1.25 * (1 << 20)
    finally:
        tracemalloc.stop()


def test_cache_keeps_one_tree_however_large(sink: ObjectSink) -> None:
    cache = TreeStore(sink, sink.map, Counters(), 10)
    cache.add(Oid(b"x" * 20), bytes(100))
    assert cache.get(Oid(b"x" * 20)) == bytes(100)
