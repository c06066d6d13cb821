"""Long dialogues: each answer is awaited before the next byte is sent, and packs stay the same."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from fastio.importer.importer import Importer
from fastio.importer.options import ImportOptions
from fastio.importer.source import Source
from fastio.store.repository import Repository
from tests.importer import streams
from tests.importer.target import Target, blob_oid, settled, wait_until, workers_of

FILES = 12
ROUNDS = 40
BURST = streams.history(files=20, size=60_000, commits=12, seed=5)


def begin(mark: int) -> bytes:
    return b"commit refs/heads/talk\nmark :%d\ncommitter %b\ndata 1\nx" % (mark, streams.WHO)


class Frontend:
    """Edits files as svn-fe does: it knows nothing of them but what it is told."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._to, self._from = process.stdin, process.stdout
        self._told = b""

    def tell(self, text: bytes) -> None:
        self._told += text

    def ask(self, question: bytes) -> bytes:
        self._to.write(self._told + question)
        self._to.flush()
        self._told = b""
        return self._from.readline()

    def read(self, dataref: bytes) -> bytes:
        *_, size = self.ask(b"cat-blob %b\n" % dataref).split()
        return self._from.read(int(size) + 1)[:-1]

    def converse(self, rounds: int) -> dict[bytes, bytes]:
        """Start some files, then change one at a time; returns the files as they should be."""
        rng = Random(9)
        files = {b"dir%d/file%d" % (n % 3, n): streams.text(rng, 3000) for n in range(FILES)}
        self.tell(begin(1001) + b"\n")
        for path, content in files.items():
            self.tell(streams.inline(path, content) + b"\n")
        for number in range(rounds):
            self.tell(begin(1002 + number) + b"\n")
            for path in rng.sample(sorted(files), 3):
                mode, kind, oid = self.ask(b'ls "%b"\n' % path).split(b"\t")[0].split()
                assert (mode, kind, oid) == (b"100644", b"blob", blob_oid(files[path]).encode())
                assert self.read(oid) == files[path]
                files[path] = streams.edit(rng, files[path])
                self.tell(streams.inline(path, files[path]) + b"\n")
            if number % 5 == 0:
                assert self.ask(b'ls "dir1"\n').startswith(b"040000 tree ")
            if number % 7 == 0:
                self.tell(streams.blob(7, b"%d" % number * 500))
                assert self.read(b":7") == b"%d" % number * 500
            if number == rounds // 2:
                self.tell(BURST)
                assert len(self.ask(b"get-mark :1\n")) == 41
        assert self.ask(b"progress over\n") == b"progress over\n"
        return files


@pytest.mark.git
def test_pack_is_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    digests, started = set(), []
    for workers in range(4):
        target = Target(tmp_path / str(workers), "--bare")
        target.git("config", "fastimport.unpackLimit", "0")
        with target.running(f"--workers={workers}", "--memory=32m") as process:
            files = Frontend(process).converse(ROUNDS)
            started.append(len(workers_of(process.pid)))
            process.stdin.close()
            assert process.wait() == 0, process.stderr.read()
        digests.add(target.digest())
    assert started == [0, 1, 2, 3]
    assert len(digests) == 1
    assert target.fsck() == ""
    for path, content in files.items():
        assert target.git("rev-parse", f"talk:{path.decode()}") == blob_oid(content)


class Cut(Source):
    """A stream that arrives in pieces of all sizes."""

    def __init__(self, stream: bytes, rng: Random) -> None:
        self._rest, self._rng = memoryview(stream), rng
        self.position, self.size, self._mapped = 0, None, None

    def read_into(self, buffer: memoryview) -> int:
        count = min(int(200_000 ** self._rng.uniform(0, 1)), len(self._rest), len(buffer))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        self.position += count
        return count

    def is_ready(self) -> bool:
        return True


def questions() -> Iterator[bytes]:
    """A history with a question of every kind after each few commits."""
    yield BURST
    rng, content = Random(11), b""
    for number in range(60):
        content = streams.edit(rng, content or streams.text(rng, 9000))
        yield streams.blob(2000, content) + b"cat-blob :2000\n"
        yield streams.commit(2001 + number, b"M 100644 :2000 one", streams.inline(b"two", content))
        yield b"get-mark :%d\nls :%d two\n" % (2001 + number, 2001 + number)


