"""The pack is the same, byte for byte, for any number of workers."""

import functools
import hashlib
from collections.abc import Callable
from functools import partialmethod
from pathlib import Path

import pytest

from fastio.importer import assembly
from fastio.importer._blob_tables import Blob
from fastio.importer._blobs import BlobQueue
from fastio.importer.budget import Budget
from fastio.importer.importer import Importer
from fastio.importer.source import Source
from tests.importer import streams
from tests.importer.target import Target, settled

# With 32m the arena has 20 MiB: 12.5 for delta bases, 2.5 each for what is held back or in flight.
MIB = 1 << 20
MEMORY = 32 * MIB
INPUTS: dict[str, tuple[Callable[[], bytes], str]] = {
    "bases are forgotten": (lambda: streams.history(files=290, size=48_000, commits=40), "50"),
    "bases are packed": (
        lambda: streams.history(files=290, size=56_000, commits=40, repeats=3),
        "50",
    ),
    "blobs first": (lambda: streams.blobs_first(count=300, size=30_000), "50"),
    "all sizes": (lambda: streams.sizes(rounds=30, largest=1_300_000), "50"),
    "long chains": (lambda: streams.one_file(versions=300, size=9_000), "50"),
    "depth 0": (lambda: streams.one_file(versions=120, size=9_000), "0"),
    "depth 1": (lambda: streams.one_file(versions=120, size=9_000), "1"),
}


@functools.cache
def stream(name: str) -> bytes:
    return INPUTS[name][0]()


def imported(path: Path, name: str, workers: int, level: int = -1) -> tuple[Target, Importer]:
    target = Target(path, "--bare")
    target.git("config", "fastimport.unpackLimit", "0")
    own = {"memory": MEMORY, "workers": workers, "compression": level}
    status, importer = target.here(stream(name), f"--depth={INPUTS[name][1]}", **own)
    assert status == 0
    return target, importer


@pytest.mark.parametrize("name", INPUTS)
def test_pack_is_the_same_for_any_number_of_workers(tmp_path: Path, name: str) -> None:
    targets = [imported(tmp_path / str(workers), name, workers)[0] for workers in (0, 1, 2, 3)]
    assert len({target.digest() for target in targets}) == 1
    assert len({str(target.refs()) for target in targets}) == 1
    assert targets[-1].fsck() == ""


def test_packs_unchanged(tmp_path: Path) -> None:
    """Stored instead of deflated: the bytes depend on no codec's version.

    A change of how delta bases are chosen changes the digest; it has to be meant.
    """
    names = [name for name in INPUTS if name != "bases are packed"]  # by a codec, too
    digests = [imported(tmp_path / name, name, 0, level=0)[0].digest() for name in names]
    digest = hashlib.sha256("".join(digests).encode()).hexdigest()
    assert digest == "53c16286a121369622d1a19d3f98c6a220619e0f879198943ebae94cbe65a66b"


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize("workers", [0, 2])
def test_pack_is_the_same_from_a_mapped_file(tmp_path: Path, name: str, workers: int) -> None:
    expected, _ = imported(tmp_path / "read", name, 0)
    target = Target(tmp_path / "mapped", "--bare")
    target.git("config", "fastimport.unpackLimit", "0")
    with settled(tmp_path / "stream", stream(name)).open("rb") as file:
        source = Source(file.fileno(), least_mapped=1)
        depth, own = f"--depth={INPUTS[name][1]}", {"memory": MEMORY, "workers": workers}
        status, importer = target.here_from(source, depth, **own)
    assert (status, importer.parser.bytes_read) == (0, len(stream(name)))
    assert source.is_mapped
    assert target.digest() == expected.digest()


class CountingQueue(BlobQueue):
    """Counts how often a packed base is unpacked."""

    unpacked = 0

    def unpack(self, blob: Blob) -> None:
        CountingQueue.unpacked += 1
        super().unpack(blob)


def test_packed_bases_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assembly, "BlobQueue", CountingQueue)
    imported(tmp_path / "target", "bases are packed", 0)
    assert CountingQueue.unpacked > 20


def longest_chain(target: Target) -> int:
    report = target.git("verify-pack", "-s", "-v", str(target.packs()[0]))
    lines = [line for line in report.splitlines() if line.startswith("chain length")]
    return max((int(line.split()[3].rstrip(":")) for line in lines), default=0)


@pytest.mark.parametrize(("name", "depth"), [("long chains", 50), ("depth 1", 1), ("depth 0", 0)])
def test_chains_are_as_long_as_allowed_and_no_longer(tmp_path: Path, name: str, depth: int) -> None:
    target, _ = imported(tmp_path / "target", name, 2)
    assert longest_chain(target) == depth


@pytest.mark.parametrize("workers", [0, 2])
def test_compacting_the_arena_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setattr(Budget, "__init__", partialmethod(shares, 8 * MIB))
    expected, _ = imported(tmp_path / "roomy", "all sizes", 0)
    monkeypatch.setattr(Budget, "__init__", partialmethod(shares, 4_300_000))
    target, importer = imported(tmp_path / "tight", "all sizes", workers)
    assert target.digest() == expected.digest()
    assert importer.queue.compactions


def shares(budget: Budget, arena: int, _memory: int | None) -> None:
    """The same shares in an arena of any size; in a tight one, free room must be one piece."""
    budget.arena, budget.trees, budget.bases = arena, MIB, 2 * MIB
    budget.objects, budget.commits = MIB, 4000
    budget.hold = budget.in_flight = budget.largest_blob = MIB
    budget.hold_count = 1000
