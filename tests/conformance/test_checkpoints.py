"""progress, checkpoint, done and signals: items 214 to 226."""

import array
import fcntl
import signal
import subprocess
import termios
from pathlib import Path

import pytest

from tests.conformance.side import Side
from tests.importer.streams import blob, commit, inline
from tests.importer.target import blob_oid, wait_until

ZERO = b"0" * 40
ONE = commit(1, inline(b"file", b"one"))
TWO = commit(2, inline(b"file", b"two"))
THREE = commit(3, inline(b"file", b"three"))
UNRELATED = commit(9, message=b"unrelated")


def tell(process: subprocess.Popen[bytes], stream: bytes) -> None:
    process.stdin.write(stream)
    process.stdin.flush()


def ask(process: subprocess.Popen[bytes], stream: bytes) -> bytes:
    """Write, and read a line of answer, with stdin left open."""
    tell(process, stream)
    return process.stdout.readline()


def subjects(side: Side, ref: str = "main") -> list[str]:
    return side.git("log", "--reverse", "--format=%s", ref).splitlines()


def test_progress_lines_are_echoed_as_they_are_and_in_order(side: Side) -> None:
    lines = [b"progress one\n", b"progress  two \r\n", b"progress \n", b"progress \xff\x01\n"]
    stream = lines[0] + ONE + lines[1] + b"\n" + b"get-mark :1\n" + lines[2] + lines[3]
    done = side.feed(stream)
    oid = side.git("rev-parse", "main").encode() + b"\n"
    assert done.stdout == lines[0] + lines[1] + oid + lines[2] + lines[3]
    assert (done.returncode, done.stderr) == (0, b"")


def test_after_a_checkpoint_all_is_on_disk_while_the_import_goes_on(side: Side) -> None:
    with side.running("--export-marks=marks") as process:
        tag = b"tag t\nfrom :1\ndata 0\n"
        assert ask(process, ONE + tag + b"checkpoint\nprogress stored\n") == b"progress stored\n"
        assert list(side.refs()) == ["refs/heads/main", "refs/tags/t"]
        assert side.git("show", "main:file") == "one"
        oid = side.git("rev-parse", "main")
        assert (side.path / "marks").read_text() == f":1 {oid}\n"
        assert process.poll() is None
        process.stdin.close()
        assert process.wait() == 0


@pytest.mark.parametrize(
    ("stream", "ref"),
    [(b"reset refs/heads/new\nfrom refs/heads/disk^0\n\ncheckpoint\n", "refs/heads/new"),
     (b"checkpoint\ncheckpoint\n", None)],
    ids=["a ref alone", "nothing at all"],
)  # fmt: skip
def test_a_checkpoint_needs_no_new_object(side: Side, stream: bytes, ref: str | None) -> None:
    assert side.feed(commit(1, ref=b"refs/heads/disk"), "--export-marks=old").returncode == 0
    words = ("--import-marks=old", "--export-marks=new")
    assert side.feed(stream + b"bad\n", *words).returncode == 128
    expected = ["refs/heads/disk"] + ([ref] if ref else [])
    assert (list(side.refs()), len(side.packs())) == (expected, 1)
    assert (side.path / "new").read_bytes() == (side.path / "old").read_bytes()


def test_each_checkpoint_ends_a_pack(side: Side) -> None:
    assert side.feed(ONE + b"checkpoint\n" + TWO + b"checkpoint\n" + THREE).returncode == 0
    assert (len(side.packs()), side.files(), side.fsck()) == (3, [], "")
    assert len(subjects(side)) == 3


def test_what_became_loose_objects_at_a_checkpoint_is_still_known(side: Side) -> None:
    side.git("config", "fastimport.unpackLimit", "100")
    with side.running() as process:
        oid = ask(process, blob(7, b"seven") + ONE + b"checkpoint\n\nget-mark :1\n").strip()
        assert (side.packs(), side.git("cat-file", "-t", oid.decode())) == ([], "commit")
        assert ask(process, b"cat-blob :7\n").endswith(b" blob 5\n")
        assert process.stdout.readline() == b"seven\n"
        seven = blob_oid(b"seven").encode()
        more = commit(4, b"M 100644 %b other" % seven, start=oid) + b"progress x\n"
        assert ask(process, more) == b"progress x\n"
        process.stdin.close()
        assert process.wait() == 0
    assert side.git("ls-tree", "--name-only", "main").split() == ["file", "other"]
    assert (side.packs(), side.fsck()) == ([], "")


