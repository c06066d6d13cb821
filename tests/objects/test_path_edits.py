"""The walk over a plain commit's edits against the tree editor: same trees, stored alike."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

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

    def __init__(self) -> None:
        super().__init__(20)
        self.trees: dict[bytes, bytes] = {EMPTY: b""}
        self.stored: list[tuple[bytes, bytes | None, bytes | None]] = []

    def load(self, oid: Oid) -> bytes:
        return self.trees[oid]

    def store(self, tree: bytes, base: Oid | None, delta: bytes | None) -> Oid:
        self.stored.append((tree, base, delta))
        oid = SHA1.hash_object(TREE, tree)
        self.trees[oid] = tree
        return oid


def edited(store: Store, root: Oid | None, commit: list[tuple[bytes, int, bytes]]) -> Oid:
    editor = TreeEditor(store.load, store.store, root)
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
@example([[(b"a", REGULAR, A)], [(b"a/b", REGULAR, A), (b"a/b", 0, b"")]])
@given(st.lists(changes, min_size=1, max_size=5))
def test_same_as_the_editor(commits: list[list[tuple[bytes, int, bytes]]]) -> None:
    ours, theirs = Store(), Store()
    root: Oid | None = None
    for commit in commits:
        wanted = edited(theirs, root, commit)
        found = edit_paths(ours, root, commit)
        if order_matters(commit):
            assert found is False
            found = edited(ours, root, commit)
        elif found is None:
            found = ours.store(b"", None, None)
        assert found == wanted
        assert ours.stored == theirs.stored
        root = wanted
