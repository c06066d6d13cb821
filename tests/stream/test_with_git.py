"""Does a real git see streams, idents and quoting the same way?"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from fastio.errors import StreamError
from fastio.stream.idents import read_ident
from fastio.stream.quoting import quote
from tests.stream.feeding import say

pytestmark = pytest.mark.git

WHO = b"A <a@b> 1 +0000\n"
START = (
    b"blob\nmark :1\ndata 3\nabc\ncommit refs/heads/p\nmark :2\ncommitter " + WHO + b"data 0\n"
    b"M 644 :1 a\ncommit refs/heads/q\ncommitter " + WHO + b"data 0\n"
)

# Lines that mean something behind START, in any order in which they are grammar.
LINES = (
    *(b"blob\n", b"mark :9\n", b"original-oid x\n", b"data 3\nabc\n", b"data 3\nabc", b"data 0\n"),
    *(b"blob\ndata 0\n", b"data <<E\na\nE\n", b"commit refs/heads/x\n", b"author " + WHO),
    *(b"committer " + WHO, b"commit refs/heads/y\ncommitter " + WHO + b"data 2\nhi"),
    *(b"encoding x\n", b"from :2\n", b"merge :2\n", b"tag v1\n", b"tag v2\nfrom :2\ndata 0\n"),
    *(b"M 644 :1 a b\n", b'M 755 inline "q\\tr"\ndata 1\nx', b"M 9 :1 x\n", b"D a\n", b"D\n"),
    *(b"deleteall\n", b"N :1 :2\n", b"ls :2 a\n", b'ls "a"\n', b"cat-blob :1\n", b"get-mark :1\n"),
    *(b"reset refs/heads/x\n", b"alias\nmark :5\nto :2\n\n", b"checkpoint\n", b"progress x\n"),
    *(b"feature ls\n", b"option git quiet\n", b"option x\n", b"# x\n", b"\n", b"\n", b"x\n"),
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", "--bare", path], check=True)
    return path


def git(repository: Path, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = ["git", "--git-dir", str(repository), *words]
    environment = os.environ | {"TZ": "UTC"}
    return subprocess.run(command, input=stdin, capture_output=True, env=environment, check=False)


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=5))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_git_accepts_the_same_streams(repository: Path, lines: list[bytes]) -> None:
    stream = START + b"".join(lines)
    result = git(repository, "fast-import", "--quiet", "--force", stdin=stream)
    assert (result.returncode == 128) == (say([stream]).error is not None), result.stderr


IDENTS = (
    *(b"A <a> 1 +0000", b"<a> 1 +0000", b" <> 007 -0000", b"A<a> 1 +0000", b"A\t<a> 1 +0000"),
    *(b"A <a>> 1 +0000", b"A <a 1 +0000", b"A <a> 1 +1401", b"A <a> 1 +0001400", b"A <a>  1 +1"),
    *(b"A> <a> 1 +0000", b"A <a> -1 ++5", b"A <a> 18446744073709551616 +0000", b"A <a<b> 1 +0"),
)


@pytest.mark.parametrize("ident", IDENTS)
def test_git_reads_the_same_idents(repository: Path, ident: bytes) -> None:
    head = b"commit refs/heads/z\nmark :1\ncommitter "
    stream = head + ident + b"\ndata 0\nget-mark :1\n"
    result = git(repository, "fast-import", "--quiet", "--force", stdin=stream)
    try:
        expected = read_ident(ident)
    except StreamError:
        assert result.returncode == 128
        return
    commit = git(repository, "cat-file", "commit", result.stdout.decode().strip()).stdout
    assert commit.endswith(b"\ncommitter " + expected + b"\n\n")


@pytest.mark.parametrize("quote_high", [True, False])
def test_git_quotes_the_same_paths(repository: Path, quote_high: bool) -> None:
    names = [b"x%cy" % byte for byte in range(1, 256) if byte != ord("/")]
    entries = b"".join(b"100644 blob %b\t%b\0" % (b"1" * 40, name) for name in sorted(names))
    tree = git(repository, "mktree", "-z", "--missing", stdin=entries).stdout.decode().strip()
    config = f"core.quotePath={str(quote_high).lower()}"
    listed = git(repository, "-c", config, "ls-tree", "--name-only", tree).stdout
    assert listed.splitlines() == [quote(name, quote_high=quote_high) for name in sorted(names)]
