"""Python's collector, in a process that is ours alone.

Nearly nothing here is part of a cycle: the collector's rounds cost some percent of the work, and of
a start, where nothing that is imported goes away again, more. Whoever runs a command within a
process of their own, as tests do, keeps their settings: what is frozen is never collected.
"""

import gc

_is_ours = False


def own() -> None:
    """Say that this process is ours: the collector shall come seldom."""
    global _is_ours
    _is_ours = True
    gc.set_threshold(100_000, 50, 50)


def freeze() -> None:
    """Have the collector pass over all that is there now, such as the modules."""
    if _is_ours:
        gc.freeze()
