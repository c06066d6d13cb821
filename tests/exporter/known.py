"""Where we differ from git on purpose, each with its reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.exporter.differential import Export

Applies = Callable[[list[str], "Export", "Export"], bool]


def _not_without(words: list[str], git: Export, ours: Export) -> bool:
    """Tell whether there is a ``^rev^-`` behind ``--not``, and ours lacks a record at most."""
    behind = words[words.index("--not") :] if "--not" in words else []
    return any(re.match(r"\^.*\^-\d*$", word) for word in behind) and ours.stdout in git.stdout


KNOWN: tuple[tuple[str, Applies], ...] = (
    ("git takes '^rev^-' behind '--not' for a ref that is exported", _not_without),
    ("git crashes", lambda _words, git, _ours: git.status < 0 and git.status != -13),
)


def known_difference(words: list[str], git: Export, ours: Export) -> str | None:
    """Return the reason for a difference, None if there is none in the table."""
    return next((reason for reason, applies in KNOWN if applies(words, git, ours)), None)
