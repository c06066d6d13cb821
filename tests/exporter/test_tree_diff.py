"""The comparison of trees, against sets of paths and against git."""

from __future__ import annotations

import itertools
import random
import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastio.errors import ObjectError
from fastio.exporter.changes import Change, changes_of
from fastio.exporter.tree_diff import PathFilter, TreeDiff
from fastio.objects.kinds import BLOB, SHA256, Oid
from tests.exporter.tree_packs import PackedTrees
from tests.exporter.trees import TreeStore, model_changes, reader_of
from tests.objects.models import Entry

Row = tuple[bytes, int, Oid]  # name and mode of a tree's entry
A, B = Oid(b"a" * 20), Oid(b"b" * 20)
# Few names, so that they meet, and those that sort differently as files and as directories.
names = st.sampled_from([b"a", b"a.b", b"a-", b"a0", b"ab", b"b", b"\xff", b"z" * 99])
paths = st.lists(names, min_size=1, max_size=4).map(b"/".join)
modes = st.sampled_from([0o100644, 0o100755, 0o120000, 0o160000, 0o100664, 0o100744])
# Oids that look like entries: nobody may be taken in by them.
oids = st.sampled_from([A, B, Oid(bytes(20)), Oid(b"\x0040000 x\x00" + b"q" * 11)])
entries = st.tuples(modes, oids)


def without_clashes(files: dict[bytes, Entry]) -> dict[bytes, Entry]:
    directories = {path[:at] for path in files for at in range(len(path)) if path[at] == 47}
    return {path: entry for path, entry in files.items() if path not in directories}


trees = st.dictionaries(paths, entries, max_size=12).map(without_clashes)


def compared(
    store: TreeStore, old: dict[bytes, Entry] | None, new: dict[bytes, Entry] | None
) -> list[Change]:
    sides = [None if files is None else store.add_files(files) for files in (old, new)]
    return changes_of(TreeDiff(reader_of(store)).compare(*sides))


@given(st.lists(trees, min_size=2, max_size=5), st.booleans(), st.sampled_from([0, 1 << 20]))
def test_a_comparison_tells_what_the_sets_of_files_differ_in(
    versions: list[dict[bytes, Entry]], unchanged: bool, memory: int
) -> None:
    store = TreeStore()
    diff = TreeDiff(reader_of(store), lists_unchanged=unchanged, memory=memory)
    for old, new in pairwise([{}, *versions]):
        table = diff.compare(store.add_files(old) if old else None, store.add_files(new))
        assert changes_of(table) == model_changes(old, new, unchanged=unchanged)


def large_directory(seed: int) -> dict[bytes, Entry]:
    rng = random.Random(seed)
    return {b"file %d" % rng.randrange(400): (0o100644, Oid(rng.randbytes(20))) for _ in range(200)}


edits = st.lists(
    st.dictionaries(
        st.integers(0, 400).map(b"file %d".__mod__), st.none() | entries, min_size=1, max_size=4
    ),
    min_size=1,
    max_size=4,
)


@given(st.integers(0, 99).map(large_directory), edits)
def test_runs_of_equal_entries_are_skipped_and_nothing_else(
    files: dict[bytes, Entry], edits: list[dict[bytes, Entry | None]]
) -> None:
    store = TreeStore()
    diff = TreeDiff(reader_of(store))
    for edit in edits:
        edited = {name: entry for name, entry in (files | edit).items() if entry is not None}
        # Back and forth: either side may be the one that is known.
        for old, new in ((files, edited), (edited, files), (files, edited)):
            table = diff.compare(store.add_files(old), store.add_files(new))
            assert changes_of(table) == model_changes(old, new)
        files = edited


@given(
    st.randoms(use_true_random=False), st.lists(edits, max_size=4), st.sampled_from([0, 1 << 20])
)
def test_trees_kept_as_recipes_are_compared_as_their_bytes_would_be(
    rng: random.Random, steps: list[list[dict[bytes, Entry | None]]], memory: int
) -> None:
    store, files = PackedTrees(), large_directory(rng.randrange(100))
    versions = [files]
    for edit in itertools.chain(*steps):
        edited = {name: entry for name, entry in (versions[-1] | edit).items() if entry is not None}
        versions.append(edited)
    oids = [store.add_files(version) for version in versions]
    store.pack(rng)
    diff = TreeDiff(reader_of(store), memory=memory)
    for _ in range(12):
        old, new = rng.randrange(len(versions)), rng.randrange(len(versions))
        table = diff.compare(oids[old], oids[new])
        assert changes_of(table) == model_changes(versions[old], versions[new])


