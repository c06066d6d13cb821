"""Marks files: strict lines, and a replacement that others see whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastio.errors import MarksError
from fastio.objects.kinds import SHA256, Oid
from fastio.store.marks_file import read_marks, write_marks

A = Oid(b"\xaa" * 20)
LINE = b":1 " + b"aa" * 20 + b"\n"


def read(path: Path, content: bytes, oid_size: int = 20) -> list[tuple[int, Oid]]:
    path.write_bytes(content)
    return list(read_marks(str(path), oid_size))


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "marks"
    marks = [(1, A), (7, Oid(b"b" * 20)), (2**64 - 1, A)]
    write_marks(str(path), marks)
    assert path.read_bytes().startswith(LINE)
    assert list(read_marks(str(path))) == marks
    assert os.listdir(tmp_path) == ["marks"]


def test_sha256_marks(tmp_path: Path) -> None:
    path = str(tmp_path / "marks")
    oid = SHA256.hash_object(3, b"x")
    write_marks(path, [(1, oid)])
    assert list(read_marks(path, 32)) == [(1, oid)]
    with pytest.raises(MarksError):
        read(tmp_path / "short", LINE, 32)


@pytest.mark.parametrize(
    "content",
    [
        b"1" + LINE[2:],
        b"\n",
        b"# text\n",
        b": " + LINE[3:],
        b":0" + LINE[2:],
        b":1" + LINE[3:],
        b":1  " + LINE[3:],
        b":1\t" + LINE[3:],
        LINE[:-2] + b"\n",
        LINE[:-1],
        b":x " + LINE[3:],
        b":1 " + b"g" * 40 + b"\n",
        LINE[:-1] + b" " * (512 - len(LINE)) + b"\n",
        LINE + b"\n",
        LINE[:-1] + b"\0\n",
    ],
)
def test_malformed_lines(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(MarksError, match="malformed line"):
        read(tmp_path / "marks", content)


def test_tolerated_lines(tmp_path: Path) -> None:
    longest = LINE[:-1] + b" " * (511 - len(LINE)) + b"\n"
    content = b":9 " + b"AA" * 20 + b"\r\n" + LINE + longest + b":007 " + LINE[3:]
    assert read(tmp_path / "marks", content) == [(9, A), (1, A), (1, A), (7, A)]


def test_an_empty_file_has_no_marks(tmp_path: Path) -> None:
    assert read(tmp_path / "marks", b"") == []


def test_a_missing_file_is_told_from_an_unreadable_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(read_marks(str(tmp_path / "none")))
    with pytest.raises(MarksError, match="cannot read"):
        list(read_marks(str(tmp_path)))


@given(content=st.binary(max_size=100) | st.just(LINE).map(lambda line: line * 2))
def test_any_bytes_are_marks_or_a_marks_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "noise"
    try:
        assert len(read(path, content)) == content.count(b"\n")
    except MarksError:
        assert content


def test_a_lock_file_refuses_a_second_writer(tmp_path: Path) -> None:
    path = tmp_path / "marks"
    path.write_bytes(LINE)
    lock = tmp_path / "marks.lock"
    lock.touch()
    with pytest.raises(MarksError, match=r"marks\.lock"):
        write_marks(str(path), [])
    assert path.read_bytes() == LINE
    assert lock.exists()


def test_a_failing_writer_leaves_the_old_file_and_no_lock(tmp_path: Path) -> None:
    def marks() -> Iterator[tuple[int, Oid]]:
        yield 5, A
        raise MarksError("no more")

    path = tmp_path / "marks"
    path.write_bytes(LINE)
    with pytest.raises(MarksError, match="no more"):
        write_marks(str(path), marks())
    assert path.read_bytes() == LINE
    assert os.listdir(tmp_path) == ["marks"]


def test_missing_directories_are_made_and_symlinks_followed(tmp_path: Path) -> None:
    write_marks(str(tmp_path / "new" / "dir" / "marks"), [(1, A)])
    link = tmp_path / "link"
    link.symlink_to("new/dir/target")
    write_marks(str(link), [(1, A)])
    assert link.is_symlink()
    assert (tmp_path / "new" / "dir" / "target").read_bytes() == LINE


def test_a_directory_in_the_way_is_a_marks_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MarksError, match="cannot write"):
        write_marks(str(tmp_path / "file" / "marks"), [])


def test_a_pipe_may_be_named_by_its_descriptor() -> None:
    reader, writer = os.pipe()
    write_marks(f"/dev/fd/{writer}", [(1, A)])
    os.close(writer)
    with open(reader, "rb") as file:
        assert file.read() == LINE


def test_a_device_is_written_to_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
        write_marks(str(path), [(1, A)])
        assert reader.read() == LINE
    assert path.is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]
