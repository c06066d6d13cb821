"""The pack writer: what git thinks of its packs, and what is left when something fails."""

from __future__ import annotations

import errno
import hashlib
import mmap
import os
import resource
import signal
import stat
import subprocess
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fastio.errors import PackError
from fastio.objects.kinds import BLOB, COMMIT, SHA1, SHA256, TAG, TREE, ObjectFormat
from fastio.store import pack_writer
from fastio.store.objmap import ObjectMap
from fastio.store.pack_writer import FinishedPack, PackWriter

PACK = 5  # the pack's number in the object map
IDENT = b"A U Thor <author@example.com> 1700000000 +0000"


class Packing:
    """A pack with its object map, taking whole objects."""

    def __init__(self, directory: Path, object_format: ObjectFormat = SHA1) -> None:
        self.format = object_format
        self.map = ObjectMap(object_format.oid_size)
        self.writer = PackWriter(bytes(directory), object_format, fsync=False)

    def add(self, kind: int, body: bytes, base: bytes | None = None) -> bytes:
        """Append an object, as a delta that copies nothing if it has a base."""
        oid = self.format.hash_object(kind, body)
        if base is None:
            offset = self.writer.append(kind, len(body), zlib.compress(body))
        else:
            delta = bytes([len(base), len(body), len(body)]) + body
            at = self.map.offset(self.map.find(self.format.hash_object(kind, base)))
            offset = self.writer.append(kind, len(delta), zlib.compress(delta), at)
        self.map.insert(oid, pack=PACK, offset=offset, kind=kind, crc=self.writer.last_crc)
        return oid

    def add_history(self) -> bytes:
        """Append blobs (one a delta), a tree, a commit and a tag of it."""
        blobs = [
            self.add(BLOB, b"one\n"),
            self.add(BLOB, b"two\n", base=b"one\n"),
            self.add(BLOB, bytes(3 << 20)),
        ]
        names = enumerate(blobs)
        tree = self.add(TREE, b"".join(b"100644 %d\0" % n + oid for n, oid in names))
        header = b"tree %s\nauthor %s\ncommitter %s\n" % (tree.hex().encode(), IDENT, IDENT)
        commit = self.add(COMMIT, header + b"\nfirst\n")
        kind = b"type commit\ntag v1\ntagger %s\n\nv1\n" % IDENT
        return self.add(TAG, b"object %s\n" % commit.hex().encode() + kind)

    def finish(self, **options: int) -> FinishedPack:
        finished = self.writer.finish(self.map, PACK, **options)
        assert finished is not None
        return finished


@pytest.fixture
def packs(tmp_path: Path) -> Path:
    return tmp_path / "objects" / "pack"


@pytest.fixture
def packing(packs: Path) -> Iterator[Packing]:
    packing = Packing(packs)
    yield packing
    packing.writer.abort()