def waits_for_input(process: subprocess.Popen[bytes]) -> bool:
    """Whether a process has read all that was written, and sleeps."""
    unread = array.array("i", [0])
    fcntl.ioctl(process.stdin.fileno(), termios.FIONREAD, unread)
    status = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2]
    return unread[0] == 0 and status.split()[0] == "S"


@pytest.mark.parametrize("byte", [b"\n", b"#"])
def test_a_checkpoint_waits_for_the_byte_behind_it(side: Side, byte: bytes) -> None:
    with side.running() as process:
        assert ask(process, ONE + b"progress x\n") == b"progress x\n"
        tell(process, b"checkpoint\n")
        wait_until(lambda: waits_for_input(process), "for the process to wait")
        assert side.refs() == {}
        tell(process, byte)
        wait_until(side.refs, "for the checkpoint")
        process.stdin.close()
        assert process.wait() == 0


def test_sigusr1_asks_for_a_checkpoint_behind_the_next_command(side: Side) -> None:
    with side.running() as process:
        assert ask(process, ONE + b"progress x\n") == b"progress x\n"
        wait_until(lambda: waits_for_input(process), "for the process to wait")
        process.send_signal(signal.SIGUSR1)
        tell(process, TWO + b"progress y\n")
        wait_until(side.refs, "for the checkpoint")
        tell(process, THREE)
        process.stdin.close()
        assert (process.wait(), process.stdout.read(), process.stderr.read()) == (
            0, b"progress y\n", b"",
        )  # fmt: skip
    assert (len(subjects(side)), side.fsck()) == (3, "")
    assert side.git("show", "main:file") == "three"


def test_a_refused_branch_is_told_of_at_each_checkpoint(side: Side) -> None:
    assert side.feed(ONE).returncode == 0
    before = side.refs()
    done = side.feed(UNRELATED + b"checkpoint\ncheckpoint\n")
    lines = done.stderr.splitlines()
    assert (done.returncode, side.refs()) == (1, before)
    assert len([line for line in lines if line.startswith(b"warning: ")]) == 3


@pytest.mark.parametrize(("words", "feature"), [(["--done"], b""), ([], b"feature done\n")])
def test_a_required_done_that_is_missing(side: Side, words: list[str], feature: bytes) -> None:
    done = side.feed(feature + ONE, "--export-marks=marks", *words)
    assert (done.returncode, done.stderr[:7], side.refs()) == (128, b"fatal: ", {})
    mark, oid = (side.path / "marks").read_text().split()
    assert (mark, side.git("cat-file", "-t", oid)) == (":1", "commit")


@pytest.mark.parametrize("feature", [b"feature done\n", b""])
@pytest.mark.parametrize("rest", [b"", b"bad\n", b"commit", TWO])
def test_done_ends_it_whatever_follows(side: Side, feature: bytes, rest: bytes) -> None:
    done = side.feed(feature + ONE + b"done\n" + rest)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(subjects(side)) == 1


def test_sigterm_ends_it_with_no_ref_changed(side: Side) -> None:
    """git leaves the temporary pack and keep files behind, and says nothing."""
    with side.running("--export-marks=marks") as process:
        stream = commit(5, ref=b"refs/heads/early") + b"checkpoint\n" + ONE + b"progress x\n"
        assert ask(process, stream) == b"progress x\n"
        process.terminate()
        assert process.wait() == -signal.SIGTERM
    assert list(side.refs()) == ["refs/heads/early"]
    assert side.is_git or side.files() == []
    assert len((side.path / "marks").read_bytes().splitlines()) == 1
    assert not list(side.git_dir.glob("fast_import_crash_*"))


@pytest.mark.parametrize("line", [b"progress x\n", b"get-mark :1\n"])
def test_a_reader_that_is_gone_means_death_by_sigpipe(side: Side, line: bytes) -> None:
    with side.running("--export-marks=marks") as process:
        process.stdout.close()
        tell(process, ONE + line)
        process.stdin.close()
        assert (process.wait(), process.stderr.read()) == (-signal.SIGPIPE, b"")
    assert (side.refs(), (side.path / "marks").exists()) == ({}, False)
    # git leaves its temporary pack
    assert [name[:9] for name in side.files()] == ["tmp_pack_"] * side.is_git
    assert not list(side.git_dir.glob("fast_import_crash_*"))
