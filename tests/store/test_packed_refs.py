import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastio.objects.kinds import Oid
from fastio.store import packed_refs, ref_transactions, reflogs
from fastio.store.packed_refs import PackedRefs, read_packed
from fastio.store.ref_changes import Cause, Status
from fastio.store.ref_space import RefSpace
from fastio.store.refs import BranchUpdate, RefUpdater
from fastio.store.repository import Repository
from tests.store.work import Work

NAMES = [b"refs/heads/%s%d" % (b"topic/" * (number % 3), number) for number in range(505)]
NOW = "1700000000 +0100"


@pytest.fixture
def bare(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_AUTHOR_DATE", NOW)  # `Work.commit` makes the same one each time
    monkeypatch.setenv("GIT_COMMITTER_DATE", NOW)
    return Work(tmp_path / "bare", "sha1", "--bare")


def as_oid(text):
    return Oid(bytes.fromhex(text)) if text else None


def updated(path, changes, **environment):
    """Move refs, by force; returns the outcomes."""
    repository = Repository.discover(str(path), os.environ | environment)
    updater = RefUpdater(repository, is_known_commit=lambda oid: True)
    updates = [BranchUpdate(name, as_oid(new), delete=True) for name, new in changes.items()]
    try:
        return updater.update_branches(updates, force=True)
    finally:
        updater.close()


def made(work, names=NAMES, **environment):
    """Make *names* of one commit; returns the outcomes."""
    return updated(work.path, dict.fromkeys(names, work.commit()), **environment)


def packed(work):
    """Names of the refs that are packed; nothing temporary is left."""
    assert not [name for name in os.listdir(work.path) if "lock" in name or "tmp" in name]
    path = work.path / "packed-refs"
    content = path.read_bytes() if path.exists() else b""
    return set(read_packed(content, 2 * work.format.oid_size))


def count(work):
    return len(work("for-each-ref").splitlines())


def files_below(directory):
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None
        for path in Path(directory).rglob("*")
    }


def test_new_refs_are_what_git_would_have_packed(bare, monkeypatch):
    assert {outcome.status for outcome in made(bare)} == {Status.UPDATED}
    assert packed(bare) == set(NAMES)
    assert count(bare) == len(NAMES)
    ours = (bare.path / "packed-refs").read_bytes()
    mode = (bare.path / "packed-refs").stat().st_mode
    (bare.path / "packed-refs").unlink()
    monkeypatch.setattr(PackedRefs, "move", lambda *_: set())
    made(bare)
    assert not packed(bare)
    bare("pack-refs", "--all")
    assert (bare.path / "packed-refs").read_bytes() == ours
    assert (bare.path / "packed-refs").stat().st_mode == mode


def test_what_has_no_room_among_new_refs_is_refused(bare):
    names = [*NAMES, b"refs/heads/topic"]
    assert [each.name for each in made(bare, names) if each.is_failure] == names[-1:]
    assert packed(bare) == set(NAMES)


def test_few_refs_are_files(bare):
    made(bare, NAMES[: packed_refs.FEWEST - 1])
    assert not packed(bare)
    assert count(bare) == packed_refs.FEWEST - 1


POOL = [b"refs/" + name for name in (b"heads/a", b"heads/d/b", b"tags/t", b"notes/n", b"x/y/z")]
PLACES = st.sampled_from(["nowhere", "packed", "file", "both"])
MOVES = st.sampled_from(["stays", "moves", "goes"])


@settings(max_examples=15, deadline=None)
@given(
    st.tuples(*[st.tuples(PLACES, MOVES)] * len(POOL)),
    st.sampled_from(["true", "always", "false"]),
    st.booleans(),
)
def test_refs_and_reflogs_are_what_git_makes_of_them(fates, setting, had_logs):
    with tempfile.TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", NOW)
        work = Work(Path(directory, "ours"), "sha1", "--bare")
        work("config", "core.logAllRefUpdates", "always" if had_logs else "false")
        first, second, third = (work.commit(text=text) for text in ("1", "2", "3"))
        by_place = dict(zip(POOL, (place for place, _ in fates), strict=True))
        for places, tip in ((("packed", "both"), first), (("file", "both"), second)):
            names = [name.decode() for name, place in by_place.items() if place in places]
            work("update-ref", "--stdin", text="".join(f"update {name} {tip}\n" for name in names))
            if tip == first:
                work("pack-refs", "--all")
        work("config", "core.logAllRefUpdates", setting)
        moves = {
            name: None if fate == "goes" else third
            for name, (_, fate) in zip(POOL, fates, strict=True)
            if fate != "stays"
        }
        shutil.copytree(work.path, Path(directory, "git"))
        patch.setattr(packed_refs, "FEWEST", 1)
        patch.setattr(ref_transactions, "MAX_PATTERNS", 1)  # all refs are known
        ours = updated(work.path, moves)
        assert packed(work) >= {
            name for name in moves if moves[name] and by_place[name] in ("nowhere", "packed")
        }
        patch.setattr(PackedRefs, "move", lambda *_: set())
        assert updated(Path(directory, "git"), moves) == ours
        git = Work.__new__(Work)
        git.path, git.format = Path(directory, "git"), work.format
        assert work("for-each-ref") == git("for-each-ref")
        assert files_below(work.path / "logs") == files_below(git.path / "logs")


