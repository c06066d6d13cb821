"""``fastio fast-export``: an export that is called as git calls its own, by tools mostly.

A progress bar is nothing that a tool expects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastio.cli import export

if TYPE_CHECKING:
    from collections.abc import Sequence


def run(words: Sequence[str]) -> int:
    """Run the subcommand; returns the exit status."""
    return export.run(words, bar=False)
