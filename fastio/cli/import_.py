"""``fastio import``: read a fast-import stream into the current repository."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from types import FrameType
from typing import TYPE_CHECKING

from fastio.cli import collector
from fastio.cli.endings import (
    die_by,
    hear_keyboard,
    occupy,
    raise_when_interrupted,
    say,
    say_waiting,
    tell,
)
from fastio.cli.progress import ProgressBar
from fastio.errors import FastioError, UsageError
from fastio.importer.options import ImportOptions
from fastio.importer.replies import ReplyPipeClosed
from fastio.importer.report import NO_CHANGE, Spent, closing_line, spent_so_far, statistics
from fastio.importer.source import Source
from fastio.numerals import parse_size, parse_uint, parse_workers
from fastio.store.repository import Search

if TYPE_CHECKING:
    from fastio.importer.importer import Importer

USAGE = """\
usage: fastio import [<options>] [<stream-file>]

Reads a fast-import stream from the file, or from stdin, into the current repository.
A file in an lz4 frame is recognised.

fastio's own options:
    --workers=<n>         worker processes, 1024 at most (default: one a core; 0: none)
    --memory=<size>       memory to use, as 512m or 1g, beside some 12 MiB a process
                          and 48 bytes an object (at least 32m; default: a
                          quarter of the machine's, at most 1g)
    --compression=<n>     zlib level of the pack, -1 to 9 (default: pack.compression,
                          core.compression)
    --sha1-collision-check
                          refuse objects of the known SHA-1 collision attacks
    --no-progress         no progress bar, also on a terminal

git's options, as in 'git fast-import':
    --force --quiet --stats --done --date-format=<format>
    --import-marks=<file> --import-marks-if-exists=<file> --export-marks=<file>
    --[no-]relative-marks --cat-blob-fd=<fd> --depth=<n> --big-file-threshold=<size>
    --active-branches=<n> --allow-unsafe-features --max-pack-size=<size>
    --export-pack-edges=<file>
    --rewrite-submodules-from=<name>:<file> --rewrite-submodules-to=<name>:<file>
    --signed-commits=<mode> --signed-tags=<mode>
        (verbatim, warn-verbatim, strip, warn-strip, abort, strip-if-invalid,
        sign-if-invalid[=<key>], abort-if-invalid)
"""


class _CommandLine:
    """What the words said: options of our own, git's words for later, the stream's file."""

    def __init__(self) -> None:
        self.options = ImportOptions()
        self.words: list[str] = []
        self.file: str | None = None
        self.progress = True


def run(words: Sequence[str]) -> int:
    """Run the subcommand; returns the exit status."""
    if list(words) in (["-h"], ["--help"], ["--help-all"]):
        tell(USAGE)
        return 0
    started = spent_so_far()
    # A frontend may ask for a checkpoint as soon as we run.
    early: list[int] = []
    signal.signal(signal.SIGUSR1, lambda number, _frame: early.append(number))
    hear_keyboard()
    try:
        line = _parse(words)
        source = Source(_open(line.file))
        importer = _make_importer(line)
    except FastioError as error:
        if isinstance(error, UsageError):
            say(f"fatal: {error}\n{USAGE}")
        else:
            say(f"fatal: {error}\n")
        say(f"fastio: import failed: {NO_CHANGE}\n")
        return error.exit_status
    signal.signal(signal.SIGUSR1, _checkpoint_handler(importer))
    if early:
        importer.request_checkpoint()
    raise_when_interrupted()
    if line.file is None and line.progress:
        say_waiting()
    try:
        with _progress_of(line, importer, source) as progress:
            importer.progress = progress
            importer.before_message = progress.clear
            importer.before_workers = lambda: _show_log_records(progress)
            status = _run(importer, source)
    except KeyboardInterrupt:
        say(closing_line(importer.publisher.result, 128) + "\n")
        raise
    _tell_end(importer, line.options, status, started)
    return status


def _make_importer(line: _CommandLine) -> Importer:
    """Make the importer, which refuses settings that make no sense before anything is read."""
    search = Search()
    from fastio.importer.importer import Importer  # noqa: PLC0415 - while git searches

    collector.freeze()
    return Importer(search.result(), line.options, line.words)


def _run(importer: Importer, source: Source) -> int:
    try:
        return importer.run(source)
    except ReplyPipeClosed:
        die_by(signal.SIGPIPE)
    return 128


def _checkpoint_handler(importer: Importer) -> Callable[[int, FrameType | None], None]:
    def handle(_number: int, _frame: FrameType | None) -> None:
        importer.request_checkpoint()

    return handle


def _tell_end(importer: Importer, options: ImportOptions, status: int, started: Spent) -> None:
    if status <= 1 and not options.quiet:
        for text in statistics(importer, started):
            say(text + "\n")
    if status or not options.quiet:
        say(closing_line(importer.publisher.result, status) + "\n")


def _show_log_records(progress: ProgressBar) -> None:
    from fastio.cli.console import show_log_records  # noqa: PLC0415 - small imports log nothing

    def show(text: str) -> None:
        progress.clear()
        say(text)

    show_log_records(show)


def _progress_of(line: _CommandLine, importer: Importer, source: Source) -> ProgressBar:
    return ProgressBar(
        enabled=line.progress and not line.options.quiet and "--quiet" not in line.words,
        position=lambda: source.position,
        note=lambda: f"{len(importer.sink.map):,} objects",
        size=source.size,
    )


def _open(path: str | None) -> int:
    if path is None:
        return _widen(0)
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise FastioError(f"cannot open '{path}': {error.strerror}") from error


def _widen(fd: int) -> int:
    """Let a pipe hold a megabyte, so that it takes fewer reads; not all systems can."""
    import fcntl  # noqa: PLC0415 - only for stdin

    if hasattr(fcntl, "F_SETPIPE_SZ"):
        try:
            fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, 1 << 20)
        except OSError:
            return fd
    return fd


# --- the command line -----------------------------------------------------------------------------


def _parse(words: Sequence[str]) -> _CommandLine:
    line = _CommandLine()
    for position, word in enumerate(words):
        if word == "--":
            files = list(words[position + 1 :])
        elif word.startswith("-") and len(word) > 1:
            if not _take_own(line, word):
                line.words.append(word)
            continue
        else:
            files = list(words[position:])
        if word != "--" and any(name.startswith("-") for name in files[1:]):
            raise UsageError(f"options go before the stream file: {' '.join(files)}")
        if len(files) > 1:
            raise UsageError(f"more than one stream file: {' '.join(files)}")
        line.file = files[0] if files and files[0] != "-" else None
        break
    line.options.allow_unsafe_features = "--allow-unsafe-features" in line.words
    _guard_replies(line.words)
    return line


def _guard_replies(words: Sequence[str]) -> None:
    """Before any file is opened, see to it that replies do not go to a file of ours."""
    for word in words:
        name, _, value = word.partition("=")
        if name == "--cat-blob-fd":
            with contextlib.suppress(ValueError, OverflowError):  # which is told of in its turn
                occupy(parse_uint(value))


def _take_own(line: _CommandLine, word: str) -> bool:
    """Apply an option that git does not have; False if it is none of those."""
    name, equals, value = word.partition("=")
    options = line.options
    try:
        if word == "--no-progress":
            line.progress = False
        elif word == "--progress":
            line.progress = True
        elif word == "--sha1-collision-check":
            options.sha1_collision_check = True
        elif name == "--workers" and equals:
            options.workers = parse_workers(value)
        elif name == "--memory" and equals:
            options.memory = parse_size(value)
        elif name == "--compression" and equals:
            options.compression = _level(value)
        elif name in ("--workers", "--memory", "--compression"):
            raise UsageError(f"write {name}=<value>, in one word")
        else:
            return False
    except ValueError:
        raise UsageError(f"bad value: {word}") from None
    return True


def _level(text: str) -> int:
    level = int(text)
    if not -1 <= level <= 9:
        raise ValueError(text)
    return level
