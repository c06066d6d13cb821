"""What an export can be told: our own options and git's, taken out of the command line.

This is the first of two passes. What it does not know it leaves, in order, to git's revision
parser: revisions, paths, options of ``rev-list`` and of diffs. As in git, the first ``--`` ends the
pass and is gone; ``--end-of-options`` ends it and stays.

Source: git-fast-export(1); the corners are those of ``git fast-export`` 2.55 when it is run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

from fastio.errors import ConfigError, FastioError, UsageError
from fastio.numerals import parse_size, parse_workers
from fastio.store.config import parse_boolean, parse_integer
from fastio.words import next_word

T = TypeVar("T")

SIGNATURE_MODES = {
    "verbatim": "verbatim",
    "ignore": "verbatim",
    "warn-verbatim": "warn-verbatim",
    "warn": "warn-verbatim",
    "strip": "strip",
    "warn-strip": "warn-strip",
    "abort": "abort",
}
FILTERED_MODES = ("abort", "drop", "rewrite")
_SHORTEST_TYPO = 3  # "-no" may be "-n o" and "-da" anything


class ExportOptions:
    """All options of one export, with git's defaults.

    Attributes:
        progress: Objects between two ``progress`` commands of the stream; 0 for none.
        signed_tags: What to do with signed tags: a value of `SIGNATURE_MODES`.
        signed_commits: The same for commits.
        tag_of_filtered_object: One of `FILTERED_MODES`.
        reencode: ``yes``, ``no`` or ``abort``.
        refspecs: As they were written; `fastio.exporter.refspecs` reads them.
        anonymize_map: What stands for what; None when ``--anonymize-map`` was not given.
        workers: Worker processes; None means one a core, 0 none at all.
        memory: Bytes that all processes together may use; None for the default.
        verify: Whether to recompute the oid of each object that is read.
        output: File to write to; None for stdout.
        no_progress: No progress bar, also on a terminal.
        help: Only the usage was asked for; nothing behind that was read.
    """

    progress: int = 0
    signed_tags: str = "abort"
    signed_commits: str = "strip"
    tag_of_filtered_object: str = "abort"
    reencode: str = "abort"
    export_marks: str | None = None
    import_marks: str | None = None
    import_marks_if_exists: str | None = None
    fake_missing_tagger: bool = False
    full_tree: bool = False
    use_done_feature: bool = False
    no_data: bool = False
    anonymize: bool = False
    anonymize_map: dict[bytes, bytes] | None = None
    reference_excluded_parents: bool = False
    show_original_ids: bool = False
    mark_tags: bool = False
    workers: int | None = None
    memory: int | None = None
    verify: bool = False
    output: str | None = None
    no_progress: bool = False
    help: bool = False

    def __init__(self) -> None:
        self.refspecs: list[str] = []

    def check(self) -> None:
        """Refuse what makes no sense together, once git has taken the rest of the words.

        Raises:
            FastioError: ``--anonymize-map`` came without ``--anonymize``.
        """
        if self.anonymize_map is not None and not self.anonymize:
            raise FastioError("the option '--anonymize-map' requires '--anonymize'")


def parse_options(words: Sequence[str]) -> tuple[ExportOptions, list[str]]:
    """Take all options of an export out of a command line.

    Args:
        words: The command line behind the command.

    Returns:
        The options, and the words that are left for git.

    Raises:
        UsageError: No word at all, which only the usage text answers (its own text is empty); an
            option's value is bad or missing.
    """
    # The one word is put there by `fastio.cli.main` when we are called as git is.
    if list(words) in ([], ["--no-progress"]):
        raise UsageError("")
    options = ExportOptions()
    left: list[str] = []
    waiting = list(reversed(words))
    while waiting:
        word = waiting.pop()
        if word == "--":
            break
        if word == "--end-of-options":
            left.append(word)
            break
        if word.startswith("--"):
            if not _take_long(options, word[2:], waiting):
                left.append(word)
        elif word.startswith("-o"):
            options.output = word[2:] or next_word(waiting, "switch `o'")
        elif word.startswith("-h"):
            options.help = True
        else:
            _check_dashes(word)
            left.append(word)
        if options.help:
            break
    return options, left + waiting[::-1]


def _take_long(options: ExportOptions, text: str, waiting: list[str]) -> bool:
    """Apply a long option, without its dashes; False if git has to know it."""
    name, equals, value = text.partition("=")
    if name in ("help", "help-all"):
        options.help = True
    elif name in _SWITCHES:
        if equals:
            raise UsageError(f"option `{name}' takes no value")
        _SWITCHES[name](options)
    elif name in _VALUES:
        _VALUES[name](options, value if equals else next_word(waiting, f"option `{name}'"))
    else:
        return False
    return True


def _check_dashes(word: str) -> None:
    """Refuse what begins as a long option of git's does, but for the second dash."""
    name = word[1:]
    if not word.startswith("-") or len(name) < _SHORTEST_TYPO:
        return
    if name.startswith("no-") or any(known.startswith(name) for known in _POSITIVE):
        raise UsageError(f"did you mean `--{name}` (with two dashes)?")


