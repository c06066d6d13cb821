"""Items 074 to 086: what ``from`` and ``merge`` may name."""

import pytest

from tests.conformance.test_commits import ON_DISK, parents
from tests.conformance.trial import Trial
from tests.conformance.words import BLOBS, WHO, ZERO, commit

pytestmark = pytest.mark.git

TAGGED = ON_DISK + b"tag v1\nfrom :4\ntagger %b\ndata 2\nv1\n" % WHO
OTHER = commit(ref=b"refs/heads/y", mark=3)


def test_own_name(both: Trial) -> None:
    stream = BLOBS + commit(b"M 644 :1 a", mark=3)
    result = both.fatal(stream + commit(b"from refs/heads/x", mark=4), "itself")
    assert ":4" not in (result.marks or {})
    result = both(stream + commit(b"merge refs/heads/x"))
    assert parents(result) == [result.oid(":3")] * 2


def test_from_comes_before_merge(both: Trial) -> None:
    others = OTHER + commit(ref=b"refs/heads/z", mark=4, message=b"z")
    result = both(others + commit(b"from :3", b"merge :4"))
    assert parents(result) == [result.oid(":3"), result.oid(":4")]
    result = both.fatal(others + commit(b"merge :4", b"from :3", mark=5), "unsupported command")
    assert parents(result, ":5") == [result.oid(":4")]


def test_new_branch_with_merges_only(both: Trial) -> None:
    others = BLOBS + commit(b"M 644 :1 a", ref=b"refs/heads/y", mark=3)
    others += commit(ref=b"refs/heads/z", mark=4, message=b"z")
    result = both(others + commit(b"merge :3", b"merge :4"))
    assert (parents(result), result.files()) == ([result.oid(":3"), result.oid(":4")], {})


def test_many_parents(both: Trial) -> None:
    stream = b"".join(commit(ref=b"refs/heads/%d" % n, mark=n + 1, message=b"%d" % n)
                      for n in range(30))  # fmt: skip
    merges = [b"merge :%d" % (n + 1) for n in range(30)]
    result = both(stream + commit(*merges, b"merge :7"))
    assert parents(result) == [result.oid(f":{n + 1}") for n in [*range(30), 6]]


@pytest.mark.parametrize("word", [b"from", b"merge"], ids=["from", "merge"])
def test_marks_of_other_objects(both: Trial, word: bytes) -> None:
    stream = BLOBS + OTHER + b"tag t\nmark :4\nfrom :3\ndata 0\n"
    both.fatal(stream + commit(word + b" :1"), "mark :1 is not a commit")
    both.fatal(stream + commit(word + b" :4"), "mark :4 is not a commit")


def test_annotated_tags_on_disk_are_peeled(both: Trial) -> None:
    for name in (b"v1", b"refs/tags/v1", b"v1^{commit}"):
        result = both(commit(b"from " + name), before=TAGGED)
        assert parents(result) == [result.oid("refs/heads/disk")]
    both.fatal(commit(b"from v1^{tree}"), "not a valid commit", before=TAGGED)
    both.fatal(commit(b"from v1:a"), "not a valid commit", before=TAGGED)


def test_short_names_are_those_on_disk(both: Trial) -> None:
    result = both(commit(b"from disk", b"merge disk~1"), before=TAGGED)
    assert parents(result) == [
        result.oid("refs/heads/disk"),
        *parents(result, "refs/heads/disk"),
    ]
    both.fatal(OTHER + commit(b"from y"), "not a valid commit", before=TAGGED)


def test_oids_of_commits_of_this_run(both: Trial) -> None:
    oid = both(OTHER).oid(":3").encode()
    for name in (oid, oid[:12], oid.upper()):
        both.fatal(OTHER + commit(b"from " + name), "not a valid commit")
        result = both(OTHER + b"checkpoint\n" + commit(b"from " + name))
        assert parents(result) == [oid.decode()]


def test_from_the_zero_oid(both: Trial) -> None:
    stream = BLOBS + commit(b"M 644 :1 a") + commit(b"from " + ZERO, b"M 644 :2 b")
    result = both(stream)
    assert (parents(result), result.files()) == ([], {"b": "two"})
    result = both(BLOBS + commit(b"from " + ZERO, b"M 644 :2 b"))
    assert (parents(result), result.files()) == ([], {"b": "two"})


@pytest.mark.parametrize("word", [b"merge ", b"N :1 "], ids=["merge", "N"])
def test_zero_oid_elsewhere(both: Trial, word: bytes) -> None:
    both.fatal(BLOBS + commit(word + ZERO), "not a valid commit")


def test_from_an_unborn_branch(both: Trial) -> None:
    stream = BLOBS + b"reset refs/heads/y\n" + commit(b"from refs/heads/y", b"M 644 :1 a")
    result = both(stream)
    assert (parents(result), result.files()) == ([], {"a": "one"})


NO_COMMITS = {
    "search": (b"from :/tip", "mark"),
    "blank behind a ref": (b"from refs/heads/y ", "not a valid commit"),
    "blank behind a mark": (b"from :3 ", "garbage after mark"),
    "nothing": (b"from ", "not a valid commit"),
    "unknown": (b"from nowhere", "not a valid commit"),
    "merge of nothing": (b"merge ", "not a valid commit"),
    "blank behind a merge": (b"merge :3 ", "garbage after mark"),
}  # fmt: skip


@pytest.mark.parametrize(("line", "reason"), NO_COMMITS.values(), ids=NO_COMMITS)
def test_what_names_no_commit(both: Trial, line: bytes, reason: str) -> None:
    both.fatal(OTHER + commit(line), reason, before=TAGGED)


def test_tag_wins_over_a_branch_of_the_same_name(both: Trial) -> None:
    before = TAGGED + b"reset refs/heads/v1\nfrom :3\n"
    result = both(commit(b"from v1"), before=before)
    assert parents(result) == [result.oid("refs/heads/disk")]
    assert "warning: refname 'v1' is ambiguous" in result.stderr
