"""Items 020 to 035: counted and delimited data, and blobs above the threshold."""

import pytest

from tests.conformance.trial import Outcome, Trial
from tests.conformance.words import WHO, commit

pytestmark = pytest.mark.git


def content(both: Trial, data: bytes) -> str:
    """Return what is stored for a blob's ``data`` lines."""
    return both(b"blob\nmark :1\n" + data + commit(b"M 644 :1 a")).files()["a"]


BODIES = {
    "counted": (b"data 3\nabc", "abc"),
    "counted, LF behind it": (b"data 3\nabc\n", "abc"),
    "counted, LF in it": (b"data 4\nabc\n", "abc\n"),
    "counted, LF in it and behind it": (b"data 4\nabc\n\n", "abc\n"),
    "delimited": (b"data <<EOF\nabc\n\ndef\nEOF\n", "abc\n\ndef\n"),
    "delimited, LF behind it": (b"data <<EOF\nabc\nEOF\n\n", "abc\n"),
    "line begins with the delimiter": (b"data <<EOF\nEOFX\nEOF \nEOF\n", "EOFX\nEOF \n"),
    "delimiter inside a line": (b"data <<EOF\nxEOF\n EOF\n\tEOF\nEOF\n", "xEOF\n EOF\n\tEOF\n"),
    "empty delimiter": (b"data <<\nabc\n \n\n", "abc\n \n"),
    "blanks in the delimiter": (b"data <<E F  \nE\nE F\nE F  \n", "E\nE F\n"),
    "empty delimited body": (b"data <<EOF\nEOF\n", ""),
    "no bytes": (b"data 0\n", ""),
    "letters for a count": (b"data abc\n", ""),
    "no count": (b"data \n", ""),
    "letters behind the count": (b"data 3abc\nxyz", "xyz"),
    "blank before the count": (b"data  3\nxyz", "xyz"),
    "sign before the count": (b"data +3\nxyz", "xyz"),
    "zero before the count": (b"data 03\nxyz", "xyz"),
    "NUL": (b"data 5\na\0b\0\0", "a\0b\0\0"),
}


@pytest.mark.parametrize(("data", "stored"), BODIES.values(), ids=BODIES)
def test_bodies(both: Trial, data: bytes, stored: str) -> None:
    assert content(both, data) == stored


LAST = {
    "counted": (b"data 3\nabc", "abc"),
    "counted, no bytes": (b"data 0", ""),
    "delimiter without LF": (b"data <<EOF\nabc\nEOF", "abc\n"),
}


@pytest.mark.parametrize(("data", "stored"), LAST.values(), ids=LAST)
def test_bodies_that_end_the_input(both: Trial, data: bytes, stored: str) -> None:
    assert list(both(b"blob\n" + data).objects.values()) == [("blob", stored)]


REFUSED = {
    "counted": (b"data 4\nabc", "end of input in data"),
    "delimited": (b"data <<EOF\nabc\n", "end of input in data"),
    "delimited by nothing": (b"data <<\nabc", "end of input in data"),
    "minus one": (b"data -1\nabc\n", "end of input in data"),
    "beyond all numbers": (b"data 99999999999999999999\nabc\n", "end of input in data"),
    "no blank": (b"data\n", "expected 'data n' command"),
    "tab": (b"data\t0\n", "expected 'data n' command"),
    "no data": (b"reset refs/heads/x\n", "expected 'data n' command"),
    "end of input": (b"", "expected 'data n' command"),
}


@pytest.mark.parametrize(("data", "reason"), REFUSED.values(), ids=REFUSED)
def test_bodies_that_are_none(both: Trial, data: bytes, reason: str) -> None:
    assert both.fatal(b"blob\nmark :1\n" + data, reason).objects == {}


def test_nul_survives_in_messages(both: Trial) -> None:
    stream = b"commit refs/heads/x\nmark :1\ncommitter %b\ndata 3\na\0b\n" % WHO
    result = both(stream + b"tag t\nfrom :1\ndata 4\n\0c\0\n\n")
    assert (result.message(), result.message("refs/tags/t")) == ("a\0b", "\0c\0\n")


LARGE = b"".join(b"%063d\n" % number for number in range(64))  # 4096 bytes
OTHER = LARGE.replace(b"063\n", b"xxx\n")


def versions(*contents: bytes) -> bytes:
    """A commit for each content, at one path, so that each could be a delta."""
    return b"".join(
        commit(b"M 644 inline a\ndata %d\n%b" % (len(content), content)) for content in contents
    )


def deltas(result: Outcome) -> int:
    """Return how many of the blobs are deltas, which streamed ones never are."""
    [pack] = result.repository.packs()
    lines = result.repository.git("verify-pack", "-v", str(pack)).splitlines()
    return sum(" blob " in line and len(line.split()) == 7 for line in lines)


def test_blob_above_the_threshold_is_streamed_and_stored_once(both: Trial) -> None:
    result = both(versions(LARGE, OTHER, LARGE), "--big-file-threshold=4095")
    assert result.files()["a"].encode() == LARGE
    assert sum(kind == "blob" for kind, _ in result.objects.values()) == 2
    [pack] = result.repository.packs()
    assert result.repository.git("show-index", text=pack.with_suffix(".idx").read_bytes()).count(
        "\n"
    ) + 1 == len(result.objects)
    assert deltas(result) == 0


def test_blob_of_the_threshold_is_not_streamed(both: Trial) -> None:
    assert deltas(both(versions(LARGE, OTHER), "--big-file-threshold=4096")) == 1


def test_message_above_the_threshold(both: Trial) -> None:
    stream = commit(mark=1, message=LARGE) + b"tag t\nfrom :1\ndata 4096\n" + LARGE
    result = both(stream, "--big-file-threshold=1")
    assert result.message().encode() == result.message("refs/tags/t").encode() == LARGE


def test_end_of_input_in_a_streamed_blob(both: Trial) -> None:
    stream = b"blob\nmark :1\ndata 4096\n" + LARGE[:-1]
    result = both.fatal(stream, "end of input in data", "--big-file-threshold=1000")
    assert (result.objects, result.marks) == ({}, {})
