"""What ours does in its own way: packs of many, and callers who write all before they read."""

import contextlib
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fastio.objects.kinds import BLOB, SHA1, TREE
from tests.hasher.place import Place
from tests.importer.target import environment


def fill(place: Place, count: int) -> tuple[bytes, list[str]]:
    """Write files of all sizes; returns their names as lines, and their oids."""
    choose = random.Random(1)
    names, oids = [], []
    for number in range(count):
        content = choose.randbytes(choose.choice((0, 3, 41, 4000, 20_000))) + b"%d" % number
        place.write(f"files/{number}", content)
        names.append(f"files/{number}")
        oids.append(SHA1.hash_object(BLOB, content).hex())
    return "".join(f"{name}\n" for name in names).encode(), oids


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_many_become_one_pack(ours: Place, workers: int) -> None:
    text, oids = fill(ours, 500)
    words = ["-w", "--stdin-paths", f"--workers={workers}"]
    assert ours.hash(*words, text=text * 2) == oids * 2
    assert (len(ours.packs()), ours.loose()) == (1, [])
    ours.check()
    listed = ours.git("show-index", text=ours.packs()[0].with_suffix(".idx").read_bytes())
    assert {line.split()[1] for line in listed.splitlines()} == set(oids)
    assert ours.hash(*words, text=text) == oids
    assert (len(ours.packs()), ours.loose()) == (1, [])


def test_few_become_loose(ours: Place) -> None:
    text, oids = fill(ours, 40)
    assert ours.hash("-w", "--stdin-paths", text=text) == oids
    assert (ours.packs(), len(ours.loose())) == ([], 40)
    ours.check()


def test_few_that_are_new_become_loose_as_well(ours: Place) -> None:
    text, oids = fill(ours, 300)
    ours.hash("-w", "--stdin-paths", text=b"".join(text.splitlines(keepends=True)[:290]))
    assert ours.hash("-w", "--stdin-paths", text=text) == oids
    assert (len(ours.packs()), len(ours.loose())) == (1, 10)
    ours.check()


def test_all_loose_if_asked(ours: Place) -> None:
    text, oids = fill(ours, 300)
    assert ours.hash("-w", "--loose", "--stdin-paths", text=text) == oids
    assert (ours.packs(), len(ours.loose())) == ([], 300)
    ours.check()


def test_a_failure_among_many(ours: Place) -> None:
    text, oids = fill(ours, 400)
    lines = text.splitlines(keepends=True)
    done = ours.fails("-w", "--stdin-paths", text=b"".join([*lines[:350], b"no\n", *lines[350:]]))
    assert done.stdout.decode().split() == oids[:350]
    assert len(ours.packs()) == 1
    ours.check()


def test_large_and_converted_ones_among_many(ours: Place) -> None:
    text, oids = fill(ours, 300)
    ours.write("large", bytes(3 << 20))
    ours.write("crlf", b"a\r\n")
    ours.write(".gitattributes", b"crlf text\n")
    lines = text.splitlines(keepends=True)
    lines[30:30] = [b"large\n"]
    lines[200:200] = [b"crlf\n", b"large\n"]
    oids[30:30] = [SHA1.hash_object(BLOB, bytes(3 << 20)).hex()]
    oids[200:200] = [SHA1.hash_object(BLOB, b"a\n").hex(), oids[30]]
    config = ["core.safecrlf=false"]
    assert ours.hash("-w", "--stdin-paths", text=b"".join(lines), config=config) == oids
    assert len(ours.packs()) == 1
    ours.check()


@pytest.mark.parametrize("words", [[], ["-w"]], ids=["", "-w"])
def test_a_caller_may_write_all_before_it_reads(ours: Place, words: list[str]) -> None:
    ours.write("file", b"content")
    count = 20_000  # answers and questions are more than both pipes hold
    with subprocess.Popen(
        [*ours.words, "--stdin-paths", *words], cwd=ours.path,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment({}),
    ) as process:  # fmt: skip
        assert process.stdin
        assert process.stdout
        stop = threading.Timer(60, process.kill)
        stop.start()
        process.stdin.write(b"./././file\n" * count)
        process.stdin.close()
        answers = process.stdout.read().split()
        stop.cancel()
    assert process.returncode == 0
    assert answers == [b"6b584e8ece562ebffc15d38808cd6b98fc3d97ea"] * count


def test_a_caller_who_goes_away(ours: Place) -> None:
    ours.write("file", b"content")
    with subprocess.Popen(
        [*ours.words, "--stdin-paths"], cwd=ours.path, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment({}),
    ) as process:  # fmt: skip
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.write(b"file\n")
        process.stdin.close()
        assert process.stderr.read() == b""
    assert process.returncode == -13


