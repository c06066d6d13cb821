import pytest

from fastio.objects.kinds import Oid
from fastio.store import ancestry
from fastio.store.ancestry import find_descents, peel_to_commits
from fastio.store.repository import Repository


@pytest.fixture
def git(work):
    return Repository.discover(str(work.path)).git


def oid(text):
    return Oid(bytes.fromhex(text))


@pytest.fixture
def history(work):
    """Commits r - a - b - m with c beside b merged into m, and s on its own."""
    r = work.commit(text="r")
    a = work.commit(r, text="a")
    b, c = work.commit(a, text="b"), work.commit(a, text="c")
    m = work.commit(b, c, text="m")
    return {
        name: oid(text) for name, text in zip("rabcms", (r, a, b, c, m, work.commit()), strict=True)
    }


DESCENTS = {
    "rr",
    "ra",
    "rb",
    "rc",
    "rm",
    "aa",
    "ab",
    "ac",
    "am",
    "bb",
    "bm",
    "cc",
    "cm",
    "mm",
    "ss",
}


def test_all_pairs_at_once(git, history):
    pairs = {(history[old], history[new]): old + new for old in history for new in history}
    assert {pairs[pair] for pair in find_descents(git, pairs)} == DESCENTS


@pytest.mark.parametrize("names", ["rm", "mr", "bc", "cm", "aa", "sr"])
def test_one_pair(git, history, names):
    pair = (history[names[0]], history[names[1]])
    assert find_descents(git, [pair]) == ({pair} if names in DESCENTS else set())


def test_a_commit_that_is_missing_has_no_descents(git, history):
    missing = oid("11" * len(history["a"]))
    assert find_descents(git, [(missing, history["a"])]) == set()


def test_tags_are_peeled_and_other_objects_left_out(work, git, history):
    work("tag", "-a", "-m", "t", "t", history["a"].hex())
    work("tag", "-a", "-m", "u", "u", "t")
    tag, blob = oid(work("rev-parse", "u")), oid(work("hash-object", "-w", "--stdin", text=""))
    assert peel_to_commits(git, [tag, history["b"], blob]) == {
        tag: history["a"],
        history["b"]: history["b"],
    }
    assert peel_to_commits(git, []) == {}


def test_commits_that_nothing_new_has_are_told_at_once(work, git, monkeypatch):
    old = [oid(work.commit(text=f"old {at}")) for at in range(6)]
    new = [oid(work.commit(text=f"new {at}")) for at in range(6)]
    monkeypatch.setattr(ancestry, "_is_ancestor", None)  # nobody may be asked
    assert find_descents(git, list(zip(old, new, strict=True))) == set()


def test_commits_younger_than_their_descendants(work, git):
    tree, pairs, olds = work("mktree", text=""), [], [work.commit()]
    for number in range(7):
        olds.append(parent := work.commit(olds[-1], text=f"old {number}"))
        for at in range(8):
            who = f"A <a@b> {at} +0000"
            body = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\n{number}\n"
            parent = work("hash-object", "-t", "commit", "-w", "--stdin", text=body)
        pairs.append((oid(olds[-2]), oid(parent)))
    assert find_descents(git, pairs) == set(pairs)
