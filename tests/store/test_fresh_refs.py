import os

import pytest

from fastio.objects.kinds import Oid
from fastio.store import fresh_refs
from fastio.store.fresh_refs import FreshRefs
from fastio.store.ref_changes import Status
from fastio.store.refs import BranchUpdate, RefUpdater
from fastio.store.repository import Repository
from tests.store.work import Work

NAMES = [b"refs/heads/%s%d" % (b"topic/" * (number % 3), number) for number in range(500)]


@pytest.fixture
def bare(tmp_path):
    return Work(tmp_path / "bare", "sha1", "--bare")


def updated(work, names=NAMES, **environment):
    """Make *names* of one commit; returns the outcomes."""
    tip = Oid(bytes.fromhex(work.commit()))
    repository = Repository.discover(str(work.path), os.environ | environment)
    updater = RefUpdater(repository, is_known_commit=lambda oid: oid == tip)
    try:
        return updater.update_branches([BranchUpdate(name, tip) for name in names])
    finally:
        updater.close()


def is_packed(work):
    assert not [name for name in os.listdir(work.path) if "lock" in name or "tmp" in name]
    return (work.path / "packed-refs").exists()


def count(work):
    return len(work("for-each-ref").splitlines())


def test_the_first_refs_are_what_git_would_have_packed(bare, monkeypatch):
    assert {outcome.status for outcome in updated(bare)} == {Status.UPDATED}
    assert is_packed(bare)
    assert count(bare) == len(NAMES)
    ours = (bare.path / "packed-refs").read_bytes()
    mode = (bare.path / "packed-refs").stat().st_mode
    (bare.path / "packed-refs").unlink()
    monkeypatch.setattr(FreshRefs, "make", lambda _fresh, _refs: False)
    updated(bare)
    assert not is_packed(bare)
    bare("pack-refs", "--all")
    assert (bare.path / "packed-refs").read_bytes() == ours
    assert (bare.path / "packed-refs").stat().st_mode == mode


def test_what_has_no_room_among_the_first_refs_is_refused(bare):
    names = [*NAMES, b"refs/heads/topic"]
    assert [each.name for each in updated(bare, names) if each.is_failure] == names[-1:]
    assert is_packed(bare)


def test_few_refs_are_files(bare):
    updated(bare, NAMES[1:])
    assert not is_packed(bare)
    assert count(bare) == len(NAMES) - 1


@pytest.mark.parametrize(
    "setting",
    [
        *("core.logAllRefUpdates=true", "core.logAllRefUpdates=always"),
        *("core.hooksPath=other", "hook.x.command=true"),
    ],
)
def test_where_hooks_or_reflogs_are_wanted_git_makes_them_all(bare, setting):
    bare("config", *setting.split("="))
    updated(bare)
    assert not is_packed(bare)
    assert count(bare) == len(NAMES)
    assert (bare.path / "logs/refs/heads/0").exists() == ("log" in setting)


def test_with_a_work_tree_there_are_reflogs(tmp_path):
    work = Work(tmp_path / "work")
    updated(work)
    assert not (work.path / ".git/packed-refs").exists()
    assert len((work.path / ".git/logs/refs/heads/0").read_text().splitlines()) == 1


def test_the_transaction_hook_hears_of_all(bare):
    hook = bare.path / "hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\n[ "$1" = committed ] && cat >> heard\n:\n')
    hook.chmod(0o755)
    updated(bare)
    assert len((bare.path / "heard").read_text().splitlines()) == len(NAMES)


@pytest.mark.parametrize("name", [b"HEAD", b"refs/worktree/x", b"refs/bisect/x"])
def test_refs_of_one_work_tree_are_never_packed(bare, name):
    updated(bare, [*NAMES, name])
    assert not is_packed(bare)


def test_what_may_be_no_commit_is_left_to_git(bare):
    tip, blob = bare.commit(), bare("hash-object", "-w", "--stdin", text="x")
    updates = [BranchUpdate(name, Oid(bytes.fromhex(tip))) for name in NAMES]
    updates.append(BranchUpdate(b"refs/heads/blob", Oid(bytes.fromhex(blob))))
    updater = RefUpdater(
        Repository.discover(str(bare.path)), is_known_commit=lambda oid: oid.hex() == tip
    )
    outcomes = updater.update_branches(updates)
    updater.close()
    assert [each.name for each in outcomes if each.is_failure] == [b"refs/heads/blob"]
    assert is_packed(bare)


@pytest.mark.parametrize(
    "there", ["packed-refs", "packed-refs.lock", "refs/heads/z", "refs/x.lock"]
)
def test_what_is_there_already_leaves_it_to_git(bare, there, monkeypatch):
    content = bare.commit() + "\n" if there.endswith("z") else ""
    (bare.path / there).write_text(content)
    monkeypatch.setattr(os, "rename", None)
    assert {outcome.status for outcome in updated(bare)} == {Status.UPDATED}
    assert count(bare) == len(NAMES) + bool(content)
    assert (bare.path / there).read_text() == content


@pytest.mark.parametrize("made", ["refs/heads/0", "refs/heads/topic"])
def test_a_ref_that_is_made_meanwhile_stays(bare, made, monkeypatch):
    rename, other = os.rename, bare.commit(text="other")

    def rename_late(old, new):
        rename(old, new)
        (bare.path / made).write_text(other + "\n")  # git had looked before

    monkeypatch.setattr(fresh_refs.os, "rename", rename_late)
    refused = [outcome.name for outcome in updated(bare) if outcome.is_failure]
    lost = [name for name in NAMES if f"{name.decode()}/".startswith(made + "/")]
    assert refused == lost != []
    assert not is_packed(bare)
    assert bare("rev-parse", made) == other


def test_durable_and_shared_as_configured(bare, monkeypatch):
    bare("config", "core.sharedRepository", "group")
    bare("config", "core.fsync", "reference")
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    before = os.umask(0o077)
    try:
        updated(bare)
    finally:
        os.umask(before)
    assert is_packed(bare)
    assert len(synced) == 1
    assert (bare.path / "packed-refs").stat().st_mode & 0o777 == 0o660


def test_where_head_has_a_reflog_git_makes_them_all(bare):
    bare("symbolic-ref", "HEAD", "refs/heads/0")
    (bare.path / "logs").mkdir()
    (bare.path / "logs/HEAD").touch()
    updated(bare)
    assert not is_packed(bare)
    assert count(bare) == len(NAMES)
    assert len((bare.path / "logs/HEAD").read_text().splitlines()) == 1


def test_a_directory_that_cannot_be_read_is_not_empty(bare, monkeypatch):
    def walk(_top, onerror):
        onerror(PermissionError())

    monkeypatch.setattr(fresh_refs.os, "walk", walk)
    updated(bare)
    assert not is_packed(bare)
    assert count(bare) == len(NAMES)


def test_a_lock_that_somebody_takes_away_undoes_nothing(bare, monkeypatch):
    def rename(old, new):
        (bare.path / "packed-refs.lock").unlink()
        os.replace(old, new)

    monkeypatch.setattr(fresh_refs.os, "rename", rename)
    assert {outcome.status for outcome in updated(bare)} == {Status.UPDATED}
    assert is_packed(bare)
