"""The judge of orders of changes, before anything is judged by it."""

import pytest

from tests.exporter.displacing import Explainer, all_at_once, one_by_one, parse
from tests.exporter.records import LINE, blob, commit, tag

FIRST = commit(1, b"M 100644 oid x", b"M 100644 oid y", root=True)
BASE = {b"x": b"100644 old", b"d/a": b"100644 a", b"d/b": b"100644 b", b"y": b"100644 y"}


def second(*lines: bytes) -> bytes:
    return FIRST + commit(2, b"from :1", *lines)


@pytest.mark.parametrize(
    ("lost", "right"),
    [
        ([b"M 100644 oid x/a", b"D x"], [b"D x", b"M 100644 oid x/a"]),
        ([b"M 100644 oid x/a", b"R x z"], [b"R x z", b"M 100644 oid x/a"]),
        ([b"R y x/a", b"D x"], [b"D x", b"R y x/a"]),
        ([b"C y x/a", b"M 100644 oid x/b", b"D x"], [b"D x", b"C y x/a", b"M 100644 oid x/b"]),
        ([rb'M 100644 oid "x/\303\251"', b"D x"], [b"D x", rb'M 100644 oid "x/\303\251"']),
    ],
)
def test_an_order_that_loses_files_may_be_another(lost: list[bytes], right: list[bytes]) -> None:
    explainer = Explainer()
    assert explainer.difference(second(*lost), second(*right)) is None
    assert explainer.reordered == 1
    assert "loses files" in str(Explainer().difference(second(*lost), second(*lost)))
    assert "without need" in str(Explainer().difference(second(*right), second(*lost)))
    other = [*right[:-1], right[-1].replace(b"x/", b"xx/")]
    assert Explainer().difference(second(*lost), second(*other)) is not None


def test_in_a_circle_a_file_may_be_told_as_put() -> None:
    circle = second(b"R x y/x", b"R y x/y")
    cut = [b"D x", b"R y x/y", b"M 100644 oid y/x"]
    assert Explainer().difference(circle, second(*cut)) is None
    for other in (b"M 100644 oid y/z", b"M 100644 old y/x"):
        assert Explainer().difference(circle, second(*cut[:2], other)) is not None


@pytest.mark.parametrize(
    "lines", [[b"D d/a", b"D d/b", b"M 100644 oid d"], [b"D x", b"M 100644 oid z"], [b"R x d/c"]]
)
def test_no_other_order_may_be_another(lines: list[bytes]) -> None:
    assert one_by_one(BASE, lines) == all_at_once(BASE, lines)
    assert Explainer().difference(second(*lines), second(*lines)) is None
    swapped = [*lines[1:], lines[0]] if lines[1:] else [b"D y"]
    assert "without need" in str(Explainer().difference(second(*lines), second(*swapped)))


def test_other_records_must_be_equal() -> None:
    stream = LINE + blob(7, b"M 1 2 3\n\ncommit x\n") + tag(b"v1", b":6")
    assert Explainer().difference(stream, stream) is None
    for old, new in ((b"third", b"thirb"), (b"tag v1", b"tag v2"), (b"from :4", b"from :2")):
        assert "record" in str(Explainer().difference(stream, stream.replace(old, new)))
    assert "records" in str(Explainer().difference(stream, LINE))
    assert "bytes" in str(Explainer().difference(stream, stream[:-1]))


def test_changes_are_taken_apart() -> None:
    assert parse(rb'R "a b" "\303\251\n"' + b"\n") == (b"R", b"a b", b"\xc3\xa9\n")
    assert parse(b"R a b c\n") == (b"R", b"a", b"b c")
    assert parse(b"M 100644 :1 a b\n") == (b"M", b"a b", b"100644 :1")
    assert parse(rb'D "\"\\"' + b"\n") == (b"D", b'"\\')
