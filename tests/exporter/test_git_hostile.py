"""Repositories that were made, or damaged, to do harm: each ends in a clear error, and soon."""

from __future__ import annotations

import hashlib
import os
import random
import resource
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.exporter import crafted
from tests.exporter.crafted import BLOB, COMMIT, OFS_DELTA, REF_DELTA, TREE, Entry, number
from tests.exporter.records import LINE, blob, commit_body, tag_body
from tests.exporter.source import Source
from tests.importer.target import ROOT, Done, environment

TEXT = b"".join(b"%d\n" % count for count in range(200))
ROOM = 3 << 30  # address space that an export may have: fastio and its arenas, but no runaway


def oid_of(content: bytes, kind: bytes = b"blob") -> str:
    return hashlib.sha1(b"%b %d\0" % (kind, len(content)) + content).hexdigest()


OID = oid_of(TEXT)
OTHER = oid_of(TEXT + b"end")
GOOD = Entry(OTHER, BLOB, TEXT + b"end")


def copy(size: int) -> bytes:
    """The instruction to copy the first *size* bytes of a base."""
    return bytes([0xB0]) + size.to_bytes(2, "little")


def delta(base: int, result: int, *instructions: bytes) -> bytes:
    return number(base) + number(result) + b"".join(instructions)


SIZE = len(TEXT)
SHORT = copy(SIZE - 9)
RIGHT = delta(SIZE + 3, SIZE, copy(SIZE))
DEEP = [Entry(OID, REF_DELTA, RIGHT, bytes.fromhex(f"{1:040x}"))] + [
    Entry(f"{level:040x}", REF_DELTA, delta(SIZE + 3, SIZE + 3, copy(SIZE + 3)),
          bytes.fromhex(OTHER if level == 3000 else f"{level + 1:040x}"))
    for level in range(1, 3001)
]  # fmt: skip
PACKS: dict[str, list[Entry]] = {
    "its own base": [Entry(OID, REF_DELTA, RIGHT, bytes.fromhex(OID))],
    "bases of each other": [
        Entry(OID, REF_DELTA, RIGHT, bytes.fromhex(OTHER)),
        Entry(OTHER, REF_DELTA, delta(SIZE, SIZE + 3, copy(SIZE), b"\3end"), bytes.fromhex(OID)),
    ],
    "a base that is missing": [Entry(OID, REF_DELTA, RIGHT, b"\7" * 20)],
    "a base at no distance": [Entry(OID, OFS_DELTA, RIGHT, b"\0")],
    "a base before the pack": [GOOD, Entry(OID, OFS_DELTA, RIGHT, b"\xff\xff\xff\x7f")],
    "a base within the header": [Entry(OID, OFS_DELTA, RIGHT, b"\5")],
    "a distance without end": [Entry(OID, OFS_DELTA, RIGHT, b"\xff" * 12)],
    "a copy beyond the base": [
        GOOD, Entry(OID, REF_DELTA, delta(SIZE + 3, SIZE, copy(SIZE + 9)), bytes.fromhex(OTHER))
    ],
    "a result that is too short": [
        GOOD, Entry(OID, REF_DELTA, delta(SIZE + 3, SIZE, SHORT), bytes.fromhex(OTHER))
    ],
    "a result that is too long": [
        GOOD, Entry(OID, REF_DELTA, delta(SIZE + 3, SIZE, copy(SIZE), b"\1x"), bytes.fromhex(OTHER))
    ],
    "another base's size": [
        GOOD, Entry(OID, REF_DELTA, delta(SIZE, SIZE, copy(SIZE)), bytes.fromhex(OTHER))
    ],
    "a huge result": [
        GOOD, Entry(OID, REF_DELTA, delta(SIZE + 3, 1 << 50, copy(SIZE)), bytes.fromhex(OTHER))
    ],
    "a size beyond all numbers": [
        GOOD,
        Entry(OID, REF_DELTA, number(SIZE + 3) + b"\xff" * 12 + copy(SIZE), bytes.fromhex(OTHER)),
    ],
    "a reserved instruction": [
        GOOD, Entry(OID, REF_DELTA, delta(SIZE + 3, SIZE, b"\0"), bytes.fromhex(OTHER))
    ],
    "a literal that is cut short": [
        GOOD, Entry(OID, REF_DELTA, delta(SIZE + 3, SIZE, SHORT, b"\tx"), bytes.fromhex(OTHER))
    ],
    "a delta without instructions": [GOOD, Entry(OID, REF_DELTA, b"", bytes.fromhex(OTHER))],
    "a kind that is none": [Entry(OID, 0, TEXT)],
    "the other kind that is none": [Entry(OID, 5, TEXT)],
    "a larger size than there is": [Entry(OID, BLOB, TEXT, size=SIZE + 1)],
    "a smaller size than there is": [Entry(OID, BLOB, TEXT, size=SIZE - 1)],
    "a huge size": [Entry(OID, BLOB, TEXT, size=1 << 45)],
    "a size of zero": [Entry(OID, BLOB, TEXT, size=0)],
    "a bomb": [Entry(OID, BLOB, bytes(60 << 20), size=SIZE)],
    "bad deflated bytes": [Entry(OID, BLOB, TEXT, deflated=b"\x78\x9c" + b"\xff" * 50)],
    "deflated bytes cut short": [Entry(OID, BLOB, TEXT, deflated=zlib.compress(TEXT)[:40])],
    "a wrong checksum": [Entry(OID, BLOB, TEXT, deflated=zlib.compress(TEXT)[:-4] + b"abcd")],
    "nothing deflated": [Entry(OID, BLOB, TEXT, deflated=b"")],
    "a commit instead": [Entry(OID, COMMIT, TEXT)],
    "a tree instead": [Entry(OID, TREE, TEXT)],
}  # fmt: skip
OFFSETS = {"beyond the pack": 10**6, "into the trailer": 400, "at the header": 0, "far": 1 << 40}


