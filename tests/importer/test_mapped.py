"""A mapped stream is like the bytes it holds, also where the file has lost them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given

from fastio.importer._mapped import MappedStream
from tests.importer.target import ROOT, blob_oid, environment
from workers.arena import Arena
from workers.pool import Pool
from workers.rows import Task, unpack_results
from workers.tasks import Settings, deflate_bound

PAGE = os.sysconf("SC_PAGE_SIZE")
contents = st.lists(st.sampled_from([b"a", b"\n", b"ab", b"\nE\n", b"a" * 50])).map(b"".join)


def mapped(path: Path, content: bytes, position: int = 0) -> MappedStream:
    path.write_bytes(content)
    fd = os.open(path, os.O_RDONLY)
    try:
        return MappedStream(fd, position, len(content) - position)
    finally:
        os.close(fd)


@given(contents, st.sampled_from([b"a", b"\n", b"ab", b"\nE\n", b"b" * 60]), st.data())
def test_searches_agree_with_those_of_bytes(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, wanted: bytes, data: st.DataObject
) -> None:
    position = data.draw(st.integers(0, len(content)))
    content += b"."
    stream = mapped(tmp_path_factory.getbasetemp() / "stream", content, position)
    content = content[position:]
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(content))] * 2)))
    assert stream.find(wanted, start, end) == content.find(wanted, start, end)
    assert stream.startswith(wanted, start, end) == content.startswith(wanted, start, end)
    assert (len(stream), memoryview(stream), stream[0]) == (len(content), content, content[0])


@pytest.mark.parametrize("position", [1, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE - 1])
def test_middle_of_a_file_starts_in_a_page(tmp_path: Path, position: int) -> None:
    content = os.urandom(3 * PAGE)
    stream = mapped(tmp_path / "stream", content, position)
    assert memoryview(stream) == content[position:]
    for advise in (stream.expect, stream.release):
        for start, end in ((0, len(stream)), (-9, 1), (PAGE, PAGE), (-9, -1), (9, 1 << 50)):
            advise(start, end)
    assert memoryview(stream) == content[position:]
    assert stream.lost_at == -1


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (0, 4), (2, 1), (5, 5)])
def test_searches_stay_inside(tmp_path: Path, start: int, end: int) -> None:
    stream = mapped(tmp_path / "stream", b"abc")
    for search in (stream.find, stream.startswith):
        with pytest.raises(IndexError):
            search(b"a", start, end)
    for at in (-1, 3):
        with pytest.raises(IndexError):
            stream[at]


def test_what_cannot_be_mapped_is_an_error(tmp_path: Path) -> None:
    directory = os.open(tmp_path, os.O_RDONLY)
    with pytest.raises(OSError, match="map"):
        MappedStream(directory, 0, 1)
    os.close(directory)
    with pytest.raises(ValueError, match="nothing"):
        mapped(tmp_path / "stream", b"")
    with pytest.raises(TypeError):
        memoryview(mapped(tmp_path / "stream", b"abc"))[0] = 0


def test_lost_pages_read_as_zeros_and_are_noted(tmp_path: Path) -> None:
    content = b"x" * (5 * PAGE)
    stream, other = mapped(tmp_path / "stream", content, 10), mapped(tmp_path / "other", content)
    os.truncate(tmp_path / "stream", 2 * PAGE)
    assert memoryview(stream)[: 2 * PAGE - 10] == content[10 : 2 * PAGE]
    assert stream.lost_at == -1
    assert stream[4 * PAGE] == 0
    assert stream.lost_at == 4 * PAGE - 10
    assert memoryview(stream)[2 * PAGE - 10 :] == bytes(3 * PAGE)
    assert stream.lost_at == 4 * PAGE - 10  # the first loss is kept
    assert other.lost_at == -1
    assert memoryview(other) == content


def test_pages_lost_to_a_worker_are_known_to_all(tmp_path: Path) -> None:
    stream = mapped(tmp_path / "stream", b"x" * (3 * PAGE))
    arena = Arena(1 << 20)
    arena.attach(stream)
    room = deflate_bound(2 * PAGE)
    task = Task(
        arena.size + PAGE, 2 * PAGE, arena.size, PAGE, arena.allocate(room), room, 2 * PAGE, 3
    )
    with Pool(arena, workers=1, settings=Settings()) as pool:
        workers = pool.pids
        os.truncate(tmp_path / "stream", PAGE)
        pool.submit(task.pack())
        assert pool.poll(30)
        results = pool.take()
        assert pool.pids == workers  # it lives
    assert results is not None
    [result] = unpack_results(results)
    assert result.oid[:20].hex() == blob_oid(bytes(2 * PAGE))
    assert stream.lost_at == PAGE


SETUP = """
import faulthandler, mmap, os, sys, tempfile
from fastio.importer._mapped import MappedStream
if "trace" in sys.argv: faulthandler.enable()
file = tempfile.TemporaryFile(buffering=0)
file.write(bytes(mmap.PAGESIZE))
ours, foreign = MappedStream(file.fileno(), 0, mmap.PAGESIZE), mmap.mmap(file.fileno(), 0)
file.truncate(0)
if "late" not in sys.argv: assert ours[0] == 0 and ours.lost_at == 0
if "closed" in sys.argv: del ours
print(foreign[0])
"""


@pytest.mark.parametrize("how", ["", "trace", "closed", "closed trace", "late trace"])
def test_other_bus_errors_go_where_they_went(how: str) -> None:
    command = [sys.executable, "-c", SETUP, *how.split()]
    done = subprocess.run(command, capture_output=True, env=environment({}), cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGBUS
    assert done.stdout == b""
    assert (b"Fatal Python error: Bus error" in done.stderr) == ("trace" in how)


def test_too_many_mappings_at_a_time_are_an_error(tmp_path: Path) -> None:
    streams = []

    def map_more() -> None:
        while len(streams) < 100:
            streams.append(mapped(tmp_path / "stream", b"abc"))

    with pytest.raises(OSError, match="too many"):
        map_more()
    streams.pop()
    assert bytes(mapped(tmp_path / "stream", b"abc")) == b"abc"
