"""Words of the command line."""

from __future__ import annotations

from fastio.errors import UsageError


def next_word(waiting: list[str], option: str) -> str:
    """Take the value of an option that has none attached.

    Args:
        waiting: The words behind the option, the next one last.
        option: What to call it in an error.

    Raises:
        UsageError: There is no word left.
    """
    if not waiting:
        raise UsageError(f"{option} requires a value")
    return waiting.pop()
