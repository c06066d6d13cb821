"""Options of diffs that mean nothing to an export: git takes them with its revisions.

Those that only shape text, or only search more than is told, are taken and do nothing, as in git.
What would leave out changes, so that importers get other files than there are, is refused.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from fastio.errors import FastioError

# Options of text: with a value behind them, and without one or with it attached.
_TEXT_VALUES = (
    *("--inter-hunk-context", "--output-indicator-new", "--src-prefix", "--output-indicator-old"),
    *("--output-indicator-context", "--dst-prefix", "--line-prefix", "--word-diff-regex"),
    *("--diff-algorithm", "--anchored", "--ws-error-highlight", "--stat-width", "--stat-count"),
    *("--stat-name-width", "--stat-graph-width", "--ignore-matching-lines", "--rotate-to"),
)
_SHORT_VALUES = ("-I", "-O")  # the same, or attached
_TEXT_WORDS = (
    *("-p", "-u", "-s", "-m", "-c", "--cc", "-r", "-z", "-W", "--patch", "--no-patch", "--raw"),
    *("--patch-with-raw", "--patch-with-stat", "--stat", "--numstat", "--shortstat", "--summary"),
    *("--compact-summary", "--name-only", "--name-status", "--color", "--no-color", "--full-index"),
    *("--binary", "--abbrev", "--no-abbrev", "--no-prefix", "--default-prefix", "--minimal"),
    *("--patience", "--histogram", "--indent-heuristic", "--no-indent-heuristic", "--word-diff"),
    *("--color-words", "--color-moved", "--no-color-moved", "--color-moved-ws", "--submodule"),
    *("--function-context", "--text", "-a", "--ext-diff", "--no-ext-diff", "--textconv", "--check"),
    *("--no-textconv", "--dirstat", "--cumulative", "--dirstat-by-file", "-X", "-D", "-b", "-w"),
    *("--irreversible-delete", "--ignore-space-change", "--ignore-all-space", "--dd", "-U"),
    *("--ignore-space-at-eol", "--ignore-cr-at-eol", "--ita-invisible-in-index", "--diff-merges"),
    *("--ita-visible-in-index", "--no-diff-merges", "--combined-all-paths", "--remerge-diff"),
    *("--no-color-moved-ws", "--ignore-blank-lines", "--unified", "--exit-code", "--no-relative"),
    *("--pickaxe-all", "--pickaxe-regex"),
)
_REFUSED = (
    *("-t", "--find-object", "--skip-to", "--relative", "--max-depth", "--follow", "--quiet"),
    *("-S", "-G"),
)


def take(words: Sequence[str]) -> int:
    """Tell how many of the first of *words* are such an option, its value included.

    Raises:
        FastioError: It would leave out changes, or names a file that is missing.
    """
    word = words[0]
    name, equals, _ = word.partition("=")
    if name in _REFUSED or word[:2] in ("-S", "-G"):
        raise FastioError(f"option '{word}' leaves out changes, so the stream would lose files")
    if name in _TEXT_WORDS or word[:2] in ("-U", "-X"):
        return 1
    if name in _TEXT_VALUES:
        return 1 if equals else min(2, len(words))
    if word[:2] in _SHORT_VALUES:
        used = 1 if word[2:] else min(2, len(words))
        file = word[2:] or words[used - 1]
        if word[:2] == "-O" and not os.path.exists(file):
            raise FastioError(f"failed to read orderfile '{file}'")
        return used
    return 0