def git(repository: Path, *arguments: str | bytes) -> bytes:
    command = ["git", "-C", repository, *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout


def modes(directory: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}


@pytest.mark.git
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("object_format", [SHA1, SHA256], ids=lambda hash_: hash_.name)
def test_git_accepts_the_pack_and_makes_the_same_idx(
    tmp_path: Path, version: int, object_format: ObjectFormat
) -> None:
    git(tmp_path, "init", "-q", f"--object-format={object_format.name}")
    packing = Packing(tmp_path / ".git/objects/pack", object_format)
    tag = packing.add_history()
    finished = packing.finish(index_version=version)
    made = tmp_path / "made.idx"
    options = ["--strict", f"--index-version={version}", "-o", bytes(made)]
    git(tmp_path, "index-pack", *options, finished.pack_path)
    assert made.read_bytes() == Path(os.fsdecode(finished.idx_path)).read_bytes()
    git(tmp_path, "verify-pack", finished.idx_path)
    git(tmp_path, "update-ref", "refs/tags/v1", tag.hex())
    assert b"dangling" not in git(tmp_path, "fsck", "--strict", "--full")
    assert git(tmp_path, "cat-file", "blob", "v1:1") == b"two\n"


def model_entry(kind: int, size: int, payload: bytes, distance: int) -> bytes:
    """An entry as gitformat-pack(5) describes it."""
    first = (kind if distance == 0 else 6) << 4 | size & 15
    groups = [size >> shift & 127 for shift in range(4, max(size.bit_length(), 4), 7)]
    header = [first, *groups]
    header = [group | 128 for group in header[:-1]] + header[-1:]
    base = []
    if distance:
        base = [distance & 127]
        while distance := distance >> 7:
            distance -= 1
            base.insert(0, distance & 127 | 128)
    return bytes(header) + bytes(base) + payload


sizes = st.one_of(st.integers(0, 20), st.integers(0, 5000), st.sampled_from([767, 768, 2**20 + 9]))
entries = st.lists(
    st.tuples(st.integers(1, 4), st.integers(0, 2**64 - 1), sizes, st.booleans(), st.booleans()),
    max_size=12,
)


@given(entries=entries)
@example(entries=[(3, 15, 2**20 - 12 - 1, False, False), (3, 16, 0, True, False)])
@settings(max_examples=60, derandomize=True, deadline=None)
def test_entries_agree_with_their_model(
    tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[int, int, int, bool, bool]]
) -> None:
    writer = PackWriter(bytes(tmp_path_factory.mktemp("packs")), SHA1)
    model, starts = b"PACK\0\0\0\x02\0\0\0\0", [12]
    for kind, size, packed_size, as_delta, crc_known in entries:
        payload = os.urandom(8) * (packed_size // 8) + bytes(packed_size % 8)
        base = starts[0] if as_delta and len(starts) > 1 else -1
        entry = model_entry(kind, size, payload, len(model) - base if base >= 0 else 0)
        crc = zlib.crc32(payload) if crc_known else -1
        assert writer.entries.append(kind, size, payload, base, crc) == len(model)
        assert writer.last_crc == zlib.crc32(entry)
        starts.append(len(model))
        model += entry
    assert (writer.offset, writer.count) == (len(model), len(entries))
    for start in starts:
        assert writer.read_at(start, 50) == model[start : start + 50]
    assert writer.read_at(0, 2 * len(model)) == model
    writer.abort()


@given(
    sizes=st.lists(sizes, min_size=1, max_size=5),
    piece=st.sampled_from([1000, 2**19, 2**22]),
)
@settings(max_examples=20, derandomize=True, deadline=None)
def test_a_payload_in_pieces_is_the_same_entry(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], piece: int
) -> None:
    directory = bytes(tmp_path_factory.mktemp("packs"))
    whole, pieces, copied = (PackWriter(directory, SHA1) for _ in range(3))
    for size in sizes:
        payload = os.urandom(size)
        cut = [payload[start : start + piece] for start in range(0, size, piece)]
        whole.append(BLOB, 10 * size, payload)
        assert pieces.append_stream(BLOB, 10 * size, cut) == whole.entries.entry_offset
        copied.append_file(BLOB, 10 * size, BytesIO(payload + b"rest"), size)
        assert whole.last_crc == pieces.last_crc == copied.last_crc
    seals = {writer.seal() for writer in (whole, pieces, copied)}
    for writer in (whole, pieces, copied):
        writer.abort()
    assert len(seals) == 1
    assert os.listdir(directory) == []


@pytest.mark.parametrize("size", [10, 3 << 20])
def test_an_entry_can_be_taken_back(packing: Packing, size: int) -> None:
    packing.add(BLOB, b"stays")
    before = packing.writer.offset, packing.writer.count
    packing.writer.append(BLOB, size, os.urandom(size))
    packing.writer.drop_last()
    assert (packing.writer.offset, packing.writer.count) == before
    with pytest.raises(PackError):
        packing.writer.drop_last()
    packing.add(BLOB, b"comes after")
    finished = packing.finish()
    assert finished.size == os.path.getsize(finished.pack_path)


def test_a_payload_that_ends_early_leaves_no_entry(packing: Packing) -> None:
    with pytest.raises(PackError, match="1 bytes early"):
        packing.writer.append_file(BLOB, 3 << 20, BytesIO(bytes(3 << 20)), (3 << 20) + 1)
    assert (packing.writer.offset, packing.writer.count) == (12, 0)


@pytest.mark.parametrize(("kind", "base"), [(0, -1), (5, -1), (6, -1), (BLOB, 0), (BLOB, 12)])
def test_what_cannot_be_an_entry_is_refused(packing: Packing, kind: int, base: int) -> None:
    with pytest.raises(PackError):
        packing.writer.append(kind, 1, b"", base)
    assert packing.writer.offset == 12


def test_a_finished_pack_is_all_that_is_left(packing: Packing, packs: Path) -> None:
    packing.add_history()
    umask = os.umask(0o022)
    finished = packing.finish(keep=True)
    os.umask(umask)
    stem = f"pack-{finished.name.decode()}"
    assert modes(packs) == {f"{stem}.pack": 0o444, f"{stem}.idx": 0o444, f"{stem}.keep": 0o600}
    assert (packs / f"{stem}.keep").read_bytes() == b"fast-import"
    assert os.path.samefile(os.fsdecode(finished.keep_path or b""), packs / f"{stem}.keep")
    assert (finished.count, finished.size) == (6, (packs / f"{stem}.pack").stat().st_size)


