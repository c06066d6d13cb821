"""Frontends that ask and wait: every answer comes while stdin is still open."""

import signal
import subprocess

import pytest

from tests.importer import streams
from tests.importer.target import Target, blob_oid, wait_until

SMALL = streams.blob(1, b"one") + streams.commit(2, b"M 100644 :1 dir/file")
OPEN = b"commit refs/heads/main\ncommitter %b\ndata 0\nfrom :2\n" % streams.WHO
ONE = blob_oid(b"one").encode()


def ask(process: subprocess.Popen[bytes], stream: bytes, lines: int = 1) -> bytes:
    """Write, and read that many lines of answer, with stdin left open."""
    process.stdin.write(stream)
    process.stdin.flush()
    return b"".join(process.stdout.readline() for _ in range(lines))


def test_questions_between_commits(target: Target) -> None:
    with target.running() as process:
        assert ask(process, streams.blob(1, b"one") + b"get-mark :1\n") == ONE + b"\n"
        assert ask(process, b"cat-blob :1\n", 2) == ONE + b" blob 3\none\n"
        assert ask(process, b"cat-blob %b\n" % ONE, 2) == ONE + b" blob 3\none\n"
        commit = ask(process, streams.commit(2, b"M 100644 :1 dir/file") + b"get-mark :2\n")
        assert ask(process, b"ls :2 dir/file\n") == b"100644 blob %b\tdir/file\n" % ONE
        assert ask(process, b"ls %b nowhere\n" % commit.strip()) == b"missing nowhere\n"
        assert ask(process, b"progress so far\n") == b"progress so far\n"
        assert target.refs() == {}
        process.stdin.close()
        assert process.wait() == 0
    assert target.refs() == {"refs/heads/main": commit.decode().strip()}


def test_questions_inside_a_commit(target: Target) -> None:
    with target.running() as process:
        answer = ask(process, SMALL + OPEN + b'ls "dir/file"\n')
        assert answer == b"100644 blob %b\tdir/file\n" % ONE
        tree = ask(process, b'ls "dir"\n').split()[2]
        assert ask(process, b'M 040000 %b copy\nls "copy/file"\n' % tree).startswith(b"100644")
        assert ask(process, b"cat-blob :1\n", 2) == ONE + b" blob 3\none\n"
        assert ask(process, b'D dir/file\nls "dir"\n') == b"missing dir\n"
        inline = b"M 100644 inline new\ncat-blob :1\n"
        assert ask(process, inline, 2) == ONE + b" blob 3\none\n"
        assert ask(process, b'data 1\nx\nls ""\n').startswith(b"040000 tree ")
        process.stdin.close()
        assert process.wait() == 0
    assert target.git("ls-tree", "-r", "--name-only", "main").split() == ["copy/file", "new"]


@pytest.mark.parametrize("workers", [0, 2])
def test_answer_to_a_question_about_what_workers_do(target: Target, workers: int) -> None:
    history = streams.history(files=20, size=100_000, commits=20)
    with target.running(f"--workers={workers}", "--memory=32m") as process:
        process.stdin.write(history + streams.blob(900, b"x" * 70_000))
        answer = ask(process, b"cat-blob :900\n", 2)
        assert answer.endswith(b" blob 70000\n" + b"x" * 70_000 + b"\n")
        assert ask(process, b"get-mark :1\n")
        process.stdin.close()
        assert process.wait() == 0


def test_checkpoint_is_done_when_the_progress_comes(target: Target) -> None:
    with target.running("--export-marks=marks") as process:
        tag = b"tag t\nfrom :2\ntagger %b\ndata 0\n" % streams.WHO
        ask(process, SMALL + tag + b"checkpoint\nprogress stored\n")
        assert list(target.refs()) == ["refs/heads/main", "refs/tags/t"]
        assert len((target.path / "marks").read_text().splitlines()) == 2
        assert [name for name in target.files() if name.endswith(".keep")] != []
        oid = target.refs()["refs/heads/main"].encode()
        ask(process, OPEN.replace(b":2", oid) + b"D dir/file\n\nprogress next\n")
        process.stdin.close()
        assert process.wait() == 0
    assert target.git("rev-list", "--count", "main") == "2"
    assert (len(target.packs()), target.files(), target.fsck()) == (2, [], "")


def test_checkpoint_whose_pack_became_loose_objects(target: Target) -> None:
    target.git("config", "fastimport.unpackLimit", "100")
    with target.running() as process:
        ask(process, SMALL + b"checkpoint\nprogress stored\n")
        assert (target.packs(), target.has("main:dir/file")) == ([], True)
        assert ask(process, b"cat-blob :1\n", 2) == ONE + b" blob 3\none\n"
        ask(process, OPEN + b"C dir/file other\n\nprogress next\n")
        process.stdin.close()
        assert process.wait() == 0
    assert target.git("ls-tree", "-r", "--name-only", "main").split() == ["dir/file", "other"]


def test_sigusr1_is_a_checkpoint_behind_the_next_command(target: Target) -> None:
    with target.running() as process:
        ask(process, SMALL + b"progress one\n")
        assert target.refs() == {}
        process.send_signal(signal.SIGUSR1)
        process.stdin.write(b"reset refs/heads/other\nfrom :2\n\nprogress x\n")
        process.stdin.flush()
        wait_until(lambda: "refs/heads/main" in target.refs(), "for the checkpoint")
        process.stdin.close()
        assert process.wait() == 0
    assert sorted(target.refs()) == ["refs/heads/main", "refs/heads/other"]


def test_replies_on_a_descriptor_of_their_own(target: Target) -> None:
    with target.running("--cat-blob-fd=2") as process:
        output, replies = process.communicate(SMALL + b"get-mark :1\nprogress text\n")
    assert (output, replies) == (b"progress text\n", ONE + b"\n")


def test_done_ends_the_import(target: Target) -> None:
    with target.running("--done") as process:
        assert ask(process, SMALL + b"progress x\n") == b"progress x\n"
        process.stdin.write(b"done\nwhatever comes behind it\n")
        process.stdin.flush()
        assert process.wait() == 0
    assert list(target.refs()) == ["refs/heads/main"]
