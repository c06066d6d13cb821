"""What the format of trees, commits and tags must be (H25 to H32)."""

import pytest

from tests.hasher.place import Place

OID = bytes(range(1, 21))
MISSING = OID.hex().encode()
WHO = b"A U Thor <author@example.com> 1700000000 +0000"
COMMIT = b"tree %b\nparent %b\nauthor %b\ncommitter %b\n\nmessage\n" % (
    MISSING,
    MISSING[::-1],
    WHO,
    WHO,
)
TAG = b"object %b\ntype commit\ntag v1\n" % MISSING
BAD_TREES = {
    "too short": (b"abc\n", b"too-short tree object"),
    "bad mode": (b"9100644 \0" + OID, b"malformed mode in tree entry"),
    "no name": (b"100644 \0" + OID, b"empty filename in tree entry"),
    "same name twice": (b"100644 file\0%b100644 file\0%b" % (OID, OID), b"duplicateEntries"),
}
BAD_OBJECTS = {
    "empty commit": ("commit", b""),
    "empty tag": ("tag", b""),
    "no tagger": ("tag", TAG + b"\nmessage\n"),
    "NUL in the message": ("commit", COMMIT + b"a\0b\n"),
}
GOOD_OBJECTS = {
    "commit": COMMIT,
    "tag": TAG + b"tagger %b\n\nmessage\n" % WHO,
    "tree": b"100644 file\0%b40000 sub\0%b" % (OID, OID),
}


@pytest.mark.parametrize("case", BAD_TREES)
def test_bad_trees(place: Place, case: str) -> None:
    body, said = BAD_TREES[case]
    place.write("tree", body)
    done = place.run("-t", "tree", "tree")
    if done.returncode == 0:  # it is the git at hand that checks, and this one does not mind
        pytest.skip("the check is that of git 2.40 and later")
    assert done.returncode == 128
    assert said in done.stderr
    assert len(place.hash("--literally", "-t", "tree", "tree")) == 1


@pytest.mark.parametrize("case", BAD_OBJECTS)
@pytest.mark.parametrize("words", [[], ["-w"]], ids=["", "-w"])
def test_bad_commits_and_tags(place: Place, case: str, words: list[str]) -> None:
    kind, body = BAD_OBJECTS[case]
    done = place.run("-t", kind, *words, "--stdin", text=body)
    if done.returncode == 0:
        pytest.skip("the check is that of git 2.40 and later")
    assert (done.returncode, done.stdout) == (128, b"")
    [oid] = place.hash("--literally", "-t", kind, "-w", "--stdin", text=body)
    assert place.has(oid)


@pytest.mark.parametrize("kind", GOOD_OBJECTS)
def test_what_objects_refer_to_may_be_missing(place: Place, kind: str) -> None:
    place.write("object", GOOD_OBJECTS[kind])
    [oid] = place.hash("-w", "-t", kind, "object")
    assert place.git("cat-file", "-t", oid) == kind
    assert place.hash("--stdin-paths", "-t", kind, text=b"object\n") == [oid]


@pytest.mark.parametrize("kind", ["bogus", "bl", "Blob", ""])
@pytest.mark.parametrize("words", [["--stdin"], ["--literally", "--stdin"]], ids=" ".join)
def test_types_that_there_are_not(place: Place, kind: str, words: list[str]) -> None:
    if "--literally" in words:
        place.needs_git(2, 50)  # before, it took any
    assert place.fails("-t", kind, *words).stdout == b""