def test_room_that_is_kept_for_further_trees_is_bounded_by_bytes() -> None:
    store, depth, limit = PackedTrees(), 12, 1 << 20
    files = {
        b"d/" * level + b"%0200d" % number: (0o100644, A)
        for level in range(depth)
        for number in range(1000)
    }
    deepest = b"d/" * (depth - 1) + b"%0200d" % 500
    oids = [store.add_files(files | {deepest: (0o100644, oid)}) for oid in (A, B)]
    store.pack(random.Random(1))
    reader = reader_of(store, memory=64 << 20)
    tracemalloc.start()
    diff = TreeDiff(reader, memory=limit)
    changes = changes_of(diff.compare(*oids))
    kept, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [change.path for change in changes] == [deepest]
    assert most > depth * 200_000
    assert kept < 2 * limit


def test_equal_subtrees_are_not_read_and_no_tree_is_read_twice() -> None:
    store = TreeStore()
    first = {b"same/x": (0o100644, A), b"other/y": (0o100644, A), b"z": (0o100644, A)}
    versions = [first, first | {b"other/y": (0o100644, B)}, first | {b"z": (0o100644, B)}]
    same = store.add_files({b"x": (0o100644, A)})
    diff = TreeDiff(reader_of(store))
    for old, new in pairwise(versions):
        diff.compare(store.add_files(old), store.add_files(new))
    assert same not in store.read_oids
    assert len(store.read_oids) == len(set(store.read_oids)) == 5


def test_a_file_and_a_directory_of_one_name_are_two_things() -> None:
    file, directory = {b"d": (0o100644, A)}, {b"d/x": (0o100644, A)}
    assert [(change.status, change.path) for change in compared(TreeStore(), file, directory)] == [
        ("D", b"d"),
        ("A", b"d/x"),
    ]
    assert [(change.status, change.path) for change in compared(TreeStore(), directory, file)] == [
        ("A", b"d"),
        ("D", b"d/x"),
    ]


def test_trees_of_any_depth_that_is_allowed_are_compared() -> None:
    store = TreeStore()
    old, new = store.add(b"100644 f\0" + A), store.add(b"100644 f\0" + B)
    for _ in range(3000):
        old, new = store.add(b"40000 d\0" + old), store.add(b"40000 d\0" + new)
    diff = TreeDiff(reader_of(store), most_depth=3000)
    (change,) = changes_of(diff.compare(old, new))
    assert change.path == b"d/" * 3000 + b"f"
    for sides in (old, store.add(b"40000 d\0" + new)), (None, store.add(b"40000 d\0" + new)):
        with pytest.raises(ObjectError, match="directories deep"):
            TreeDiff(reader_of(store)).compare(*sides)


def test_the_empty_tree_need_not_exist() -> None:
    store = TreeStore(SHA256)
    oid, empty = SHA256.hash_object(BLOB, b""), SHA256.hash_object(2, b"")
    tree = store.add(b"100644 f\0" + oid)
    diff = TreeDiff(reader_of(store))
    assert [change.status for change in changes_of(diff.compare(empty, tree))] == ["A"]
    assert [change.status for change in changes_of(diff.compare(tree, empty))] == ["D"]
    assert [change.status for change in changes_of(diff.compare(tree, None))] == ["D"]


def entry(mode: bytes, name: bytes, oid: Oid = A) -> bytes:
    return b"%b %b\0%b" % (mode, name, oid)


# Names, of which some stand twice, and as files and directories.
rows = st.tuples(names, modes | st.just(0o040000), st.sampled_from([A, B]))


def as_stored(old: list[Row], new: list[Row]) -> list[Change]:
    """Model: what comes first on one side, but not on the other, has gone or is new."""

    def key(row: Row) -> bytes:
        return row[0] + b"/" * (row[1] == 0o040000)

    changes: list[Change] = []
    while old or new:
        order = 1 if not old else -1 if not new else 0
        if old and new:
            order = (key(old[0]) > key(new[0])) - (key(old[0]) < key(new[0]))
        before = {path: (mode, oid) for path, mode, oid in old[: order <= 0]}
        after = {path: (mode, oid) for path, mode, oid in new[: order >= 0]}
        is_directory = (old if order <= 0 else new)[0][1] == 0o040000
        if is_directory:  # each of those holds one file
            before, after = ({path + b"/f": (0o100644, oid) for path, (_, oid) in side.items()}
                             for side in (before, after))  # fmt: skip
        changes += model_changes(before, after)
        old, new = old[order <= 0 :], new[order >= 0 :]
    return changes