def fill(source: Source, entries: list[Entry], **keywords: object) -> None:
    """One commit with one file, whose blob is in the pack."""
    crafted.write_pack(source.git_dir / "objects/pack", entries, **keywords)  # type: ignore[arg-type]
    tree = source.add_tree({b"file": (b"100644", OID.encode())})
    source.add_ref("refs/heads/main", source.add("commit", commit_body(tree.encode())))


def export(source: Source, *words: str) -> Done:
    """Export as a process of its own, which may not take much memory."""
    ours = [sys.executable, "-m", "fastio", "export", "--no-progress"]
    command = ["git", "fast-export"] if source.is_git else ours

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))

    return subprocess.run(
        [*command, "main", *words], cwd=source.path, capture_output=True, timeout=60,
        check=False, env=environment({}), preexec_fn=limit,
    )  # fmt: skip


def is_refused(done: Done) -> None:
    assert done.returncode == 128, done.stderr
    assert b"Traceback" not in done.stderr
    assert b"\nfatal: " in b"\n" + done.stderr
    assert done.stdout == b""


@pytest.mark.parametrize("name", PACKS)
def test_a_crafted_pack_is_refused(source: Source, name: str) -> None:
    if source.is_git and name in ("its own base", "bases of each other"):
        pytest.skip("git goes round until it has no memory left")
    fill(source, PACKS[name])
    done = export(source)
    is_refused(done)
    assert source.is_git or OID.encode() in done.stderr


@pytest.mark.parametrize("name", OFFSETS)
def test_an_idx_that_points_elsewhere_is_refused(source: Source, name: str) -> None:
    fill(source, [GOOD, Entry(OID, BLOB, TEXT)], offsets={OID: OFFSETS[name]})
    is_refused(export(source))


def test_a_long_chain_is_no_harm(source: Source) -> None:
    fill(source, [GOOD, *DEEP])
    done = export(source)
    assert (done.returncode, done.stderr) == (0, b"")
    assert TEXT in done.stdout


