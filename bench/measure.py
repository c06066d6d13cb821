"""Runs a command and tells what it cost: wall time, CPU time and memory of all its processes.

Memory is the sum of PSS (proportional set size) over the command and all its descendants, read
from /proc every tenth of a second; the peak of that sum is reported. PSS divides each shared page
among the processes that map it, so shared memory counts once, however many workers see it. What
lives for less than a tenth of a second can be missed. Where there is no /proc the figure is 0.

Whoever reads it holds up the processes that have much mapped and keep all cores busy: an export
by 4 to 10 %, git by nothing. So a run whose memory is watched is none to take the time of.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

SAMPLE_SECONDS = 0.1
KILLED = -9


@dataclass(frozen=True)
class Cost:
    """What one run of a command took."""

    status: int
    wall: float
    user: float
    system: float
    peak_memory: int
    """Bytes of PSS, all processes together; 0 where nobody watched."""
    most_processes: int
    stderr: str

    @property
    def cpu(self) -> float:
        """Seconds of CPU time of the command and every descendant that was waited for."""
        return self.user + self.system

    def as_dict(self) -> dict[str, object]:
        """Return the figures under their names, for a JSON file."""
        return asdict(self) | {"cpu": self.cpu}

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Cost:
        """Take up what `as_dict` gave."""
        return cls(**{name: value for name, value in saved.items() if name != "cpu"})


def children_by_parent() -> dict[int, list[int]]:
    """Return the process ids of all processes, by the id of their parent."""
    children: dict[int, list[int]] = defaultdict(list)
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                stat = Path("/proc", name, "stat").read_bytes()
            except OSError:  # it has just ended
                continue
            # The second field, the command's name, may hold blanks and brackets.
            children[int(stat.rpartition(b")")[2].split()[1])].append(int(name))
    return children


def proportional_size(pid: int) -> int:
    """Return a process's PSS in bytes, 0 when it has ended."""
    try:
        rollup = Path("/proc", str(pid), "smaps_rollup").read_bytes()
    except OSError:
        return 0
    for line in rollup.splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    return 0


class MemoryWatch(threading.Thread):
    """Looks at a process and its descendants until told to stop."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid, self.peak, self.most_processes = pid, 0, 0
        self.over = threading.Event()

    def run(self) -> None:
        """Take samples; does nothing where there is no /proc."""
        while Path("/proc/self/smaps_rollup").exists():
            self._sample()
            if self.over.wait(SAMPLE_SECONDS):
                return

    def _sample(self) -> None:
        children = children_by_parent()
        family, waiting = list[int](), [self.pid]
        while waiting:
            family.append(waiting.pop())
            waiting += children[family[-1]]
        self.peak = max(self.peak, sum(map(proportional_size, family)))
        self.most_processes = max(self.most_processes, len(family))


def run(
    command: list[str],
    *,
    stdin: IO[bytes] | int = subprocess.DEVNULL,
    watch_memory: bool = False,
    time_limit: float | None = None,
) -> Cost:
    """Run *command* to its end and return what it cost; its stdout is thrown away.

    Past *time_limit* seconds it is killed, and its status is KILLED.
    """
    collected: list[bytes] = []
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    watch = MemoryWatch(process.pid)
    if watch_memory:
        watch.start()
    assert process.stderr is not None
    reader = threading.Thread(target=read_all, args=(process.stderr, collected.append))
    reader.start()
    killer = threading.Timer(time_limit or threading.TIMEOUT_MAX, process.kill)
    killer.daemon = True
    killer.start()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    killer.cancel()
    watch.over.set()
    reader.join()
    return Cost(
        status=process.returncode,
        wall=wall,
        user=usage.ru_utime,
        system=usage.ru_stime,
        peak_memory=watch.peak,
        most_processes=watch.most_processes,
        stderr=b"".join(collected).decode(errors="replace"),
    )


def read_all(source: IO[bytes], keep: Callable[[bytes], None]) -> None:
    """Hand everything that comes from *source* to *keep*, then close it."""
    with source:
        for piece in source:
            keep(piece)
