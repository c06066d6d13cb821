"""The text of commits: against its model, and against git's for commits of the oddest kinds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fastio.exporter.commit_text import AT_ONCE, BEHIND_BLOBS, GOES_ON, CommitText
from fastio.exporter.options import ExportOptions, parse_options
from fastio.exporter.records import RecordWriter
from fastio.exporter.walk import Walk
from tests.exporter.odd import ENCODINGS, EXTRA_HEADERS, ODD_IDENTS, ODD_MESSAGES, SIGNATURES
from tests.exporter.record_model import read_records
from tests.exporter.records import EMPTY_TREE, WHO
from tests.exporter.source import Source
from tests.exporter.text_model import Piece, commit_text

TREE = b"tree " + EMPTY_TREE
AUTHOR, COMMITTER = b"author " + WHO, b"committer " + WHO
SIGNATURE = SIGNATURES[0].replace(b"\n", b"\n ")
HEADERS = (
    *(TREE, AUTHOR, COMMITTER, b"author", b"author ", b"committer ", b"", b"", b" ", b" folded"),
    *(b"gpgsig " + text.replace(b"\n", b"\n ") for text in SIGNATURES),
    *(b"gpgsig-sha256 " + text.replace(b"\n", b"\n ") for text in SIGNATURES),
    *(b"gpgsig", b"gpgsig ", b"gpgsig  x", b"gpgsig a\n b\n \n", b"gpgsig-sha256 a\n\n b"),
    *(b"encoding " + name for name in ENCODINGS),
    *(b"encoding", b"encoding a\n b", b"message", b"cut\0here", b"caf\xc3\xa9", b"caf\xe9"),
    *EXTRA_HEADERS,
)
USUAL = b"\n".join([TREE, AUTHOR, COMMITTER, b"", b"message\n"])

bodies = st.one_of(
    st.lists(st.sampled_from(HEADERS), max_size=8).map(b"\n".join),
    st.tuples(
        st.lists(st.sampled_from(HEADERS), max_size=4), st.sampled_from(ODD_MESSAGES)
    ).map(lambda drawn: b"\n".join([TREE, AUTHOR, COMMITTER, *drawn[0], b"", drawn[1]])),
)  # fmt: skip
words = st.lists(
    st.sampled_from(
        [
            *(f"--signed-commits={mode}" for mode in ("abort", "strip", "warn-strip")),
            *("--signed-commits=verbatim", "--signed-commits=warn-verbatim"),
            *("--reencode=yes", "--reencode=no", "--show-original-ids"),
            *("--reference-excluded-parents", "--anonymize"),
        ]
    ),
    min_size=1,
)


def write(
    options: ExportOptions,
    oid: bytes,
    ref: bytes,
    parents: Sequence[tuple[bytes, bool]],
    body: bytes,
) -> tuple[int, list[Piece]]:
    """What ours writes, in the model's words; warnings and reasons are cut as short as its."""
    walk = Walk(len(oid), [])
    walk.add(b"x" * len(oid), bytes(len(oid)), b"other")
    walk.add(oid, bytes(len(oid)), ref, parents)
    writer = RecordWriter(len(oid))
    writer.begin()
    status = CommitText(options, len(oid)).write(writer, walk, 1, body)
    writer.end()
    [record] = read_records(writer.take(), len(oid))
    pieces: list[Piece] = []
    for part in record.parts:
        kind = ["", "own", "of", "warn", "die"][part.hole]
        argument = part.argument
        if kind in ("warn", "die"):
            argument = argument.partition(b":")[0].partition(b";")[0].partition(b" behind")[0]
        pieces += [part.text] * bool(part.text) + [(kind, argument)] * bool(kind)
    return status, pieces


def joined(pieces: Sequence[Piece]) -> list[Piece]:
    """The same with pieces of text made one where they are neighbours."""
    made: list[Piece] = []
    for piece in pieces:
        if made and isinstance(piece, bytes) and isinstance(made[-1], bytes):
            made[-1] += piece
        elif piece != b"":
            made.append(piece)
    return made


@given(
    words=words,
    body=bodies,
    size=st.sampled_from([20, 32]),
    parents=st.lists(st.tuples(st.sampled_from([b"a", b"b"]), st.booleans()), max_size=3),
)
@example(words=["--data"], body=USUAL, size=20, parents=[(b"a", True)])
def test_text_agrees_with_its_model(
    words: list[str], body: bytes, size: int, parents: list[tuple[bytes, bool]]
) -> None:
    options, _ = parse_options(words)
    arguments = (b"o" * size, b"refs/heads/x", [(p * size, marked) for p, marked in parents], body)
    expected = joined(commit_text(options, *arguments))
    status, pieces = write(options, *arguments)
    assert pieces == expected
    ends = {piece[1].rpartition(b" ")[2] for piece in expected if piece[0] == "die"}
    assert status == (
        GOES_ON if not ends else AT_ONCE if ends & {b"author", b"committer"} else BEHIND_BLOBS
    )


