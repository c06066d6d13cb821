"""The generated streams are the same each time, and git takes them."""

import io
import subprocess

import pytest

from bench import scaling_streams
from bench.generate import big_blob, parse_size, standard_library, text_history, tiny_blobs

SIZE = 15_000_000  # the first commit alone has about half of this


@pytest.fixture(scope="module")
def history() -> bytes:
    out = io.BytesIO()
    text_history(out, size=SIZE, seed=1)
    return out.getvalue()


@pytest.fixture
def repository(tmp_path):
    subprocess.run(["git", "init", "--quiet", "--bare", tmp_path], check=True)
    return tmp_path


def fast_import(repository, stream):
    command = ["git", "-C", repository, "fast-import", "--quiet"]
    subprocess.run(command, input=stream, check=True)


def count(repository, *revisions):
    command = ["git", "-C", repository, "rev-list", "--count", *revisions]
    return int(subprocess.check_output(command))


def test_a_history_is_the_same_each_time(history):
    again = io.BytesIO()
    text_history(again, size=SIZE, seed=1)
    assert again.getvalue() == history


def test_another_seed_gives_another_history(history):
    other = io.BytesIO()
    text_history(other, size=1, seed=2)
    assert not history.startswith(other.getvalue())


def test_a_history_has_about_the_size_that_was_asked_for(history):
    assert SIZE <= len(history) < SIZE * 1.2


@pytest.mark.git
def test_git_takes_a_history(history, repository):
    fast_import(repository, history)
    assert count(repository, "--all") > 100
    assert count(repository, "--all", "--merges") > 0
    fsck = subprocess.run(["git", "-C", repository, "fsck", "--strict"], check=False)
    assert fsck.returncode == 0


@pytest.mark.git
def test_git_takes_tiny_blobs(repository):
    out = io.BytesIO()
    tiny_blobs(out, count=1000)
    fast_import(repository, out.getvalue())
    listing = ["git", "-C", repository, "cat-file", "--batch-all-objects", "--batch-check"]
    assert len(set(subprocess.check_output(listing).splitlines())) == 1000


@pytest.mark.git
def test_git_takes_a_big_blob(repository):
    out = io.BytesIO()
    big_blob(out, size=3_000_000, seed=1)
    fast_import(repository, out.getvalue())
    size = ["git", "-C", repository, "cat-file", "-s", "main:big"]
    assert int(subprocess.check_output(size)) == 3_000_000


def test_sources_are_those_of_the_standard_library_without_its_tests():
    sources = standard_library()
    assert b"argparse.py" in sources
    assert not any(path.startswith((b"test/", b"site-packages/")) for path in sources)


@pytest.mark.parametrize(("text", "size"), [("12", 12), ("1k", 1024), ("1.5M", 3 << 19)])
def test_sizes_have_units(text, size):
    assert parse_size(text) == size


@pytest.mark.git
@pytest.mark.parametrize("name", scaling_streams.STREAMS)
def test_git_takes_what_grows(name, repository, monkeypatch):
    monkeypatch.setattr(scaling_streams, "FILES", 200)
    monkeypatch.setattr(scaling_streams, "PIECE", 1 << 10)
    out = io.BytesIO()
    scaling_streams.make(name, 12, out)
    fast_import(repository, out.getvalue())
    assert count(repository, "--all") > 0 or name == "blobs"
