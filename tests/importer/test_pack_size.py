"""``--max-pack-size`` and ``pack.packSizeLimit``: packs end before they grow too large."""

import random

import pytest

from fastio.importer.options import ImportOptions, OptionReader
from tests.importer.target import Target

LIMIT = 20_000


def history(versions: int, size: int) -> bytes:
    """Versions of one file, a part of each made anew: large blobs, and deltas all the same."""
    rng = random.Random(versions)
    body, stream = bytearray(rng.randbytes(size)), b""
    for number in range(versions):
        body[:1000] = rng.randbytes(1000)
        stream += b"commit refs/heads/x\ncommitter A <a@b> %d +0000\ndata 0\n" % number
        stream += b"M 644 inline d/f\ndata %d\n%b\n" % (size, body)
        stream += b"M 644 inline d/%d\ndata 900\n%b\n" % (number, rng.randbytes(900))
    return stream


@pytest.fixture
def limited(target: Target) -> Target:
    target.git("config", "pack.packSizeLimit", str(LIMIT))
    return target


def test_packs_stay_below_the_limit_and_are_valid(limited: Target) -> None:
    assert limited.run(history(40, 4000)).returncode == 0
    sizes = [pack.stat().st_size for pack in limited.packs()]
    assert max(sizes) <= LIMIT
    assert len(sizes) < 1.5 * sum(sizes) / LIMIT + 1
    assert limited.fsck() == ""
    assert limited.git("rev-list", "--count", "x") == "40"
    assert limited.files() == []


def test_an_object_above_the_limit_has_a_pack_to_itself(limited: Target) -> None:
    assert limited.run(history(3, 30_000)).returncode == 0
    assert max(pack.stat().st_size for pack in limited.packs()) < 31_000
    assert limited.fsck() == ""


def test_packs_are_the_same_for_any_number_of_workers(limited: Target, tmp_path) -> None:
    stream = history(300, 4000)
    other = Target(tmp_path / "other", "--bare")
    for name, value in (("fastimport.unpackLimit", "0"), ("pack.packSizeLimit", str(LIMIT))):
        other.git("config", name, value)
    assert limited.run(stream, "--workers=0").returncode == 0
    assert other.run(stream, "--workers=2").returncode == 0
    assert limited.digest() == other.digest()


def test_streamed_blobs_turn_to_a_new_pack_too(limited: Target) -> None:
    assert limited.run(history(20, 9000), "--big-file-threshold=5000").returncode == 0
    assert max(pack.stat().st_size for pack in limited.packs()) <= LIMIT
    assert limited.fsck() == ""


def test_refs_and_marks_wait_for_the_end(limited: Target) -> None:
    done = limited.run(history(20, 9000) + b"nonsense\n")
    assert done.returncode == 128
    assert len(limited.packs()) > 1
    assert limited.refs() == {}


@pytest.mark.parametrize(
    ("value", "size", "warnings"),
    [
        *[("0", 0, 0), ("1", 1 << 20, 1), ("8191", 8191 << 20, 1), ("8192", 1 << 20, 1)],
        *[("1k", 1 << 30, 1), ("1m", 1 << 20, 0), ("1g", 1 << 30, 0)],
    ],
)
def test_small_sizes_are_read_as_git_reads_them(value: str, size: int, warnings: int) -> None:
    options, said = ImportOptions(), []
    OptionReader(options, str, said.append).command_line(f"--max-pack-size={value}")
    assert (options.max_pack_size, len(said)) == (size, warnings)