def test_what_others_stand_for_stays_known(bare):
    bare("tag", "-a", "-m", "x", "v1", bare.commit())
    bare("pack-refs", "--all")
    before = bare("show-ref", "-d")
    made(bare)
    assert packed(bare) == {*NAMES, b"refs/tags/v1"}
    assert set(before.splitlines()) < set(bare("show-ref", "-d").splitlines())


@pytest.mark.parametrize("setting", ["core.hooksPath=other", "hook.x.command=true"])
def test_where_hooks_may_want_to_hear_of_them_git_makes_them_all(bare, setting):
    bare("config", *setting.split("="))
    made(bare)
    assert not packed(bare)
    assert count(bare) == len(NAMES)


def test_the_transaction_hook_hears_of_all(bare):
    hook = bare.path / "hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\n[ "$1" = committed ] && cat >> heard\n:\n')
    hook.chmod(0o755)
    made(bare)
    assert len((bare.path / "heard").read_text().splitlines()) == len(NAMES)


def test_what_takes_the_room_of_a_ref_that_git_has_to_delete_is_left_to_git_as_well(bare):
    bare("symbolic-ref", "HEAD", "refs/heads/0")
    bare("update-ref", "refs/heads/0", bare.commit())
    bare("pack-refs", "--all")
    changes = {NAMES[0]: None, **dict.fromkeys([b"refs/heads/0/a", *NAMES[1:]], bare.commit())}
    assert {outcome.is_failure for outcome in updated(bare.path, changes)} == {False}
    assert not packed(bare)
    assert count(bare) == len(NAMES)


@pytest.mark.parametrize("name", [b"HEAD", b"refs/worktree/x", b"refs/bisect/x"])
def test_refs_of_one_work_tree_are_never_packed(bare, name):
    made(bare, [*NAMES, name])
    assert name not in packed(bare)
    assert bare("rev-parse", name.decode()) == bare.commit()


def test_what_may_be_no_commit_is_left_to_git(bare):
    tip, blob = bare.commit(), bare("hash-object", "-w", "--stdin", text="x")
    updates = [BranchUpdate(name, as_oid(tip)) for name in NAMES]
    updates.append(BranchUpdate(b"refs/heads/blob", as_oid(blob)))
    updater = RefUpdater(
        Repository.discover(str(bare.path)), is_known_commit=lambda oid: oid.hex() == tip
    )
    outcomes = updater.update_branches(updates)
    updater.close()
    assert [each.name for each in outcomes if each.is_failure] == [b"refs/heads/blob"]
    assert packed(bare) == set(NAMES)


@pytest.mark.parametrize("lock", ["refs/heads/0.lock", "refs/heads/topic/topic/2.lock"])
def test_a_ref_that_somebody_has_locked_is_refused(bare, lock):
    for name in NAMES:
        (bare.path / os.fsdecode(name)).parent.mkdir(parents=True, exist_ok=True)
    (bare.path / lock).touch()
    [refused] = [outcome for outcome in made(bare) if outcome.is_failure]
    assert (os.fsdecode(refused.name) + ".lock", refused.cause) == (lock, Cause.LOCKED)
    assert packed(bare) == {*NAMES} - {refused.name}


def test_where_a_directory_is_about_to_become_a_ref_git_decides(bare):
    (bare.path / "refs/heads/topic.lock").touch()
    assert {outcome.status for outcome in made(bare)} == {Status.UPDATED}
    assert not packed(bare)


def test_while_packed_refs_are_locked_refs_are_files(bare):
    (bare.path / "packed-refs.lock").touch()
    assert {outcome.status for outcome in made(bare)} == {Status.UPDATED}
    (bare.path / "packed-refs.lock").unlink()
    assert not packed(bare)
    assert count(bare) == len(NAMES)


def moved(work, known=()):
    tip = as_oid(work.commit())
    moves = [(name, None, tip) for name in NAMES]
    return PackedRefs(Repository.discover(str(work.path))).move(moves, RefSpace((*known, *NAMES)))


