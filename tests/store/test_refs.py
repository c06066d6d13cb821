import os

import pytest

from fastio.objects.kinds import Oid
from fastio.store import ref_transactions, refs
from fastio.store.ref_changes import Cause, Status
from fastio.store.ref_transactions import read_refs
from fastio.store.refs import BranchUpdate, RefUpdater
from fastio.store.repository import Repository


@pytest.fixture
def repository(work):
    return Repository.discover(str(work.path))


@pytest.fixture
def updater(repository):
    updater = RefUpdater(repository)
    yield updater
    updater.close()


def oid(text):
    return Oid(bytes.fromhex(text))


def update(updater, *updates, force=False, may_recall=False):
    branches = [BranchUpdate(name, new and oid(new)) for name, new in updates]
    return updater.update_branches(branches, force=force, may_recall=may_recall)


def statuses(outcomes):
    return [outcome.status for outcome in outcomes]


def test_new_branches_are_made(work, updater):
    first, second = work.commit(text="1"), work.commit(text="2")
    outcomes = update(updater, (b"refs/heads/a", first), (b"refs/heads/b/c", second))
    assert statuses(outcomes) == [Status.UPDATED, Status.UPDATED]
    assert work("rev-parse", "refs/heads/a", "refs/heads/b/c").split() == [first, second]


@pytest.mark.parametrize("is_packed", [False, True])
def test_git_is_asked_for_refs_only_where_there_is_one(work, updater, monkeypatch, is_packed):
    tip = work.commit()
    (work.path / ".git/refs/heads/empty/below").mkdir(parents=True)
    with monkeypatch.context() as patch:
        patch.setattr(refs, "read_refs", None)
        assert statuses(update(updater, (b"refs/heads/a", tip))) == [Status.UPDATED]
    if is_packed:
        work("pack-refs", "--all")
    [refused] = update(updater, (b"refs/heads/a/b", tip))
    assert refused.cause is Cause.NO_ROOM


def test_three_hundred_refs_in_one_go(work, updater):
    tip = work.commit()
    names = [b"refs/heads/b%d" % number for number in range(300)]
    assert set(statuses(update(updater, *((name, tip) for name in names)))) == {Status.UPDATED}
    assert len(work("for-each-ref").splitlines()) == 300


def test_refusals_among_many_refs_stop_no_other(work, updater):
    tip = work.commit()
    work("update-ref", "refs/heads/a", tip)
    names = [b"refs/heads/%s/%d" % (b"ab"[n % 7 == 0 :][:1], n) for n in range(60)]
    outcomes = update(updater, *((name, tip) for name in names))
    refused = [name for name in names if name.startswith(b"refs/heads/a/")]
    assert [each.name for each in outcomes if each.status is Status.REFUSED] == refused
    assert len(work("for-each-ref").splitlines()) == 1 + len(names) - len(refused)


def test_fast_forward_moves_the_ref(work, updater):
    old = work.commit()
    new = work.commit(old)
    work("update-ref", "refs/heads/main", old)
    assert statuses(update(updater, (b"refs/heads/main", new))) == [Status.UPDATED]
    assert work("rev-parse", "main") == new


def test_what_would_lose_commits_is_refused_and_the_others_go_on(work, updater):
    old, other = work.commit(text="old"), work.commit(text="other")
    work("update-ref", "refs/heads/main", old)
    refused, done = update(updater, (b"refs/heads/main", other), (b"refs/heads/x", other))
    assert refused.is_failure
    assert refused.message.startswith(b"warning: ")
    assert old.encode() in refused.message
    assert other.encode() in refused.message
    assert done.status is Status.UPDATED
    assert work("rev-parse", "main", "x").split() == [old, other]


def test_force_replaces_anything_and_the_old_value_is_in_the_reflog(work, updater):
    old, new = work.commit(text="old"), work.commit(text="new")
    work("update-ref", "refs/heads/main", old)
    assert statuses(update(updater, (b"refs/heads/main", new), force=True)) == [Status.UPDATED]
    last = (work.path / ".git/logs/refs/heads/main").read_text().splitlines()[-1]
    assert last.startswith(f"{old} {new} ")
    assert last.endswith("\tfast-import")


def test_an_old_value_that_is_no_commit_needs_force(work, updater):
    blob, new = work("hash-object", "-w", "--stdin", text="x"), work.commit()
    work("update-ref", "refs/tags/t", blob)
    [refused] = update(updater, (b"refs/tags/t", new))
    assert refused.message.startswith(b"error: ")
    assert statuses(update(updater, (b"refs/tags/t", new), force=True)) == [Status.UPDATED]