def test_nothing_is_left_where_storing_fails(ours: Place) -> None:
    text, _ = fill(ours, 300)
    packs = ours.git_dir / "objects/pack"
    packs.rmdir()
    packs.write_bytes(b"")
    assert b"objects/pack" in ours.fails("-w", "--stdin-paths", text=text).stderr
    assert not [name for name in os.listdir(ours.git_dir / "objects") if name.startswith("tmp")]


def test_a_file_elsewhere_is_not_left_to_git(ours: Place, tmp_path: Path) -> None:
    """Not even where attribute files on the way to it have to be heeded."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".gitattributes").write_text("*.fe -text\n")
    (elsewhere / "file").write_bytes(b"content")
    log = tmp_path / "log"
    expected = [SHA1.hash_object(BLOB, b"content").hex()]
    assert ours.hash(str(elsewhere / "file"), GIT_TRACE2_EVENT=str(log)) == expected
    assert '"hash-object"' not in log.read_text()


@contextlib.contextmanager
def start(place: Place, *words: str, limit: int = -1) -> Iterator[subprocess.Popen[bytes]]:
    """Start ours; signals do to it what they do by default, and files have a *limit* in bytes."""

    def prepare() -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    with subprocess.Popen(
        [*place.words, *words, "--stdin-paths"], cwd=place.path, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment({}),
        preexec_fn=prepare,
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()  # if it has not ended, nobody is to wait until it does


def open_for_reader(process: subprocess.Popen[bytes], fifo: Path) -> int:
    """Open a fifo to write to it, as soon as a process has opened it to read."""
    while process.poll() is None:
        with contextlib.suppress(OSError):
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
    raise AssertionError("it ended")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_leaves_no_half_of_a_pack(ours: Place, number: signal.Signals) -> None:
    text, _ = fill(ours, 300)
    os.mkfifo(ours.path / "fifo")
    with start(ours, "-w") as process:
        assert process.stdin
        assert process.stderr
        process.stdin.write(text + b"fifo\n")
        process.stdin.flush()
        objects = ours.git_dir / "objects/pack"
        fifo = open_for_reader(process, ours.path / "fifo")
        assert len(list(objects.iterdir())) == 1
        process.send_signal(number)
        assert process.wait(60) == -number
        os.close(fifo)
        assert process.stderr.read() == b""
        assert list(objects.iterdir()) == []


def test_an_interrupt_does_not_wait_for_who_reads_no_answers(ours: Place) -> None:
    ours.write("file", b"content")
    with start(ours) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b"file\n" * 20_000)
        process.stdin.close()
        assert len(process.stdout.read(41)) == 41
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT


@pytest.mark.parametrize("options", [[], ["--loose"]], ids=["", "--loose"])
@pytest.mark.parametrize("threshold", ["100k", "1g"])
def test_a_full_disk(ours: Place, threshold: str, options: list[str]) -> None:
    text, _ = fill(ours, 300)
    names = {"many": text, "large": b"large\n"}
    ours.write("large", random.Random(1).randbytes(2 << 20))
    ours.git("config", "core.bigFileThreshold", threshold)
    for lines in names.values():
        with start(ours, "-w", *options, limit=10_000) as process:
            out, said = process.communicate(lines)
        assert process.returncode == 128
        assert re.fullmatch(rb"fatal: cannot write .*tmp_\w+: File too large\n", said)
        for oid in out.decode().split():
            assert ours.has(oid)
    assert list((ours.git_dir / "objects").rglob("tmp_*")) == []


def test_a_git_that_hands_hash_object_to_us(ours: Place, tmp_path: Path) -> None:
    """We ask git to hash what it converts, and must not be asked that in our turn."""
    wrapper = tmp_path / "git"
    wrapper.write_text(
        "#!/bin/sh\n"
        f'case " $* " in *" hash-object "*) exec {sys.executable} -m fastio "$@" ;; esac\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    wrapper.chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    ours.write(".gitattributes", b"* text\n")
    ours.write("file", b"one\r\n")
    expected = [SHA1.hash_object(BLOB, b"one\n").hex()]
    assert ours.hash("file", **path) == expected
    assert ours.hash("--stdin-paths", text=b"file\n", **path) == expected
    assert ours.hash("--stdin", "--path=file", text=b"one\r\n", **path) == expected
    empty = SHA1.hash_object(TREE, b"").hex()
    assert ours.hash("-t", "tree", "--stdin", **path) == [empty]
