"""Annotated tags: items 186 to 200."""

import hashlib

import pytest

from tests.conformance.side import Side
from tests.importer.streams import WHO, blob, commit, inline
from tests.importer.target import blob_oid

ZERO = b"0" * 40
BASE = blob(1, b"a blob") + commit(2, b"M 100644 :1 file")


def tag(name: bytes, what: bytes, message: bytes = b"text\n", more: bytes = b"") -> bytes:
    return b"tag %b\nfrom %b\n%bdata %d\n%b\n" % (name, what, more, len(message), message)


def test_a_tag_without_tagger_has_three_lines_and_its_message(side: Side) -> None:
    assert side.feed(BASE + tag(b"t", b":2", b"about\n\nit\n")).returncode == 0
    main = side.git("rev-parse", "main")
    expected = f"object {main}\ntype commit\ntag t\n\nabout\n\nit"
    assert side.git("cat-file", "tag", "t") == expected


def test_a_tagger_stands_in_the_object_as_written(side: Side) -> None:
    assert side.feed(BASE + tag(b"t", b":2", more=b"tagger %b\n" % WHO)).returncode == 0
    assert side.git("cat-file", "tag", "t").splitlines()[3] == "tagger " + WHO.decode()


@pytest.mark.parametrize("message", [b"no line end", b"", b"\n\n", b"a\0b\n"])
def test_messages_are_stored_as_given(side: Side, message: bytes) -> None:
    assert side.feed(BASE + tag(b"t", b":2", message)).returncode == 0
    main = side.git("rev-parse", "main").encode()
    body = b"object %b\ntype commit\ntag t\n\n%b" % (main, message)
    oid = hashlib.sha1(b"tag %d\0%b" % (len(body), body)).hexdigest()
    assert side.refs()["refs/tags/t"] == oid


@pytest.mark.parametrize("what", [b":1", b"disk:file", b"OID ON DISK", b"OID OF THIS RUN"])
def test_a_blob_is_tagged_by_mark_or_oid(side: Side, what: bytes) -> None:
    assert side.feed(commit(1, inline(b"file", b"disk"), ref=b"refs/heads/disk")).returncode == 0
    oids = {b"OID ON DISK": blob_oid(b"disk"), b"disk:file": blob_oid(b"disk")}
    oid = oids.get(what, blob_oid(b"a blob"))
    named = oid.encode() if what.startswith(b"OID") else what
    assert side.feed(BASE + tag(b"t", named)).returncode == 0
    assert side.git("cat-file", "tag", "t").splitlines()[:2] == [f"object {oid}", "type blob"]


def test_a_tag_of_a_tag_by_mark(side: Side) -> None:
    first = tag(b"one", b":2").replace(b"from", b"mark :3\nfrom")
    assert side.feed(BASE + first + tag(b"two", b":3")).returncode == 0
    lines = side.git("cat-file", "tag", "two").splitlines()
    assert lines[:2] == [f"object {side.refs()['refs/tags/one']}", "type tag"]


@pytest.mark.parametrize(("what", "kind"), [("refs/tags/t", "tag"), ("main^{tree}", "tree")])
def test_nothing_is_peeled(side: Side, what: str, kind: str) -> None:
    assert side.feed(BASE + tag(b"t", b":2")).returncode == 0
    oid = side.git("rev-parse", what)
    assert side.feed(tag(b"u", what.encode())).returncode == 0
    assert side.git("cat-file", "tag", "u").splitlines()[:2] == [f"object {oid}", f"type {kind}"]


DELETE = b"reset refs/tags/t\nfrom %b\n\n" % ZERO


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        (tag(b"t", b":2") + DELETE, None),
        (tag(b"t", b":2", b"1") + DELETE + tag(b"t", b":2", b"2"), "2"),
        (b"reset refs/tags/t\nfrom :2\n\n" + tag(b"t", b":2", b"3"), "3"),
        (tag(b"t", b":2", b"4") + b"reset refs/tags/t\nfrom :2\n\n", "4"),
    ],
    ids=["deleted", "deleted and made again", "made over a light one", "and under one"],
)
def test_of_a_name_that_comes_again(side: Side, stream: bytes, message: str | None) -> None:
    assert side.feed(BASE + stream).returncode == 0
    if message is None:
        assert list(side.refs()) == ["refs/heads/main"]
    else:
        assert side.git("cat-file", "tag", "t").splitlines()[-1] == message


@pytest.mark.parametrize(
    "what", [b"refs/heads/unborn", b"1" * 40, ZERO, b"nowhere", b":99", b":2x", b"main~5", b""]
)
def test_what_cannot_be_tagged(side: Side, what: bytes) -> None:
    done = side.feed(BASE + b"reset refs/heads/unborn\n\n" + tag(b"t", what))
    assert (done.returncode, done.stderr[:7], side.refs()) == (128, b"fatal: ", {})


def test_a_tag_needs_its_from_line(side: Side) -> None:
    done = side.feed(BASE + b"tag t\ndata 0\n")
    assert (done.returncode, done.stderr[:7], side.refs()) == (128, b"fatal: ", {})


@pytest.mark.parametrize(
    "stream",
    [tag(b"t", b":2") * 2, tag(b"a..b", b":2") + tag(b"t", b":2"),
     tag(b"t", b":2") + tag(b"t/u", b":2"), tag(b"t", b":2") + tag(b"", b":2")],
    ids=["twice", "bad name", "one below the other", "no name"],
)  # fmt: skip
def test_one_bad_tag_and_none_is_written(side: Side, stream: bytes) -> None:
    done = side.feed(BASE + stream, "--export-marks=marks")
    assert (done.returncode, b"error: " in done.stderr) == (1, True)
    assert list(side.refs()) == ["refs/heads/main"]
    assert len((side.path / "marks").read_bytes().splitlines()) == 2


def test_a_tag_on_disk_is_replaced_without_force(side: Side) -> None:
    for message in (b"old", b"new"):
        done = side.feed(BASE + tag(b"t", b":2", message))
        assert (done.returncode, done.stderr) == (0, b"")
        assert side.git("cat-file", "tag", "t").splitlines()[-1] == message.decode()


def test_the_ref_is_the_name_below_refs_tags_whatever_it_is(side: Side) -> None:
    assert side.feed(BASE + tag(b"refs/tags/x", b":2")).returncode == 0
    assert list(side.refs()) == ["refs/heads/main", "refs/tags/refs/tags/x"]
    assert side.git("cat-file", "tag", "refs/tags/refs/tags/x").splitlines()[2] == "tag refs/tags/x"


def test_a_checkpoint_writes_the_tags_so_far(side: Side) -> None:
    stream = BASE + tag(b"t", b":2") + b"checkpoint\n" + tag(b"u", b":2") + b"bad\n"
    assert side.feed(stream).returncode == 128
    assert list(side.refs()) == ["refs/heads/main", "refs/tags/t"]