# --- the values of options ------------------------------------------------------------------------


def _progress(text: str) -> int:
    """Read a number as git reads those of its configuration; the sign does not matter."""
    if not text:
        raise UsageError("option `progress' expects a numerical value")
    try:
        return abs(parse_integer("progress", text))
    except ConfigError as error:
        if "out of range" in error.reason:
            raise UsageError(
                f"value {text} for option `progress' not in range [-2147483648,2147483647]"
            ) from None
        raise UsageError(
            "option `progress' expects an integer value with an optional k/m/g suffix"
        ) from None


def _signature_mode(name: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in SIGNATURE_MODES:
            raise UsageError(f"unknown {name} mode: {text}")
        return SIGNATURE_MODES[text]

    return parse


def _filtered_mode(text: str) -> str:
    if text not in FILTERED_MODES:
        raise UsageError(f"unknown tag-of-filtered mode: {text}")
    return text


def _reencode(text: str) -> str:
    if text.lower() == "abort":
        return "abort"
    try:
        return "yes" if parse_boolean("reencode", text) else "no"
    except ConfigError:
        raise UsageError(f"unknown reencoding mode: {text}") from None


def _add_replacement(options: ExportOptions, text: str) -> None:
    old, colon, new = os.fsencode(text).partition(b":")
    if not old or (colon and not new):
        raise UsageError("--anonymize-map token cannot be empty")
    options.anonymize_map = options.anonymize_map or {}
    options.anonymize_map[old] = new or old


def _own(name: str, parse: Callable[[str], T]) -> Callable[[str], T]:
    """Let a value that is no number be one that is bad."""

    def checked(text: str) -> T:
        try:
            return parse(text)
        except ValueError:
            raise UsageError(f"bad value: --{name}={text}") from None

    return checked


# --- tables: what each name does ------------------------------------------------------------------


def _setting(attribute: str, value: object) -> Callable[[ExportOptions], None]:
    return lambda options: setattr(options, attribute, value)


def _no_progress(options: ExportOptions) -> None:
    """Neither ``progress`` commands, as git means it, nor our bar."""
    options.progress, options.no_progress = 0, True


def _storing(
    attribute: str, parse: Callable[[str], object]
) -> Callable[[ExportOptions, str], None]:
    return lambda options, text: setattr(options, attribute, parse(text))


_FLAGS = (
    *("fake-missing-tagger", "full-tree", "use-done-feature", "anonymize"),
    *("reference-excluded-parents", "show-original-ids", "mark-tags", "verify"),
)
# What follows as a value, and how it is read.
_PARSED: dict[str, Callable[[str], object]] = {
    "progress": _progress,
    "signed-tags": _signature_mode("signed-tags"),
    "signed-commits": _signature_mode("signed-commits"),
    "tag-of-filtered-object": _filtered_mode,
    "reencode": _reencode,
    "export-marks": str,
    "import-marks": str,
    "import-marks-if-exists": str,
    "workers": _own("workers", parse_workers),
    "memory": _own("memory", parse_size),
    "output": str,
}
# Negative forms that do more, or less, than to bring the default back.
_NEGATIVE: dict[str, Callable[[ExportOptions], None]] = {
    "progress": _no_progress,
    "signed-tags": lambda _options: None,
    "signed-commits": lambda _options: None,
    "refspec": lambda options: options.refspecs.clear(),
}


def _attribute(name: str) -> str:
    return name.replace("-", "_")


_VALUES: dict[str, Callable[[ExportOptions, str], None]] = {
    **{name: _storing(_attribute(name), parse) for name, parse in _PARSED.items()},
    "refspec": lambda options, text: options.refspecs.append(text),
    "anonymize-map": _add_replacement,
}
_SWITCHES: dict[str, Callable[[ExportOptions], None]] = {
    **{name: _setting(_attribute(name), True) for name in (*_FLAGS, "no-data")},
    **{f"no-{name}": _setting(_attribute(name), False) for name in (*_FLAGS, "no-data")},
    **{
        f"no-{name}": _setting(_attribute(name), getattr(ExportOptions, _attribute(name)))
        for name in _PARSED
    },
    **{f"no-{name}": switch for name, switch in _NEGATIVE.items()},
    "data": _setting("no_data", False),
}
_OURS = ("workers", "memory", "verify", "output")
_POSITIVE = [name for name in (*_FLAGS, *_VALUES) if name not in _OURS]
