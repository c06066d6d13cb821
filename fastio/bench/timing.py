"""How long something takes: the median of as many runs as it needs to be sure."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MIN_RUNS, MAX_RUNS = 3, 100
ENOUGH = 0.004  # seconds for one figure: there are some hundred in a study


def cpu_seconds(
    run: Callable[[], object], *, clock: Callable[[], float] = time.thread_time
) -> float:
    """Return the CPU seconds that *run* takes, the median of several runs.

    CPU of this thread and not wall time, so that what else the machine does counts little.

    Args:
        run: Is called three times at least, and then until enough time was spent.
        clock: Tells seconds.
    """
    times: list[float] = []
    while len(times) < MIN_RUNS or (sum(times) < ENOUGH and len(times) < MAX_RUNS):
        start = clock()
        run()
        times.append(clock() - start)
    return statistics.median(times)
