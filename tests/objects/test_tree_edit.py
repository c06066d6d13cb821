"""The tree editor against a flat dict of paths."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from fastio.errors import StreamError
from fastio.objects.kinds import SHA1, SHA256, TREE, Oid
from fastio.objects.tree_edit import TreeEditor
from fastio.objects.trees import DIRECTORY, EXECUTABLE, REGULAR, empty_tree_oid, walk
from tests.objects.models import FlatTree, model_apply, model_root

A, B = Oid(b"a" * 20), Oid(b"b" * 20)
EMPTY = empty_tree_oid(SHA1)
paths = st.lists(st.sampled_from([b"a", b"a.", b"b"]), min_size=1, max_size=3).map(b"/".join)
entries = st.tuples(st.sampled_from([REGULAR, EXECUTABLE, 0o160000]), st.sampled_from([A, B]))


class Trees(dict[bytes, bytes]):
    """A store of trees that checks each delta it is given."""

    stored = 0

    def store(self, tree: bytes, base: Oid | None, delta: bytes | None) -> Oid:
        if delta is not None:
            assert base is not None
            assert model_apply(self[base], delta) == tree
        oid = SHA1.hash_object(TREE, tree)
        assert base is None or self[base] != tree  # or nothing had to be stored
        self[oid] = tree
        self.stored += 1
        return oid

    def editor(self, root: Oid | None = None) -> TreeEditor:
        return TreeEditor(self.__getitem__, self.store, root)

    def with_files(self, *names: bytes) -> TreeEditor:
        editor = self.editor()
        for name in names:
            editor.set(name, REGULAR, A)
        return editor

    def names(self, editor: TreeEditor) -> list[bytes]:
        return [path for path, _, _ in walk(self.__getitem__, editor.write())]


@pytest.fixture
def trees() -> Trees:
    return Trees()


class EditorModel(RuleBasedStateMachine):
    @initialize()
    def start(self) -> None:
        self.trees, self.model = Trees(), FlatTree()
        self.editor = self.trees.editor()

    @rule(path=paths, entry=entries)
    def modify(self, path: bytes, entry: tuple[int, Oid]) -> None:
        self.editor.set(path, *entry)
        self.model.put(path, {b"": entry})

    @rule(path=paths | st.just(b""))
    def delete(self, path: bytes) -> None:
        assert self.editor.remove(path) == (bool(self.model.below(path)) or path == b"")
        self.model.remove(path)

    @rule(source=paths | st.just(b""), destination=paths | st.just(b""), rename=st.booleans())
    def transfer(self, source: bytes, destination: bytes, rename: bool) -> None:
        content = self.model.below(source)
        to_root = not destination and b"" in content
        act = self.editor.rename if rename else self.editor.copy
        if not content or to_root:
            if source and not (rename and to_root):
                with pytest.raises(StreamError):
                    act(source, destination)
            return
        act(source, destination)
        if rename:
            self.model.remove(source)
        self.model.put(destination, content)

    @rule(path=paths, source=paths)
    def graft(self, path: bytes, source: bytes) -> None:
        found = self.editor.get(source)
        if found is not None and found[0] == DIRECTORY:
            self.editor.set(path, DIRECTORY, found[1])
            self.model.put(path, self.model.below(source))

    @rule()
    def deleteall(self) -> None:
        self.editor.clear()
        self.model.clear()

    @rule(path=paths)
    def look(self, path: bytes) -> None:
        content = self.model.below(path)
        found = self.editor.get(path)
        if not content:
            assert found is None
        elif b"" in content:
            assert found == content[b""]
        else:
            assert found == (DIRECTORY, model_root(content))

    @rule(go_on=st.booleans())
    def commit(self, go_on: bool) -> None:
        root = self.editor.write()
        assert root == model_root(self.model)
        if not go_on:
            self.editor = self.trees.editor(root)

    def teardown(self) -> None:
        assert self.editor.write() == model_root(self.model)


EditorModel.TestCase.settings = settings(
    max_examples=150, stateful_step_count=25, derandomize=True, deadline=None
)
TestEditor = EditorModel.TestCase


def test_an_edit_that_changes_nothing_stores_nothing(trees: Trees) -> None:
    root = trees.with_files(b"a/b", b"c").write()
    trees.stored = 0
    editor = trees.editor(root)
    editor.set(b"a/b", REGULAR, A)
    editor.set(b"a/new", REGULAR, A)
    editor.remove(b"a/new")
    editor.remove(b"no/such/file")
    assert editor.write() == root
    assert trees.stored == 0


def test_deleteall_and_the_same_files_again_store_nothing(trees: Trees) -> None:
    root = trees.with_files(b"a/b", b"c").write()
    trees.stored = 0
    editor = trees.editor(root)
    editor.clear()
    editor.set(b"a/b", REGULAR, A)
    editor.set(b"c", REGULAR, A)
    assert editor.write() == root
    assert trees.stored == 0


def test_deleteall_keeps_the_old_version_as_delta_base(trees: Trees) -> None:
    root = trees.with_files(*(b"d/file%d" % n for n in range(9))).write()
    deltas = []

    def store(tree: bytes, base: Oid | None, delta: bytes | None) -> Oid:
        deltas.append((base, len(delta or b"")))
        return trees.store(tree, base, delta)

    editor = TreeEditor(trees.__getitem__, store, root)
    editor.clear()
    for n in range(9):
        editor.set(b"d/file%d" % n, REGULAR, B if n == 4 else A)
    editor.write()
    assert [base in trees for base, _ in deltas] == [True, True]
    assert 0 < deltas[0][1] < 40


def test_a_directory_that_is_removed_and_filled_anew_keeps_its_delta_base(trees: Trees) -> None:
    root = trees.with_files(*(b"d/file%d" % n for n in range(9))).write()
    editor = trees.editor(root)
    editor.remove(b"d")
    editor.set(b"d", REGULAR, B)
    for n in range(9):
        editor.set(b"d/file%d" % n, REGULAR, A)
    trees.stored = 0
    assert editor.write() == root
    assert trees.stored == 0


def test_the_root_can_be_looked_at_and_edited_further(trees: Trees) -> None:
    editor = trees.editor()
    assert editor.get(b"") == (DIRECTORY, EMPTY)
    editor.set(b"a", REGULAR, A)
    found = editor.get(b"")
    editor.set(b"b", REGULAR, A)
    assert found == (DIRECTORY, model_root({b"a": (REGULAR, A)}))
    assert editor.get(b"/") == (DIRECTORY, editor.write())
    assert trees.names(editor) == [b"a", b"b"]


def test_an_empty_root_can_be_copied_as_a_directory(trees: Trees) -> None:
    editor = trees.editor()
    editor.copy(b"", b"sub")
    assert trees[editor.write()] == b"40000 sub\x00" + EMPTY
    assert trees[EMPTY] == b""


def test_a_copy_of_a_dirty_directory_stores_no_tree_of_its_own(trees: Trees) -> None:
    editor = trees.with_files(b"a/x", b"a/y")
    editor.copy(b"a", b"b")
    editor.set(b"b/x", REGULAR, B)
    editor.remove(b"a/y")
    assert trees.stored == 0
    assert trees.names(editor) == [b"a/x", b"b/x", b"b/y"]
    assert trees.stored == 3


@pytest.mark.parametrize(
    ("source", "destination", "expected"),
    [
        (b"d", b"d/z", [b"d/z/e/f"]),
        (b"d/e", b"d", [b"d/f"]),
        (b"a", b"a/b", [b"a/b", b"d/e/f"]),
        (b"a", b"a", [b"a", b"d/e/f"]),
        (b"", b"sub", [b"sub/a", b"sub/d/e/f"]),
        (b"d", b"", [b"e/f"]),
        (b"", b"", [b"a", b"d/e/f"]),
    ],
)
def test_renames_that_overlap(
    trees: Trees, source: bytes, destination: bytes, expected: list[bytes]
) -> None:
    editor = trees.with_files(b"a", b"d/e/f")
    editor.rename(source, destination)
    names = trees.names(editor)
    assert [name for name in names if name in expected] == expected
    assert set(names) - set(expected) <= {b"a"}


def test_an_emptied_directory_is_missing(trees: Trees) -> None:
    editor = trees.with_files(b"d/e/f", b"a")
    editor.remove(b"d/e/f")
    assert editor.get(b"d") is None
    with pytest.raises(StreamError, match="path d/e is not in the branch"):
        editor.copy(b"d/e", b"x")
    assert trees.names(editor) == [b"a"]


@pytest.mark.parametrize("path", [b"d/", b"d//b"])
def test_an_empty_component_behind_a_directory_is_an_error(trees: Trees, path: bytes) -> None:
    editor = trees.with_files(b"d/b")
    with pytest.raises(StreamError, match="Empty path component"):
        editor.get(path)
    with pytest.raises(StreamError, match="Empty path component"):
        editor.copy(path, b"x")
    with pytest.raises(StreamError, match="not in the branch"):
        editor.rename(path, b"x")


@pytest.mark.parametrize("path", [b"x/", b"/d", b"d//b", b"../d", b"d/b/c", b"d/", b".", b"d/./b"])
def test_removing_an_odd_path_has_no_effect(trees: Trees, path: bytes) -> None:
    editor = trees.with_files(b"d/b")
    assert not editor.remove(path)
    assert trees.names(editor) == [b"d/b"]


def test_the_empty_tree_as_an_entry_removes_the_path(trees: Trees) -> None:
    editor = trees.with_files(b"d/b", b"f")
    for path in (b"d", b"f", b"no/such", b"../odd"):
        editor.set(path, DIRECTORY, EMPTY)
    assert editor.write() == EMPTY


def test_the_empty_tree_as_root_is_taken_to_exist(trees: Trees) -> None:
    editor = trees.with_files(b"a")
    editor.set(b"", DIRECTORY, EMPTY)
    assert editor.write() == EMPTY
    assert trees.stored == 0
    editor.set(b"b", REGULAR, A)
    assert trees.names(editor) == [b"b"]


def test_an_empty_root_is_written(trees: Trees) -> None:
    assert trees.editor().write() == EMPTY
    assert trees[EMPTY] == b""


def test_a_file_cannot_be_the_root(trees: Trees) -> None:
    editor = trees.with_files(b"a")
    with pytest.raises(StreamError, match="root"):
        editor.set(b"", REGULAR, A)
    with pytest.raises(StreamError, match="root"):
        editor.copy(b"a", b"")


def test_a_copied_symlink_may_not_become_gitmodules(trees: Trees) -> None:
    editor = trees.with_files(b"file")
    editor.set(b"link", 0o120000, A)
    editor.copy(b"file", b".gitmodules")
    with pytest.raises(StreamError):
        editor.copy(b"link", b"x/.gitmodules")


def test_odd_directory_modes_survive_a_change_below(trees: Trees) -> None:
    inner = trees.store(b"100664 odd\x00" + A, None, None)
    root = trees.store(b"40755 d\x00" + inner, None, None)
    editor = trees.editor(root)
    editor.set(b"d/x", REGULAR, A)
    assert trees[editor.write()].startswith(b"40755 d\x00")
    _, oid = editor.get(b"d") or pytest.fail("missing")
    assert trees[oid] == b"100664 odd\x00" + A + b"100644 x\x00" + A


def test_very_deep_paths_need_no_stack(trees: Trees) -> None:
    deep = b"/".join([b"d"] * 5000)
    editor = trees.with_files(deep)
    editor.copy(b"d", b"e/d")
    assert editor.get(deep) == (REGULAR, A)
    editor.remove(deep)
    assert editor.get(b"d") is None
    assert trees.names(editor) == [b"e/" + deep]


def test_sha256_trees(trees: Trees) -> None:
    stored: dict[bytes, bytes] = {}

    def store(tree: bytes, base: Oid | None, delta: bytes | None) -> Oid:
        oid = SHA256.hash_object(TREE, tree)
        stored[oid] = tree
        return oid

    editor = TreeEditor(stored.__getitem__, store, None, SHA256)
    editor.set(b"d/f", REGULAR, Oid(b"f" * 32))
    root = editor.write()
    assert stored[root] == b"40000 d\x00" + SHA256.hash_object(TREE, b"100644 f\x00" + b"f" * 32)
