"""Which delta base a blob gets, and how long blobs are kept for that."""

import os
from collections import OrderedDict
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lz4.block import compress

from fastio.importer._bases import PATH_OVERHEAD, DeltaBases
from fastio.importer._blob_tables import Blob
from fastio.importer._blobs import BlobQueue
from fastio.importer.encoder import Encoder
from fastio.store.entries import EntryWriter
from fastio.store.marks import MarkTable
from fastio.store.objmap import ObjectMap
from workers.arena import Arena
from workers.tasks import Settings

SIZE = 100


def content_of(name: str, size: int) -> bytes:
    """Content that can be packed if its size is odd and not too small."""
    rng = Random(name)
    return (rng.randbytes(size // 7) * 8)[:size] if size % 2 else rng.randbytes(size)


class JournalQueue(BlobQueue):
    """Keeps a journal of which blob was submitted with which base, by the names they were given."""

    def __init__(self) -> None:
        arena = Arena(1 << 20)
        super().__init__(
            arena, ObjectMap(20), MarkTable(), encoder=Encoder(arena, Settings(), workers=0),
            wait=lambda: None, search=None, depth_limit=50, hold_bytes=1 << 16,
            hold_count=1000, batch_bytes=1 << 19,
        )  # fmt: skip
        self.writer = EntryWriter(os.memfd_create("pack"), b"pack")
        self.set_pack(self.writer, 0)
        self.names: dict[Blob, str] = {}
        self.journal: list[tuple[str, str | None]] = []

    def blob(self, name: str, mark: int = 0, size: int = SIZE) -> Blob:
        blob = self.open(mark, size, 0)
        self.fill(blob, 0, content_of(name, size))
        self.hold(blob)
        self.names[blob] = name
        return blob

    def submit(self, blob: Blob, base: Blob | None) -> None:
        self.journal.append((self.names[blob], base and self.names[base]))
        super().submit(blob, base)

    def settle(self) -> None:
        """Accept all blobs: from then on nothing but the bases keeps them."""
        self.finish_batch()
        self.accept(self.submitted)


@pytest.fixture
def queue() -> Iterator[JournalQueue]:
    queue = JournalQueue()
    yield queue
    queue.writer.close()


def bases_of(queue: JournalQueue, *, limit: int = 1 << 20, depth: int = 50) -> DeltaBases:
    return DeltaBases(queue, limit=limit, depth=depth)


def assign(queue: JournalQueue, bases: DeltaBases, path: bytes, *names: str) -> list[Blob]:
    blobs = [queue.blob(name) for name in names]
    for blob in blobs:
        bases.assign(path, blob)
    queue.settle()
    return blobs


def test_base_is_the_version_before_at_that_path(queue: JournalQueue) -> None:
    bases = bases_of(queue)
    assign(queue, bases, b"a", "a1", "a2")
    assign(queue, bases, b"b", "b1")
    assign(queue, bases, b"a", "a3")
    assert queue.journal == [("a1", None), ("a2", "a1"), ("b1", None), ("a3", "a2")]


def test_chain_at_its_end_starts_again_from_its_anchor(queue: JournalQueue) -> None:
    bases = bases_of(queue, depth=2)
    assign(queue, bases, b"a", *"12345678")
    # 4 hangs on the anchor, 1; so does 6 on the next one, 4; that would be too deep for 7
    assert [base for _, base in queue.journal] == [None, "1", "2", "1", "4", "4", None, "7"]


def test_depth_0_and_1(queue: JournalQueue) -> None:
    assign(queue, bases_of(queue, depth=0), b"a", "1", "2")
    assign(queue, bases_of(queue, depth=1), b"b", "3", "4", "5")
    assert queue.journal[:2] == [("1", None), ("2", None)]
    assert queue.journal[2:4] == [("3", None), ("4", "3")]


def test_chain_starts_again_from_its_anchor_also_after_a_merge(queue: JournalQueue) -> None:
    bases = bases_of(queue, depth=3)
    assign(queue, bases, b"a", "1", "2")
    bases.assign(b"a", queue.blob("3", mark=3))
    assign(queue, bases, b"a", "4")
    bases.reuse(b"a", 3)  # a merge takes over what is on the other branch
    assign(queue, bases, b"a", "5", "6")
    assert queue.journal[3:] == [("4", "3"), ("5", "3"), ("6", "1")]


@pytest.mark.parametrize(("size", "base"), [(1000, "2"), (1100, "2"), (1180, "1"), (9999, "2")])
def test_version_that_is_nearer_in_size_is_the_base(
    queue: JournalQueue, size: int, base: str
) -> None:
    bases = bases_of(queue)
    for name, of_name in (("1", 1200), ("2", 1000), ("3", size)):
        bases.assign(b"a", queue.blob(name, size=of_name))
    assert queue.journal[-1] == ("3", base)


def test_few_versions_are_kept(queue: JournalQueue) -> None:
    bases = bases_of(queue)
    blobs = assign(queue, bases, b"a", *"1234567")
    assert [blob in queue.live for blob in blobs] == [True, False, False, True, True, True, True]


def test_paths_unused_for_longest_lose_what_is_not_their_newest(queue: JournalQueue) -> None:
    bases = bases_of(queue, limit=2 * PATH_OVERHEAD + 5 * SIZE)
    first = assign(queue, bases, b"a", "a1", "a2", "a3")
    second = assign(queue, bases, b"b", "b1", "b2", "b3")
    assert [blob in queue.live for blob in first] == [False, False, True]
    assert all(blob in queue.live for blob in second)


def test_path_unused_for_longest_is_forgotten(queue: JournalQueue) -> None:
    bases = bases_of(queue, limit=3 * (PATH_OVERHEAD + SIZE))
    for path in (b"a", b"b", b"c"):
        assign(queue, bases, path, path.decode())
    [again] = assign(queue, bases, b"a", "a again")
    assign(queue, bases, b"d", "d")
    assert bases.kept_bytes <= 3 * (PATH_OVERHEAD + SIZE)
    assert again in queue.live
    assign(queue, bases, b"b", "b again")
    assert queue.journal[-1] == ("b again", None)


def test_only_path_is_never_forgotten(queue: JournalQueue) -> None:
    bases = bases_of(queue, limit=1)
    blobs = assign(queue, bases, b"a", "1", "2", "3")
    assert queue.journal[-1] == ("3", "2")
    assert [blob in queue.live for blob in blobs] == [False, False, True]


def test_blob_at_many_paths_counts_once(queue: JournalQueue) -> None:
    bases = bases_of(queue)
    blob = queue.blob("shared", mark=7)
    bases.assign(b"a", blob)
    bases.reuse(b"b", 7)
    assert bases.kept_bytes == SIZE + 2 * PATH_OVERHEAD
    assign(queue, bases, b"b", "next")
    assert queue.journal[-1] == ("next", "shared")
    assert blob in queue.live
    bases.clear()
    assert blob not in queue.live


def test_unknown_mark_changes_nothing(queue: JournalQueue) -> None:
    bases = bases_of(queue)
    bases.reuse(b"a", 7)
    assign(queue, bases, b"a", "1")
    assert queue.journal == [("1", None)]


@pytest.mark.parametrize("keep", [True, False])
def test_copies_and_renames_take_the_base_along(queue: JournalQueue, keep: bool) -> None:
    bases = bases_of(queue)
    assign(queue, bases, b"a", "1")
    bases.move(b"a", b"b", keep=keep)
    bases.move(b"nowhere", b"a", keep=keep)
    assign(queue, bases, b"b", "2")
    assign(queue, bases, b"a", "3")
    assert queue.journal[1:] == [("2", "1"), ("3", "1" if keep else None)]


def test_rename_to_itself_keeps_the_base(queue: JournalQueue) -> None:
    bases = bases_of(queue)
    [blob] = assign(queue, bases, b"a", "1")
    bases.move(b"a", b"a", keep=False)
    assert (blob in queue.live, bases.kept_bytes) == (True, SIZE + PATH_OVERHEAD)


def test_clear_lets_go_of_everything(queue: JournalQueue) -> None:
    bases = bases_of(queue, depth=2)
    blobs = [blob for path in (b"a", b"b") for blob in assign(queue, bases, path, *"1234")]
    bases.clear()
    assert bases.kept_bytes == 0
    assert not any(blob in queue.live or blob.paths for blob in blobs)
    assign(queue, bases, b"a", "new")
    assert queue.journal[-1] == ("new", None)


@pytest.mark.parametrize("size", [257, 5001])
def test_what_was_packed_is_a_base_again(queue: JournalQueue, size: int) -> None:
    bases = bases_of(queue, limit=2 * PATH_OVERHEAD + size + SIZE - 1)
    first = queue.blob("1", size=size)
    bases.assign(b"a", first)
    queue.settle()
    assign(queue, bases, b"b", "other")
    assert (first.packed_size, bases.packed_bytes) == (bases.packed_bytes, first.packed_size)
    assert 0 < first.packed_size < size // 2
    assert queue.content(first) is None
    queue.compact()
    second = queue.blob("2", size=size)
    bases.assign(b"a", second)
    assert queue.content(first) == content_of("1", size)
    assert queue.journal[-1] == ("2", "1")
    queue.settle()
    bases.clear()
    assert (bases.kept_bytes, bases.packed_bytes, len(queue.live)) == (0, 0, 0)


@pytest.mark.parametrize("size", [0, 1, 255, 5000])
def test_what_is_small_or_random_is_not_packed(queue: JournalQueue, size: int) -> None:
    bases = bases_of(queue, limit=2 * PATH_OVERHEAD + size + SIZE - 1)
    blob = queue.blob("1", size=size)
    bases.assign(b"a", blob)
    assign(queue, bases, b"b", "other")
    assert (blob.packed_size, blob in queue.live) == (0, False)


def test_what_is_packed_while_it_is_encoded(queue: JournalQueue) -> None:
    bases = bases_of(queue, limit=2 * PATH_OVERHEAD + 5001 + SIZE - 1)
    blob = queue.blob("1", size=5001)
    bases.assign(b"a", blob)
    bases.assign(b"b", queue.blob("other"))
    assert blob.packed_size
    assert queue.content(blob) is not None
    queue.settle()
    assert queue.content(blob) is None
    bases.move(b"a", b"c", keep=False)
    assert queue.content(blob) == content_of("1", 5001)


class ModelBases:
    """The choice in plain Python: the same blobs let go, the same bases."""

    def __init__(self, limit: int, depth: int) -> None:
        self.limit, self.depth = limit, depth
        self.paths: OrderedDict[bytes, tuple[list[str], str]] = OrderedDict()
        self.depths: dict[str, int] = {}
        self.sizes: dict[str, int] = {}
        self.packed: dict[str, int] = {}  # sizes when packed
        self.warm: set[bytes] = set()  # paths that were not packed since their last use
        self.journal: list[tuple[str, str | None]] = []

    def assign(self, path: bytes, name: str, size: int) -> None:
        self.sizes[name] = size
        versions, anchor = self.paths.get(path, ([], None))
        base: str | None = None
        if anchor is not None and self.depths[versions[0]] < self.depth:
            base = self.choose(versions, size)
        elif anchor is not None:
            base, anchor = (anchor if self.depths[anchor] < self.depth else None), None
        self.journal.append((name, base))
        self.depths[name] = 0 if base is None else self.depths[base] + 1
        self.remember(path, [name, *versions], anchor if anchor and base else name)

    def choose(self, versions: list[str], size: int) -> str:
        fit = [version for version in versions if self.depths[version] < self.depth]
        distances = {version: abs(self.sizes[version] - size) for version in fit}
        nearest = min(fit[1:], key=distances.__getitem__, default=fit[0])
        return nearest if 3 * distances[nearest] + 16 < distances[fit[0]] else fit[0]

    def remember(self, path: bytes, versions: list[str], anchor: str) -> None:
        self.paths[path] = list(dict.fromkeys(versions))[:4], anchor
        self.paths.move_to_end(path)
        self.warm.add(path)
        for name in (*versions[:4], anchor):
            self.packed.pop(name, None)
        for cold, (others, _) in self.paths.items():
            if self.is_full:
                self.paths[cold] = [others[0]], others[0]
        for cold in list(self.paths)[:-1]:
            if self.is_full and cold in self.warm and 2 * sum(self.packed.values()) < self.limit:
                self.pack(cold)
        while self.is_full and len(self.paths) > 1:
            self.paths.popitem(last=False)
            self.packed = {name: size for name, size in self.packed.items() if name in self.kept}

    @property
    def is_full(self) -> bool:
        return self.kept_bytes + sum(self.packed.values()) > self.limit

    def pack(self, path: bytes) -> None:
        self.warm.discard(path)
        [name], _ = self.paths[path]
        size = len(compress(content_of(name, self.sizes[name]), store_size=False))
        users = [path for path, (names, anchor) in self.paths.items() if name in (*names, anchor)]
        if users == [path] and self.sizes[name] >= 256 and 4 * size <= 3 * self.sizes[name]:
            self.packed[name] = size

    def reuse(self, path: bytes, name: str) -> None:
        if name in self.kept:
            versions, anchor = self.paths.get(path, ([], name))
            self.remember(path, [name, *versions], anchor)

    def move(self, source: bytes, target: bytes, *, keep: bool) -> None:
        if source in self.paths and source != target:
            versions, anchor = self.paths[source] if keep else self.paths.pop(source)
            before, _ = self.paths.get(target, ([], anchor))
            self.remember(target, [*versions, *before], anchor)

    @property
    def kept(self) -> set[str]:
        return {name for names, anchor in self.paths.values() for name in (*names, anchor)}

    @property
    def kept_bytes(self) -> int:
        unpacked = self.kept - self.packed.keys()
        return sum(self.sizes[name] for name in unpacked) + PATH_OVERHEAD * len(self.paths)


paths = st.integers(0, 99).map(lambda number: b"path/" * (number % 5) + b"%d" % number)
base_steps = st.one_of(
    st.tuples(st.just("assign"), st.one_of(paths, st.just(b"often")), st.integers(50, 400)),
    st.tuples(st.just("reuse"), paths, st.integers(1, 60)),
    st.tuples(st.just("move"), paths, paths, st.booleans()),
)


@given(st.lists(base_steps, max_size=120), st.integers(0, 3), st.integers(1, 99))
@settings(max_examples=100)
def test_bases_are_those_of_the_model(steps: list[Any], depth: int, room: int) -> None:
    queue, limit = JournalQueue(), room * PATH_OVERHEAD
    bases, model = bases_of(queue, limit=limit, depth=depth), ModelBases(limit, depth)
    mark = 0
    for step, path, *more in steps:
        if step == "assign":
            mark += 1
            bases.assign(path, queue.blob(str(mark), mark, more[0]))
            model.assign(path, str(mark), more[0])
        elif step == "reuse":
            bases.reuse(path, more[0])
            model.reuse(path, str(more[0]))
        else:
            bases.move(path, more[0], keep=more[1])
            model.move(path, more[0], keep=more[1])
        queue.settle()
        assert bases.kept_bytes == model.kept_bytes
        assert bases.packed_bytes == sum(model.packed.values())
    assert queue.journal == model.journal
    # The last one that had no path is kept as well, but here all have one.
    assert {queue.names[blob] for blob in queue.live} == model.kept
    queue.writer.close()
