"""Groups that other processes deal with."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from fastio.errors import ObjectError, WorkerError
from fastio.hasher.batches import NO_STORING, PACKED, BatchWorker, Group, Outcome
from fastio.hasher.deflated import Deflated
from fastio.hasher.processes import Processes
from fastio.objects.kinds import BLOB, SHA1, Oid


class Worker(BatchWorker):
    """Does whatever the first path says, in place of reading it."""

    def __init__(self) -> None:
        super().__init__(SHA1, None)
        self.claim, self.decide = claim, decide

    def steps(self, group: Group, first: int = 0) -> Iterator[Outcome]:
        """Answer with what was asked for, and who answers."""
        for path in group.paths[first:]:
            match path:
                case b"fail":
                    raise ObjectError("as asked for")
                case b"die":
                    os.kill(os.getpid(), signal.SIGKILL)
                case b"claim":
                    claimed = self.claim([Oid(b"1" * 20), Oid(b"2" * 20)], -1)
                    assert self.out is not None
                    self.out[:2] = bytes(claimed)
                    yield Outcome(b"", 0, [Deflated([Oid(b"1" * 20)], b"sizes", self.out[:2])])
                case b"doubt":
                    self.decide(group, 0)
                    yield Outcome(bytes(group.rules), 0, [])
                case b"open":
                    yield Outcome(b"", len(os.listdir("/dev/fd")), [])
                case _:
                    yield Outcome(b"%d " % os.getpid(), 1, [])


def group(*paths: bytes, turn: int = 0) -> Group:
    return Group([], list(paths), bytearray(len(paths)), PACKED, turn)


def claim(oids: list[Oid], turn: int) -> list[int]:
    assert len(oids) == 2
    return [turn, turn + 1]


def decide(group: Group, first: int) -> None:
    group.rules[first:] = bytes([turned + 1 for turned in group.rules[first:]])


@pytest.fixture
def processes() -> Processes:
    return Processes(2, Worker())


def test_another_process_does_it(processes: Processes) -> None:
    for _ in range(3):
        outcome = processes.run(group(b"a", b"b"))
        assert outcome.count == 2
        first, second = map(int, outcome.oids.split())
        assert first == second != os.getpid()
    processes.close()


def test_who_knows_the_turn_claims(processes: Processes) -> None:
    outcome = processes.run(group(b"claim", b"claim", turn=7))
    assert outcome.packed == [Deflated([Oid(b"1" * 20)], b"sizes", bytes([7, 8]))] * 2
    processes.close()


def test_who_knows_of_conversions_decides(processes: Processes) -> None:
    doubtful = group(b"doubt")
    assert processes.run(doubtful).oids == bytes([1])
    assert doubtful.rules == bytes([1])  # whoever ordered it hears of that as well
    processes.close()


def test_errors_come_out_and_it_goes_on(processes: Processes) -> None:
    for _ in range(3):
        with pytest.raises(ObjectError, match="as asked for"):
            processes.run(group(b"a", b"fail"))
    assert processes.run(group(b"a")).count == 1
    processes.close()


def test_the_end_of_a_process_is_an_error(processes: Processes) -> None:
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    with pytest.raises(WorkerError, match="has ended"):
        processes.run(group(b"die"))
    with pytest.raises(WorkerError, match="has ended"):
        processes.run(group(b"a"))  # the same one, which was the last to be idle
    processes.close()
    signal.signal(signal.SIGPIPE, before)
    assert signal.SIGPIPE not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_what_others_wait_for_is_not_kept_open(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with (tmp_path / "pack").open("wb"):
        processes = Processes(2, Worker())
    os.close(writing)
    assert os.read(reading, 1) == b""
    os.close(reading)
    # Its two pipes, the three standard ones, and the list.
    assert processes.run(group(b"open")).count == 6
    processes.close()


def test_fewer_than_wished_for_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    real, left = os.fork, [1]

    def fork() -> int:
        left[0] -= 1
        if left[0] < 0:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return real()

    monkeypatch.setattr(os, "fork", fork)
    processes = Processes(3, Worker())
    assert processes.count == 1
    processes.close()
    with pytest.raises(WorkerError, match="--workers=0"):
        Processes(1, Worker())


def test_files_are_hashed_there(tmp_path: Path) -> None:
    paths = [tmp_path / str(number) for number in range(3)]
    for path in paths:
        path.write_bytes(path.name.encode())
    processes = Processes(1, BatchWorker(SHA1, None))
    wanted = Group([], [bytes(path) for path in paths], bytearray(3), NO_STORING, 0)
    expected = b"".join(SHA1.hash_object(BLOB, path.name.encode()) for path in paths)
    assert processes.run(wanted) == Outcome(expected, 3, [])
    processes.close()
