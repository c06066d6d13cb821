"""The parser under any input, cut anywhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
from hypothesis import example, given, settings

from fastio.stream import commands as c
from fastio.stream.writer import write_command
from tests.strategies import streams
from tests.stream.feeding import Said, commands_of, cut, say, say_in_place

IDENT = b"A U Thor <a@b> 1234567890 +0200"
LATE = IDENT.replace(b"0 +", b"0123456789 +")
GREAT, TOO_GREAT = b"18446744073709551615", b"18446744073709551616"

# Lines that fit together often enough, and some that never fit.
FRAGMENTS = (
    *(b"blob\n", b"mark :1\n", b"mark :x\n", b"original-oid abc\n", b"data 3\nabc\n"),
    *(b"data 3\nabc", b"data 0\n", b"data <<E\na\n#b\nE\n", b"data 40\n", b"data 9x\n"),
    *(b"blob\nmark :7\ndata 4\nab\nc\n", b"blob\ndata 0\n", b"blob\noriginal-oid \ndata 1\n\n"),
    *(b"commit refs/heads/x\n", b"author " + IDENT + b"\n", b"committer " + IDENT + b"\n"),
    *(b"commit x\ncommitter " + IDENT + b"\ndata 2\nhi", b"gpgsig sha1 ssh\n", b"encoding x\n"),
    *(b"from :1\n", b"from refs/heads/y\n", b"merge :2\n", b"merge :2x\n", b"tag v1\n"),
    *(b"M 644 :1 a b\n", b'M 100755 inline "q\\tr"\n', b"M 644 inline x\n", b"M 9 :1 x\n"),
    *(b'D "\\303"\n', b"D a\n", b'C "a b" c\n', b"R a\n", b"deleteall\n", b"N :1 :2\n"),
    *(b"N inline :2\n", b"ls :1 a\n", b'ls "a"\n', b"cat-blob :1\n", b"get-mark :1\n"),
    *(b"cat-blob " + b"a0" * 20 + b"\n", b'ls ""\n', b'ls :1 "a"\n', b"ls " + b"C" * 64 + b" \n"),
    *(b"reset x\nfrom :1\n", b"reset x y\nfrom :%b\n\n" % GREAT[:18], b"reset\nfrom :1\n"),
    *(b"reset refs/heads/x\n", b"alias\n", b"to :1\n", b"checkpoint\n", b"progress a\0b\n"),
    *(b"feature ls\n", b"feature done\n", b"option git quiet\n", b"option other\n", b"done\n"),
    *(b"mark :9223372036854775808\n", b"mark :18446744073709551616\n"),
    *(b"cat-blob :18446744073709551615\n", b"data 18446744073709551615\n"),
    *(b"# comment\n", b"\n", b"\n", b"nonsense\n", b"a\0b\n", b"tagger " + IDENT + b"\n"),
)
fragment_streams = st.lists(st.sampled_from(FRAGMENTS), max_size=14).map(b"".join)
OID = b"a1B2" * 10
# Of a commit's lines each comes in usual spellings mostly, and at times in others.
COMMIT_LINES = (
    ((b"commit refs/heads/x\n", b"commit y z\n"), (b"commit a\0b\n",)),
    (
        (b"", b"mark :3\n", b"mark :%b\n" % GREAT),
        (b"mark :0\n", b"mark :%b\n" % TOO_GREAT, b"# c\n"),
    ),
    ((b"", b"original-oid abc\n"), ()),
    ((b"", b"author " + IDENT + b"\n"), (b"author %b\n" % LATE, b"author A <> 9 +1401\n")),
    ((b"committer " + IDENT + b"\n", b"committer A <b> 12 -0330\n"), (b"committer A <b> 1\n",)),
    (
        (b"", b"gpgsig sha1 ssh\ndata 1\nx\n", b"gpgsig sha256 x509\ndata 3\na\nb"),
        (b"gpgsig sha1 unknown\ndata 0\n", b"gpgsig sha1 x\ndata 0\n", b"gpgsig sha1 ssh\n"),
    ),
    ((b"", b"", b"encoding x\n"), (b"encoding \n", b"encoding x\nencoding y\n")),
    (
        (b"data 2\nhi\n", b"data 2\nhi", b"data 0\n", b"data 3\nM \n"),
        (b"data <<E\nE\n", b"data 9\n", b"data %b\n" % GREAT),
    ),
    (
        (b"", b"", b"from :%b\n" % GREAT),
        (b"\n", b"from refs/heads/y\n", b"from :1x\n", b"from :0\n"),
    ),
    ((b"", b"merge :1\n", b"merge :1\nmerge :2\n"), (b"merge z\n", b"merge :%b\n" % TOO_GREAT)),
)
BESIDE_OTHERS = (
    *(
        b"M 100644 :1 a/b c\n",
        b"M 755 :2 .github/x\n",
        b"M 644 :%b g\n" % GREAT,
        b"M 100644 :1 .gitmodules\n",
    ),
    *(b"M 120000 :3 a/link\n", b"M 100755 %b x\n" % OID, b"M 120000 %b l\n" % OID),
    *(b"M 160000 %b sub\n" % OID, b"M 644 %b a\n" % (OID + OID[:24]), b'M 644 :1 "a b"\n'),
    *(b'M 644 :1 "a\\tb\\303\\244\\"/\\n c"\n', b"M 644 :12 \xc3\xa4/\xe2\n", b"M 755 :1 a\n"),
)
INLINE = (
    *(b"M 644 inline a b\ndata 3\nx\ny\n", b"M 100755 inline a/b\ndata 2\nxy"),
    *(b"M 120000 inline l\ndata 0\n", b"M 644 inline c\ndata 1\n\n"),
    *(b"M 644 inline c\ndata 1\n\n\n", b'M 644 inline "\\a"\ndata 1\nx\n'),
)
DELETED = (b"D a/b\n", b'D "a b\\n"\n', b'D "x\\303\\244"\n')
UNUSUAL = (
    *(b'M 644 :1 "a\n', b"M 644 :1 a//b\n", b"M 644 :1 \n", b"D \n", b'D "a"b\n', b'D "\\8"\n'),
    *(b"M 644 :%b g\n" % TOO_GREAT, b"M 644 :0%b g\n" % GREAT),
    *(b"M 644 :0 a\n", b"M 644 :1x a\n", b"M 644 :1 .git/x\n", b"M 120000 :1 .gitmodules\n"),
    *(b"M 160000 :1 a\n", b"M 160000 inline a\ndata 0\n", b"M 040000 %b a\n" % OID),
    *(b"M 644 %b\n" % OID, b"M 644 %bx a\n" % OID, b"M 644 %b a\n" % OID[:39], b'D "\\000"\n'),
    *(b"M 644 inline a\ndata <<E\nE\n", b"M 644 inline a\ncat-blob :1\ndata 0\n"),
    *(b"M 644 inline a\ndata 99\n", b"M 644 inline a\ndata 1x\nx\n", b"M 644 inline a\n\n"),
    *(b"C a b\n", b"R a b\n", b"deleteall\n", b"N :1 :2\n", b"ls :1 a\n", b'ls "a"\n', b"# c\n"),
    *(b"M 644 :1 a\\b\n", b"M 644 :1 git~1\n", b"M 644 :1 a/..\n", b"M 644 :1 a\0\n", b"Dx\n"),
    *(b'M 644 :1 "\\\n', b"M 644 :1 \xe2\n", b"M 120000 :1 a/.b\n", b"D a\0b\n", b"M x\n"),
)
ENDS = (b"", b"\n", b"\n\n", b"blob\ndata 0\n", b"reset x\n", b"done\n", b"get-mark :1\n", b"x\n")
commit_streams = st.lists(
    st.tuples(
        *(st.sampled_from(usual * 16 + unusual) for usual, unusual in COMMIT_LINES),
        st.sampled_from((b"", b"", b"deleteall\n")),
        st.sampled_from((BESIDE_OTHERS, INLINE)).flatmap(
            lambda usual: st.lists(
                st.sampled_from((usual + DELETED) * 16 + INLINE + UNUSUAL), max_size=4
            ).map(b"".join)
        ),
        st.sampled_from(ENDS),
    ).map(b"".join),
    max_size=4,
).map(b"".join)
small = {"capacity": 1, "piece_size": 16, "max_line": 80, "max_data": 64}


def without_blob_oids(said: Said) -> tuple[Any, ...]:
    """What was said, but for the original oids of blobs, which the fast path leaves out."""
    commands = [
        replace(command, original_oid=None) if isinstance(command, c.Blob) else command
        for command in said.commands
    ]
    return (commands, *said.outcome[1:])


@given(streams)
def test_what_was_written_is_read_back(commands: list[Any]) -> None:
    assert commands_of(b"".join(map(write_command, commands))) == commands


@given(fragment_streams, st.integers(1, 9))
@example(b"blob\ndata 3\nabc\n", 1)
@example(b"commit x\ncommitter <a> 1 +0\ndata 0\nD a\nnonsense\n", 1)
@settings(max_examples=300)
def test_cuts_do_not_matter(stream: bytes, size: int) -> None:
    assert say(cut(stream, size), **small).outcome == say([stream], **small).outcome


@given(streams, st.integers(1, 30))
def test_cuts_do_not_matter_to_good_streams(commands: list[Any], size: int) -> None:
    stream = b"".join(map(write_command, commands))
    assert say(cut(stream, size), capacity=1).outcome == say([stream]).outcome


@given(fragment_streams, st.integers(1, 5), st.integers(1, 60))
@settings(max_examples=300)
def test_fast_paths_say_the_same(stream: bytes, count: int, size: int) -> None:
    plain = say([stream], **small)
    fast = say(cut(stream, size), runs=count, **small)
    assert without_blob_oids(fast) == without_blob_oids(plain)


@given(fragment_streams | commit_streams, st.integers(1, 5), st.integers(1, 200))
@settings(max_examples=600)
def test_commits_taken_whole_say_the_same(stream: bytes, count: int, size: int) -> None:
    plain, fast = say([stream]), say(cut(stream, size), runs=count)
    assert without_blob_oids(fast) == without_blob_oids(plain)


@given(fragment_streams | commit_streams, st.data(), st.integers(0, 3), st.integers(1, 200))
@settings(max_examples=300)
def test_streams_read_in_place_say_the_same(
    stream: bytes, data: st.DataObject, count: int, size: int
) -> None:
    at = data.draw(st.integers(0, len(stream)))
    there = say_in_place(stream[:at], size, cut(stream[at:], size), runs=count)
    assert without_blob_oids(there) == without_blob_oids(say([stream], runs=count))


@given(st.binary(max_size=200))
def test_any_bytes_give_commands_or_a_stream_error(stream: bytes) -> None:
    say([stream], **small)


@given(streams, st.randoms(use_true_random=False))
@settings(max_examples=200)
def test_damaged_streams_give_commands_or_a_stream_error(commands: list[Any], random: Any) -> None:
    stream = bytearray(b"".join(map(write_command, commands)) or b"blob\n")
    for _ in range(random.randrange(1, 6)):
        at = random.randrange(len(stream))
        stream[at : at + random.randrange(3)] = random.choice(
            (b"", b"\n", b"\0", b'"', b" ", b":9")
        )
    whole = say([bytes(stream)], **small)
    assert say(cut(bytes(stream), 7), **small).outcome == whole.outcome
