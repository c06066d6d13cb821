"""Trees that the repository has already, unsorted or with a name twice: edited as git does it."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from fastio.objects.kinds import COMMIT, SHA1, TREE, Oid
from fastio.objects.tree_edit import TreeEditor
from fastio.objects.trees import DIRECTORY, EXECUTABLE, GITLINK, REGULAR, find_path, is_directory
from tests.importer.target import Target
from tests.objects.packs import pack

NAMES = [b"a", b"a-", b"a.", b"a.b", b"a0", b"b"]
MODES = [GITLINK, GITLINK, 0o160755, DIRECTORY, DIRECTORY, 0o040755]
# What gitlinks name need not exist.
OIDS = [Oid(digit * 20) for digit in (b"1", b"2")]
IDENT = b"committer a <a> 1 +0000\n"


class World:
    """Trees of all kinds, commits that have them as roots, and branches that edit them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.trees: dict[Oid, bytes] = {}
        self.objects: list[tuple[int, bytes, int]] = []
        self.stream = [b""]
        for _ in range(30):
            self.add_tree()

    def add_tree(self) -> None:
        """Make a tree of one to seven entries, mostly in no order, whose directories exist."""
        some, below = self.random.choices(NAMES, k=self.random.randint(1, 7)), list(self.trees)
        if self.random.random() < 0.3:
            some.sort()
        tree = b""
        for name in some:
            mode = self.random.choice(MODES) if below else GITLINK
            oid = self.random.choice(below if is_directory(mode) else OIDS)
            zero = b"0" if self.random.random() < 0.1 else b""
            tree += b"%b%o %b\0%b" % (zero, mode, name, oid)
        self.store(tree)

    def store(self, tree: bytes, _base: Oid | None = None, _delta: bytes | None = None) -> Oid:
        oid = SHA1.hash_object(TREE, tree)
        self.trees[oid] = tree
        return oid

    def path(self) -> bytes:
        return b"/".join(self.random.choices(NAMES, k=self.random.choice([1, 1, 2, 3])))

    def first_change(self, editor: TreeEditor, root: Oid) -> bytes:
        """Do something with a path of the old tree, and return the line that does it."""
        source, path = self.path(), self.path()
        found = find_path(self.trees.__getitem__, root, source)
        kind = self.random.choice(["C", "R", "same"])
        if found is None:
            return b""
        if kind == "same":
            mode = DIRECTORY if is_directory(found[0]) else GITLINK
            editor.set(source, mode, found[1])
            return b"M %o %b %b\n" % (mode, found[1].hex().encode(), source)
        (editor.copy if kind == "C" else editor.rename)(source, path)
        return b"%b %b %b\n" % (kind.encode(), source, path)

    def change(self, editor: TreeEditor) -> bytes:
        """Change the editor's tree, and return the line that does it."""
        path, mode, oid = self.path(), GITLINK, self.random.choice(OIDS)
        kind = self.random.choice(["M", "M", "D", "tree"])
        if kind == "D":
            editor.remove(path)
            return b"D %b\n" % path
        if kind == "tree":
            mode, oid = DIRECTORY, self.random.choice(list(self.trees)[:30])
        editor.set(path, mode, oid)
        return b"M %o %b %b\n" % (mode, oid.hex().encode(), path)

    def branch(self, number: int) -> list[Oid]:
        """Write a branch of a few commits on one of the trees; return its roots."""
        root = self.random.choice(list(self.trees)[:30])
        base = b"tree %b\nauthor a <a> 1 +0000\n%b\nx" % (root.hex().encode(), IDENT)
        self.objects.append((COMMIT, base, 0))
        parent, roots = SHA1.hash_object(COMMIT, base).hex().encode(), []
        for step in range(self.random.randint(1, 4)):
            ref = b"%d-%d" % (number, step)
            self.stream.append(b"commit refs/heads/%b\n%bdata 0\nfrom " % (ref, IDENT) + parent)
            self.stream.append(b"\n")
            editor = TreeEditor(self.trees.__getitem__, self.store, root)
            self.stream.append(self.first_change(editor, root))
            for _ in range(self.random.randint(0, 4)):
                self.stream.append(self.change(editor))
            root, parent = editor.write(), b"refs/heads/" + ref
            roots.append(root)
        return roots


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Target, Target]:
    ours, theirs = (Target(tmp_path / name, "--bare") for name in ("ours", "theirs"))
    return ours, theirs


