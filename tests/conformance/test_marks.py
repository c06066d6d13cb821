"""Items 036 to 045: marks, aliases, original-oid."""

import pytest

from tests.conformance.trial import Trial
from tests.conformance.words import BLOBS, ONE, TWO, WHO, blob, commit

pytestmark = pytest.mark.git

LARGEST = 2**64 - 1


def test_all_marks_are_exported_in_order(both: Trial) -> None:
    stream = blob(70_000, b"one") + blob(LARGEST, b"two") + commit(mark=5)
    stream += b"tag t\nmark :2\nfrom :5\ndata 0\nalias\nmark :4294967296\nto :5\n\n"
    marks = both(stream).marks
    assert marks is not None
    assert list(marks) == [":2", ":5", ":70000", ":4294967296", f":{LARGEST}"]
    assert marks[":70000"] == ONE.decode()
    assert marks[f":{LARGEST}"] == TWO.decode()
    assert marks[":4294967296"] == marks[":5"]


def test_alias_is_as_good_as_the_mark(both: Trial) -> None:
    stream = commit(mark=1) + b"alias\nmark :2\nto :1\n\nalias\n\nmark :3\nto refs/heads/x\n\n"
    result = both(stream + commit(b"from :2", b"merge :3", ref=b"refs/heads/y"))
    assert result.header("parent", "refs/heads/y") == [result.oid(":1")] * 2
    assert result.marks == dict.fromkeys((":1", ":2", ":3"), result.oid())


def test_redeclared_mark_moves(both: Trial) -> None:
    stream = blob(1, b"one") + commit(b"M 644 :1 a") + blob(1, b"two") + blob(2, b"two")
    result = both(stream + commit(b"M 644 :1 b"))
    assert result.files() == {"a": "one", "b": "two"}
    assert result.marks == {":1": TWO.decode(), ":2": TWO.decode()}


DECLARED = {
    "zero": (b":0", None),
    "letters": (b":x", None),
    "nothing": (b":", None),
    "letters behind it": (b":12abc", ":12"),
    "zeros before it": (b":007", ":7"),
    "blank before it": (b": 7", ":7"),
    "too large": (b":18446744073709551616", f":{LARGEST}"),
}


@pytest.mark.parametrize(("mark", "exported"), DECLARED.values(), ids=DECLARED)
def test_declared_marks(both: Trial, mark: bytes, exported: str | None) -> None:
    result = both(b"blob\nmark %b\ndata 3\none\n" % mark)
    assert result.marks == ({exported: ONE.decode()} if exported else {})


def test_mark_needs_a_colon(both: Trial) -> None:
    both.fatal(b"blob\nmark 5\ndata 0\n", "expected 'data n' command")


START = BLOBS + commit(b"M 644 :1 a", mark=3)
REFERENCES = {
    "M, undeclared": (commit(b"M 644 :9 f"), "mark :9 not declared"),
    "N, undeclared": (commit(b"N :9 :3"), "mark :9 not declared"),
    "N on undeclared": (commit(b"N :1 :9"), "mark :9 not declared"),
    "from, undeclared": (commit(b"from :9"), "mark :9 not declared"),
    "merge, undeclared": (commit(b"merge :9"), "mark :9 not declared"),
    "reset, undeclared": (b"reset refs/heads/y\nfrom :9\n", "mark :9 not declared"),
    "tag, undeclared": (b"tag t\nfrom :9\ndata 0\n", "mark :9 not declared"),
    "alias, undeclared": (b"alias\nmark :8\nto :9\n\n", "mark :9 not declared"),
    "ls, undeclared": (b"ls :9 f\n", "mark :9 not declared"),
    "cat-blob, undeclared": (b"cat-blob :9\n", "mark :9 not declared"),
    "get-mark, undeclared": (b"get-mark :9\n", "mark :9 not declared"),
    "own mark": (commit(b"merge :4", mark=4), "mark :4 not declared"),
    "M": (commit(b"M 100644 :2x f"), "space after mark"),
    "N": (commit(b"N :2x :3"), "space after mark"),
    "ls": (b"ls :3x f\n", "space after mark"),
    "ls in a commit": (commit(b"ls :3x f"), "space after mark"),
    "from": (commit(b"from :3x"), "garbage after mark"),
    "merge": (commit(b"merge :3x"), "garbage after mark"),
    "N on": (commit(b"N :2 :3x"), "garbage after mark"),
    "tag": (b"tag t\nfrom :3x\ndata 0\n", "garbage after mark"),
    "cat-blob": (b"cat-blob :2x\n", "garbage after mark"),
    "get-mark": (b"get-mark :2x\n", "garbage after mark"),
    "alias": (b"alias\nmark :8\nto :3x\n\n", "garbage after mark"),
    "trailing blank": (commit(b"from :3 "), "garbage after mark"),
    "M, no digits": (commit(b"M 644 : f"), "no number after ':'"),
    "N, no digits": (commit(b"N : :3"), "no number after ':'"),
    "N on no digits": (commit(b"N :2 :"), "no number after ':'"),
    "from, no digits": (commit(b"from :"), "no number after ':'"),
    "from, letters": (commit(b"from :/x"), "no number after ':'"),
    "merge, no digits": (commit(b"merge :"), "no number after ':'"),
    "ls, no digits": (b"ls : f\n", "no number after ':'"),
    "cat-blob, no digits": (b"cat-blob :\n", "no number after ':'"),
    "get-mark, no digits": (b"get-mark :\n", "no number after ':'"),
}  # fmt: skip


@pytest.mark.parametrize(("bad", "reason"), REFERENCES.values(), ids=REFERENCES)
def test_references_that_are_none(both: Trial, bad: bytes, reason: str) -> None:
    both.fatal(START.replace(b"heads/x", b"heads/y") + bad, reason)


def test_original_oid_is_passed_over(both: Trial) -> None:
    stream = b"blob\nmark :1\noriginal-oid abc\ndata 3\none\n"
    stream += b"commit refs/heads/x\nmark :2\noriginal-oid \ncommitter %b\ndata 0\n" % WHO
    stream += b"tag t\nmark :3\nfrom :2\noriginal-oid abc def\ndata 0\n"
    bare = b"".join(part for part in stream.splitlines(True) if not part.startswith(b"orig"))
    assert both(stream).differences(both(bare)) == []


MISPLACED = {
    "blob": b"blob\noriginal-oid abc\nmark :1\ndata 0\n",
    "commit": b"commit refs/heads/x\noriginal-oid a\nmark :2\ncommitter %b\ndata 0\n" % WHO,
    "tag": commit(mark=2, ref=b"refs/heads/y") + b"tag t\noriginal-oid a\nfrom :2\ndata 0\n",
    "no blank": b"blob\noriginal-oid\ndata 0\n",
}


@pytest.mark.parametrize("stream", MISPLACED.values(), ids=MISPLACED)
def test_original_oid_out_of_place(both: Trial, stream: bytes) -> None:
    both.fatal(stream, "expected ")
