"""Signed commits: items 51 to 55 of the exporter's."""

from collections.abc import Callable

import pytest

from tests.conformance.side import Side
from tests.exporter.records import commit, commit_body
from tests.exporter.source import Source
from tests.exporter.test_git_tags import SIGNATURES

FORMATS = {"openpgp": b"openpgp", "message": b"openpgp", "x509": b"x509", "ssh": b"ssh"}
ENCODING = b"encoding ISO-8859-1"


@pytest.fixture
def source(new_source: Callable[..., Source]) -> Source:
    """A repository, for a git that knows signatures in streams."""
    source = new_source("--bare")
    source.needs_git(2, 52)
    return source


def add(source: Source, *headers: bytes) -> None:
    body = commit_body(source.add_tree({}).encode(), headers=headers)
    source.add_ref("refs/heads/main", source.add("commit", body))


def header(name: bytes, signature: bytes) -> bytes:
    """A signature as it stands in an object."""
    return name + b" " + signature.rstrip(b"\n").replace(b"\n", b"\n ")


def record(algorithm: bytes, form: bytes, signature: bytes) -> bytes:
    """A signature as it stands in a stream."""
    text = signature.rstrip(b"\n")
    return b"gpgsig %b %b\ndata %d\n%b" % (algorithm, form, len(text), text)


OPENPGP = header(b"gpgsig", SIGNATURES["openpgp"])


def test_signatures_are_cut_by_default(source: Source) -> None:
    add(source, ENCODING, OPENPGP)
    expected = commit(1, root=True, headers=[ENCODING])
    for words in (
        [],
        ["--signed-commits=strip"],
        ["--signed-commits=abort", "--signed-commits=strip"],
    ):
        assert source.stream("main", "--reencode=no", *words) == expected


@pytest.mark.parametrize("kind", SIGNATURES)
def test_or_are_fatal(source: Source, kind: str) -> None:
    add(source, header(b"gpgsig", SIGNATURES[kind]))
    done = source.fails("main", "--signed-commits=abort")
    assert done.stdout == commit(1, root=True).partition(b"data ")[0]


@pytest.mark.parametrize("importer", ["git", "fastio"])
@pytest.mark.parametrize("kind", SIGNATURES)
def test_or_are_kept_so_that_ids_stay(source: Source, kind: str, importer: str) -> None:
    add(source, ENCODING, header(b"gpgsig", SIGNATURES[kind]))
    stream = source.stream("main", "--signed-commits=verbatim", "--reencode=no")
    kept = record(b"sha1", FORMATS[kind], SIGNATURES[kind])
    assert stream == commit(1, root=True, headers=[kept, ENCODING])
    back = Side(importer, source.path.parent / "back", "--bare")
    back.needs_git(2, 52)
    assert back.feed(stream).returncode == 0
    assert back.refs() == source.refs()


@pytest.mark.parametrize(
    ("mode", "kept", "warned"),
    [("verbatim", True, False), ("ignore", True, False), ("warn-verbatim", True, True),
     ("warn", True, True), ("strip", False, False), ("warn-strip", False, True)],
)  # fmt: skip
def test_modes_keep_or_cut_and_warn(source: Source, mode: str, kept: bool, warned: bool) -> None:
    add(source, ENCODING, OPENPGP)
    done = source.export("main", "--reencode=no", f"--signed-commits={mode}")
    signature = record(b"sha1", b"openpgp", SIGNATURES["openpgp"])
    expected = commit(1, root=True, headers=[*([signature] * kept), ENCODING])
    assert (done.returncode, done.stdout) == (0, expected)
    assert [text[:9] for text in done.stderr.splitlines()] == [b"warning: "] * warned


def test_sha1_comes_before_sha256(source: Source) -> None:
    other = header(b"gpgsig-sha256", SIGNATURES["ssh"])
    unknown = header(b"gpgsig", b"who\nknows")
    add(source, other, OPENPGP, unknown)
    kept = [
        record(b"sha1", b"openpgp", SIGNATURES["openpgp"]),
        record(b"sha1", b"unknown", b"who\nknows"),
        record(b"sha256", b"ssh", SIGNATURES["ssh"]),
    ]
    stream = source.stream("main", "--signed-commits=verbatim")
    assert stream == commit(1, root=True, headers=kept)


def test_headers_of_others_are_lost(source: Source) -> None:
    add(source, b"HG:extra branch:default", OPENPGP, b"mergetag object x\n type y\n \n gpgsig z")
    signature = record(b"sha1", b"openpgp", SIGNATURES["openpgp"])
    stream = source.stream("main", "--signed-commits=verbatim")
    assert stream == commit(1, root=True, headers=[signature])


@pytest.mark.parametrize("option", ["--signed-commits", "--signed-tags"])
@pytest.mark.parametrize(
    "mode", ["strip-if-invalid", "sign-if-invalid", "abort-if-invalid", "maybe", "Strip", ""]
)
def test_other_modes_are_usage_errors(source: Source, option: str, mode: str) -> None:
    add(source)
    assert source.fails("main", f"{option}={mode}", status=129).stdout == b""