def feed(pair: tuple[Target, Target], objects: list[tuple[int, bytes, int]], stream: bytes) -> None:
    """Give both sides the objects and the stream; they must not refuse it."""
    for side in pair:
        side.git("index-pack", "--stdin", text=pack(objects))
    done = pair[0].run(stream)
    assert (done.stderr, done.returncode) == (b"", 0)
    command = ["git", "fast-import", "--quiet"]
    subprocess.run(command, cwd=pair[1].path, input=stream, check=True, stdout=subprocess.DEVNULL)


@pytest.mark.git
@pytest.mark.parametrize("seed", range(3))
def test_git_makes_the_same_of_them(pair: tuple[Target, Target], seed: int) -> None:
    world = World(seed)
    wanted = {}
    existing = dict(world.trees)
    for number in range(200):
        for step, root in enumerate(world.branch(number)):
            wanted[f"refs/heads/{number}-{step}"] = root.hex()
    objects = [(TREE, tree, 0) for tree in existing.values()]
    feed(pair, objects + list(dict.fromkeys(world.objects)), b"".join(world.stream))
    ours, theirs = (side.refs() for side in pair)
    assert ours == theirs
    listing = pair[0].git("for-each-ref", "--format=%(refname) %(tree)").splitlines()
    assert dict(line.split() for line in listing) == wanted


@pytest.mark.git
@pytest.mark.parametrize(
    "tree",
    [
        pytest.param([(REGULAR, b"b"), (REGULAR, b"a")], id="unsorted"),
        pytest.param([(REGULAR, b"a"), (EXECUTABLE, b"a")], id="twice"),
        pytest.param([(REGULAR, b"a"), (REGULAR, b"a."), (DIRECTORY, b"a")], id="file and tree"),
        pytest.param([(REGULAR, b"a%d" % n) for n in (3, 1, 2, 1)] * 40, id="many"),
    ],
)
@pytest.mark.parametrize(
    "lines",
    [
        b"M 100644 inline a\ndata 1\nx\n",
        b"M 100644 inline a/b\ndata 1\nx\n",
        b"M 100644 inline zz\ndata 1\nx\n",
        b"D a\n",
        b"D a1\n",
        b"M 100644 inline a3\ndata 1\n3\nM 100644 inline a3\ndata 0\n",
        b"D none\n",
    ],
)
def test_plain_commits_on_them(
    pair: tuple[Target, Target], tree: list[tuple[int, bytes]], lines: bytes
) -> None:
    blob, empty = SHA1.hash_object(3, b""), SHA1.hash_object(TREE, b"")
    oids = {mode: empty if mode == DIRECTORY else blob for mode, _ in tree}
    root = b"".join(b"%o %b\0%b" % (mode, name, oids[mode]) for mode, name in tree)
    base = b"tree %b\nauthor a <a> 1 +0000\n%b\nx" % (
        SHA1.hash_object(TREE, root).hex().encode(),
        IDENT,
    )
    start = SHA1.hash_object(COMMIT, base).hex().encode()
    stream = b"commit refs/heads/x\n%bdata 0\nfrom %b\n%b" % (IDENT, start, lines)
    stream += b"commit refs/heads/x\n%bdata 1\n2\n%b" % (IDENT, lines)
    feed(pair, [(COMMIT, base, 0), (TREE, root, 0), (TREE, b"", 0), (3, b"", 0)], stream)
    assert pair[0].refs() == pair[1].refs()
