"""Commit bodies, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastio.errors import ObjectError
from fastio.objects.commits import build_commit, fold_header, parse_commit
from fastio.objects.kinds import Oid

A, B = Oid(b"\xaa" * 20), Oid(b"\xbb" * 20)
oids = st.binary(min_size=20, max_size=20).map(Oid)


def test_headers_come_in_gits_order() -> None:
    body = build_commit(
        A,
        [B, B],
        b"a <a> 1 +0000",
        b"c <c> 2 +0000",
        encoding=b"latin1",
        signatures={"sha256": b"two\nlines", "sha1": b""},
        message=b"text\x00without newline",
    )
    assert body.split(b"\n") == [
        b"tree " + b"aa" * 20,
        b"parent " + b"bb" * 20,
        b"parent " + b"bb" * 20,
        b"author a <a> 1 +0000",
        b"committer c <c> 2 +0000",
        b"encoding latin1",
        b"gpgsig ",
        b"gpgsig-sha256 two",
        b" lines",
        b"",
        b"text\x00without newline",
    ]


def test_an_empty_encoding_is_a_header_of_its_own() -> None:
    body = build_commit(A, [], b"a", b"c", encoding=b"", message=memoryview(b""))
    assert body.endswith(b"committer c\nencoding \n\n")


def test_a_header_that_ends_in_a_newline_gets_a_blank_last_line() -> None:
    assert fold_header(b"gpgsig", b"one\n\ntwo\n") == b"gpgsig one\n \n two\n "


@given(oids, st.lists(oids, max_size=3), st.binary())
def test_tree_and_parents_are_read_back(tree: Oid, parents: list[Oid], message: bytes) -> None:
    body = build_commit(tree, parents, b"a <> 1 +0000", b"c <> 1 +0000", message=message)
    assert parse_commit(body) == (tree, parents)


def test_sha256_commits() -> None:
    tree, parent = Oid(b"t" * 32), Oid(b"p" * 32)
    body = build_commit(tree, [parent], b"a", b"c", message=b"")
    assert parse_commit(body, 32) == (tree, [parent])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"tree ",
        b"tree " + b"aa" * 20,
        b"tree " + b"aa" * 32 + b"\n",
        b"tree " + b"a " * 20 + b"\n",
        b"tree " + b"aa" * 20 + b"\nparent \n",
        b"tree " + b"gg" * 20 + b"\n",
        b"blob",
    ],
)
def test_what_is_no_commit_is_an_object_error(body: bytes) -> None:
    with pytest.raises(ObjectError):
        parse_commit(body)
