"""The table of branches: names, and the order in which refs are updated."""

from pathlib import Path

import pytest

from fastio.errors import StreamError
from fastio.importer.branches import BranchTable, show
from tests.importer import streams
from tests.importer.target import Target


def names_in_order(*names: bytes) -> list[bytes]:
    table = BranchTable()
    for name in names:
        table.open(name)
    return [branch.name for branch in table.in_update_order()]


def test_branch_is_made_once() -> None:
    table = BranchTable()
    branch = table.open(b"refs/heads/x")
    assert table.open(b"refs/heads/x") is branch is table.get(b"refs/heads/x")
    assert (table.get(b"x"), len(table)) == (None, 1)


@pytest.mark.parametrize("name", [b"a..b", b"refs/heads/x.lock", b"x y", b"", b"/x", b"x\x7f"])
def test_bad_names_are_refused(name: bytes) -> None:
    with pytest.raises(StreamError, match="branch name doesn't conform"):
        BranchTable().open(name)


def test_order_is_that_of_a_hash_table() -> None:
    # 31 * "a" + "b" = 3105, "b" = 98, "c" = 99: modulo 1039 that is 1027, 98, 99
    assert names_in_order(b"ab", b"c", b"b") == [b"b", b"c", b"ab"]


def test_newest_comes_first_in_a_bucket() -> None:
    # 31 * 97 + 93 and 31 * 96 + 124 are the same number
    assert names_in_order(b"a]", b"`|") == [b"`|", b"a]"]
    assert names_in_order(b"`|", b"a]") == [b"a]", b"`|"]


def test_bytes_above_127_are_negative() -> None:
    # -1 modulo 2^32 is 4294967295, modulo 1039 that is 6, and not 255; "b" is 98
    assert names_in_order(b"\xff", b"b") == [b"\xff", b"b"]


@pytest.mark.parametrize("pair", [(b"x", b"x/y"), (b"q/w", b"q"), (b"a/b/c", b"a/b")])
def test_first_of_two_names_wins_as_with_git(
    target: Target, tmp_path: Path, pair: tuple[bytes, bytes]
) -> None:
    stream = streams.commit(1)
    for name in pair:
        stream += b"reset refs/heads/%b\nfrom :1\n\n" % name
    theirs = Target(tmp_path / "theirs", "--bare")
    theirs.git("fast-import", "--quiet", text=stream, check=False)
    assert target.run(stream).returncode == 1
    assert target.refs() == theirs.refs()


def test_names_are_shown_without_control_bytes() -> None:
    assert show(b"a\nb\xff\x1b") == "a\\nb\\\\xff\\x1b"


def test_names_that_are_not_for_refs_are_refused() -> None:
    table = BranchTable(lambda name: name == b"config")
    with pytest.raises(StreamError, match="git's own 'config'"):
        table.open(b"config")
    assert len(table) == 0
