"""``fastio check``: tell what would stop an import of some streams."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
from collections.abc import Sequence
from typing import Any

from fastio.check.checker import Checker
from fastio.check.kinds import ERROR
from fastio.check.options import MAX_PLACES, SIGNATURE_MODES, CheckOptions
from fastio.check.report import VERSION, json_value, text_lines
from fastio.cli.endings import hear_keyboard, say, say_waiting, tell
from fastio.cli.progress import ProgressBar
from fastio.errors import FastioError, StreamError, UsageError
from fastio.importer.source import Source
from fastio.stream.dates import READERS as DATE_FORMATS

USAGE = f"""\
usage: fastio check [<options>] [<stream-file>...]

Reads fast-import streams from files, or one from stdin (also '-'), and tells everything that
would stop an import, without a repository. A file in an lz4 frame is recognised.
Exit status: 0 if nothing would stop an import, 1 if something would, 128 if a stream cannot be
read, 129 for a mistake on the command line.

    --json                    the report in JSON
    --max-places=<n>          places to tell of each kind of problem (default: {MAX_PLACES})
    --no-progress             no progress bar, also on a terminal

What the import will be told:
    --date-format=<format>    raw, raw-permissive, rfc2822, now
    --done                    the stream has to end in 'done'
    --import-marks=<file> --import-marks-if-exists=<file>
                              marks of earlier runs
    --allow-unsafe-features   the stream may name files for marks
    --signed-commits=<mode>   with strip and warn-strip nobody minds malformed signatures
"""


class CommandLine:
    """What the words said."""

    def __init__(self) -> None:
        self.settings: dict[str, Any] = {}
        self.marks: list[tuple[str, bool]] = []
        self.files: list[str] = []
        self.json = False
        self.progress = True

    @property
    def options(self) -> CheckOptions:
        """What the check is to go by."""
        return CheckOptions(import_marks=tuple(self.marks), **self.settings)


COUNTED = ("blobs", "commits", "tags")


def run(words: Sequence[str]) -> int:
    """Run the subcommand; returns the exit status."""
    if list(words) in (["-h"], ["--help"]):
        tell(USAGE)
        return 0
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as everybody's, when `head` has had enough
    hear_keyboard()
    try:
        line = parse(words)
    except UsageError as error:
        say(f"fatal: {error}\n{USAGE}")
        return error.exit_status
    status, reports = 0, []
    for file in line.files or ["-"]:
        checker = Checker(line.options)
        try:
            _check(file, checker, line)
            status = max(status, 1 if checker.findings.count(ERROR) else 0)
        except FastioError as error:
            say(f"fatal: {file}: {error}\n")
            status = error.exit_status
        reports.append((file, checker))
    tell(_report(reports, as_json=line.json))
    return status


def _check(file: str, checker: Checker, line: CommandLine) -> None:
    if file == "-":
        say_waiting()
    with _opened(file) as fd:
        source = Source(fd)
        progress = ProgressBar(
            enabled=line.progress,
            position=lambda: source.position,
            note=lambda: f"{sum(checker.counts[one] for one in COUNTED):,} objects",
            size=source.size,
        )
        with progress:
            checker.progress = lambda: progress("checking")
            checker.run(source.read_into)


@contextlib.contextmanager
def _opened(file: str) -> Any:
    if file == "-":
        yield 0
        return
    try:
        fd = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise StreamError(f"cannot open: {error.strerror}") from error
    try:
        yield fd
    finally:
        os.close(fd)


def _report(reports: list[tuple[str, Checker]], *, as_json: bool) -> str:
    if as_json:
        streams = [json_value(file, checker) for file, checker in reports]
        return json.dumps({"version": VERSION, "streams": streams}, indent=2) + "\n"
    texts = ["\n".join(text_lines(file, checker)) for file, checker in reports]
    return "\n\n".join(texts) + "\n"


# --- the command line -----------------------------------------------------------------------------


def parse(words: Sequence[str]) -> CommandLine:
    """Read the words of the command line.

    Raises:
        UsageError: They make no sense.
    """
    line = CommandLine()
    for position, word in enumerate(words):
        if word == "--":
            line.files += words[position + 1 :]
            break
        if word == "-" or not word.startswith("-"):
            line.files.append(word)
        elif not _take(line, word):
            raise UsageError(f"unknown option: {word}")
    return line


def _take(line: CommandLine, word: str) -> bool:
    """Apply an option; False if there is none like it."""
    name, equals, value = word.partition("=")
    if not equals:
        return _take_flag(line, word)
    if name == "--date-format" and value in DATE_FORMATS:
        line.settings["date_format"] = value
    elif name in ("--import-marks", "--import-marks-if-exists"):
        line.marks.append((value, name.endswith("if-exists")))
    elif name == "--max-places" and re.fullmatch("[0-9]{1,18}", value):
        line.settings["max_places"] = int(value)
    elif name == "--signed-commits" and value.partition("=")[0] in SIGNATURE_MODES:
        line.settings["strip_signatures"] = value.endswith("strip")
    elif name in ("--date-format", "--max-places", "--signed-commits"):
        raise UsageError(f"bad value: {word}")
    else:
        return False
    return True


def _take_flag(line: CommandLine, word: str) -> bool:
    if word == "--json":
        line.json = True
    elif word in ("--progress", "--no-progress"):
        line.progress = word == "--progress"
    elif word == "--done":
        line.settings["done"] = True
    elif word == "--allow-unsafe-features":
        line.settings["allow_unsafe_features"] = True
    else:
        return False
    return True
