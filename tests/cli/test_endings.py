"""What the program does about signals, whenever they come."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

# The signal comes when Python has looked for signals the last time before it reads: the call that
# is to tell the descriptor, after which nothing of Python's is run, sends it.
READ_WITH_A_SIGNAL_JUST_BEFORE = """
import ctypes, functools, os, signal, sys
from fastio.cli.endings import Interrupted, die_by, raise_when_interrupted

class Stdin:
    __index__ = functools.partial(ctypes.CDLL(None)["raise"], int(sys.argv[1]))

raise_when_interrupted()
try:
    os.read(Stdin(), 1)
except KeyboardInterrupt as error:
    number = error.number if isinstance(error, Interrupted) else signal.SIGINT
    left = signal.getitimer(signal.ITIMER_REAL)
    print("number", number, "timer", *map(int, left), flush=True)
    die_by(number)
print("read")
"""
POLITE = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def read_with(number: int, *, before: str = "") -> tuple[int, str]:
    """Read from a silent pipe when a signal has just come; a minute is enough."""
    script = before + READ_WITH_A_SIGNAL_JUST_BEFORE
    with subprocess.Popen(
        [sys.executable, "-c", script, str(int(number))],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        preexec_fn=listen,
    ) as process:  # fmt: skip
        assert process.stdout
        try:
            return process.wait(60), process.stdout.read()
        finally:
            process.kill()


def listen() -> None:
    """Let signals do what they do by default."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


@pytest.mark.parametrize("number", POLITE)
def test_a_signal_just_before_a_read_ends_it(number: signal.Signals) -> None:
    assert read_with(number) == (-number, f"number {number} timer 0 0\n")


@pytest.mark.parametrize("number", POLITE)
def test_whoever_started_us_with_an_alarm_keeps_it(number: signal.Signals) -> None:
    before = "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.5)\n"
    assert read_with(number, before=before)[0] == -signal.SIGALRM


@pytest.mark.parametrize("number", POLITE)
def test_what_is_ignored_stays_ignored(number: signal.Signals) -> None:
    before = f"import signal\nsignal.signal({int(number)}, signal.SIG_IGN)\n"
    script = before + "from fastio.cli.endings import raise_when_interrupted as r\nr()\n"
    script += f"signal.raise_signal({int(number)})\nprint(signal.getsignal({int(number)}).name)"
    done = subprocess.run(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, "SIG_IGN\n")