@pytest.mark.parametrize("pieces", [1, 2, 3])
def test_the_checksum_is_made_a_piece_at_a_time(
    packing: Packing, monkeypatch: pytest.MonkeyPatch, pieces: int
) -> None:
    piece = mmap.ALLOCATIONGRANULARITY
    monkeypatch.setattr(pack_writer, "HASH_PIECE", piece)
    packing.add(BLOB, os.urandom(piece * pieces - piece // 2))
    pack = Path(os.fsdecode(packing.finish().pack_path)).read_bytes()
    assert pack[-20:] == hashlib.sha1(pack[:-20]).digest()


def test_an_empty_pack_leaves_nothing(packing: Packing, packs: Path) -> None:
    assert packing.writer.finish(packing.map, PACK) is None
    assert modes(packs) == {}


def test_abort_leaves_nothing(packing: Packing, packs: Path) -> None:
    packing.add_history()
    packing.writer.abort()
    packing.writer.abort()
    assert modes(packs) == {}
    with pytest.raises(PackError):
        packing.add(BLOB, b"late")


def test_the_same_pack_again_leaves_the_first_one(packs: Path) -> None:
    first, second = Packing(packs), Packing(packs)
    for packing in (first, second):
        packing.add_history()
    kept = first.finish(keep=True)
    before = os.stat(kept.pack_path)
    again = second.finish(keep=True)
    assert os.stat(kept.pack_path).st_ino == before.st_ino
    assert (again.name, again.keep_path) == (kept.name, None)  # the keep file is the first one's
    assert len(modes(packs)) == 3


def test_an_object_missing_in_the_map_stops_the_pack(packing: Packing, packs: Path) -> None:
    packing.writer.append(BLOB, 1, zlib.compress(b"1"))
    with pytest.raises(PackError, match="0 of the 1"):
        packing.writer.finish(packing.map, PACK)
    assert modes(packs) == {}


@pytest.fixture
def small_files() -> Iterator[None]:
    """Files of at most two MiB: writing past that fails, like on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.usefixtures("small_files")
def test_a_full_disk_names_the_path_and_leaves_nothing(packing: Packing, packs: Path) -> None:
    pieces = (os.urandom(1 << 16) for _ in range(50))
    with pytest.raises(PackError, match=r"tmp_pack_\w{6}: File too large"):
        packing.writer.append_stream(BLOB, 50 << 16, pieces)
    packing.writer.abort()
    assert modes(packs) == {}


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("missing", range(1, 20))
def test_a_disk_that_is_full_at_the_trailer(packing: Packing, packs: Path, missing: int) -> None:
    payload = bytes((2 << 20) - 12 - 20 - 4 + missing)
    offset = packing.writer.append(BLOB, len(payload), payload)
    packing.map.insert(bytes(20), pack=PACK, offset=offset, kind=BLOB)
    with pytest.raises(PackError, match="tmp_pack_"):
        packing.finish()
    assert modes(packs) == {}


@pytest.mark.parametrize("step", ["write_new", "give_name"])
@pytest.mark.parametrize("calls", [0, 1])
def test_a_failure_while_placing_leaves_nothing(
    packing: Packing, packs: Path, monkeypatch: pytest.MonkeyPatch, step: str, calls: int
) -> None:
    real, seen = getattr(pack_writer, step), []

    def failing(*arguments: bytes) -> bool:
        seen.append(arguments)
        if len(seen) > (calls if step == "give_name" else 0):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*arguments)

    monkeypatch.setattr(pack_writer, step, failing)
    packing.add_history()
    with pytest.raises(PackError, match="No space left"):
        packing.finish(keep=True)
    assert modes(packs) == {}


@pytest.mark.parametrize("suffixes", [[".pack"], [".idx"], [".pack", ".idx"]])
def test_damaged_files_of_that_name_are_replaced(packs: Path, suffixes: list[str]) -> None:
    first = Packing(packs)
    first.add_history()
    finished = first.finish()
    for suffix in suffixes:
        path = Path(os.fsdecode(finished.pack_path)).with_suffix(suffix)
        path.chmod(0o644)
        os.truncate(path, 100)
    second = Packing(packs)
    second.add_history()
    assert second.finish() == finished
    command = ["git", "verify-pack", os.fsdecode(finished.idx_path)]
    assert subprocess.run(command, check=False).returncode == 0
    assert len(os.listdir(packs)) == 2


def test_a_directory_that_cannot_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PackError, match="file/pack"):
        PackWriter(str(tmp_path / "file" / "pack"), SHA1)


def test_what_is_synced_is_asked_for(packs: Path) -> None:
    synced: list[str] = []

    def sync(fd: int) -> None:
        name = os.readlink(f"/proc/self/fd/{fd}") if os.path.isdir("/proc/self/fd") else ""
        synced.append(os.path.basename(name)[:8])

    for fsync, fsync_idx in ((True, None), (True, False), (False, True), (False, False)):
        packing = Packing(packs)
        packing.writer.abort()
        packing.writer = PackWriter(str(packs), SHA1, fsync=fsync, fsync_idx=fsync_idx, sync=sync)
        packing.add(BLOB, b"%d %d" % (fsync, bool(fsync_idx)))
        packing.finish()
        synced.append("|")
    assert synced == ["tmp_pack", "tmp_idx_", "|", "tmp_pack", "|", "tmp_idx_", "|", "|"]