@pytest.mark.parametrize(
    "body",
    [b"100644 file", b"100644 file\0short", b"file\0" + b"1" * 20, b"999 file\0" + b"1" * 20,
     b"100644 \0" + b"1" * 20, b"100644 a\0" + b"1" * 19, b" a\0" + b"1" * 20],
)  # fmt: skip
def test_a_malformed_tree_is_refused(source: Source, body: bytes) -> None:
    tree = source.add("tree", body)
    source.add_ref("refs/heads/main", source.add("commit", commit_body(tree.encode())))
    is_refused(export(source, "--no-data"))


def a_tree(source: Source, *rows: tuple[bytes, bytes, str]) -> str:
    """Add a tree with entries as they are: mode, name and oid."""
    return source.add(
        "tree", b"".join(b"%b %b\0" % row[:2] + bytes.fromhex(row[2]) for row in rows)
    )


def told(source: Source, old: str, new: str, *words: str) -> list[bytes]:
    """The changes from one tree to another, with files named by oid."""
    first = source.add("commit", commit_body(old.encode()))
    second = source.add("commit", commit_body(new.encode(), first.encode()))
    source.add_ref("refs/heads/main", second)
    stream = source.stream("main", "--no-data", *words)
    return stream.rpartition(b"message\nfrom :1\n")[2].splitlines()[:-1]


def test_trees_are_told_as_they_are_stored(source: Source) -> None:
    a, b = (source.add("blob", text) for text in (b"a", b"b"))
    d, e = (a_tree(source, (b"100644", name, a)) for name in (b"x", b"y"))
    file, link, empty = b"100644", b"120000", a_tree(source)
    twice = a_tree(source, (file, b"f", a), (link, b"f", b))
    assert told(source, empty, twice) == [
        b"M 100644 %b f" % a.encode(),
        b"M 120000 %b f" % b.encode(),
    ]
    assert told(source, a_tree(source, (link, b"f", b)), twice) == [
        b"M 100644 %b f" % a.encode(), b"M 120000 %b f" % b.encode(),
    ]  # fmt: skip
    assert told(source, twice, empty) == [b"D f", b"D f"]
    both = a_tree(source, (b"40000", b"d", d), (b"40000", b"d", e))
    assert told(source, empty, both) == [
        b"M 100644 %b d/%b" % (a.encode(), n) for n in (b"x", b"y")
    ]
    assert told(source, a_tree(source, (b"40000", b"d", d)), both) == [
        b"M 100644 %b d/y" % a.encode()
    ]
    assert told(source, both, a_tree(source, (b"40000", b"d", e))) == [
        b"D d/x", b"M 100644 %b d/y" % a.encode(), b"D d/y",
    ]  # fmt: skip
    unsorted = a_tree(source, (file, b"z", a), (file, b"b", b))
    in_order = a_tree(source, (file, b"b", b), (file, b"z", a))
    assert told(source, unsorted, in_order) == [b"M 100644 %b b" % b.encode(), b"D b"]
    assert told(source, in_order, unsorted) == [b"D b", b"M 100644 %b b" % b.encode()]
    assert told(source, in_order, unsorted, "-M") == []


@pytest.mark.parametrize("kind", ["commit", "tag"])
def test_a_commit_or_tag_may_stand_for_a_tree(source: Source, kind: str) -> None:
    file = source.add("blob", b"text")
    tree = a_tree(source, (b"100644", b"x", file))
    bodies = {"commit": commit_body(tree.encode()), "tag": tag_body(tree.encode(), b"tree")}
    oid = source.add(kind, bodies[kind])
    assert told(source, a_tree(source), oid) == [b"M 100644 %b x" % file.encode()]
    inside = a_tree(source, (b"40000", b"d", oid))
    assert told(source, oid, inside) == [b"M 100644 %b d/x" % file.encode(), b"D x"]


