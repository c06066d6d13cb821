"""Items 118 to 123: paths that no checkout could bear."""

import pytest

from tests.conformance.trial import Trial
from tests.conformance.words import BLOBS, commit

pytestmark = pytest.mark.git

# What the path of an entry may not be, whatever the settings.
BAD = (b"..", b".", b".git", b"../x", b"x/..", b"x/../y", b"./x", b"x/./y", b".GIT/x", b"x/.gIt",
       b"x/.git/y", b"/x", b"x//y", b"x/")  # fmt: skip
# What NTFS would take for .git.
NTFS = (b"git~1", b"GIT~1/x", b".git ", b"x/.git...", b".git. ./y", b".git::$INDEX_ALLOCATION",
        b"x\\.git", b"x\\git~1\\y")  # fmt: skip
FINE = (b".gitfoo", b"...", b"..x", b"x\\y", b"con", b"C:/x", b"git~2", b".gi", b"x/.gitignore",
        b".git~1")  # fmt: skip
# Code points that HFS+ passes over, within and behind the name.
HFS = ("\u200c.git", ".g\u200dit", ".git\ufeff", "x/.GI\u206fT/y")
SINCE = (2, 48)


@pytest.mark.parametrize("path", BAD)
def test_paths_that_are_refused(both: Trial, path: bytes) -> None:
    both.fatal(BLOBS + commit(b"M 644 :1 " + path), "path", since=SINCE)


@pytest.mark.parametrize("path", NTFS)
def test_paths_that_are_refused_for_ntfs(both: Trial, path: bytes) -> None:
    stream = BLOBS + commit(b"M 644 :1 " + path)
    both.fatal(stream, "invalid path", since=SINCE)
    result = both(stream, config=["core.protectNTFS=false"])
    assert list(result.files()) == [path.decode()]


@pytest.mark.parametrize("path", HFS)
def test_paths_that_are_refused_for_hfs(both: Trial, path: str) -> None:
    stream = BLOBS + commit(b"M 644 :1 " + path.encode())
    both.fatal(stream, "invalid path", config=["core.protectHFS=true"], since=SINCE)
    assert list(both(stream).files()) == [path.encode().decode("latin-1")]


def test_paths_that_only_look_bad(both: Trial) -> None:
    result = both(BLOBS + commit(*(b"M 644 :1 " + path for path in FINE)))
    assert sorted(result.files()) == sorted(path.decode() for path in FINE)


@pytest.mark.parametrize("path", [b".gitmodules", b".GitModules", b"x/y/.gitmodules"])
def test_gitmodules_may_be_no_symlink(both: Trial, path: bytes) -> None:
    both.fatal(BLOBS + commit(b"M 120000 :1 " + path), "invalid path", since=SINCE)
    link = (b"M 120000 :1 link", b"C link " + path)
    both.fatal(BLOBS + commit(*link), "invalid path", since=SINCE)
    assert both(BLOBS + commit(b"M 644 :1 " + path)).modes() == {path.decode(): "100644"}


def test_tree_at_a_path_with_a_trailing_slash(both: Trial) -> None:
    tree = both(BLOBS + commit(b"M 644 :1 a")).header("tree")[0].encode()
    stream = BLOBS + commit(b"M 644 :1 a") + commit(b"M 040000 %b d/" % tree)
    both.fatal(stream, "path")


def test_names_are_never_folded(both: Trial) -> None:
    changes = (b"M 644 :1 a", b"M 644 :2 A", b"M 644 :1 D/x", b"M 644 :2 d/x", b"R A B", b"D b")
    result = both.ours(BLOBS + commit(*changes), config=["core.ignoreCase=true"])
    assert result.files() == {"B": "two", "D/x": "one", "a": "one", "d/x": "two"}
