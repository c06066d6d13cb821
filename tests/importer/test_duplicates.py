"""An object is written once, whoever had it before: this run, a pack, an alternate."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.importer import streams
from tests.importer.target import Target, blob_oid

RNG = Random(9)
CONTENT = [streams.text(RNG, 5000)]
for _ in range(3):
    CONTENT.append(streams.edit(RNG, CONTENT[-1]))
VERSIONS = [
    streams.blob(mark, content) + streams.commit(100 + mark, b"M 100644 :%d file" % mark)
    for mark, content in enumerate(CONTENT, 1)
]


def stored(target: Target) -> list[str]:
    """The oids in all packs, each as often as it is there."""
    return [
        line.split()[0]
        for pack in target.packs()
        for line in target.git("verify-pack", "-v", str(pack)).splitlines()
        if len(line.split()[0]) >= 40
    ]


@pytest.fixture(params=["own", "alternate"])
def holder(request: pytest.FixtureRequest, target: Target, tmp_path: Path) -> Iterator[Target]:
    """A repository whose packs count as the target's."""
    if request.param == "own":
        yield target
        return
    other = Target(tmp_path / "other", "--bare")
    other.git("config", "fastimport.unpackLimit", "0")
    info = target.git_dir / "objects/info/alternates"
    info.write_text(f"{other.git_dir}/objects\n")
    yield other


@pytest.mark.parametrize("workers", [0, 2])
def test_blob_again_in_one_run(target: Target, workers: int) -> None:
    large = streams.blob(50, bytes(1 << 21))  # so that workers are started
    again = b"".join(streams.blob(60 + mark, content) for mark, content in enumerate(CONTENT))
    status, importer = target.here(large + b"".join(VERSIONS) + again, workers=workers)
    assert (status, importer.queue.entries.duplicates, importer.queue.entries.stored) == (0, 4, 5)
    assert len(stored(target)) == len(set(stored(target)))


def test_objects_of_existing_packs_are_not_written_again(target: Target, holder: Target) -> None:
    assert holder.run(VERSIONS[0] + VERSIONS[1]).returncode == 0
    status, importer = target.here(b"".join(VERSIONS), "--force")
    assert (status, importer.queue.entries.duplicates, importer.queue.entries.stored) == (0, 2, 2)
    assert sum(count.duplicates for count in importer.sink.counters.values()) == 4
    everything = stored(target) + (stored(holder) if holder is not target else [])
    assert len(everything) == len(set(everything))
    assert target.fsck() == ""


def test_delta_whose_base_lies_elsewhere_is_done_again(target: Target, holder: Target) -> None:
    assert holder.run(VERSIONS[0]).returncode == 0
    status, importer = target.here(VERSIONS[0] + VERSIONS[1] + VERSIONS[2], "--force")
    assert (status, importer.queue.entries.redone, importer.queue.entries.deltas) == (0, 1, 1)
    assert target.git("cat-file", "blob", blob_oid(CONTENT[2])).encode() == CONTENT[2].rstrip()
    assert target.fsck() == ""


def test_everything_is_there_already(target: Target) -> None:
    stream = b"".join(VERSIONS)
    assert target.run(stream).returncode == 0
    packs = target.packs()
    assert target.run(stream).returncode == 0
    assert (target.packs(), target.files()) == (packs, [])


def test_loose_objects_are_written_again(target: Target) -> None:
    target.git("hash-object", "-w", "--stdin", text=CONTENT[0])
    assert target.run(VERSIONS[0]).returncode == 0
    assert blob_oid(CONTENT[0]) in stored(target)


def test_large_blob_that_is_there_already(target: Target) -> None:
    words = ("--big-file-threshold=1k",)
    assert target.run(VERSIONS[0]).returncode == 0
    status, importer = target.here(b"".join(VERSIONS[:2]), "--force", *words)
    assert (status, importer.sink.counters[3].duplicates) == (0, 1)
    assert len(stored(target)) == len(set(stored(target)))


def test_blob_named_by_its_oid_while_it_is_held_back(target: Target) -> None:
    oid = blob_oid(CONTENT[0]).encode()
    note = b"N %b :7" % oid
    stream = streams.blob(1, CONTENT[0]) + streams.commit(7, b"M 100644 %b file" % oid)
    stream += streams.commit(8, note, ref=b"refs/notes/commits")
    assert target.run(stream).returncode == 0
    assert target.git("rev-parse", "main:file") == oid.decode()
    assert target.git("notes", "list").split()[0] == oid.decode()


def test_duplicate_over_a_checkpoint(target: Target) -> None:
    stream = VERSIONS[0] + b"checkpoint\n\n" + b"".join(VERSIONS[:2]) + b"checkpoint\n\n"
    status, importer = target.here(stream + VERSIONS[2])
    assert (status, importer.queue.entries.duplicates) == (0, 1)
    assert len(target.packs()) == 3
    assert len(stored(target)) == len(set(stored(target)))