def test_a_tree_commit_or_tag_may_stand_for_a_file(source: Source) -> None:
    tree = a_tree(source, (b"100644", b"x", source.add("blob", b"text")))
    bodies = commit_body(tree.encode()), tag_body(tree.encode(), b"tree")
    oids = [tree, *map(source.add, ("commit", "tag"), bodies)]
    names = b"a", b"b", b"c"
    new = a_tree(source, *((b"100644", *row) for row in zip(names, oids, strict=True)))
    source.add_ref("refs/heads/main", source.add("commit", commit_body(new.encode())))
    contents = [source.database.objects[oid.encode()][1] for oid in oids]
    expected = b"".join(blob(mark, text) for mark, text in enumerate(contents, 1))
    assert source.stream("main").startswith(expected + b"reset ")


@pytest.mark.parametrize(
    ("mode", "meant"),
    [(b"0", b"160000"), (b"00", b"160000"), (b"0000000000100755", b"100755"),
     (b"7" * 20 + b"100644", b"100644"), (b"4000000000", b"160000"), (b"11120000", b"120000")],
)  # fmt: skip
def test_odd_modes_are_no_harm(source: Source, mode: bytes, meant: bytes) -> None:
    oid = source.add("blob", b"text")
    new = a_tree(source, (mode, b"f", oid))
    assert told(source, a_tree(source), new) == [b"M %b %b f" % (meant, oid.encode())]


def test_trees_within_themselves_are_no_harm(source: Source) -> None:
    # Each holds the one below it twice: so many files are told by so few objects.
    tree = source.add_tree({b"f": (b"100644", source.add("blob", b"x").encode())})
    for _ in range(10):
        body = b"".join(b"40000 %b\0" % name + bytes.fromhex(tree) for name in (b"a", b"b"))
        tree = source.add("tree", body)
    source.add_ref("refs/heads/main", source.add("commit", commit_body(tree.encode())))
    done = export(source)
    assert (done.returncode, done.stdout.count(b"\nM ")) == (0, 1024)


# --- damage ---------------------------------------------------------------------------------------


def damaged(path: Path, rng: random.Random) -> None:
    """Flip a bit, cut the end off, or put zeros in."""
    content = bytearray(path.read_bytes())
    at, how = rng.randrange(len(content)), rng.choice(("flip", "flip", "cut", "zeros"))
    if how == "flip":
        content[at] ^= 1 << rng.randrange(8)
    elif how == "cut":
        del content[at:]
    else:
        content[at : at + 30] = bytes(30)
    os.chmod(path, 0o600)
    path.write_bytes(content)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", ["pack", "idx", "loose", "midx"])
def test_damage_is_told_or_does_no_harm(tmp_path: Path, kind: str, seed: int) -> None:
    source, rng = Source("fastio", tmp_path / "repository", "--bare"), random.Random(seed)
    if kind == "loose":
        source.git("config", "fastimport.unpackLimit", "100")
    source.load(LINE)
    if kind == "midx":
        source.git("multi-pack-index", "write")
    good = source.stream("main")
    pattern = {"pack": "pack/*.pack", "idx": "pack/*.idx", "midx": "pack/multi-pack-index"}
    files = sorted((source.git_dir / "objects").glob(pattern.get(kind, "??/*")))
    damaged(rng.choice(files), rng)
    done = source.export("main", "--verify")
    assert b"Traceback" not in done.stderr
    if done.returncode == 0:
        assert done.stdout == good
    else:
        assert done.returncode == 128
        assert b"\nfatal: " in b"\n" + done.stderr
        assert good.startswith(done.stdout)


def test_a_marks_file_without_end_is_refused(source: Source) -> None:
    source.load(LINE)
    done = export(source, "--import-marks=/dev/zero")
    is_refused(done)
    assert b"memory" not in done.stderr


# --- who listens ----------------------------------------------------------------------------------


