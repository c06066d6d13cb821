"""How the program meets its descriptors, speaks to its user, and ends."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from types import FrameType

from fastio.cli._reminder import heard, remind
from fastio.errors import FastioError
from fastio.stream.excerpt import visible_lines

# Asked to end so, a program may tidy up first.
POLITE = (signal.SIGTERM, signal.SIGHUP)


def open_standard_files() -> None:
    """Point those of descriptors 0, 1 and 2 that are closed at /dev/null.

    Otherwise the next file that is opened, a pack perhaps, gets such a number, and what is meant
    for the user goes there.
    """
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free: this one
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115 - open till the end
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


def say(text: str) -> None:
    """Write to stderr, nothing invisible; that nobody can read it is no reason to end."""
    with contextlib.suppress(OSError):
        os.write(2, visible_lines(os.fsencode(text)).encode())


def tell(text: str) -> None:
    """Write to stdout what was asked for, now: when Python ends, nobody is told if that fails.

    Raises:
        FastioError: It cannot be written.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        die_by(signal.SIGPIPE)
    except OSError as error:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - what is left is not tried again
        raise FastioError(f"write failure on standard output: {error.strerror}") from None


def say_waiting() -> None:
    """Tell a user who has given no stream that it is expected from the keyboard."""
    if os.isatty(0):
        say("(reading the stream from the terminal; Ctrl-D ends it)\n")


def occupy(descriptor: int) -> None:
    """Let no file of ours get the number of a closed descriptor that replies are to go to.

    Writing to what stands there fails, as it does with a closed descriptor.
    """
    try:
        os.fstat(descriptor)
    except OSError:
        null = os.open(os.devnull, os.O_RDONLY)
        if null != descriptor:
            with contextlib.suppress(OSError):  # no file can have that number
                os.dup2(null, descriptor, inheritable=False)
            os.close(null)


class Interrupted(KeyboardInterrupt):
    """One of the polite signals came."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def raise_when_interrupted() -> None:
    """Let polite signals raise `Interrupted`, as SIGINT raises its own; a second one kills.

    One that is ignored, as by nohup(1), stays ignored.
    """

    def interrupt(number: int, _frame: FrameType | None) -> None:
        for one in handled:
            signal.signal(one, signal.SIG_DFL)
        heard()
        raise Interrupted(number)

    handled = [one for one in POLITE if signal.getsignal(one) is signal.SIG_DFL]
    for one in handled:
        signal.signal(one, interrupt)
        remind(one)
    hear_keyboard()


def hear_keyboard() -> None:
    """Let no SIGINT be missed that comes when something is about to be waited for."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        heard()
        signal.default_int_handler(number, frame)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
        remind(signal.SIGINT)


def die_by(number: int) -> None:
    """End as a C program does that does not handle the signal."""
    signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})  # whoever started us may have blocked it
    os.kill(os.getpid(), number)
