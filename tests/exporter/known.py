"""Where we differ from git on purpose, each with its reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.exporter.differential import Export

Applies = Callable[[list[str], "Export", "Export"], bool]


def _same_lines(git: Export, ours: Export) -> bool:
    return sorted(git.stdout.splitlines()) == sorted(ours.stdout.splitlines())


KNOWN: tuple[tuple[str, Applies], ...] = (
    (
        "a tag of the wrong type is noticed behind 'feature done'",
        lambda _words, git, ours: (
            (git.status, git.stdout) == (128, b"")
            and (ours.status, ours.stdout) == (128, b"feature done\n")
        ),
    ),
    (
        "how far git read before it does not walk",
        lambda words, git, ours: (
            any(word.startswith("--no-walk") for word in words)
            and any("^" in word or ".." in word for word in words)
            and git.status == ours.status
        ),
    ),
    (
        "a root without changes, which --sparse keeps, is nothing to --simplify-merges",
        lambda words, git, ours: (
            {"--sparse", "--simplify-merges"} <= set(words) and git.status == ours.status
        ),
    ),
    (
        "backwards no order of changes makes sense",
        lambda words, git, ours: "-R" in words and _same_lines(git, ours),
    ),
    ("git crashes", lambda _words, git, _ours: git.status < 0 and git.status != -13),
)


def known_difference(words: list[str], git: Export, ours: Export) -> str | None:
    """Return the reason for a difference, None if there is none in the table."""
    return next((reason for reason, applies in KNOWN if applies(words, git, ours)), None)
