import subprocess

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from fastio.store.ref_names import check_ref_format, is_reserved

pieces = st.sampled_from(
    [b"a", b"/", b".", b"..", b".lock", b"lock", b"@", b"{", b"refs/heads/", b"-", b"\xff"]
    + [bytes([byte]) for byte in b" ~^:?*[\\\x01\x7f\n\t\"'!"]
)
names = st.lists(pieces, max_size=5).map(b"".join)


@settings(max_examples=150)
@given(names, st.booleans())
@example(b"", True)
@example(b"@", True)
@example(b"a/@", False)
@example(b"a.lock/b", True)
@example(b"a.lockb", True)
@example(b"a/.b", True)
@example(b"a./b", True)
@example(b"a.", True)
@example(b"refs//heads", True)
def test_names_are_judged_as_git_judges_them(name, allow_onelevel):
    assume(not name.startswith(b"-"))  # the command takes it for an option
    options = ["--allow-onelevel"] if allow_onelevel else []
    status = subprocess.run(["git", "check-ref-format", *options, name]).returncode
    assert check_ref_format(name, allow_onelevel=allow_onelevel) is (status == 0)


@pytest.mark.parametrize(
    "name", [b"refs", b"config", b"description", b"objects/x", b"hooks/y", b"logs/HEAD", b"index"]
)
def test_what_is_no_ref_is_not_to_be_written_over(work, name):
    work("read-tree", "--empty")
    assert is_reserved(name, bytes(work.path / ".git"))


@pytest.mark.parametrize(
    "name", [b"HEAD", b"TEMP_TAG", b"refs/heads/config", b"main", b"foo/bar", b"main/worktree"]
)
def test_other_names_are_free(work, name):
    assert not is_reserved(name, bytes(work.path / ".git"))


def test_a_one_level_ref_may_be_written_again(work):
    work("update-ref", "main", work.commit())
    assert not is_reserved(b"main", bytes(work.path / ".git"))