def test_a_body_without_end_is_not_read_past() -> None:
    for body in (b"", b"\n", b"\nauthor ", b"\nauthor \ncommitter", b"\nauthor \ncommitter "):
        for end in range(len(body) + 1):
            options, oid = ExportOptions(), b"o" * 20
            expected = joined(commit_text(options, oid, b"x", [], body[:end]))
            assert write(options, oid, b"x", [], body[:end])[1] == expected


def test_a_long_message_is_converted_in_several_steps() -> None:
    options, _ = parse_options(["--reencode=yes"])
    body = b"\n".join([TREE, AUTHOR, COMMITTER, b"encoding EUC-JP", b"", b"\x8e\xb1" * 100_000])
    _, pieces = write(options, b"o" * 20, b"x", [], body)
    assert b"".join(p for p in pieces if isinstance(p, bytes)).endswith(
        b"\ndata 300000\n" + "\uff71".encode() * 100_000
    )


# --- against git ----------------------------------------------------------------------------------


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A bare repository for git to export."""
    return Source("git", tmp_path / "repository", "--bare")


def odd_bodies(count: int, *, cut_short: bool) -> list[bytes]:
    """Commits that have author and committer, and else whatever; perhaps not even a message."""
    rng = random.Random(7)
    made = []
    for _ in range(count):
        headers = rng.choices(HEADERS, k=rng.randrange(4))
        who = [b"author " + rng.choice(ODD_IDENTS), b"committer " + rng.choice(ODD_IDENTS)]
        between = rng.choices(HEADERS, k=1) if rng.random() < 0.2 else []
        message = rng.choice([b"message\n", *ODD_MESSAGES])
        made.append(b"\n".join([TREE, who[0], *between, who[1], *headers, b"", message]))
        if cut_short and rng.random() < 0.2:
            made[-1] = made[-1][: -len(message) - rng.randrange(3) or None]
    return made


@pytest.mark.git
@pytest.mark.parametrize(
    "words",
    [
        "--reencode=no",
        "--reencode=yes --show-original-ids",
        "--reencode=no --signed-commits=verbatim",
        "--reencode=yes --signed-commits=warn-verbatim",
        "--reencode=yes --signed-commits=warn-strip",
    ],
)
def test_text_is_that_of_git(source: Source, words: str) -> None:
    if "signed" in words:
        source.needs_git(2, 52)
    # Where there is no message to convert, not even an empty one, git crashes.
    bodies = odd_bodies(300, cut_short="reencode=no" in words)
    by_oid = {source.add("commit", body): body for body in bodies}
    source.add_tree({})
    for oid in by_oid:
        source.add_ref(f"refs/heads/{oid}", oid)
    done = source.export("--all", "--export-marks=marks", *words.split())
    assert done.returncode == 0, done.stderr
    marks = sorted(
        (int(mark[1:]), oid)
        for mark, oid in (line.split() for line in (source.path / "marks").read_text().splitlines())
    )
    options, _ = parse_options(words.split())
    expected, warnings = b"", 0
    for mark, oid in marks:
        ref = f"refs/heads/{oid}".encode()
        _, pieces = write(options, bytes.fromhex(oid), ref, [], by_oid[oid])
        warnings += sum(piece[0] == "warn" for piece in pieces)
        own = b"%d" % mark
        expected += b"".join(p if isinstance(p, bytes) else own * (p[0] == "own") for p in pieces)
        expected += b"\n"
    assert done.stdout == expected
    assert done.stderr.count(b"warning: ") == warnings
    assert len(marks) == len(by_oid)


@pytest.mark.git
@pytest.mark.parametrize(
    ("headers", "words", "stdout"),
    [
        ([TREE, COMMITTER], "--data", b""),
        ([TREE, AUTHOR], "--data", b""),
        ([TREE, COMMITTER, AUTHOR], "--data", b""),
        ([TREE, AUTHOR, COMMITTER, b"encoding x"], "--data", b""),
        ([TREE, AUTHOR, COMMITTER, b"gpgsig " + SIGNATURE], "--signed-commits=abort", b"text"),
    ],
)
def test_where_git_ends_ours_does(
    source: Source, headers: list[bytes], words: str, stdout: bytes
) -> None:
    if "signed" in words:
        source.needs_git(2, 52)
    source.add_tree({})
    body = b"\n".join([*headers, b"", b"message\n"])
    oid = source.add("commit", body)
    source.add_ref("refs/heads/main", oid)
    done = source.fails("main", *words.split())
    options, _ = parse_options(words.split())
    _, pieces = write(options, bytes.fromhex(oid), b"refs/heads/main", [], body)
    assert pieces[-1][0] == "die"
    text = b"".join(p if isinstance(p, bytes) else b"1" * (p[0] == "own") for p in pieces)
    assert done.stdout == text
    assert bool(text) == bool(stdout)
