"""Which streams are mapped, and what becomes of one whose file does not stay as it was."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import lz4.frame
import pytest

from fastio.errors import SourceError
from fastio.importer import mapped_file
from fastio.importer.source import Source
from tests.importer import streams
from tests.importer.target import Target, settled
from tests.importer.test_source import read

STREAM = streams.history(files=12, size=30_000, commits=40)
HALF = len(STREAM) // 2


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The stream, as it has lain there for a while."""
    return settled(tmp_path / "stream", STREAM)


@pytest.fixture
def fd(path: Path) -> Iterator[int]:
    fd = os.open(path, os.O_RDONLY)
    yield fd
    os.close(fd)


def rest_of(source: Source) -> bytes:
    """What a source has behind its mapping."""
    buffer = memoryview(bytearray(1 << 16))
    return b"".join(iter(lambda: bytes(buffer[: source.read_into(buffer)]), b""))


def all_of(source: Source) -> bytes:
    """All that a source has, the way an import reads it."""
    stream = source.map()
    count = sum(iter(lambda: source.advance(1 << 20), 0))
    return (b"" if stream is None else bytes(memoryview(stream)[:count])) + rest_of(source)


# --- which ones are mapped ------------------------------------------------------------------------


@pytest.mark.parametrize("position", [0, 1, 5000, len(STREAM) - 1])
def test_settled_file_is_mapped_from_its_position_on(fd: int, position: int) -> None:
    os.lseek(fd, position, os.SEEK_SET)
    source = Source(fd, least_mapped=1)
    assert all_of(source) == STREAM[position:]
    assert source.is_mapped
    assert source.position == len(STREAM) - position
    assert os.lseek(fd, 0, os.SEEK_CUR) == len(STREAM)


def test_position_moves_along(fd: int) -> None:
    source = Source(fd, least_mapped=1)
    assert source.map() is not None
    assert source.advance(1000) == 1000
    assert os.lseek(fd, 0, os.SEEK_CUR) == source.position == 1000


def refused(fd: int, **settings: float) -> bool:
    source = Source(fd, **{"least_mapped": 1, **settings})  # type: ignore[arg-type]
    return all_of(source) == STREAM and not source.is_mapped


def test_small_and_fresh_files_are_read(path: Path, fd: int) -> None:
    assert refused(fd, least_mapped=len(STREAM) + 1)
    for age in (1, -60):
        os.utime(path, (time.time() - age,) * 2)
        os.lseek(fd, 0, os.SEEK_SET)
        assert refused(fd)


def test_file_that_somebody_may_write_to_is_read(path: Path, fd: int) -> None:
    with path.open("ab"):
        assert refused(fd)
    both = os.open(path, os.O_RDWR)
    assert refused(both)
    os.close(both)


def test_file_that_does_not_fit_into_memory_is_read(
    fd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mapped_file, "_memory", lambda: 2 * len(STREAM) - 2)
    assert refused(fd)


def test_file_on_a_file_system_of_another_kind_is_read(
    fd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mapped_file, "file_system", lambda _fd: 0x6969)  # NFS
    assert refused(fd)


def test_file_that_cannot_be_mapped_is_read(fd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(mapped_file, "MappedStream", fail)
    assert refused(fd)


def test_frames_pipes_and_empty_files_are_read(path: Path) -> None:
    for content in (lz4.frame.compress(STREAM), b""):
        settled(path, content)
        with path.open("rb") as file:
            source = Source(file.fileno(), least_mapped=0)
            assert source.map() is None
            assert rest_of(source) == (STREAM if content else b"")
    assert read(b"blob\n", piped=True)[1].map() is None


def test_limits_of_control_groups_count(tmp_path: Path) -> None:
    for name, limit in (("", "max"), ("a", "1000"), ("a/b", "5000")):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "memory.max").write_text(limit + "\n")
    assert list(mapped_file._limits(str(tmp_path), "/a/b/c", "memory.max")) == [5000, 1000]
    assert mapped_file._memory() <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


# --- files that change ----------------------------------------------------------------------------


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"progress more\n")


def append_and_overwrite(path: Path) -> None:
    append(path)
    with path.open("r+b") as file:
        file.seek(HALF)
        file.write(b"x")


def cut(path: Path) -> None:
    os.truncate(path, HALF)


def cut_and_fill(path: Path) -> None:
    os.truncate(path, 0)
    os.truncate(path, len(STREAM))
    os.utime(path, ns=(0, 0))


def overwrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(HALF)
        file.write(b"x")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (cut, rf"cut short while it was read: from {len(STREAM)} to {HALF} bytes"),
        (overwrite, "written to while it was read"),
        (cut_and_fill, "written to while it was read"),
        (append, "written to while it was read"),
        (append_and_overwrite, "written to while it was read"),
    ],
)
def test_change_is_noticed(
    path: Path, fd: int, change: Callable[[Path], None], reason: str
) -> None:
    source = Source(fd, least_mapped=1)
    assert source.map() is not None
    source.confirm()
    change(path)
    for notice in (source.confirm, lambda: source.advance(1)):
        with pytest.raises(SourceError, match=reason):
            notice()


def test_what_leaves_the_bytes_alone_is_no_change(path: Path, fd: int) -> None:
    source = Source(fd, least_mapped=1)
    assert source.map() is not None
    path.chmod(0o400)
    path.rename(path.with_name("other"))
    path.with_name("other").unlink()
    assert source.advance(1 << 30) == len(STREAM)
    source.confirm()


class Disturbed(Source):
    """A source whose file is changed when so many bytes count as read."""

    def __init__(self, fd: int, at: int, change: Callable[[], None]) -> None:
        super().__init__(fd, least_mapped=1)
        self._at, self._change = at, change

    def advance(self, most: int) -> int:
        count = super().advance(most)
        if self.position >= self._at:
            self._change()
            self._at = 1 << 62
        return count


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("at", [1, HALF, len(STREAM)])
@pytest.mark.parametrize("change", [cut, overwrite, append_and_overwrite])
def test_nothing_is_kept_of_a_file_that_changes(
    target: Target,
    path: Path,
    fd: int,
    capfd: pytest.CaptureFixture[str],
    workers: int,
    at: int,
    change: Callable[[Path], None],
) -> None:
    status, _ = target.here_from(Disturbed(fd, at, lambda: change(path)), workers=workers)
    errors = capfd.readouterr().err
    assert status == 128
    assert errors.startswith("fatal: the stream's file was ")
    assert "died" not in errors
    assert (target.refs(), target.packs(), target.files()) == ({}, [], [])
    assert not list((target.git_dir / "objects").glob("??"))


def test_checkpoint_is_the_last_thing_kept(target: Target, path: Path, fd: int) -> None:
    more = streams.commit(1, streams.inline(b"a", b"text"), ref=b"refs/heads/first")
    settled(path, more + b"checkpoint\n\n" + STREAM)
    source = Disturbed(fd, len(more) + len(STREAM), lambda: cut(path))
    assert target.here_from(source, workers=0)[0] == 128
    assert list(target.refs()) == ["refs/heads/first"]
    assert (len(target.packs()), target.files(), target.fsck()) == (1, [], "")
