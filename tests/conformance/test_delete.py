"""Items 125 to 132: D and deleteall."""

import pytest

from tests.conformance.trial import Trial
from tests.conformance.words import ABSENT, BLOBS, commit

pytestmark = pytest.mark.git

START = BLOBS + commit(
    b"M 644 :1 a", b"M 755 :2 d/e/f", b"M 120000 :1 link", b"M 160000 %b sub" % ABSENT, mark=3
)
ALL = ["a", "d/e/f", "link", "sub"]
NOTHING = (b"none", b"a/b", b"a/b/c", b"d/none", b"d/e/f/g", b"d/", b"/a", b"d//e", b"../a",
           b"./a", b"sub/x", b"link/x")  # fmt: skip

REMOVED = {
    "file": ([b"D a"], ["d/e/f", "link", "sub"]),
    "directory": ([b"D d"], ["a", "link", "sub"]),
    "root": ([b'D ""'], []),
    "root, unquoted": ([b"D "], []),
    "last file of directories": ([b"D d/e/f"], ["a", "link", "sub"]),
    "symlink": ([b"D link"], ["a", "d/e/f", "sub"]),
    "gitlink": ([b"D sub"], ["a", "d/e/f", "link"]),
    "missing and odd paths": ([b"D " + path for path in NOTHING], ALL),
    "everything": ([b"deleteall"], []),
    "everything, also what is new": ([b"M 644 :1 b", b"deleteall", b"M 644 :1 c/d"], ["c/d"]),
    "before it is new": ([b"D d", b"M 644 :1 d/g"], ["a", "d/g", "link", "sub"]),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "left"), REMOVED.values(), ids=REMOVED)
def test_what_is_left(both: Trial, changes: list[bytes], left: list[str]) -> None:
    assert list(both(START + commit(*changes)).files()) == left


def test_file_is_there_again(both: Trial) -> None:
    result = both(START + commit(b"D d/e/f", b"M 644 :1 d/e/f"))
    assert (result.files()["d/e/f"], result.modes()["d/e/f"]) == ("one", "100644")


def test_emptied_directories_leave_no_trees(both: Trial) -> None:
    result = both(START + commit(b"D d/e/f"))
    names = result.repository.git("ls-tree", "-r", "-t", "--name-only", "refs/heads/x").split()
    assert names == ["a", "link", "sub"]


def test_deleteall_removes_notes(both: Trial) -> None:
    notes = [b"N :1 :%d" % mark for mark in range(10, 310)]
    commits = b"".join(commit(mark=mark, message=b"%d" % mark) for mark in range(10, 310))
    stream = BLOBS + commits + commit(*notes, ref=b"refs/notes/all")
    result = both(stream + commit(b"deleteall", b"N :2 :10", ref=b"refs/notes/all"))
    assert result.files("refs/notes/all") == {result.oid(":10"): "two"}


@pytest.mark.parametrize("line", [b"D", b"D\ta", b"deleteall ", b"deleteall x"])
def test_what_is_no_deletion_ends_the_commit(both: Trial, line: bytes) -> None:
    result = both.fatal(START + commit(b"M 644 :1 b", line, mark=4), "unsupported command")
    assert list(result.files(":4")) == ["a", "b", "d/e/f", "link", "sub"]
