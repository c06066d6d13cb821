"""`fastio.parse`."""

from __future__ import annotations

import io
import os

import pytest

import fastio
from fastio.errors import StreamError
from fastio.stream import commands as c


def test_parse_yields_the_commands_of_a_file() -> None:
    file = io.BytesIO(b"blob\ndata 2\nab\nprogress x\n")
    blob, progress = [(type(one), bytes(getattr(one, "data", b""))) for one in fastio.parse(file)]
    assert blob == (c.Blob, b"ab")
    assert progress == (c.Progress, b"")


def test_parse_follows_the_date_format_of_the_stream() -> None:
    stream = b"feature date-format=rfc2822\ntag x\nfrom :1\ntagger A <a> @5 +0100\ndata 0\n"
    *_, tag = fastio.parse(io.BytesIO(stream))
    assert isinstance(tag, c.Tag)
    assert tag.tagger == b"A <a> 5 +0100"
    with pytest.raises(StreamError, match="date format"):
        list(fastio.parse(io.BytesIO(b"feature date-format=RAW\n")))


def test_parse_does_not_wait_for_more_than_a_command() -> None:
    read_end, write_end = os.pipe()
    with open(read_end, "rb") as reader, open(write_end, "wb", buffering=0) as writer:
        commands = fastio.parse(reader)
        for text in (b"a", b"b"):
            writer.write(b"progress " + text + b"\n")
            assert next(commands) == c.Progress(text)


def test_parse_reports_a_stream_that_ends_early() -> None:
    with pytest.raises(StreamError, match="end of input"):
        list(fastio.parse(io.BytesIO(b"blob\ndata 5\nab")))


def test_unknown_names_are_unknown() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        fastio.nonsense  # noqa: B018 - the access is the test
