import pytest

from fastio.objects.kinds import BLOB, COMMIT, TAG, TREE
from fastio.store.repository import Repository
from fastio.store.revisions import Revisions


@pytest.fixture
def revisions(work):
    work.fill(3)
    revisions = Revisions(Repository.discover(str(work.path)).git)
    yield revisions
    revisions.close()


@pytest.mark.parametrize(
    "expression",
    [
        "main",
        "HEAD",
        "refs/heads/main",
        "main~2",
        "main^0",
        "@",
        "main@{1}",
        "annotated",
        ":/commit 1",
    ],
)
def test_expressions_for_commits(work, revisions, expression):
    expected = work("rev-parse", "--verify", f"{expression}^{{commit}}", check=False)
    if expression.startswith(":/"):
        expected = work("rev-parse", expression)
    assert revisions.resolve(expression.encode()).hex() == expected
    short = expected[:12]
    assert revisions.resolve(short.encode()).hex() == expected


@pytest.mark.parametrize(
    "expression",
    [
        b"nope",
        b"",
        b"main^{tree}",
        b"main:file",
        b"main\nHEAD",
        b"main\0",
        b"main~99",
        b"^{",
        b"0" * 40,
    ],
)
def test_what_is_no_commit(revisions, expression):
    assert revisions.resolve(expression) is None
    assert revisions.resolve(b"main")


def test_objects_are_not_peeled(work, revisions):
    for expression, kind in (
        (b"annotated", TAG),
        (b"main", COMMIT),
        (b"main^{tree}", TREE),
        (b"main:file", BLOB),
    ):
        oid = bytes.fromhex(work("rev-parse", expression.decode()))
        assert revisions.resolve_object(expression) == (kind, oid)


def test_what_appears_later_is_seen(work, revisions):
    assert revisions.resolve(b"later") is None
    tip = work.commit(text="later")
    work("update-ref", "refs/heads/later", tip)
    work("repack", "-adq")
    assert revisions.resolve(b"later").hex() == tip
    assert revisions.resolve(tip.encode()).hex() == tip


def test_an_ambiguous_name_is_warned_about(work, revisions, capfd):
    work("tag", "main", "main~1")
    assert revisions.resolve(b"main").hex() == work("rev-parse", "refs/tags/main")
    assert "ambiguous" in capfd.readouterr().err
