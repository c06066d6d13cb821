"""The handler that keeps a signal from being forgotten, by itself."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from fastio.cli._reminder import heard, remind


@pytest.fixture
def seen() -> Iterator[list[int]]:
    """Numbers of signals that came, of SIGUSR1, which has a handler."""
    came: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _frame: came.append(number))
    limit = signal.getsignal(signal.SIGALRM), signal.setitimer(signal.ITIMER_REAL, 0)  # a test's
    yield came
    heard()
    signal.signal(signal.SIGUSR1, before)
    signal.signal(signal.SIGALRM, limit[0])
    signal.setitimer(signal.ITIMER_REAL, *limit[1])


def is_reminding() -> bool:
    return signal.getitimer(signal.ITIMER_REAL) != (0.0, 0.0)


def test_reminds_until_it_was_heard(seen: list[int]) -> None:
    remind(signal.SIGUSR1)
    assert not is_reminding()
    signal.raise_signal(signal.SIGUSR1)
    assert (seen, is_reminding()) == ([signal.SIGUSR1], True)
    heard()
    assert not is_reminding()


def test_reminding_twice_is_reminding_once(seen: list[int]) -> None:
    remind(signal.SIGUSR1)
    remind(signal.SIGUSR1)
    signal.raise_signal(signal.SIGUSR1)
    assert seen == [signal.SIGUSR1]


def test_another_handler_ends_it(seen: list[int]) -> None:
    remind(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, lambda _number, _frame: None)
    signal.raise_signal(signal.SIGUSR1)
    assert (seen, is_reminding()) == ([], False)


def test_hearing_leaves_a_timer_of_somebody_else(seen: list[int]) -> None:
    remind(signal.SIGUSR1)
    signal.setitimer(signal.ITIMER_REAL, 1000)
    try:
        signal.raise_signal(signal.SIGUSR1)
        heard()
        assert is_reminding()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@pytest.mark.parametrize("number", [-1, 0, 65, 1000])
def test_there_is_no_such_signal(number: int) -> None:
    with pytest.raises(ValueError, match="there is no signal"):
        remind(number)


@pytest.mark.parametrize("handler", [signal.SIG_DFL, signal.SIG_IGN])
def test_nobody_handles_it(seen: list[int], handler: signal.Handlers) -> None:
    signal.signal(signal.SIGUSR1, handler)
    with pytest.raises(ValueError, match="nobody handles"):
        remind(signal.SIGUSR1)