def test_an_annotated_tag_is_peeled_for_the_test(work, updater):
    old = work.commit()
    new = work.commit(old)
    work("tag", "-a", "-m", "t", "t", old)
    assert statuses(update(updater, (b"refs/tags/t", new))) == [Status.UPDATED]


def test_an_unchanged_value_leaves_no_trace_in_the_reflog(work, updater):
    tip = work.commit()
    assert statuses(update(updater, (b"refs/heads/main", tip))) == [Status.UPDATED]
    log = (work.path / ".git/logs/refs/heads/main").read_text()
    assert statuses(update(updater, (b"refs/heads/main", tip))) == [Status.UNCHANGED]
    assert (work.path / ".git/logs/refs/heads/main").read_text() == log


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_locked_ref_fails_alone(work, updater, at):
    tip = work.commit()
    names = [b"refs/heads/a", b"refs/heads/b", b"refs/heads/c"]
    (work.path / ".git/refs/heads").mkdir(exist_ok=True)
    (work.path / ".git" / (names[at].decode() + ".lock")).touch()
    outcomes = update(updater, *((name, tip) for name in names))
    expected = [Status.UPDATED] * 3
    expected[at] = Status.REFUSED
    assert statuses(outcomes) == expected
    assert outcomes[at].message.startswith(b"error: ")
    assert b".lock" in outcomes[at].message


def test_many_take_few_transactions_unless_one_is_refused(work, updater, monkeypatch):
    monkeypatch.setattr(ref_transactions, "_TOGETHER", 3)
    tip = work.commit()
    names = [b"refs/heads/%d" % number for number in range(8)]
    (work.path / ".git/refs/heads").mkdir(exist_ok=True)
    (work.path / ".git/refs/heads/4.lock").touch()
    run, sent = updater._transactions.run, []
    monkeypatch.setattr(updater._transactions, "run", lambda all_: sent.extend(all_) or run(all_))
    expected = [Status.UPDATED] * 8
    expected[4] = Status.REFUSED
    assert statuses(update(updater, *((name, tip) for name in names))) == expected
    assert len(sent) == 3  # those of the second transaction, and only they are sent one by one


def test_of_a_name_and_one_below_it_the_first_wins(work, updater):
    tip = work.commit()
    outcomes = update(updater, (b"refs/heads/x", tip), (b"refs/heads/x/y", tip))
    assert statuses(outcomes) == [Status.UPDATED, Status.REFUSED]
    assert b"refs/heads/x" in outcomes[1].message


@pytest.mark.parametrize("there", [b"refs/heads/x", b"refs/heads/x/y/z"])
def test_git_is_not_asked_about_what_has_no_room(work, updater, monkeypatch, there):
    tip = work.commit()
    work("update-ref", there.decode(), tip)
    work("pack-refs", "--all")
    transactions, sent = updater._transactions, []
    run_each = transactions.run_each
    monkeypatch.setattr(transactions, "run_each", lambda all_: sent.extend(all_) or run_each(all_))
    refused, done = update(updater, (b"refs/heads/x/y", tip), (b"refs/heads/z", tip))
    assert (refused.status, refused.cause, done.status) == (
        Status.REFUSED, Cause.NO_ROOM, Status.UPDATED,
    )  # fmt: skip
    assert there in refused.message
    assert len(sent) == 1


def test_room_that_a_failure_leaves_is_used(work, updater):
    tip = work.commit()
    lock = work.path / ".git/refs/heads/x.lock"
    lock.parent.mkdir(exist_ok=True)
    lock.touch()
    names = (b"refs/heads/x", b"refs/heads/x/y", b"refs/heads/x/y/z")
    outcomes = update(updater, *((name, tip) for name in names))
    assert statuses(outcomes) == [Status.REFUSED, Status.UPDATED, Status.REFUSED]
    assert [outcome.cause for outcome in outcomes] == [Cause.LOCKED, None, Cause.NO_ROOM]


