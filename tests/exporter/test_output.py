"""Streams arrive whole, whatever the descriptor does."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import lz4.frame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastio.errors import FastioError
from fastio.exporter import output
from fastio.exporter.output import (
    DescriptorOutput,
    Lz4Output,
    OutputClosed,
    open_output,
)

PIECES = [b"%d" % number * (number % 97) for number in range(3000)]


class Sink:
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.taken = b""
        self.closed = False

    def write(self, pieces: list[bytes]) -> None:
        self.taken += b"".join(pieces)

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("blocking", [True, False])
def test_a_slow_pipe_gets_everything(blocking: bool) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, blocking)
    got = []

    def read() -> None:
        while piece := os.read(reading, 10_000):
            got.append(piece)

    reader = threading.Thread(target=read)
    reader.start()
    stream = DescriptorOutput(writing, owned=True)
    stream.write([*PIECES, memoryview(b"long" * 100_000)])
    stream.close()
    stream.close()
    reader.join()
    os.close(reading)
    assert b"".join(got) == b"".join(PIECES) + b"long" * 100_000


@settings(max_examples=50)
@given(pieces=st.lists(st.binary(max_size=8), max_size=6), data=st.data())
def test_partial_writes_go_on_where_they_ended(pieces: list[bytes], data: st.DataObject) -> None:
    left = list(pieces)
    whole = b"".join(pieces)
    written = data.draw(st.integers(0, len(whole)))
    assert b"".join(bytes(piece) for piece in output._behind(left, written)) == whole[written:]


def test_a_reader_that_went_away_is_told_apart() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with pytest.raises(OutputClosed):
        DescriptorOutput(writing).write([b"text"])
    os.close(writing)


def test_a_full_disk_is_an_error() -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    with pytest.raises(FastioError, match="write failure on standard output: No space"):
        DescriptorOutput(full).write([b"text"])
    os.close(full)


def test_a_file_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FastioError, match="cannot open"):
        open_output(str(tmp_path / "missing" / "dump.fe"), threads=1, memory=0)


@pytest.mark.parametrize(
    ("memory", "block"), [(0, 256 << 10), (6 << 20, 1 << 20), (1 << 30, 4 << 20)]
)
def test_blocks_of_a_frame_are_as_large_as_there_is_memory(memory: int, block: int) -> None:
    sink = Sink()
    packed = Lz4Output(sink, threads=1, memory=memory)
    packed.write([bytes(5 << 20)])
    packed.close()
    info = lz4.frame.get_frame_info(sink.taken)
    assert info["block_size"] == block
    assert lz4.frame.decompress(sink.taken) == bytes(5 << 20)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("size", [0, 1, 100, 250])
def test_a_frame_holds_what_was_written(
    monkeypatch: pytest.MonkeyPatch, threads: int, size: int
) -> None:
    monkeypatch.setattr(output, "_block_size", lambda _code: 64)
    sink = Sink()
    content = bytes(number % 7 for number in range(size)) + os.urandom(size)
    packed = Lz4Output(sink, threads=threads, memory=0)
    packed.write([content[:90], memoryview(content)[90:]])
    packed.close()
    assert lz4.frame.decompress(sink.taken) == content
    assert sink.closed


def test_the_name_says_whether_a_file_is_compressed(tmp_path: Path) -> None:
    content = b"the same line\n" * 700_000  # more than one block
    for name in ("dump.fe", "dump.fe.lz4"):
        stream = open_output(str(tmp_path / name), threads=2, memory=1 << 26)
        stream.write([content])
        stream.close()
    assert (tmp_path / "dump.fe").read_bytes() == content
    assert lz4.frame.decompress((tmp_path / "dump.fe.lz4").read_bytes()) == content
