"""Options of diffs that mean nothing to an export: git takes them with its revisions.

Those that only shape text are taken and do nothing, as in git. What would change which files are
listed, in a way that makes no stream, is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from fastio.errors import FastioError

# Options of text: with a value behind them, and without one or with it attached.
_TEXT_VALUES = (
    *("-U", "--unified", "--inter-hunk-context", "--output-indicator-new", "--src-prefix"),
    *("--output-indicator-old", "--output-indicator-context", "--dst-prefix", "--line-prefix"),
    *(
        "--word-diff-regex",
        "--diff-algorithm",
        "--anchored",
        "--ws-error-highlight",
        "--stat-width",
    ),
    *("--stat-name-width", "--stat-count", "--stat-graph-width"),
)
_TEXT_WORDS = (
    *(
        "-p",
        "-u",
        "-s",
        "-m",
        "-c",
        "--cc",
        "-t",
        "-r",
        "-z",
        "-W",
        "--patch",
        "--no-patch",
        "--raw",
    ),
    *("--patch-with-raw", "--patch-with-stat", "--stat", "--numstat", "--shortstat", "--summary"),
    *("--compact-summary", "--name-only", "--name-status", "--color", "--no-color", "--full-index"),
    *("--binary", "--abbrev", "--no-abbrev", "--no-prefix", "--default-prefix", "--minimal"),
    *("--patience", "--histogram", "--indent-heuristic", "--no-indent-heuristic", "--word-diff"),
    *("--color-words", "--color-moved", "--no-color-moved", "--color-moved-ws", "--submodule"),
    *("--function-context", "--text", "-a", "--ext-diff", "--no-ext-diff", "--textconv", "--check"),
    *("--no-textconv", "--dirstat", "--cumulative", "--dirstat-by-file", "-X", "-D", "-b", "-w"),
    *(
        "--irreversible-delete",
        "--ignore-space-change",
        "--ignore-all-space",
        "--ignore-blank-lines",
    ),
    *("--ignore-space-at-eol", "--ignore-cr-at-eol", "--ita-invisible-in-index", "--diff-merges"),
    *("--ita-visible-in-index", "--no-diff-merges", "--combined-all-paths", "--remerge-diff"),
    *("--dd", "--no-color-moved-ws", "--stat"),
)
_REFUSED = (
    *("-S", "-G", "-O", "--find-object", "--pickaxe-all", "--pickaxe-regex", "--skip-to", "-I"),
    *("--rotate-to", "--relative", "--max-depth", "--follow", "--quiet", "--exit-code", "--output"),
    *("--ignore-matching-lines"),
)


def take(words: Sequence[str]) -> int:
    """Tell how many of the first of *words* are such an option, its value included.

    Raises:
        FastioError: It would change which files are listed, in a way that we do not do.
    """
    word = words[0]
    name, equals, _ = word.partition("=")
    if name in _REFUSED or word[:2] in ("-S", "-G", "-O", "-I"):
        raise FastioError(f"option '{word}' changes what is listed; an export has no use for it")
    if name in _TEXT_WORDS or (word[:2] in ("-U", "-X") and word != "-U"):
        return 1
    if name in _TEXT_VALUES:
        return 1 if equals else min(2, len(words))
    return 0