def test_a_full_disk_is_told(source: Source) -> None:
    source.load(LINE)
    ours = [sys.executable, "-m", "fastio", "export"]
    command = ["git", "fast-export"] if source.is_git else ours
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*command, "main"], cwd=source.path, stdout=full, stderr=subprocess.PIPE,
            check=False, env=environment({"PYTHONPATH": str(ROOT)}), timeout=60,
        )  # fmt: skip
    assert done.returncode == 128
    assert done.stderr.startswith(b"fatal: ")
    assert b"Traceback" not in done.stderr


def test_a_reader_that_goes_ends_it(source: Source) -> None:
    big = b"".join(blob(mark, os.urandom(100_000)) for mark in range(1, 40))
    files = b"".join(b"M 100644 :%d f%d\n" % (n, n) for n in range(1, 40))
    source.load(big + b"commit refs/heads/main\ncommitter a <b> 0 +0000\ndata 0\n" + files)
    ours = [sys.executable, "-m", "fastio", "export"]
    command = ["git", "fast-export"] if source.is_git else ours
    with subprocess.Popen(
        [*command, "main"], cwd=source.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment({}),
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (-13, b"")


@pytest.mark.parametrize("whole", ["loose", "pack"])
@pytest.mark.parametrize("name", ["main:a", "main^{tree}", "main~1", "main"])
def test_of_two_copies_the_one_that_is_not_damaged_is_read(
    source: Source, name: str, whole: str
) -> None:
    source.load(LINE)
    expected = source.stream("main")
    oid = source.git("rev-parse", name)
    kind = source.git("cat-file", "-t", oid)
    number = {"commit": COMMIT, "tree": TREE, "blob": BLOB}[kind]
    content = subprocess.run(
        ["git", "cat-file", kind, oid], cwd=source.path, capture_output=True, check=True
    ).stdout
    folder = source.git_dir / "objects/pack"
    for path in folder.iterdir():
        path.unlink()
    source.git("config", "fastimport.unpackLimit", "100")
    source.load(LINE)  # all loose
    bad = Entry(oid, number, content, deflated=b"\x78\x9c" + b"\xff" * 50)
    crafted.write_pack(folder, [bad], name="pack-bad")
    if whole == "pack":
        crafted.write_pack(folder, [Entry(oid, number, content)], name="pack-good")
        (source.git_dir / "objects" / oid[:2] / oid[2:]).unlink()
    done = export(source)
    assert (done.returncode, done.stdout) == (0, expected)


@pytest.mark.parametrize("whole", ["loose", "pack"])
@pytest.mark.parametrize("level", [0, 1])
def test_of_a_damaged_base_another_copy_is_read(source: Source, whole: str, level: int) -> None:
    bases = [TEXT + b"%d" % number for number in range(2)]
    oids = [*map(oid_of, bases), OID]
    deltas = [delta(SIZE + 1, SIZE + 1, copy(SIZE), b"\0011"), delta(SIZE + 1, SIZE, copy(SIZE))]
    chain = [Entry(oids[0], BLOB, bases[0])] + [
        Entry(oid, REF_DELTA, made, bytes.fromhex(base))
        for oid, made, base in zip(oids[1:], deltas, oids, strict=False)
    ]
    chain[level].deflated = b"\x78\x9c" + b"\xff" * 50
    fill(source, chain)
    if whole == "loose":
        source.add("blob", bases[level])
    else:
        good = [Entry(oids[level], BLOB, bases[level])]
        crafted.write_pack(source.git_dir / "objects/pack", good, name="pack-good")
    done = export(source)
    assert (done.returncode, done.stdout.startswith(blob(1, TEXT))) == (0, True)


def test_a_damaged_base_without_another_copy_is_refused(source: Source) -> None:
    fill(
        source,
        [
            Entry(OTHER, BLOB, TEXT + b"end", deflated=b"\x78\x9c" + b"\xff" * 50),
            Entry(OID, REF_DELTA, RIGHT, bytes.fromhex(OTHER)),
        ],
    )
    is_refused(export(source))
