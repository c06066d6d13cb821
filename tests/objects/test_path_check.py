"""Examples whose verdicts were taken from git itself, with each combination of settings."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fastio.errors import StreamError
from fastio.objects import path_check
from fastio.objects.path_check import check_path

REGULAR, SYMLINK = 0o100644, 0o120000


def refused(path: bytes, mode: int = REGULAR, *, ntfs: bool = True, hfs: bool = False) -> bool:
    try:
        check_path(path, mode, protect_ntfs=ntfs, protect_hfs=hfs)
    except StreamError:
        return True
    return False


@pytest.mark.parametrize(
    "path",
    [b"/a", b"a/", b"a//b", b".", b"..", b"./a", b"a/..", b"a/./b", b".git", b".GIT/x", b"x/.gIt"],
)
def test_always_refused(path: bytes) -> None:
    assert refused(path, ntfs=False)


@pytest.mark.parametrize(
    "path",
    [
        b"a",
        b"a.b/c",
        b"...",
        b"..x",
        b"a/...",
        b".gitfoo",
        b".github/x",
        b"x\\y",
        b"con",
        b"C:/x",
        b"a\\",
        b"\\",
        b"git~2",
        b"agit~1",
        b"git~1x",
        b".git;x",
        b"\\.git",
        b"a/\\.git",
        b".~",
        b".gitmodules",
        b"gitmod~1",
        b"a b\n",
        b"\xff",
        b" ",
    ],
)
def test_always_accepted_for_a_file(path: bytes) -> None:
    assert not refused(path, hfs=True)


@pytest.mark.parametrize(
    "path",
    [
        b"git~1",
        b"GIT~1/x",
        b".git ",
        b".git...",
        b".git. ./x",
        b".git::$DATA",
        b".git:x",
        b"x\\.git",
        b"x\\git~1\\y",
        b"a\\\\.git",
        b".git\\x",
        b"a\\.git ",
        b"git~1 .",
    ],
)
def test_refused_for_the_sake_of_ntfs(path: bytes) -> None:
    assert refused(path)
    assert not refused(path, ntfs=False)


@pytest.mark.parametrize("path", [b".gitmodules", b"x/.GITMODULES", b".gitmodules/x"])
def test_a_symlink_may_never_be_called_gitmodules(path: bytes) -> None:
    assert refused(path, SYMLINK, ntfs=False)
    assert not refused(path)


@pytest.mark.parametrize(
    "path",
    [
        b".gitmodules ",
        b".gitmodules:x",
        b"gitmod~1",
        b"x/GITMOD~4 .",
        b"x\\gitmod~1",
        b"gi7eba~1",
        b"GI7EBA~9..",
        b"gi7eb~10",
        b"gi7e~123",
        b"g~123456",
        b"~1234567",
    ],
)
def test_short_names_of_gitmodules_are_refused_for_a_symlink(path: bytes) -> None:
    assert refused(path, SYMLINK)
    assert not refused(path, SYMLINK, ntfs=False)


@pytest.mark.parametrize(
    "path", [b"gitmod~5", b"gitmod~1/x", b"gi7eba~0", b"gi7eba~10", b"gi7eb~1", b"~0234567"]
)
def test_names_that_only_look_short_are_fine_for_a_symlink(path: bytes) -> None:
    assert not refused(path, SYMLINK)


@pytest.mark.parametrize(
    "path",
    [
        b".g\xe2\x80\x8cit",
        b"\xe2\x80\x8c.git",
        b".GIT\xef\xbb\xbf/x",
        b"x/.git\xe2\x81\xaa",
        b".git\xff",
        b".git\xe2\x80",
        b"x/.git\xff/y",
        b".git\xef\xbf\xbe",
    ],
)
def test_refused_for_the_sake_of_hfs(path: bytes) -> None:
    assert refused(path, hfs=True)
    assert not refused(path)


@pytest.mark.parametrize(
    "path", [b".gi\xfft", b"\xff.git", b".\xe2\x80\xaa.", b"\xe2\x80\x8c", b".git\xc3\xa9"]
)
def test_hfs_accepts_what_is_not_quite_git(path: bytes) -> None:
    assert not refused(path, hfs=True)


def test_hfs_looks_for_gitmodules_too() -> None:
    assert refused(b".gitm\xe2\x80\x8codules", SYMLINK, hfs=True)
    assert not refused(b".gitm\xe2\x80\x8codules", hfs=True)


@given(st.text(alphabet="./~\\gGitm: a1", min_size=1).map(str.encode))
@example(b".\\.git")
@example(b".a\\.git")
def test_the_quick_match_agrees_with_the_close_look(path: bytes) -> None:
    if path_check._PLAIN.fullmatch(path):
        assert not path_check._pattern(False, True).search(path)