def test_deletion_makes_room_for_what_comes_after_it_only(work, updater):
    tip = work.commit()
    work("update-ref", "refs/heads/x", tip)
    updates = [
        BranchUpdate(b"refs/heads/x/early", oid(tip)),
        BranchUpdate(b"refs/heads/x", None, delete=True),
        BranchUpdate(b"refs/heads/x/late", oid(tip)),
    ]
    outcomes = updater.update_branches(updates)
    assert statuses(outcomes) == [Status.REFUSED, Status.DELETED, Status.UPDATED]


def test_deletion_that_fails_makes_no_room(work, updater):
    tip = work.commit()
    work("update-ref", "refs/heads/x", tip)
    (work.path / ".git/refs/heads/x.lock").touch()
    deletion = BranchUpdate(b"refs/heads/x", None, delete=True)
    outcomes = updater.update_branches([deletion, BranchUpdate(b"refs/heads/x/y", oid(tip))])
    assert statuses(outcomes) == [Status.NOT_DELETED, Status.REFUSED]


def test_deletions(work, updater):
    tip = work.commit()
    work("update-ref", "refs/heads/old", tip)
    work("update-ref", "refs/heads/stays", tip)
    outcomes = updater.update_branches(
        [
            BranchUpdate(b"refs/heads/old", None, delete=True),
            BranchUpdate(b"refs/heads/missing", None, delete=True),
            BranchUpdate(b"refs/heads/stays", None),
        ]
    )
    assert statuses(outcomes) == [Status.DELETED, Status.UNCHANGED, Status.UNCHANGED]
    assert work("for-each-ref", "--format=%(refname)") == "refs/heads/stays"


def test_a_deletion_that_fails_is_told_and_is_no_failure(work, updater):
    work("update-ref", "refs/heads/old", work.commit())
    (work.path / ".git/refs/heads/old.lock").touch()
    [outcome] = updater.update_branches([BranchUpdate(b"refs/heads/old", None, delete=True)])
    assert outcome.status is Status.NOT_DELETED
    assert outcome.message.startswith(b"error: ")
    assert not outcome.is_failure


def test_head_is_followed_and_both_reflogs_tell(work, updater):
    tip = work.commit()
    assert statuses(update(updater, (b"HEAD", tip))) == [Status.UPDATED]
    assert work("rev-parse", "refs/heads/main") == tip
    assert work("symbolic-ref", "HEAD") == "refs/heads/main"
    for log in ("HEAD", "refs/heads/main"):
        assert (work.path / ".git/logs" / log).read_text().endswith("\tfast-import\n")


def test_head_and_its_branch_in_one_import(work, updater):
    first = work.commit()
    second, stray = work.commit(first, text="2"), work.commit(text="stray")
    outcomes = update(
        updater, (b"HEAD", first), (b"refs/heads/main", second), (b"refs/heads/x", stray)
    )
    assert set(statuses(outcomes)) == {Status.UPDATED}
    assert work("rev-parse", "main") == second


def test_symbolic_refs_are_followed_for_updates_and_deletions(work, updater):
    tip = work.commit()
    work("update-ref", "refs/heads/main", tip)
    work("symbolic-ref", "refs/heads/sym", "refs/heads/main")
    new = work.commit(tip)
    assert statuses(update(updater, (b"refs/heads/sym", new))) == [Status.UPDATED]
    assert work("rev-parse", "main") == new
    updater.update_branches([BranchUpdate(b"refs/heads/sym", None, delete=True)])
    assert work("rev-parse", "--verify", "-q", "refs/heads/main", check=False) == ""


@pytest.mark.parametrize("name", [b"TEMP_TAG", b"foo/bar", b"lower"])
def test_refs_outside_of_refs_are_read_under_their_exact_name(work, updater, repository, name):
    tip = work.commit()
    work("update-ref", f"refs/heads/{name.decode()}", work.commit(text="another"))
    assert read_refs(repository.git, [name]).get(name) is None
    assert statuses(update(updater, (name, tip))) == [Status.UPDATED]
    assert read_refs(repository.git, [name]).get(name) == oid(tip)
    assert statuses(update(updater, (name, tip))) == [Status.UNCHANGED]


@pytest.mark.parametrize("name", [b"FETCH_HEAD", b"MERGE_HEAD", b"refs/heads/a..b"])
def test_names_that_git_refuses_fail_alone(work, updater, name):
    tip = work.commit()
    outcomes = update(updater, (name, tip), (b"refs/heads/a", tip))
    assert statuses(outcomes) == [Status.REFUSED, Status.UPDATED]


