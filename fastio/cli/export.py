"""``fastio export``: write a repository as a fast-import stream."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Self

from fastio.cli import collector
from fastio.cli.endings import die_by, raise_when_interrupted, say, tell
from fastio.cli.progress import ProgressBar
from fastio.errors import FastioError, UsageError
from fastio.exporter.budget import Budget
from fastio.exporter.options import parse_options
from fastio.exporter.output import OutputClosed, open_output
from fastio.store.repository import Search

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastio.exporter.options import ExportOptions
    from fastio.exporter.output import Output
    from fastio.exporter.pipeline import Pipeline

USAGE = """\
usage: fastio export [<options>] [<revisions and rev-list options>] [[--] <path>...]

Writes a fast-import stream of the revisions to stdout, as 'git fast-export' does.
Paths that are not in the work tree stand behind '--' twice, as git's do: main -- -- src.

fastio's own options:
    -o, --output=<file>   write to a file; it is an lz4 frame if its name ends in .lz4
    --workers=<n>         worker processes, 1024 at most (default: one a core; 0: none)
    --memory=<size>       memory to use, as 512m or 1g (at least 32m; default: a quarter
                          of the machine's, at most 512m)
    --verify              recompute the oid of each object that is read
    --no-progress         no progress bar, also on a terminal

git's options, as in 'git fast-export':
    --progress=<n> --signed-tags=<mode> --signed-commits=<mode>
        (verbatim, warn-verbatim, strip, warn-strip, abort)
    --tag-of-filtered-object=(abort|drop|rewrite) --reencode=(yes|no|abort)
    --import-marks=<file> --import-marks-if-exists=<file> --export-marks=<file>
    --mark-tags --fake-missing-tagger --use-done-feature --no-data --full-tree
    --anonymize --anonymize-map=<from>[:<to>] --reference-excluded-parents
    --show-original-ids --refspec=<refspec> -M -C -B -l<n>
"""


def run(words: Sequence[str], *, bar: bool = True) -> int:
    """Run the subcommand; returns the exit status.

    Args:
        words: The command line behind the command.
        bar: Whether a progress bar may be shown.
    """
    try:
        options, arguments = parse_options(words)
        if options.help:
            tell(USAGE)
            return 0
        options.no_progress |= not bar
        return _export(options, arguments)
    except OutputClosed:
        die_by(signal.SIGPIPE)
        return 128
    except UsageError as error:
        say(f"error: {error}\n{USAGE}" if str(error) else USAGE)
        return error.exit_status
    except FastioError as error:
        say(f"fatal: {error}\n")
        return error.exit_status


def _export(options: ExportOptions, arguments: Sequence[str]) -> int:
    search = Search()
    from fastio.exporter.exporter import Exporter  # noqa: PLC0415 - while git searches

    collector.freeze()
    raise_when_interrupted()
    repository = search.result()
    with (
        contextlib.closing(_open_output(options)) as output,
        _Bar(options) as bar,
    ):
        exporter = Exporter(
            repository,
            options,
            arguments,
            output,
            stdin=_read_stdin,
            warn=lambda text: bar.say(f"warning: {text}\n"),
        )
        exporter.before_workers = lambda: _show_log_records(bar.say)
        if bar.enabled:
            exporter.look = bar.show
        exporter.run()
    return 0


def _read_stdin() -> bytes:
    with open(0, "rb", closefd=False) as file:  # not Python's: there is none if it was closed
        return file.read()


def _open_output(options: ExportOptions) -> Output:
    budget = Budget(options.memory, options.workers or os.cpu_count() or 1)
    return open_output(options.output, threads=budget.workers, memory=budget.memory // 8)


class _Bar:
    """The progress bar: there from the first commit on, as soon as it is known how many come."""

    def __init__(self, options: ExportOptions) -> None:
        to_terminal = options.output is None and sys.stdout.isatty()
        self.enabled = not options.no_progress and not to_terminal and sys.stderr.isatty()
        self._bar: ProgressBar | None = None
        self._started = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: object) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)

    def show(self, pipeline: Pipeline) -> None:
        if self._bar is None:
            self._bar = ProgressBar(
                enabled=True,
                position=lambda: pipeline.commits,
                note=lambda: self._rate(pipeline.written),
                size=pipeline.total,
                unit=" commits",
            ).__enter__()
        self._bar("exporting")

    def _rate(self, written: int) -> str:
        seconds = max(time.monotonic() - self._started, 0.001)
        return f"{written / 1e6:,.0f} MB, {written / 1e6 / seconds:,.0f} MB/s"

    def say(self, text: str) -> None:
        if self._bar is not None:
            self._bar.clear()
        say(text)


def _show_log_records(show: Callable[[str], None]) -> None:
    from fastio.cli.console import show_log_records  # noqa: PLC0415 - small exports log nothing

    show_log_records(show)
