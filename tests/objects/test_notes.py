"""Note layouts, and the trees that git makes of the same streams."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from fastio.objects.kinds import BLOB, SHA1, Oid
from fastio.objects.notes import NoteEditor, fan_out, note_path
from fastio.objects.tree_edit import TreeEditor
from fastio.objects.trees import REGULAR
from tests.objects.git import import_trees
from tests.objects.test_tree_edit import Trees

A, B = Oid(b"a" * 20), Oid(b"b" * 20)


def commit_oid(number: int) -> Oid:
    return SHA1.hash_object(BLOB, b"commit %d" % number)


def hex_of(number: int) -> bytes:
    return commit_oid(number).hex().encode()


def layout(trees: Trees, editor: TreeEditor) -> Counter[int]:
    return Counter(path.count(b"/") for path in trees.names(editor))


@pytest.mark.parametrize(
    ("count", "levels"), [(0, 0), (1, 0), (255, 0), (256, 1), (65535, 1), (65536, 2), (1 << 24, 3)]
)
def test_fan_out(count: int, levels: int) -> None:
    assert fan_out(count) == levels


def test_note_path() -> None:
    assert note_path(b"0123456789", 0) == b"0123456789"
    assert note_path(b"0123456789", 2) == b"01/23/456789"


def test_the_256th_note_splits_the_tree_and_its_removal_flattens_it() -> None:
    trees = Trees()
    editor = trees.editor()
    count = 0
    for number in range(256):
        notes = NoteEditor(editor, SHA1, count)
        notes.set(commit_oid(number), A)
        notes.finish_commit()
        count = notes.count
        assert layout(trees, editor) == {int(number == 255): number + 1}
    notes = NoteEditor(editor, SHA1, count)
    notes.set(commit_oid(7), None)
    notes.finish_commit()
    assert layout(trees, editor) == {0: 255}


def test_an_unknown_count_is_taken_from_the_tree() -> None:
    trees = Trees()
    editor = trees.with_files(*(note_path(hex_of(number), 1) for number in range(300)))
    editor = trees.editor(editor.write())
    notes = NoteEditor(editor, SHA1, None)
    notes.set(commit_oid(5), B)
    notes.set(commit_oid(300), B)
    notes.finish_commit()
    assert notes.count == 301
    assert layout(trees, editor) == {1: 301}
    assert editor.get(note_path(hex_of(5), 1)) == (REGULAR, B)


def test_what_is_no_note_is_never_moved() -> None:
    trees = Trees()
    others = [b"deadbeef", b"de/adbeef", b"foobar/x", b"a/" + b"b" * 39, b"x" * 40]
    editor = trees.with_files(*others)
    notes = NoteEditor(editor, SHA1)
    for number in range(256):
        notes.set(commit_oid(number), A)
    notes.finish_commit()
    assert set(others) <= set(trees.names(editor))
    assert layout(trees, editor)[1] == 256 + 3


def test_removing_a_note_that_is_not_there_has_no_effect() -> None:
    trees = Trees()
    editor = trees.with_files(b"file")
    notes = NoteEditor(editor, SHA1)
    notes.set(commit_oid(1), None)
    notes.finish_commit()
    assert notes.count == 0
    assert trees.names(editor) == [b"file"]


HEAD = b"commit refs/notes/n\nmark :%d\ncommitter a <a> 1 +0000\ndata 0\n"
BLOBS = {b"x": SHA1.hash_object(BLOB, b"x"), b"y": SHA1.hash_object(BLOB, b"y")}


def random_note_commits(seed: int) -> list[list[tuple[int, bytes]]]:
    """Commits of changes (annotated commit, blob or nothing), around the limit of 256 notes."""
    rng = random.Random(seed)
    live: list[int] = []
    commits = [[(number, b"x") for number in range(1, 251)]]
    live += range(1, 251)
    for _ in range(60):
        chosen = rng.sample(range(1, 270), rng.randint(1, 8))
        removes = len(live) > 255
        commits.append(
            [(n, b"" if removes and n in live else rng.choice([b"x", b"y"])) for n in chosen]
        )
        for number, blob in commits[-1]:
            if blob and number not in live:
                live.append(number)
            elif not blob:
                live.remove(number)
    return commits


@pytest.mark.git
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("others", [b"", b"M 100644 inline foobar/x\ndata 1\nx\n"])
def test_git_makes_the_same_trees(tmp_path: Path, seed: int, others: bytes) -> None:
    targets = b"".join(
        b"commit refs/heads/t\nmark :%d\ncommitter a <a> %d +0000\ndata 0\n" % (1000 + n, n)
        for n in range(270)
    )
    commits = random_note_commits(seed)
    stream = [targets]
    zero = SHA1.zero_oid.hex().encode()
    for mark, changes in enumerate(commits, 1):
        stream.append(HEAD % mark + (others if mark == 1 else b""))
        for number, blob in changes:
            stream.append(
                b"N inline :%d\ndata 1\n%s\n" % (1000 + number, blob)
                if blob
                else b"N %s :%d\n" % (zero, 1000 + number)
            )
    theirs = import_trees(tmp_path, b"".join(stream), len(commits))
    annotated = read_marks(tmp_path / "marks")
    trees, root, count = Trees(), None, 0
    for expected, (mark, changes) in zip(theirs, enumerate(commits, 1), strict=True):
        editor = trees.editor(root)
        if others and mark == 1:
            editor.set(b"foobar/x", REGULAR, BLOBS[b"x"])
        notes = NoteEditor(editor, SHA1, count)
        for number, blob in changes:
            notes.set(annotated[1000 + number], BLOBS.get(blob))
        notes.finish_commit()
        root, count = editor.write(), notes.count
        assert root == expected, f"commit {mark}"


def read_marks(path: Path) -> dict[int, Oid]:
    pairs = (line.split() for line in path.read_text().splitlines())
    return {int(mark[1:]): Oid(bytes.fromhex(oid)) for mark, oid in pairs}