def test_questions_of_a_mapped_file_are_answered(
    target: Target, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nobody waits for the answers, but they are the same."""
    stream, answers = b"".join(questions()), []
    assert target.here(stream, "--quiet", workers=0)[0] == 0
    answers.append(capfd.readouterr().out)
    with settled(tmp_path / "stream", stream).open("rb") as file:
        source = Source(file.fileno(), least_mapped=1)
        assert Target(tmp_path / "other").here_from(source, "--quiet", workers=2)[0] == 0
    answers.append(capfd.readouterr().out)
    assert source.is_mapped
    assert answers[0] == answers[1] != ""


def test_pack_is_the_same_however_the_stream_is_cut(tmp_path: Path) -> None:
    stream, digests = b"".join(questions()), set()
    for seed, workers in enumerate((0, 2, 2)):
        target = Target(tmp_path / str(seed), "--bare")
        target.git("config", "fastimport.unpackLimit", "0")
        options = ImportOptions()
        options.workers, options.memory = workers, 32 << 20
        importer = Importer(Repository.discover(target.path), options, ["--quiet"])
        assert importer.run(Cut(stream, Random(seed))) == 0
        digests.add(target.digest())
    assert len(digests) == 1


# --- who does the work ----------------------------------------------------------------------------


def test_questions_behind_a_little_need_no_worker(target: Target) -> None:
    rng = Random(12)
    pieces = (
        streams.blob(number, rng.randbytes(30_000)) + b"get-mark :%d\n" % number
        for number in range(1, 100)
    )
    status, importer = target.here(b"".join(pieces), "--quiet", workers=2)
    assert (status, importer.encoder.sent, importer.encoder.started) == (0, 0, False)
    assert importer.queue.entries.stored == 99


def test_burst_between_questions_goes_to_workers(tmp_path: Path) -> None:
    questions = (streams.blob(5000, b"?") + b"get-mark :5000\n") * 50
    bursts = [streams.history(files=40, size=60_000, commits=2, seed=seed) for seed in (1, 2, 3)]
    sent = []
    for count in (1, 2, 3):
        target = Target(tmp_path / str(count), "--bare")
        stream = b"".join(burst + questions for burst in bursts[:count])
        status, importer = target.here(stream, "--quiet", workers=2)
        assert status == 0
        sent.append(importer.encoder.sent)
    first, *others = sent[0], sent[1] - sent[0], sent[2] - sent[1]
    assert first >= 2  # one MiB was done here before workers were started
    assert min(others) >= 4  # 2.4 MB in batches of 128 KiB, 256, 384, ...


# --- delta bases --------------------------------------------------------------------------------


def versions(count: int) -> list[bytes]:
    rng = Random(14)
    found = [streams.text(rng, 5000)]
    while len(found) < count:
        found.append(streams.edit(rng, found[-1]))
    return found


def test_question_about_another_blob_leaves_those_held_back_their_paths(target: Target) -> None:
    one, two = versions(2)
    stream = streams.blob(1, one) + streams.commit(2, b"M 100644 :1 file")
    stream += streams.blob(3, b"nothing alike" * 9) + streams.blob(4, two)
    stream += b"cat-blob %b\nls :2 file\n" % blob_oid(one).encode()
    stream += streams.commit(5, b"M 100644 :4 file")
    status, importer = target.here(stream, "--quiet")
    assert (status, importer.queue.entries.deltas) == (0, 1)


def test_blob_held_back_is_found_by_its_oid(target: Target) -> None:
    empty, other = blob_oid(b"").encode(), blob_oid(b"other").encode()
    with target.running() as process:
        frontend = Frontend(process)
        frontend.tell(streams.blob(1, b"other") + streams.blob(2, b""))
        assert frontend.read(empty) == b""
        assert frontend.read(other) == b"other"
        assert frontend.ask(b"cat-blob %b\n" % blob_oid(b"never").encode()).endswith(b" missing\n")
        process.stdin.close()
        assert process.wait() == 0


def test_blobs_asked_about_before_their_path_is_known_are_deltas_all_the_same(
    target: Target,
) -> None:
    pieces = (
        streams.blob(mark, content) + b"get-mark :%d\n" % mark
        for mark, content in enumerate(versions(10), 1)
    )
    status, importer = target.here(b"".join(pieces), "--quiet")
    assert (status, importer.queue.entries.deltas) == (0, 9)


# --- frontends that behave oddly ------------------------------------------------------------------


def test_question_in_single_bytes(target: Target) -> None:
    with target.running() as process:
        for byte in streams.blob(1, b"one") + b"cat-blob :1\n":
            os.write(process.stdin.fileno(), bytes([byte]))
        assert process.stdout.readline() == blob_oid(b"one").encode() + b" blob 3\n"
        process.stdin.close()
        assert process.wait() == 0


def test_signal_between_questions(target: Target) -> None:
    with target.running() as process:
        frontend = Frontend(process)
        frontend.tell(streams.blob(1, b"one") + streams.commit(2, b"M 100644 :1 file"))
        assert frontend.ask(b"get-mark :2\n")
        for _ in range(3):
            process.send_signal(signal.SIGUSR1)
            assert frontend.read(b":1") == b"one"
        wait_until(lambda: "refs/heads/main" in target.refs(), "for the checkpoint")
        assert frontend.read(b":1") == b"one"
        process.stdin.close()
        assert process.wait() == 0


def test_answers_that_nobody_reads_yet_hold_nothing_up_for_ever(target: Target) -> None:
    content = Random(13).randbytes(50_000)
    with target.running() as process:
        asked = streams.blob(1, content) + b"cat-blob :1\n" * 20  # far more than a pipe holds
        process.stdin.write(asked)
        process.stdin.flush()
        head = b"%b blob 50000\n" % blob_oid(content).encode()
        for _ in range(20):
            assert process.stdout.readline() == head
            assert process.stdout.read(50_001) == content + b"\n"
        process.stdin.close()
        assert process.wait() == 0
