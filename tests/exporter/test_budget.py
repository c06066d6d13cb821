"""Memory is divided so that all shares together are no more than there is."""

from __future__ import annotations

import pytest

from fastio.exporter.budget import LEAST_SHARE, Budget
from fastio.memory import MIB


@pytest.mark.parametrize("memory", [32, 48, 64, 512, 4096])
@pytest.mark.parametrize("workers", [0, 1, 2, 7, 64, 1024])
def test_shares_are_no_more_than_the_memory(memory: int, workers: int) -> None:
    budget = Budget(memory * MIB, workers)
    each = budget.trees + budget.slow + budget.worker_cache
    coordinator = budget.arena + budget.text + budget.ahead + budget.coordinator_cache
    assert coordinator + budget.workers * each <= budget.memory
    assert each >= LEAST_SHARE or budget.workers == 1
    assert budget.segment * budget.segments * budget.workers <= budget.arena


def test_where_memory_is_scarce_there_are_fewer_workers() -> None:
    assert Budget(32 * MIB, 7).workers == 3
    assert Budget(64 * MIB, 7).workers == 7
    assert Budget(32 * MIB, 0).workers == 0