def test_nothing_moves_beside_packed_refs_that_nobody_knew(bare):
    bare("update-ref", "refs/heads/0/below", bare.commit())
    bare("pack-refs", "--all")
    before = (bare.path / "packed-refs").read_bytes()
    assert moved(bare) == set()
    assert (bare.path / "packed-refs").read_bytes() == before


def test_a_ref_that_changed_meanwhile_does_not_move(bare):
    bare("update-ref", "refs/heads/0", bare.commit(text="other"))
    bare("pack-refs", "--all")
    assert moved(bare) == {*NAMES} - {b"refs/heads/0"}


def test_few_refs_among_very_many_are_files(bare, monkeypatch):
    bare("update-ref", "refs/heads/a", bare.commit())
    bare("pack-refs", "--all")
    monkeypatch.setattr(packed_refs, "_MOST_BYTES_EACH", 0)
    made(bare)
    assert packed(bare) == {b"refs/heads/a"}


OID = b"0123456789" * 4


@pytest.mark.parametrize(
    "content",
    [
        OID + b" refs/heads/a\n",
        b"# pack-refs with: peeled sorted \n",
        b"# pack-refs with: peeled fully-peeled sorted \n" + OID + b" refs/heads/a",
        b"# pack-refs with: peeled fully-peeled sorted \n" + OID[1:] + b" refs/heads/a\n",
    ],
)
def test_packed_refs_that_are_written_otherwise_are_left_alone(content):
    assert read_packed(content, 40) is None


@pytest.mark.parametrize("made_by_other", ["refs/heads/0", "refs/heads/topic"])
def test_a_ref_that_is_made_meanwhile_stays(bare, made_by_other, monkeypatch):
    bare("config", "core.logAllRefUpdates", "true")
    bare("update-ref", "refs/tags/x", bare.commit())
    bare("pack-refs", "--all")
    rename, other = os.rename, bare.commit(text="other")

    def rename_late(old, new):
        rename(old, new)
        (bare.path / made_by_other).write_text(other + "\n")  # git had looked before

    monkeypatch.setattr(packed_refs.os, "rename", rename_late)
    refused = [outcome.name for outcome in made(bare) if outcome.is_failure]
    lost = [name for name in NAMES if f"{name.decode()}/".startswith(made_by_other + "/")]
    assert refused == lost != []
    assert packed(bare) == {b"refs/tags/x"}
    assert bare("rev-parse", made_by_other) == other
    logs = files_below(bare.path / "logs/refs/heads")
    assert all(log is None or log.count(b"\n") == 1 for log in logs.values())


def test_durable_and_shared_as_configured(bare, monkeypatch):
    bare("config", "core.sharedRepository", "group")
    bare("config", "core.fsync", "reference")
    bare("config", "core.logAllRefUpdates", "true")
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    before = os.umask(0o077)
    try:
        made(bare)
    finally:
        os.umask(before)
    assert packed(bare)
    assert len(synced) == 1
    for name in ("packed-refs", "logs/refs/heads/0"):
        assert (bare.path / name).stat().st_mode & 0o777 == 0o660
    assert (bare.path / "logs/refs/heads/topic").stat().st_mode & 0o777 == 0o770


def test_the_branch_of_a_head_is_left_to_git(bare):
    bare("symbolic-ref", "HEAD", "refs/heads/0")
    (bare.path / "logs").mkdir()
    (bare.path / "logs/HEAD").touch()
    made(bare)
    assert packed(bare) == {*NAMES} - {b"refs/heads/0"}
    assert len((bare.path / "logs/HEAD").read_text().splitlines()) == 1


def test_a_reflog_that_cannot_be_written_leaves_all_to_git(bare, monkeypatch):
    bare("config", "core.logAllRefUpdates", "true")
    monkeypatch.setattr(reflogs, "write_all", lambda _fd, _line: os.open("/", os.O_WRONLY))
    assert {outcome.status for outcome in made(bare)} == {Status.UPDATED}
    assert not packed(bare)
    assert (bare.path / "logs/refs/heads/0").read_bytes().count(b"\n") == 1


def test_a_directory_that_cannot_be_read_leaves_all_to_git(bare, monkeypatch):
    listdir = os.listdir

    def refuse(path):
        if path.endswith(b"refs/heads"):
            raise PermissionError
        return listdir(path)

    monkeypatch.setattr(packed_refs.os, "listdir", refuse)
    made(bare)
    monkeypatch.undo()
    assert not packed(bare)
    assert count(bare) == len(NAMES)


def test_a_lock_that_somebody_takes_away_undoes_nothing(bare, monkeypatch):
    def rename(old, new):
        (bare.path / "packed-refs.lock").unlink()
        os.replace(old, new)

    monkeypatch.setattr(packed_refs.os, "rename", rename)
    assert {outcome.status for outcome in made(bare)} == {Status.UPDATED}
    assert packed(bare) == set(NAMES)