@given(st.lists(rows, max_size=9), st.lists(rows, max_size=9), st.sampled_from([b"", b"0"]))
def test_trees_out_of_order_are_compared_as_they_are_stored(
    old: list[Row], new: list[Row], zero: bytes
) -> None:
    store = TreeStore()

    def add(side: list[Row]) -> Oid:
        parts = []
        for name, mode, oid in side:
            if mode == 0o040000:
                oid = store.add(entry(b"100644", b"f", oid))
            parts.append(entry(zero + b"%o" % mode, name, oid))
        return store.add(b"".join(parts))

    diff = TreeDiff(reader_of(store))
    for left, right in ((old, new), (new, old), (old, old)):
        expected = as_stored(left, right) if left != right else []
        assert changes_of(diff.compare(add(left), add(right))) == expected
    assert changes_of(diff.compare(None, add(new))) == as_stored([], new)


@pytest.mark.parametrize(
    ("mode", "meant"),
    [(b"0", 0o160000), (b"000", 0o160000), (b"7" * 22 + b"100644", 0o100644),
     (b"40000000100755", 0o100755), (b"0" * 20 + b"120777", 0o120000)],
)  # fmt: skip
def test_a_mode_may_have_any_digits(mode: bytes, meant: int) -> None:
    store = TreeStore()
    tree = store.add(entry(mode, b"x"))
    (change,) = changes_of(TreeDiff(reader_of(store)).compare(None, tree))
    assert change.new_mode == meant


@pytest.mark.parametrize(
    "tail", [b"100644 y\0short", b"100644 y", b"x y\0" + A, b"100644 \0" + A, b"100644"]
)
@pytest.mark.parametrize("known", [True, False])
def test_a_damaged_tree_is_named(tail: bytes, known: bool) -> None:
    store = TreeStore()
    whole = store.add(entry(b"100644", b"x"))
    damaged = store.add(entry(b"100644", b"x") + tail)
    diff = TreeDiff(reader_of(store))
    for old, new in ((whole, damaged), (damaged, whole), (None, damaged), (whole, damaged)):
        with pytest.raises(ObjectError, match=f"tree {damaged.hex()} is damaged"):
            diff.compare(old if known else None, new) if new == damaged else diff.compare(old, new)
    assert changes_of(diff.compare(None, whole)) != []


def test_missing_trees_and_blobs_in_their_place_are_named() -> None:
    store = TreeStore()
    blob = store.add(b"content", BLOB)
    diff = TreeDiff(reader_of(store))
    with pytest.raises(ObjectError, match=f"{blob.hex()} is a blob, not a tree"):
        diff.compare(None, store.add(entry(b"40000", b"d", blob)))
    with pytest.raises(ObjectError, match=f"{A.hex()} is missing"):
        diff.compare(None, store.add(entry(b"40000", b"d", A)))


@given(trees, trees, st.lists(paths, max_size=3), st.booleans())
def test_literal_paths_limit_a_comparison(
    old: dict[bytes, Entry], new: dict[bytes, Entry], limits: list[bytes], asked: bool
) -> None:
    def is_within(path: bytes) -> bool:
        return any(path == limit or path.startswith(limit + b"/") for limit in limits)

    def ask(path: bytes, kind: int) -> int:
        if is_within(path):
            return 2
        return int(kind == 1 and any(limit.startswith(path + b"/") for limit in limits))

    store = TreeStore()
    paths = PathFilter([], ask) if asked else PathFilter(limits)
    diff = TreeDiff(reader_of(store), paths)
    table = diff.compare(store.add_files(old), store.add_files(new))
    expected = [change for change in model_changes(old, new) if is_within(change.path)]
    assert changes_of(table) == expected


def test_a_limit_with_a_slash_at_its_end_is_a_directory() -> None:
    paths = PathFilter([b"d/"])
    assert [paths.wants(b"d", kind) for kind in (0, 1, 2)] == [0, 2, 2]
    assert [paths.wants(b"d/x", kind) for kind in (0, 1, 2)] == [2, 2, 2]
    assert [PathFilter([b""]).wants(b"any", kind) for kind in (0, 1, 2)] == [2, 2, 2]
    assert [PathFilter([b"d/x"]).wants(b"d", kind) for kind in (0, 1, 2)] == [0, 1, 0]


@given(trees, trees, st.lists(paths, max_size=3))
def test_hidden_submodules_are_passed_over(
    old: dict[bytes, Entry], new: dict[bytes, Entry], hidden: list[bytes]
) -> None:
    def is_hidden(change: Change) -> bool:
        return {change.old_mode, change.new_mode} <= {0, 0o160000} and change.path in hidden

    store = TreeStore()
    diff = TreeDiff(reader_of(store), hidden=hidden)
    expected = [change for change in model_changes(old, new) if not is_hidden(change)]
    assert changes_of(diff.compare(store.add_files(old), store.add_files(new))) == expected
