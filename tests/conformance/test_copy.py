"""Items 146 to 155: C."""

import pytest

from tests.conformance.trial import Trial
from tests.conformance.words import BLOBS, EMPTY_TREE, blob, commit

pytestmark = pytest.mark.git

START = BLOBS + commit(b"M 644 :1 a", b"M 755 :2 d/b", b"M 644 :1 d/e/f", b"M 644 :2 g/h", mark=3)
REST = "d/b=two d/e/f=one g/h=two"
COPIED = {
    "within a directory": ([b"C d/b d/c"], "a=one d/b=two d/c=two d/e/f=one g/h=two"),
    "directory, then a change of the copy": (
        [b"C d n", b"M 644 :1 n/b", b"D n/e/f"], f"a=one {REST} n/b=one"),
    "what is new in the directory too": (
        [b"M 644 :2 d/new", b"D d/b", b"C d n", b"D d/new", b"D d/e"],
        "a=one g/h=two n/e/f=one n/new=two"),
    "root": ([b'C "" g/s'], f"a=one {REST} g/s/a=one g/s/d/b=two g/s/d/e/f=one g/s/g/h=two"),
    "root, unquoted": (
        [b"C  g/s"], f"a=one {REST} g/s/a=one g/s/d/b=two g/s/d/e/f=one g/s/g/h=two"),
    "directory to the root": ([b'C d ""'], "b=two e/f=one"),
    "directory to the root, unquoted": ([b"C d "], "b=two e/f=one"),
    "part of a directory into its copy": (
        [b"C d n", b"C d/e n/e2", b"M 644 :2 n/e2/f"],
        f"a=one {REST} n/b=two n/e/f=one n/e2/f=two"),
    "directory into itself": (
        [b"C d d/z"], "a=one d/b=two d/e/f=one d/z/b=two d/z/e/f=one g/h=two"),
    "directory onto the one it is in": ([b"C d/e d"], "a=one d/f=one g/h=two"),
    "file into itself": ([b"C a a/b"], f"a/b=one {REST}"),
    "directory onto a directory": ([b"C d g"], "a=one d/b=two d/e/f=one g/b=two g/e/f=one"),
    "directory onto a file": ([b"C g a"], f"a/h=two {REST}"),
    "file onto a directory": ([b"C a d"], "a=one d=one g/h=two"),
    "single files replaced by the empty tree": (
        [b"C d n", b"M 040000 %b n/b" % EMPTY_TREE, b"M 040000 %b n/e/f" % EMPTY_TREE],
        f"a=one {REST}"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "files"), COPIED.values(), ids=COPIED)
def test_trees(both: Trial, changes: list[bytes], files: str) -> None:
    result = both(START + commit(*changes), since=(2, 45))
    found = [f"{path}={content}" for path, content in result.files().items()]
    assert sorted(found) == sorted(files.split())
    assert result.repository.fsck() == ""


def test_changed_directory_becomes_the_root_and_changes_again(both: Trial) -> None:
    stream = START + blob(4, b"four") + commit(b"M 644 :4 d/b", b'C d ""', b"M 644 :4 e/f")
    result = both(stream + commit(b"M 644 :1 b"))
    assert result.files() == {"b": "one", "e/f": "four"}
    [parent] = result.header("parent")
    assert result.files(parent) == {"b": "four", "e/f": "four"}


def test_modes_stay(both: Trial) -> None:
    modes = both(START + commit(b"C d n", b"C d/b p")).modes()
    assert (modes["n/b"], modes["p"], modes["n/e/f"]) == ("100755", "100755", "100644")


REFUSED = {
    "missing source": ([b"C none b"], "not in"),
    "source that was deleted": ([b"D a", b"C a b"], "not in"),
    "source with a trailing slash": ([b"C d/ b"], "empty path component"),
    "file to the root": ([b'C a ""'], "root"),
    "file to the root, unquoted": ([b"C a "], "root"),
    "no destination": ([b"C a"], "missing space after source"),
    ".git": ([b"C a .git"], "path"),
    "trailing slash": ([b"C a b/"], "path"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_copied(both: Trial, changes: list[bytes], reason: str) -> None:
    start = START.replace(b"heads/x", b"heads/y")
    both.fatal(start + commit(b"from :3", *changes), reason, since=(2, 48))
