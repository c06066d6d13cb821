"""Random commits through the editor and through a real git: the same trees must come out."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fastio.objects.kinds import BLOB, COMMIT, OFS_DELTA, SHA1, TREE, Oid
from fastio.objects.tree_edit import TreeEditor
from fastio.objects.trees import DIRECTORY, GITLINK, REGULAR, SYMLINK, edit_tree
from tests.objects.git import import_trees, run_git
from tests.objects.models import FlatTree
from tests.objects.packs import pack
from tests.objects.test_tree_edit import Trees

NAMES = [b"a", b"a.b", b"a-b", b"ab", b"b", b'q"t', b"\xc3\xa4 x", b"z"]
BLOBS = [b"one", b"two", b""]
MODES = [REGULAR, 0o100755, SYMLINK, GITLINK]


def quoted(path: bytes) -> bytes:
    return b'"' + path.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


class Script:
    """Makes up commits that are free of errors, and does them to an editor and to a stream."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.model, self.trees = FlatTree(), Trees()
        self.stream: list[bytes] = []
        self.root_renamed = False
        self.roots: list[Oid] = []

    def path(self) -> bytes:
        return b"/".join(self.random.choices(NAMES, k=self.random.choice([1, 1, 2, 2, 3, 4])))

    def existing(self) -> bytes:
        """A file or directory of the tree as it stands."""
        parts = self.random.choice(sorted(self.model)).split(b"/")
        return b"/".join(parts[: self.random.randint(1, len(parts))])

    def change(self, editor: TreeEditor) -> None:
        kind = self.random.choice("MMMMMMDDCCRRLTX" if self.model else "M")
        if kind == "X" and self.random.random() < 0.1:
            self.stream.append(b"deleteall\n")
            self.model.clear()
            editor.clear()
        elif kind == "D":
            path = self.random.choice([self.existing(), self.path()])
            self.stream.append(b"D %s\n" % quoted(path))
            self.model.remove(path)
            editor.remove(path)
        elif kind in "CR":
            self.transfer(kind.encode(), editor)
        elif kind in "LT":
            self.look(kind, editor)
        elif kind == "M":
            self.modify(editor)

    def modify(self, editor: TreeEditor) -> None:
        path, mode, blob = self.path(), self.random.choice(MODES), self.random.choice(BLOBS)
        oid = SHA1.hash_object(BLOB, blob)
        if mode == GITLINK:
            oid = SHA1.hash_object(COMMIT, blob)  # known nowhere, which git does not mind
            self.stream.append(b"M %o %s %s\n" % (mode, oid.hex().encode(), quoted(path)))
        else:
            self.stream.append(b"M %o inline %s\n" % (mode, quoted(path)))
            self.stream.append(b"data %d\n%s\n" % (len(blob), blob))
        self.model.put(path, {b"": (mode, oid)})
        editor.set(path, mode, oid)

    def transfer(self, kind: bytes, editor: TreeEditor) -> None:
        sources = [self.existing(), self.existing(), b""]
        # Once a root was renamed, git takes the root for missing ever after; we do not.
        source = self.random.choice(sources[: 2 if self.root_renamed else 3])
        self.root_renamed |= kind == b"R" and source == b""
        content = self.model.below(source)
        destination = self.path()
        if b"" not in content and self.random.random() < 0.2:
            destination = b""
        self.stream.append(b"%s %s %s\n" % (kind, quoted(source), quoted(destination)))
        if kind == b"R":
            self.model.remove(source)
        self.model.put(destination, content)
        act = editor.rename if kind == b"R" else editor.copy
        act(source, destination)

    def look(self, kind: str, editor: TreeEditor) -> None:
        """Ls, and perhaps a graft of the tree that it answered with."""
        path, target = self.existing(), self.path()
        mode, oid = editor.get(path) or pytest.fail("missing")
        self.stream.append(b"ls %s\n" % quoted(path))
        if kind == "T" and mode == DIRECTORY:
            self.stream.append(b"M 040000 %s %s\n" % (oid.hex().encode(), quoted(target)))
            content = self.model.below(path)
            self.model.put(target, content)
            editor.set(target, DIRECTORY, oid)

    def commit(self) -> None:
        mark = len(self.roots) + 1
        self.stream.append(b"commit refs/heads/x\nmark :%d\ncommitter a <a> 1 +0000\n" % mark)
        self.stream.append(b"data 0\n")
        editor = self.trees.editor(self.roots[-1] if self.roots else None)
        for _ in range(self.random.randint(1, 12)):
            self.change(editor)
        self.roots.append(editor.write())


@pytest.mark.git
@pytest.mark.parametrize("seed", range(4))
def test_git_makes_the_same_trees(tmp_path: Path, seed: int) -> None:
    script = Script(seed)
    for _ in range(60):
        script.commit()
    assert import_trees(tmp_path, b"".join(script.stream), 60) == script.roots


@pytest.mark.git
def test_git_accepts_the_deltas_of_edits(tmp_path: Path) -> None:
    oid = SHA1.hash_object(BLOB, b"")
    old, _ = edit_tree(b"", {b"file%05d" % n: (REGULAR, oid) for n in range(4000)}, 20)
    changes = {b"file00000": None, b"file02000": (REGULAR, SHA1.hash_object(BLOB, b"x"))}
    new, delta = edit_tree(old, {**changes, b"new": (REGULAR, oid)}, 20)
    assert delta is not None
    (tmp_path / "x.pack").write_bytes(pack([(TREE, old, 0), (OFS_DELTA, delta, 1)]))
    run_git(tmp_path, "init", "--quiet", "--bare", ".")
    run_git(tmp_path, "index-pack", "--object-format=sha1", "x.pack")
    listing = run_git(tmp_path, "show-index", stdin=(tmp_path / "x.idx").read_bytes())
    assert SHA1.hash_object(TREE, new).hex() in listing.decode()
