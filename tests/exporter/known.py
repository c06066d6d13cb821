"""Where we differ from git on purpose, each with its reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.exporter.differential import Export

Applies = Callable[[list[str], "Export", "Export"], bool]


KNOWN: tuple[tuple[str, Applies], ...] = (
    ("git crashes", lambda _words, git, _ours: git.status < 0 and git.status != -13),
)


def known_difference(words: list[str], git: Export, ours: Export) -> str | None:
    """Return the reason for a difference, None if there is none in the table."""
    return next((reason for reason, applies in KNOWN if applies(words, git, ours)), None)
