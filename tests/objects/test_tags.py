"""Tag bodies, byte for byte."""

from __future__ import annotations

import pytest

from fastio.errors import ObjectError
from fastio.objects.kinds import BLOB, COMMIT, TAG, Oid
from fastio.objects.tags import build_tag, parse_tag

A = Oid(b"\xaa" * 20)


def test_a_tag_with_and_without_tagger() -> None:
    start = b"object " + b"aa" * 20 + b"\ntype commit\ntag v1\n"
    with_tagger = build_tag(A, COMMIT, b"v1", b"t <t> 1 +0000", message=b"text\n")
    assert with_tagger == start + b"tagger t <t> 1 +0000\n\ntext\n"
    assert build_tag(A, COMMIT, b"v1", None, message=memoryview(b"")) == start + b"\n"


@pytest.mark.parametrize("oid", [A, Oid(b"b" * 32)])
@pytest.mark.parametrize("kind", [BLOB, TAG])
def test_the_target_is_read_back(oid: Oid, kind: int) -> None:
    assert parse_tag(build_tag(oid, kind, b"x", None, message=b"")) == (oid, kind)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"object aa\ntype blob\n",
        b"object " + b"aa" * 20 + b"\ntype tomato\ntag x\n",
        b"type blob\nobject " + b"aa" * 20 + b"\n",
    ],
)
def test_what_is_no_tag_is_an_object_error(body: bytes) -> None:
    with pytest.raises(ObjectError):
        parse_tag(body)
