"""Items 133 to 145: R."""

import pytest

from tests.conformance.trial import Trial
from tests.conformance.words import ABSENT, BLOBS, blob, commit

pytestmark = pytest.mark.git

START = BLOBS + commit(b"M 644 :1 a", b"M 755 :2 d/b", b"M 644 :1 d/e/f", b"M 644 :2 g/h", mark=3)
RENAMED = {
    "within a directory": ([b"R d/b d/c"], "a=one d/c=two d/e/f=one g/h=two"),
    "into new directories": ([b"R a x/y/z"], "d/b=two d/e/f=one g/h=two x/y/z=one"),
    "directory into another": ([b"R d g/d"], "a=one g/d/b=two g/d/e/f=one g/h=two"),
    "root": ([b'R "" sub'], "sub/a=one sub/d/b=two sub/d/e/f=one sub/g/h=two"),
    "root, unquoted": ([b"R  sub"], "sub/a=one sub/d/b=two sub/d/e/f=one sub/g/h=two"),
    "directory to the root": ([b'R d ""'], "b=two e/f=one"),
    "directory to the root, unquoted": ([b"R d "], "b=two e/f=one"),
    "directory onto a file": ([b"R d a"], "a/b=two a/e/f=one g/h=two"),
    "file onto a directory": ([b"R a d"], "d=one g/h=two"),
    "directory onto a directory": ([b"R d g"], "a=one g/b=two g/e/f=one"),
    "directory into itself": ([b"R d d/z"], "a=one d/z/b=two d/z/e/f=one g/h=two"),
    "directory onto the one it is in": ([b"R d/e d"], "a=one d/f=one g/h=two"),
    "file onto the directory it is in": ([b"R d/b d"], "a=one d=two g/h=two"),
    "file into itself": ([b"R a a/b"], "a/b=one d/b=two d/e/f=one g/h=two"),
    "file onto itself": ([b"R a a"], "a=one d/b=two d/e/f=one g/h=two"),
    "directory onto itself": ([b"R d d"], "a=one d/b=two d/e/f=one g/h=two"),
    "last file of a directory": ([b"R g/h h"], "a=one d/b=two d/e/f=one h=two"),
    "what is new": ([b"M 644 :2 n/o", b"R n p", b"R p/o a"], "a=two d/b=two d/e/f=one g/h=two"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "files"), RENAMED.values(), ids=RENAMED)
def test_trees(both: Trial, changes: list[bytes], files: str) -> None:
    result = both(START + commit(*changes), since=(2, 45))
    assert " ".join(f"{path}={content}" for path, content in result.files().items()) == files


def test_emptied_directory_is_gone(both: Trial) -> None:
    result = both(START + commit(b"R g/h h", b"R d/e/f f"))
    names = result.repository.git("ls-tree", "-r", "-t", "--name-only", "refs/heads/x").split()
    assert names == ["a", "d", "d/b", "f", "h"]


def test_modes_stay(both: Trial) -> None:
    new = (b"M 120000 :1 link", b"M 160000 %b sub" % ABSENT)
    result = both(START + commit(*new) + commit(b"R link l", b"R sub s/t", b"R d/b b"))
    assert result.modes() == {
        "a": "100644", "b": "100755", "d/e/f": "100644", "g/h": "100644", "l": "120000",
        "s/t": "160000",
    }  # fmt: skip
    assert (result.files()["l"], result.files()["s/t"]) == ("one", ABSENT.decode())


REFUSED = {
    "missing source": ([b"R none b"], "not in"),
    "source below a file": ([b"R a/x b"], "not in"),
    "source that was deleted": ([b"D a", b"R a b"], "not in"),
    "source in what was deleted": ([b"D d", b"R d/b b"], "not in"),
    "source with a trailing slash": ([b"R d/ b"], "not in"),
    "source with a leading slash": ([b"R /a b"], "not in"),
    "file to the root": ([b'R a ""'], "root"),
    "file to the root, unquoted": ([b"R a "], "root"),
    "no destination": ([b"R a"], "missing space after source"),
    "no destination, quoted": ([b'R "a"'], "missing space after source"),
    "dot": ([b"R a ./x"], "path"),
    ".git": ([b"R a .git"], "path"),
    "directory to .git": ([b"R d x/.git"], "path"),
    "two dots": ([b"R a ../b"], "path"),
    "trailing slash": ([b"R a b/"], "path"),
    "symlink to .gitmodules": ([b"M 120000 :1 l", b"R l .gitmodules"], "path"),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_renamed(both: Trial, changes: list[bytes], reason: str) -> None:
    start = START.replace(b"heads/x", b"heads/y")
    both.fatal(start + commit(b"from :3", *changes), reason, since=(2, 48))


def test_blob_renamed_twice(both: Trial) -> None:
    stream = START + blob(4, b"four") + commit(b"M 644 :4 a", b"R a b", b"M 644 :1 a", b"R a c")
    files = both(stream).files()
    assert (files["b"], files["c"], "a" in files) == ("four", "one", False)
