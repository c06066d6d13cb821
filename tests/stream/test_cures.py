"""What is said about the usual mistakes."""

from __future__ import annotations

import bz2
import gzip
import lzma
import pickle
from types import SimpleNamespace

import pytest

from fastio.errors import CLIPPED_LINE, StreamError
from fastio.stream.cures import cure_of
from fastio.stream.parser import StreamParser
from tests.stream.feeding import error_of

COMMIT = b"commit refs/heads/x\ncommitter A <a@b> 1 +0000\ndata 0\n"

MISTAKES = (
    (b"blob\r\ndata 0\r\n", "command", "CR LF"),
    (b"commit x\ncommitter A <a@b> 1 +0000\r\ndata 0\n", "date", "CR LF"),
    (b"blob\ndata 5\n\xc3\xa4\xc3\xb6xyz\n", "command", "count bytes"),
    (COMMIT + b"M 644 12 a\n", "dataref", "with a colon: ':12'"),
    (b"blob\nmark 12\ndata 0\n", "expected", "'mark :12'"),
    (COMMIT + b"M 644 abcdef12 a\n", "dataref", "in full"),
    (COMMIT + b"M 644 refs/heads/x a\n", "dataref", "not by a ref"),
    (COMMIT + b"from :1x\n", "mark", "nothing may follow"),
    (COMMIT + b"M 664 :1 a\n", "mode", "git knows only"),
    (COMMIT + b"M 33188 :1 a\n", "mode", "octal"),
    (COMMIT + b"M 644\n", "mode", "M <mode>"),
    (COMMIT + b'M 644 :1 "a\\z"\n', "path", "quote"),
    (COMMIT + b"R a\n", "path", "R "),
    (COMMIT + b"\n\nfrom :1\n", "command", "already ended"),
    (COMMIT + b"\n\n\nblob\n", "command", "empty line"),
    (b"Blob\ndata 0\n", "command", "spelled 'blob'"),
    (b"commit x\ncommitter A <a@b> 1\ndata 0\n", "date", "zone is missing"),
    (b"commit x\ncommitter A <a@b> 1 +01:00\ndata 0\n", "date", "without a colon"),
    (b"commit x\ncommitter A <a@b> 1.5 +0100\ndata 0\n", "date", "whole"),
    (b"commit x\ncommitter A <a@b> 1 +051800\ndata 0\n", "date", "raw-permissive"),
    (b"commit x\ncommitter A <a@b> now\ndata 0\n", "date", "--date-format=now"),
    (b"commit x\ncommitter A <a@b> Thu Jan 1 2026\ndata 0\n", "date", "rfc2822"),
    (b"commit x\ncommitter A <a@b> \ndata 0\n", "date", "missing"),
    (b"commit x\ncommitter A <a@b> x +0100\ndata 0\n", "date", "a raw date is"),
    (b"commit x\ncommitter A a@b 1 +0000\ndata 0\n", "ident", "write <>"),
    (b"commit x\ncommitter A <a<b> 1 +0000\ndata 0\n", "ident", "no other"),
    (b"commit x\ndata 0\n", "expected", "every commit needs a committer"),
    (b"tag x\ndata 0\n", "expected", "needs 'from'"),
    (b"blob\ndata 9\nabc", "truncated", "cut off"),
    (b"commit x\n", "truncated", "cut off"),
    (b"# hello\nfeature done\n", "header", "before all else"),
    (b"blob\ndata 0\na\0b\n", "nul", "count bytes"),
    (gzip.compress(COMMIT, mtime=0), "nul", "'gzip -dc <file> |'"),
    (bz2.compress(COMMIT), "nul", "'bzip2 -dc <file> |'"),
    (lzma.compress(COMMIT), "nul", "'xz -dc <file> |'"),
    (b"(\xb5/\xfd\n", "command", "'zstd -dc <file> |'"),
    (b"SVN-fs-dump-format-version: 2\n\n", "command", "converter"),
)


@pytest.mark.parametrize(("stream", "kind", "cure"), MISTAKES)
def test_usual_mistakes_have_a_kind_and_a_cure(stream: bytes, kind: str, cure: str) -> None:
    error = error_of(stream)
    assert error.kind == kind
    assert cure in cure_of(error)


@pytest.mark.parametrize(
    ("stream", "cure"),
    [
        ("blob\ndata 4\näöüß\n".encode(), "after encoding"),
        (b"blob\ndata 12\none\r\ntwo\r\nsix\r\n", "binary mode"),
        (b"blob\ndata 2\nmore\n", "not characters"),
        (b"blob\ndata 9\nless\nblob\ndata 0\n", "what is written"),
    ],
)
def test_data_of_another_length_than_declared(stream: bytes, cure: str) -> None:
    told: list[StreamError] = []
    problems = SimpleNamespace(problem=told.append, notice=told.append, skipped=bytes)
    parser = StreamParser(problems=problems)
    parser.feed(stream)
    parser.feed_eof()
    while parser.next_command() is not None:
        pass
    assert [(one.kind, cure in cure_of(one)) for one in told] == [("data-length", True)]


def test_an_error_holds_its_line() -> None:
    error = error_of(b"blob\ndata 0\ncommit x\nauthor A\ncommitter A <a> 1 +0\ndata 0\n")
    assert (error.line, error.offset, error.command_number) == (b"author A", 21, 2)


def test_lines_of_runs_of_blobs_are_known_as_well() -> None:
    error = error_of(b"blob\ndata 1\nxblob\ndata 3\nx")
    assert error.line == b"data 3"


def test_long_lines_are_clipped() -> None:
    error = error_of(b"x" * 5000 + b"\n")
    assert error.line == b"x" * CLIPPED_LINE
    assert error_of(b"x" * 5000 + b"\n", max_line=9).line == b"x" * CLIPPED_LINE


def test_kind_and_line_cross_processes() -> None:
    error = StreamError("reason", 5, 2, kind="mark", line=b"from :x")
    copy = pickle.loads(pickle.dumps(error))
    assert (vars(copy), copy.args, str(copy)) == (vars(error), error.args, str(error))


def test_the_unusual_has_no_cure() -> None:
    assert cure_of(StreamError("whatever")) == ""


@pytest.mark.parametrize(
    ("path", "cure"),
    [("/a", "leading slash"), ("a/", "at the end"), ("a//b", "second"), ("a/../b", "'..'")],
)
def test_refused_paths(path: str, cure: str) -> None:
    assert cure in cure_of(StreamError(f"invalid path '{path}'", kind="refused-path"))


@pytest.mark.parametrize(
    ("line", "cure"), [(b"from 12", "':12'"), (b"N :3 7", "':7'"), (b"merge topic", "a branch")]
)
def test_commits_that_are_not_found(line: bytes, cure: str) -> None:
    assert cure in cure_of(StreamError("not a valid commit", kind="committish", line=line))
