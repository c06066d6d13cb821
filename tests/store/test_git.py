import errno
import os
import signal

import pytest

from fastio.errors import RepositoryError
from fastio.store.git import Git


@pytest.fixture
def git(sha1_work):
    return Git(directory=bytes(sha1_work.path))


def test_status_and_both_outputs(git):
    done = git.run("rev-parse", "--verify", "nope", capture_stderr=True)
    assert done.status == 128
    assert done.stdout == b""
    assert b"fatal" in done.stderr


def test_much_in_and_much_out_at_once(git):
    questions = b"".join(b"%040d\n" % number for number in range(50_000))
    done = git.run("cat-file", "--batch-check", text=questions)
    assert done.stdout == questions.replace(b"\n", b" missing\n")


def test_standard_input_is_not_ours(git):
    assert git.run("hash-object", "--stdin").stdout.startswith(b"e69de29")


@pytest.mark.parametrize("action", [signal.SIG_DFL, signal.SIG_IGN])
def test_a_git_that_stops_reading_does_not_kill_us(git, action):
    before = signal.signal(signal.SIGPIPE, action)
    try:
        done = git.run("rev-parse", "HEAD^{", text=b"x" * (1 << 20), capture_stderr=True)
    finally:
        signal.signal(signal.SIGPIPE, before)
    assert done.status == 128


def test_a_conversation(git):
    before = len(os.listdir("/proc/self/fd"))
    with git.start("cat-file", "--batch-check") as process:
        for word in (b"one", b"two"):
            process.send(word + b"\n")
            assert process.read_line() == word + b" missing"
    assert process.close() == 0
    assert len(os.listdir("/proc/self/fd")) == before


def test_the_end_instead_of_a_line(git):
    with git.start("rev-parse", "--git-dir") as process:
        assert process.read_line() == b".git"
        assert process.read_line() is None


def test_a_killed_git_has_the_status_of_a_shell(git):
    process = git.start("cat-file", "--batch-check")
    os.kill(process._pid, signal.SIGKILL)
    assert process.close() == 128 + signal.SIGKILL


def test_another_program(git):
    done = git.run_program(["sh", "-c", "cat; echo no >&2; exit 3"], text=b"yes")
    assert (done.status, done.stdout, done.stderr) == (3, b"yes", b"no\n")
    with pytest.raises(RepositoryError, match="cannot run '/no/such/program'"):
        git.run_program(["/no/such/program"])


def test_more_variables(git):
    other = git.with_environment(GIT_INDEX_FILE="/x")
    assert other.run("rev-parse", "--git-path", "index").stdout == b"/x\n"
    assert git.run("rev-parse", "--git-path", "index").stdout == b".git/index\n"


def test_a_program_ends_when_we_are_interrupted(git, tmp_path):
    def interrupt(number, frame):
        raise KeyboardInterrupt

    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):  # nobody ever writes there
            git.run_program(["cat", os.fspath(fifo)])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    with pytest.raises(OSError, match=os.strerror(errno.ENXIO)):  # nobody wants to read it either
        os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)


def test_no_descriptor_is_left_for_a_program(git, monkeypatch):
    opened = []

    def pipe():
        if len(opened) == 2:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        opened.append(real())
        return opened[-1]

    real = os.pipe
    monkeypatch.setattr(os, "pipe", pipe)
    with pytest.raises(RepositoryError, match=f"cannot run 'git': {os.strerror(errno.EMFILE)}"):
        git.run("version", capture_stderr=True)
    for descriptor in (end for ends in opened for end in ends):
        with pytest.raises(OSError, match=os.strerror(errno.EBADF)):
            os.close(descriptor)
