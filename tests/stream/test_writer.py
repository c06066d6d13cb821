"""What the writer does beyond being the parser's inverse."""

from __future__ import annotations

import pytest

from fastio.errors import StreamError
from fastio.stream import commands as c
from fastio.stream.writer import write_command


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (c.FileModify(0o40000, c.Mark(1), b""), b'M 040000 :1 ""\n'),
        (c.FileModify(0o100644, None, b"a b", b"x\n"), b"M 100644 inline a b\ndata 2\nx\n\n"),
        (c.FileCopy(b"a b", b"c d"), b'C "a b" c d\n'),
        (c.FileRename(b"", b"\xff"), b'R "" "\\377"\n'),
        (c.Ls(None, b"a"), b'ls "a"\n'),
        (c.Reset(b"refs/heads/x", None), b"reset refs/heads/x\n\n"),
        (c.Alias(c.Mark(2), c.Mark(1)), b"alias\nmark :2\nto :1\n\n"),
        (c.Blob(None, None, c.LargeData(3)), b"blob\ndata 3\n"),
        (c.DataPiece(b"abc", True), b"abc\n"),
    ],
)
def test_spelling(command: c.Command, text: bytes) -> None:
    assert write_command(command) == text


@pytest.mark.parametrize(
    "command",
    [
        c.Progress(b"a\nb"),
        c.Reset(b"a\0b", None),
        c.Tag(b"x", None, c.Mark(1), None, b"A <a> 1 +0\n", b""),
        c.FileModify(0o100644, None, b"a"),
        c.NoteModify(c.Mark(1), c.Mark(2), b"data"),
    ],
)
def test_what_the_language_cannot_say_is_refused(command: c.Command) -> None:
    with pytest.raises(StreamError):
        write_command(command)
