"""Packs and loose objects: items 270 to 280."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conformance.side import Side
from tests.importer.streams import blob, commit, inline
from tests.importer.target import blob_oid

HISTORY = b"".join(
    commit(mark, inline(b"dir/file", b"line\n" * 50 + b"%d\n" % mark)) for mark in range(1, 9)
)


def blobs(count: int) -> bytes:
    return b"".join(blob(mark, b"%d" % mark) for mark in range(1, count + 1))


def loose(side: Side) -> list[Path]:
    return list((side.git_dir / "objects").glob("??/*"))


def entries(side: Side) -> Iterator[list[str]]:
    """The words that verify-pack has for each object, of all packs."""
    for pack in side.packs():
        for line in side.git("verify-pack", "-v", str(pack)).splitlines():
            words = line.split()
            if len(words[0]) == 40:
                yield words


def test_packs_are_valid_and_complete(side: Side) -> None:
    tag = b"tag t\nfrom :8\ntagger A <a> 0 +0000\ndata 0\n"
    assert side.feed(HISTORY + tag).returncode == 0
    assert (len(list(entries(side))), side.fsck()) == (33, "")
    names = sorted(path.suffix for path in (side.git_dir / "objects/pack").iterdir())
    assert names == [".idx", ".pack"]
    assert side.git("rev-list", "--count", "main") == "8"


@pytest.mark.parametrize(
    ("setting", "count", "packed"),
    [("fastimport.unpackLimit=2", 2, False), ("fastimport.unpackLimit=2", 3, True),
     ("", 100, False), ("", 101, True), ("fastimport.unpackLimit=0", 1, True),
     ("fastimport.unpackLimit=-1", 200, False), ("transfer.unpackLimit=1", 1, False),
     ("transfer.unpackLimit=1", 2, True), ("receive.unpackLimit=1", 2, False),
     ("fetch.unpackLimit=1", 2, False)],
)  # fmt: skip
def test_few_objects_become_loose(side: Side, setting: str, count: int, packed: bool) -> None:
    side.git("config", "--unset", "fastimport.unpackLimit")
    done = side.feed(blobs(count), config=[setting] if setting else [])
    assert (done.returncode, done.stderr, len(loose(side))) == (0, b"", 0 if packed else count)
    names = sorted(path.suffix for path in (side.git_dir / "objects/pack").iterdir())
    assert names == ([".idx", ".pack"] if packed else [])


def test_duplicates_do_not_count_for_the_limit(side: Side) -> None:
    side.git("config", "fastimport.unpackLimit", "2")
    assert side.feed(blobs(2) * 3).returncode == 0
    assert (len(loose(side)), side.packs()) == (2, [])


LARGE = b"compresses well " * 5000


@pytest.mark.parametrize(
    ("settings", "limit", "stored"),
    [(["core.compression=0"], "0", True), (["core.compression=0"], "9", True),
     (["core.compression=0", "pack.compression=9"], "0", False),
     (["core.compression=9", "pack.compression=0"], "0", True),
     (["core.compression=0", "core.looseCompression=9"], "9", False),
     (["core.compression=9", "core.looseCompression=0"], "9", True),
     (["core.looseCompression=0"], "0", False), (["pack.compression=0"], "9", False),
     ([], "0", False)],
)  # fmt: skip
def test_the_nearest_setting_of_compression_counts(
    side: Side, settings: list[str], limit: str, stored: bool
) -> None:
    done = side.feed(blob(1, LARGE), config=[*settings, f"fastimport.unpackLimit={limit}"])
    [file] = side.packs() if limit == "0" else loose(side)
    assert (done.returncode, file.stat().st_size > len(LARGE)) == (0, stored)


def test_the_edges_file_gets_a_line_for_each_pack_kept(side: Side) -> None:
    stream = HISTORY + b"tag t\nfrom :8\ndata 0\nreset refs/heads/same\nfrom :8\n\ncheckpoint\n"
    stream += blob(9, b"none") + b"checkpoint\n"
    stream += commit(9, inline(b"new", b""), ref=b"refs/heads/moved")
    stream += b"reset refs/heads/moved\nfrom :8\n\ncheckpoint\n"
    words = ("--export-pack-edges=edges",)
    assert side.feed(stream, *words).returncode == 0
    other = commit(1, ref=b"refs/heads/other")
    assert side.feed(other, *words, config=["fastimport.unpackLimit=9"]).returncode == 0
    assert side.feed(commit(2, ref=b"refs/heads/third"), *words).returncode == 0
    lines = [line.split(":") for line in (side.path / "edges").read_text().splitlines()]
    tips = side.git("rev-parse", "main", "refs/tags/t", "third").split()
    assert [oids.split() for _, oids in lines] == [tips[:2], [], tips[:1], tips[2:]]
    assert {side.path / path for path, _ in lines} == set(side.packs())


def test_packs_are_split_at_the_limit(side: Side) -> None:
    rng = random.Random(1)
    bodies = [rng.randbytes(30_000 if number == 20 else 3000) for number in range(31)]
    stream = b"".join(blob(mark, body) for mark, body in enumerate(bodies, 1))
    assert side.feed(stream, config=["pack.packSizeLimit=10000"]).returncode == 0
    [large] = [pack for pack in side.packs() if pack.stat().st_size > 10_000]
    lines = side.git("verify-pack", "-v", str(large)).splitlines()
    assert [line.split()[0] for line in lines if " blob " in line] == [blob_oid(bodies[20])]
    assert len(side.packs()) >= 11
    assert (len(list(entries(side))), side.fsck()) == (len(bodies), "")


@pytest.mark.parametrize("depth", [0, 1, 3, 50])
def test_chains_are_no_longer_than_allowed(side: Side, depth: int) -> None:
    rng, stream, body = random.Random(1), b"", bytearray(random.Random(2).randbytes(2000))
    for mark in range(1, 71):
        body[:20] = rng.randbytes(20)
        stream += commit(mark, inline(b"dir/file", bytes(body)))
    assert side.feed(stream, f"--depth={depth}").returncode == 0
    chains = [int(words[5]) for words in entries(side) if len(words) > 5]
    assert max(chains, default=0) == depth
    assert side.fsck() == ""


@pytest.mark.parametrize(("limit", "stored"), [("0", 1), ("100", 3)], ids=["packed", "loose"])
def test_only_what_is_in_packs_is_not_written_again(side: Side, limit: str, stored: int) -> None:
    assert side.feed(blobs(2), config=[f"fastimport.unpackLimit={limit}"]).returncode == 0
    before = side.packs()
    assert side.feed(blobs(3)).returncode == 0
    [pack] = set(side.packs()) - set(before)
    lines = side.git("verify-pack", "-v", str(pack)).splitlines()
    assert len([line for line in lines if " blob " in line]) == stored


def test_keep_files_guard_a_pack_until_refs_have_moved(side: Side) -> None:
    with side.running() as process:
        process.stdin.write(HISTORY + b"checkpoint\nprogress x\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"progress x\n"
        [pack] = side.packs()
        assert pack.with_suffix(".keep").read_bytes() == b"fast-import"
        process.stdin.close()
        assert process.wait() == 0
    assert (side.packs(), side.files()) == ([pack], [])


@pytest.mark.parametrize(("version", "magic"), [(1, b"\0\0\0"), (2, b"\xfftO")])
def test_the_index_has_the_version_asked_for(side: Side, version: int, magic: bytes) -> None:
    done = side.feed(HISTORY, config=[f"pack.indexVersion={version}"])
    [pack] = side.packs()
    assert (done.returncode, pack.with_suffix(".idx").read_bytes()[:3]) == (0, magic)
    assert side.fsck() == ""


@pytest.mark.parametrize("version", ["3", "x"])
def test_other_index_versions_are_refused(side: Side, version: str) -> None:
    done = side.feed(HISTORY, config=[f"pack.indexVersion={version}"])
    assert (done.returncode, done.stdout) == (128, b"")
    assert done.stderr.startswith((b"fatal: ", b"error: "))
    assert (side.refs(), side.packs(), list(side.git_dir.glob("fast_import*"))) == ({}, [], [])


@pytest.mark.parametrize("damage", [b"", b"short", b"\xfftOc\0\0\0\3" + b"\0" * 2000])
def test_a_pack_whose_index_is_damaged_is_told_of_and_left_out(side: Side, damage: bytes) -> None:
    assert side.feed(blobs(2)).returncode == 0
    [pack] = side.packs()
    pack.with_suffix(".idx").chmod(0o644)
    pack.with_suffix(".idx").write_bytes(damage)
    done = side.feed(blobs(3) + commit(9, b"M 644 :2 file"))
    assert (done.returncode, list(side.refs())) == (0, ["refs/heads/main"])
    assert done.stderr.startswith((b"warning: ", b"error: "))
    assert pack.stem.encode() in done.stderr
    assert side.git("show", "main:file") == "2"
