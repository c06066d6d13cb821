"""The options of git's diff that an export goes by: which changes are told, and as what.

Renames (``-M``), copies (``-C``, twice or ``--find-copies-harder`` for copies of unchanged files),
how many pairs are too many (``-l``), files that were rewritten (``-B``), the filter by status
(``--diff-filter``), submodules and the direction (``-R``). git takes them anywhere among the
revisions; where two say the same the last one counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from fastio.errors import ConfigError, OptionError, UsageError
from fastio.store.config import parse_integer
from fastio.words import next_word

FULL_SCORE = 60000  # of two files that are the same
DEFAULT_SCORE = 30000
DEFAULT_MERGE_SCORE = 36000
DEFAULT_LIMIT = 1000
STATUSES = frozenset("ACDMRTUXB")
ALL_OR_NONE = "*"
IGNORED_SUBMODULES = ("all", "none", "dirty", "untracked")

# A score's digits; more than five of a number do not count. Compiled when first used.
_SCORE = r"(?a)(\d{0,5})\d*(\.?)(\d{0,5})\d*(%?)"


class DiffOptions:
    """How an export looks at changes.

    Attributes:
        renames: Whether renames are looked for.
        copies: Whether copies are looked for as well.
        harder: Whether unchanged files may be their sources.
        minimum: The similarity that a rename needs, of `FULL_SCORE`.
        limit: The square root of how many pairs may be compared; below 1, any number.
        break_scores: The dissimilarity from which on a changed file is taken apart, and the part
            of it that must be gone for it to stay so; None: none is.
        rename_empty: Whether empty files may be renamed.
        kept: Letters of `STATUSES`, or `ALL_OR_NONE`: the changes that are told; none for all.
        left_out: Letters of those that are not told.
        ignore_submodules: One of `IGNORED_SUBMODULES`; None: as configured.
        reverse: Whether old and new change places.
    """

    renames: bool = False
    copies: bool = False
    harder: bool = False
    minimum: int = DEFAULT_SCORE
    limit: int = DEFAULT_LIMIT
    break_scores: tuple[int, int] | None = None
    rename_empty: bool = True
    kept: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()
    ignore_submodules: str | None = None
    reverse: bool = False

    @property
    def statuses(self) -> frozenset[str]:
        """What ``--diff-filter`` lets through; nothing in it if that lets all through."""
        return (self.kept or (STATUSES if self.left_out else frozenset())) - self.left_out

    def settle(self) -> None:
        """Let what was told last decide, once all options were taken."""
        if self.harder:
            self.renames = self.copies = True


def take(options: DiffOptions, words: Sequence[str]) -> int:
    """Apply the first of *words* if it is an option of diffs.

    Returns:
        How many words it took, its value's included; 0 if it is none.

    Raises:
        UsageError: Its value is bad or missing.
        OptionError: ``--ignore-submodules`` has a value that does not exist.
    """
    waiting = list(words[1:2])
    apply = _take_long if words[0].startswith("--") else _take_short
    if not apply(options, words[0], waiting):
        return 0
    return 1 + len(words[1:2]) - len(waiting)


def _take_long(options: DiffOptions, word: str, waiting: list[str]) -> bool:
    """Apply a long option; False if it is none of diffs."""
    name, equals, value = word[2:].partition("=")
    if name in _SWITCHES and not equals:
        _SWITCHES[name](options)
    elif name in _OPTIONAL_VALUES:
        _OPTIONAL_VALUES[name](options, value if equals else None)
    elif name == "diff-filter":
        _filter(options, value if equals else next_word(waiting, "option `diff-filter'"))
    else:
        return False
    return True


def _take_short(options: DiffOptions, word: str, waiting: list[str]) -> bool:
    """Apply ``-M``, ``-C`` and ``-B``, whose value is attached, ``-l`` and ``-R``."""
    letter, value = word[:2], word[2:]
    if letter in _SHORT:
        _SHORT[letter](options, value)
    elif letter == "-l":
        options.limit = _limit(value or next_word(waiting, "switch `l'"))
    elif letter == "-R":
        options.reverse = True
        return not value or _take_short(options, f"-{value}", waiting)
    else:
        return False
    return True


# --- the values of options ------------------------------------------------------------------------


def _find_renames(options: DiffOptions, text: str | None) -> None:
    options.minimum = _minimum(text, "find-renames")
    options.renames, options.copies = True, False


def _find_copies(options: DiffOptions, text: str | None) -> None:
    options.minimum = _minimum(text, "find-copies")
    options.harder |= options.copies
    options.renames = options.copies = True


def _break_rewrites(options: DiffOptions, text: str | None) -> None:
    apart, rest = _read_score(text or "")
    stays = 0
    if rest.startswith("/"):
        stays, rest = _read_score(rest[1:])
    if rest:
        raise UsageError("break-rewrites expects <n>/<m> form")
    options.break_scores = apart or DEFAULT_SCORE, stays or DEFAULT_MERGE_SCORE


def _minimum(text: str | None, name: str) -> int:
    score, rest = _read_score(text or "")
    if rest:
        raise UsageError(f"invalid argument to {name}")
    return score or DEFAULT_SCORE


def _read_score(text: str) -> tuple[int, str]:
    """Read a score: digits of a decimal fraction, or a percentage; return what is behind as well.

    What is 1 or more means all, so ``5`` is a half, ``100`` a tenth and ``100%`` all.
    """
    match = re.match(_SCORE, text)
    assert match is not None  # it may be empty
    whole, point, behind, percent = match.groups()
    scale = 10 ** len(behind if point else whole) if not percent else 100
    if percent and point:
        scale = 100 * 10 ** len(behind)
    return min(int(f"0{whole}{behind}") * FULL_SCORE // scale, FULL_SCORE), text[match.end() :]


def _limit(text: str) -> int:
    try:
        return parse_integer("l", text)
    except ConfigError:
        raise UsageError(
            "switch `l' expects an integer value with an optional k/m/g suffix"
        ) from None


def _filter(options: DiffOptions, text: str) -> None:
    """Let letters in, and those in lower case out."""
    for letter in text:
        if letter.upper() not in STATUSES and letter != ALL_OR_NONE:
            raise UsageError(f"unknown change class '{letter}' in --diff-filter={text}")
        if letter.islower():
            options.left_out |= {letter.upper()}
        else:
            options.kept |= {letter}


def _ignore_submodules(options: DiffOptions, text: str | None) -> None:
    if text is None:
        text = "all"
    if text not in IGNORED_SUBMODULES:
        raise OptionError(f"bad --ignore-submodules argument: {text}")
    options.ignore_submodules = text


# --- tables: what each name does ------------------------------------------------------------------


def _setting(attribute: str, value: object) -> Callable[[DiffOptions], None]:
    return lambda options: setattr(options, attribute, value)


def _no_renames(options: DiffOptions) -> None:
    options.renames = options.copies = False


_SWITCHES: dict[str, Callable[[DiffOptions], None]] = {
    "find-copies-harder": _setting("harder", True),
    "no-find-copies-harder": _setting("harder", False),
    "no-renames": _no_renames,
    "rename-empty": _setting("rename_empty", True),
    "no-rename-empty": _setting("rename_empty", False),
}
_OPTIONAL_VALUES: dict[str, Callable[[DiffOptions, str | None], None]] = {
    "find-renames": _find_renames,
    "find-copies": _find_copies,
    "break-rewrites": _break_rewrites,
    "ignore-submodules": _ignore_submodules,
}
_SHORT: dict[str, Callable[[DiffOptions, str], None]] = {
    "-M": _find_renames,
    "-C": _find_copies,
    "-B": _break_rewrites,
}
