"""The walk over a plain commit's edits against the tree editor: same trees, stored alike."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fastio.errors import ObjectError
from fastio.objects._path_edits import Trees, edit_paths
from fastio.objects.kinds import SHA1, TREE, Oid
from fastio.objects.tree_edit import TreeEditor
from fastio.objects.trees import EXECUTABLE, GITLINK, REGULAR, empty_tree_oid

A, B = Oid(b"a" * 20), Oid(b"b" * 20)
EMPTY = empty_tree_oid(SHA1)

paths = st.lists(st.sampled_from([b"a", b"a-", b"a0", b"b"]), min_size=1, max_size=4).map(b"/".join)
modes = st.sampled_from([REGULAR, EXECUTABLE, GITLINK])
sets = st.tuples(paths, modes, st.sampled_from([A, B]))
changes = st.lists(sets | st.tuples(paths, st.just(0), st.just(b"")), max_size=12)


class Store(Trees):
    """Keeps trees, and what was stored in which order."""

    def __init__(self, limit: int = 0) -> None:
        super().__init__(20, limit)
        self.trees: dict[bytes, bytes] = {EMPTY: b""}
        self.stored: list[tuple[bytes, bytes | None, bytes | None]] = []

    def load(self, oid: Oid) -> bytes:
        return self.trees[oid]

    def store(self, tree: bytes, base: Oid | None, delta: bytes | None) -> Oid:
        self.stored.append((tree, base, delta))
        oid = SHA1.hash_object(TREE, tree)
        self.trees[oid] = tree
        return oid


def edited(
    store: Store, root: Oid | None, commit: list[tuple[bytes, int, bytes]], *, emptied: bool
) -> Oid:
    editor = TreeEditor(store.load, store.store, root)
    if emptied:
        editor.clear()
    for path, mode, oid in commit:
        if mode:
            editor.set(path, mode, Oid(oid))
        else:
            editor.remove(path)
    return editor.write()


def order_matters(commit: list[tuple[bytes, int, bytes]]) -> bool:
    last: dict[bytes, int] = {}
    for path, mode, _ in commit:
        if last.get(path) and not mode:
            return True
        last[path] = mode
    return any(path.startswith(other + b"/") for path in last for other in last)


@settings(max_examples=300)
@example([[(b"a", REGULAR, A)], [(b"a/b", REGULAR, A), (b"a/b", 0, b"")]], 0)
@given(st.lists(changes, min_size=1, max_size=5), st.integers(0, 31))
def test_same_as_the_editor(commits: list[list[tuple[bytes, int, bytes]]], emptied: int) -> None:
    ours, theirs = Store(), Store()
    root: Oid | None = None
    for number, commit in enumerate(commits):
        clears = bool(emptied >> number & 1)
        wanted = edited(theirs, root, commit, emptied=clears)
        found = edit_paths(ours, root, commit, emptied=clears)
        if order_matters(commit):
            assert found is False
            found = edited(ours, root, commit, emptied=clears)
        elif found is None:
            found = ours.store(b"", None, None)
        assert found == wanted
        assert ours.stored == theirs.stored
        root = wanted


def large_commit(rng: Random, names: list[bytes]) -> list[tuple[bytes, int, bytes]]:
    """Changes of a few neighbours, or of entries anywhere."""
    count = rng.choice((1, 2, 5, 60))
    start = rng.randrange(len(names))
    some = names[start : start + count] if rng.random() < 0.5 else rng.sample(names, count)
    commit: dict[bytes, tuple[bytes, int, bytes]] = {}
    for name in some:
        path = rng.choice((name, name, name + b"/" + rng.choice(names)))
        mode = rng.choice((0, REGULAR, REGULAR, EXECUTABLE))
        commit[name] = path, mode, rng.randbytes(20) if mode else b""
    return list(commit.values())


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.sampled_from([0, 20_000, 1 << 24]))
def test_same_as_the_editor_in_large_directories(seed: int, limit: int) -> None:
    rng = Random(seed)
    names = [b"%b%d" % (rng.choice((b"a", b"a-", b"b" * 300)), n) for n in range(400)]
    names += [name + rng.choice((b"-", b".", b"0")) for name in names]
    ours, theirs = Store(limit), Store()
    root: Oid | None = None
    for size in (len(names), *range(12)):
        commit = [(name, REGULAR, A) for name in names] if size > 12 else large_commit(rng, names)
        clears = rng.random() < 0.2
        found = edit_paths(ours, root, commit, emptied=clears)
        wanted = edited(theirs, root, commit, emptied=clears)
        assert (found or ours.store(b"", None, None)) == wanted
        assert ours.stored == theirs.stored
        root = wanted


@pytest.mark.parametrize(
    "tree",
    [
        pytest.param(b"100644 b\0" + A + b"100644 a\0" + A, id="unsorted"),
        pytest.param(b"100644 a\0" + A + b"100644 a\0" + A, id="twice"),
        pytest.param(b"040000 a\0" + A, id="leading zero"),
        pytest.param(b"100644 a\0" + A[:19], id="cut"),
        pytest.param(b"40000 a\0" + A + b"100644 a-\0" + A, id="directory as file"),
    ],
)
def test_tree_out_of_order_is_left_to_the_editor(tree: bytes) -> None:
    store = Store()
    root = store.store(tree, None, None)
    with pytest.raises(ObjectError, match="is not in order"):
        edit_paths(store, root, [(b"c", REGULAR, A)])
    assert len(store.stored) == 1