def test_a_replace_ref_to_itself_is_dropped(work, updater):
    tip = work.commit()
    name = f"refs/replace/{tip}"
    work("update-ref", name, work.commit(text="other"))
    [outcome] = update(updater, (name.encode(), tip))
    assert outcome.status is Status.DELETED
    assert b"dropping" in outcome.message
    assert b"since it would point to itself" in outcome.message
    assert work("for-each-ref") == ""


def test_tags_are_set_together_over_whatever_was_there(work, updater):
    first, second = work.commit(text="1"), work.commit(text="2")
    work("update-ref", "refs/tags/a", first)
    tags = [(b"refs/tags/a", oid(second)), (b"refs/tags/b", oid(second))]
    assert statuses(updater.update_tags(tags)) == [Status.UPDATED, Status.UPDATED]
    assert statuses(updater.update_tags(tags)) == [Status.UNCHANGED, Status.UNCHANGED]
    assert work("rev-parse", "refs/tags/a", "refs/tags/b").split() == [second, second]


@pytest.mark.parametrize("name", [b"refs/tags/a", b"refs/tags/x..y", b"refs/tags/a/b"])
def test_one_bad_tag_and_none_is_set(work, updater, name):
    tip = oid(work.commit())
    first, other = updater.update_tags([(b"refs/tags/a", tip), (name, tip)])
    assert first.is_failure
    assert first.message.startswith(b"error: ")
    assert (other.is_failure, other.message) == (True, b"")
    assert work("for-each-ref") == ""
    assert statuses(updater.update_tags([(b"refs/tags/a", tip)])) == [Status.UPDATED]
    assert updater.update_tags([]) == []


def test_what_the_caller_knows_is_not_asked_of_git(work, repository):
    old, new = work.commit(text="old"), work.commit(text="new")
    work("update-ref", "refs/heads/main", old)
    updater = RefUpdater(repository, is_known_ancestor=lambda *pair: pair == (oid(old), oid(new)))
    assert statuses(update(updater, (b"refs/heads/main", new))) == [Status.UPDATED]
    updater.close()


def test_no_descriptor_is_left_behind(work, repository):
    before = len(os.listdir("/proc/self/fd"))
    updater = RefUpdater(repository)
    update(updater, (b"refs/heads/a", work.commit()), (b"bad..name", work.commit()))
    updater.close()
    assert len(os.listdir("/proc/self/fd")) == before


MAIN = b"refs/heads/main"


def test_a_second_update_may_go_by_the_first(work, updater, monkeypatch):
    first = work.commit()
    second = work.commit(first)
    update(updater, (MAIN, first))
    monkeypatch.setattr(refs, "read_refs", None)
    assert statuses(update(updater, (MAIN, second), may_recall=True)) == [Status.UPDATED]
    assert statuses(update(updater, (MAIN, second), may_recall=True)) == [Status.UNCHANGED]
    assert work("rev-parse", "main") == second


@pytest.mark.parametrize("names", [[MAIN], [MAIN, b"refs/heads/new"]])
def test_what_changed_since_is_read_again(work, updater, names):
    first, other = work.commit(text="first"), work.commit(text="other")
    second = work.commit(first)
    update(updater, (MAIN, first), (b"refs/heads/x", first))
    work("update-ref", "refs/heads/main", other)
    outcomes = update(updater, *((name, second) for name in names), may_recall=True)
    assert outcomes[0].cause is Cause.LOSES_COMMITS
    assert work("rev-parse", "main") == other
    work("update-ref", "refs/heads/main", first)
    assert statuses(update(updater, (MAIN, second), may_recall=True)) == [Status.UPDATED]


def test_what_was_deleted_since_is_made_again(work, updater):
    first = work.commit()
    second = work.commit(first)
    update(updater, (MAIN, first), (b"refs/heads/x", first))
    work("update-ref", "-d", "refs/heads/main")
    outcomes = update(updater, (MAIN, second), (b"refs/heads/x", second), may_recall=True)
    assert statuses(outcomes) == [Status.UPDATED, Status.UPDATED]
    assert work("rev-parse", "main", "x").split() == [second, second]


def test_a_branch_that_was_set_as_a_tag_is_read_again(work, updater):
    first, other = work.commit(text="first"), work.commit(text="other")
    name = b"refs/tags/x"
    update(updater, (name, first))
    updater.update_tags([(name, oid(other))])
    [outcome] = update(updater, (name, first), may_recall=True)
    assert outcome.cause is Cause.LOSES_COMMITS
