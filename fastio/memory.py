"""How much memory all processes together may use."""

from __future__ import annotations

import os

MIB = 1 << 20
MINIMUM = 32 * MIB


def usable_memory(wanted: int | None, *, limit: int) -> int:
    """Return a number of bytes.

    Args:
        wanted: What ``--memory`` says, of which `MINIMUM` is the least; None for a quarter of the
            machine's memory.
        limit: The most that is used without being told so.
    """
    if wanted is None:
        wanted = min(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4, limit)
    return max(MINIMUM, wanted)
