"""Pages of memory that one process has for itself."""

from __future__ import annotations

import contextlib
import mmap

__all__ = ["own_pages"]


def own_pages(size: int) -> mmap.mmap:
    """Map memory, all zeros, in huge pages where the system has some to give.

    Pages of 4 KiB are faulted in and looked up five hundred times as often: an export of git.git
    without data takes 5 to 8 percent longer with them.

    Args:
        size: How many bytes; none of them takes memory before it is written to.

    Raises:
        OSError: There is not so much to be had.
    """
    pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError):  # a kernel without them
            pages.madvise(mmap.MADV_HUGEPAGE)
    return pages
