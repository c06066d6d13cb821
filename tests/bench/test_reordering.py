"""A stream with its blobs first is the same history."""

import io
import subprocess

import pytest

from bench.blobs_first import reorder
from bench.generate import text_history


@pytest.fixture(scope="module")
def history() -> bytes:
    out = io.BytesIO()
    text_history(out, size=1, seed=1)
    return out.getvalue()


def reordered(stream: bytes) -> bytes:
    out = io.BytesIO()
    reorder(io.BytesIO(stream), out)
    return out.getvalue()


def test_blobs_come_first_and_nothing_is_lost(history):
    result = reordered(history)
    last_blob, first_commit = result.rindex(b"\nblob\nmark :"), result.index(b"\ncommit refs/")
    assert last_blob < first_commit
    assert sorted(result.splitlines()) == sorted(history.splitlines())


def test_data_is_not_taken_for_commands():
    blobs = [b"blob\nmark :%d\ndata 14\ncommit x\nblob\n\n" % mark for mark in (1, 2)]
    commit = b"commit refs/heads/main\ncommitter C <c@e> 1 +0000\ndata 5\nblob\n\n"
    files = b"M 644 :1 a\nM 644 inline b\ndata 5\nblob\n\n"
    assert reordered(blobs[0] + commit + files + blobs[1]) == b"".join(blobs) + commit + files


@pytest.mark.git
def test_git_makes_the_same_of_it(tmp_path, history):
    refs = []
    for number, stream in enumerate((history, reordered(history))):
        repository = tmp_path / str(number)
        subprocess.run(["git", "init", "--quiet", "--bare", repository], check=True)
        git = ["git", "-C", repository]
        subprocess.run([*git, "fast-import", "--quiet"], input=stream, check=True)
        refs.append(subprocess.check_output([*git, "for-each-ref"]))
    assert refs[0] == refs[1] != b""
