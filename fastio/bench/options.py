"""What ``fastio bench`` can be told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastio.errors import UsageError
from fastio.numerals import parse_size
from fastio.words import next_word

if TYPE_CHECKING:
    from collections.abc import Sequence

SAMPLE = 4 << 20
MIN_SAMPLE, MAX_SAMPLE = 1 << 12, 1 << 28
SEED = 1
WORTH = 12_500_000
"""Bytes of pack that a second of CPU is worth: what a line of 100 Mbit/s carries."""


class BenchOptions:
    """What the words said.

    Attributes:
        path: Folder or repository; None for where we are.
        sample: Bytes to measure with.
        seed: Which sample.
        worth: Bytes of pack that a second of CPU is worth.
        work: Where to write loose objects; None for where temporary files go.
        plot: File for the plot, if there is to be one.
        output: File for the report; None for stdout.
        json: Whether the report is JSON.
        progress: Whether a progress bar is wanted.
    """

    def __init__(self) -> None:
        self.path: str | None = None
        self.sample, self.seed, self.worth = SAMPLE, SEED, WORTH
        self.work: str | None = None
        self.plot: str | None = None
        self.output: str | None = None
        self.json, self.progress = False, True


def parse_options(words: Sequence[str]) -> BenchOptions:
    """Read the words of the command line.

    Raises:
        UsageError: They make no sense.
    """
    if not words:
        raise UsageError("what is to be measured? there is 'codecs'")
    if words[0] != "codecs":
        raise UsageError(f"'{words[0]}' is nothing to measure; there is 'codecs'")
    line, paths = BenchOptions(), list[str]()
    waiting = list(reversed(words[1:]))
    while waiting:
        word = waiting.pop()
        if word == "--":
            paths += reversed(waiting)
            break
        if not word.startswith("-"):
            paths.append(word)
        elif not _take(line, word, waiting):
            raise UsageError(f"unknown option: {word}")
    if len(paths) > 1:
        raise UsageError(f"more than one folder or repository: {' '.join(paths)}")
    if line.output is not None and line.output == line.plot:
        raise UsageError("the report and the plot cannot be one file")
    line.path = paths[0] if paths else None
    return line


def _take(line: BenchOptions, word: str, waiting: list[str]) -> bool:
    """Apply an option; False if there is none like it."""
    name, equals, value = word.partition("=")
    if word == "--json":
        line.json = True
    elif word in ("--progress", "--no-progress"):
        line.progress = word == "--progress"
    elif word.startswith("-o"):
        line.output = word[2:] or next_word(waiting, word)
    elif name in ("--sample", "--seed", "--work", "--worth", "--plot", "--output"):
        if not equals:
            value = next_word(waiting, word)
        _set(line, name, value)
    else:
        return False
    return True


def _set(line: BenchOptions, name: str, value: str) -> None:
    try:
        if name == "--sample":
            line.sample = parse_size(value)
            if not MIN_SAMPLE <= line.sample <= MAX_SAMPLE:
                raise UsageError(f"--sample goes from {MIN_SAMPLE >> 10}k to {MAX_SAMPLE >> 20}m")
        elif name == "--worth":
            line.worth = parse_size(value)
            if not line.worth:
                raise ValueError(value)
        elif name == "--seed":
            line.seed = int(value)
        else:
            setattr(line, name.removeprefix("--"), value)
    except ValueError:
        raise UsageError(f"bad value: {name}={value}") from None
