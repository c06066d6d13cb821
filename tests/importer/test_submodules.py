"""Submodule oids that are replaced on their way in."""

from pathlib import Path

import pytest

from tests.importer.target import Target

OLD, NEW, SHA256 = b"1" * 40, b"2" * 40, b"3" * 64
COMMIT = b"commit refs/heads/x\ncommitter A <a@b> 0 +0000\ndata 0\n"
WORDS = ("--rewrite-submodules-from=sub:from", "--rewrite-submodules-to=sub:to")


def rewrite(target: Target, old: bytes, new: bytes, stream: bytes, words=WORDS):
    (target.path / "from").write_bytes(old)
    (target.path / "to").write_bytes(new)
    return target.run(stream, *words)


@pytest.mark.parametrize("oid", [OLD, SHA256])
def test_gitlinks_get_the_oid_that_carries_the_same_mark(target: Target, oid: bytes) -> None:
    link = b"M 160000 %b sub\n" % oid
    done = rewrite(target, b":5 %b\n" % oid, b":4 %b\n:5 %b\n" % (OLD, NEW), COMMIT + link)
    assert done.returncode == 0, done.stderr
    assert target.git("rev-parse", "x:sub") == NEW.decode()


def test_other_oids_stay(target: Target) -> None:
    stream = COMMIT + b"M 160000 %b sub\n" % (b"4" * 40)
    assert rewrite(target, b":5 %b\n" % OLD, b":5 %b\n" % NEW, stream).returncode == 0
    assert target.git("rev-parse", "x:sub") == "4" * 40


def test_an_oid_of_the_other_object_format_must_be_known(target: Target) -> None:
    stream = COMMIT + b"M 160000 %b sub\n" % SHA256
    done = rewrite(target, b":5 %b\n" % OLD, b":5 %b\n" % NEW, stream)
    assert done.returncode == 128
    assert b"invalid dataref" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b":5 %b\n" % OLD, b":4 %b\n" % NEW, WORDS),
        (b":5 %b\n" % OLD, b"nonsense\n", WORDS),
        (b"", b"", WORDS[:1]),
        (b"", b"", ("--rewrite-submodules-from=nameless",)),
        (b"", b"", (WORDS[1], "--rewrite-submodules-from=sub:nowhere")),
    ],
    ids=["a mark is missing", "a bad line", "no partner", "no name", "no file"],
)
def test_files_must_fit(target: Target, old: bytes, new: bytes, words: tuple[str, ...]) -> None:
    done = rewrite(target, old, new, COMMIT, words)
    assert done.returncode == 128
    assert done.stderr.startswith(b"fatal: ")
    assert target.refs() == {}


def test_the_stream_may_ask_for_it_too(target: Target, tmp_path: Path) -> None:
    header = b"feature rewrite-submodules-from=sub:from\nfeature rewrite-submodules-to=sub:to\n"
    stream = header + COMMIT + b"M 160000 %b sub\n" % OLD
    assert rewrite(target, b":5 %b\n" % OLD, b":5 %b\n" % NEW, stream, ()).returncode == 0
    assert target.git("rev-parse", "x:sub") == NEW.decode()
