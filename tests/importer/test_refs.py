"""What an import does to refs, and what its exit status says of it."""

import pytest

from fastio.store import refs
from tests.importer import streams
from tests.importer.target import Target

MAIN = streams.commit(1, streams.inline(b"file", b"one"))
OTHER = streams.commit(2, streams.inline(b"file", b"two"), ref=b"refs/heads/other")
ZERO = b"0" * 40


def test_no_fast_forward_is_refused(target: Target) -> None:
    assert target.run(MAIN).returncode == 0
    before = target.refs()["refs/heads/main"]
    done = target.run(streams.commit(1, message=b"unrelated") + OTHER)
    assert done.returncode == 1
    assert done.stderr.startswith(b"warning: ")
    assert before.encode() in done.stderr
    assert target.refs()["refs/heads/main"] == before
    assert "refs/heads/other" in target.refs()


@pytest.mark.parametrize(("words", "feature"), [(["--force"], b""), ([], b"feature force\n")])
def test_force_moves_it(target: Target, words: list[str], feature: bytes) -> None:
    assert target.run(MAIN).returncode == 0
    before = target.refs()
    assert target.run(feature + streams.commit(1, message=b"new"), *words).returncode == 0
    assert target.refs() != before
    assert target.git("log", "--format=%s", "main") == "new"


def test_git_is_not_asked_about_our_own_commits_between_checkpoints(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(refs, "peel_to_commits", lambda _git, oids: fail() if oids else {})
    monkeypatch.setattr(refs, "find_descents", lambda _git, pairs: fail() if pairs else set())
    stream = b"".join(streams.commit(mark) + b"checkpoint\n\n" for mark in (1, 2, 3))
    assert target.here(stream)[0] == 0
    assert target.git("rev-list", "--count", "main") == "3"


@pytest.mark.parametrize("start", [b"reset refs/heads/main\n", b""])
def test_a_checkpoint_refuses_what_loses_commits_of_the_one_before(
    target: Target, start: bytes
) -> None:
    again = streams.commit(3, message=b"again", start=None if start else b":2")
    done = target.run(OTHER + MAIN + b"checkpoint\n\n" + start + again)
    assert done.returncode == 1
    assert b"warning: not updating refs/heads/main" in done.stderr
    assert target.git("log", "--format=%s", "main") == "message"


def test_refs_of_a_checkpoint_are_counted(target: Target) -> None:
    done = target.fastio("import", stream=MAIN + OTHER + b"checkpoint\n\n")
    assert b"refs updated:               2\n" in done.stderr


def test_incremental_import(target: Target) -> None:
    assert target.run(MAIN).returncode == 0
    more = streams.commit(1, b"C file copy", start=b"refs/heads/main^0")
    assert target.run(more).returncode == 0
    assert target.git("rev-list", "--count", "main") == "2"
    assert target.git("ls-tree", "--name-only", "main").split() == ["copy", "file"]
    assert (len(target.packs()), target.fsck()) == (2, "")


def test_reset_and_deletion(target: Target) -> None:
    stream = MAIN + b"reset refs/heads/copy\nfrom :1\n\nreset refs/tags/light\nfrom :1\n\n"
    assert target.run(stream).returncode == 0
    assert len(set(target.refs().values())) == 1
    assert target.run(b"reset refs/heads/copy\nfrom %b\n\n" % ZERO).returncode == 0
    assert sorted(target.refs()) == ["refs/heads/main", "refs/tags/light"]
    assert target.run(b"reset refs/heads/main\n\n").returncode == 0
    assert sorted(target.refs()) == ["refs/heads/main", "refs/tags/light"]


def test_annotated_tags_of_any_object(target: Target) -> None:
    who = b"tagger %b\n" % streams.WHO
    stream = MAIN + streams.blob(3, b"a tagged blob")
    for name, what, mark in ((b"c", b":1", b"4"), (b"b", b":3", b"5"), (b"t", b":4", b"6")):
        stream += b"tag %b\nmark :%b\nfrom %b\n%bdata 4\ntext\n" % (name, mark, what, who)
    assert target.run(stream).returncode == 0
    kinds = [target.git("cat-file", "-p", f"refs/tags/{name}").split()[3] for name in "cbt"]
    assert kinds == ["commit", "blob", "tag"]
    assert target.fsck() == ""


def test_tag_given_twice_is_refused(target: Target) -> None:
    tag = b"tag t\nfrom :1\ndata 0\n"
    done = target.run(MAIN + tag + tag, "--export-marks=marks")
    assert done.returncode == 1
    assert list(target.refs()) == ["refs/heads/main"]
    assert (target.path / "marks").exists()


def test_locked_ref_does_not_stop_the_others(target: Target) -> None:
    (target.git_dir / "refs/heads/main.lock").touch()
    done = target.run(MAIN + OTHER)
    assert (done.returncode, done.stderr.startswith(b"error: ")) == (1, True)
    assert list(target.refs()) == ["refs/heads/other"]


def test_names_that_exclude_each_other(target: Target) -> None:
    stream = MAIN + b"reset refs/heads/x\nfrom :1\n\nreset refs/heads/x/y\nfrom :1\n\n"
    done = target.run(stream)
    assert done.returncode == 1
    assert len(target.refs()) == 2


def test_symbolic_ref_is_followed(target: Target) -> None:
    assert target.run(MAIN.replace(b"refs/heads/main", b"HEAD")).returncode == 0
    assert list(target.refs()) == ["refs/heads/main"]


def test_reflog_names_the_command(tmp_path_factory: pytest.TempPathFactory) -> None:
    target = Target(tmp_path_factory.mktemp("work") / "tree")
    assert target.run(MAIN).returncode == 0
    assert target.git("reflog", "main").endswith("fast-import")
    assert target.git("status", "--porcelain") == "D  file"  # neither index nor tree are touched


def test_notes_fan_out_and_come_together(target: Target) -> None:
    commits = b"".join(
        streams.commit(mark, message=b"%d" % mark, start=b":%d" % (mark - 1) if mark > 1 else None)
        for mark in range(1, 301)
    )
    notes = [streams.inline(b"x", b"note %d" % mark).replace(b"M 100644 inline x",
             b"N inline :%d" % mark) for mark in range(1, 301)]  # fmt: skip
    stream = commits + streams.commit(900, *notes, ref=b"refs/notes/commits")
    removal = [b"N %b :%d" % (ZERO, mark) for mark in range(1, 60)]
    few = streams.commit(901, *removal, ref=b"refs/notes/fewer", start=b":900")
    assert target.run(stream + few).returncode == 0
    assert len(target.git("notes", "list").splitlines()) == 300
    assert target.git("notes", "show", "main") == "note 300"
    paths = [target.git("ls-tree", "-r", "--name-only", f"refs/notes/{name}").split()
             for name in ("commits", "fewer")]  # fmt: skip
    assert {len(path) for path in paths[0]} == {41}
    assert {len(path) for path in paths[1]} == {40}
    assert len(paths[1]) == 241
