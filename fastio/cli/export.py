"""``fastio export``: write a repository as a fast-import stream."""

from __future__ import annotations

import gc
import signal
import sys
from typing import TYPE_CHECKING

from fastio.cli.endings import die_by, say
from fastio.errors import FastioError, UsageError
from fastio.exporter.options import parse_options
from fastio.exporter.output import OutputClosed, open_output
from fastio.store.repository import Search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastio.exporter.options import ExportOptions

USAGE = """\
usage: fastio export [<options>] [<revisions and rev-list options>] [[--] <path>...]

Writes a fast-import stream of the revisions to stdout, as 'git fast-export' does.

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
    # Nearly nothing here is part of a cycle, and the collector's rounds cost some percent.
    gc.set_threshold(100_000, 50, 50)
    try:
        options, arguments = parse_options(words)
        if options.help:
            sys.stdout.write(USAGE)
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
    gc.disable()  # as in `fastio.cli.main`
    from fastio.exporter.exporter import Exporter  # noqa: PLC0415 - while git searches

    gc.freeze()
    gc.enable()
    output = open_output(options.output, threads=options.workers or 2)
    exporter = Exporter(
        search.result(), options, arguments, output, stdin=sys.stdin.buffer.read, warn=_warn
    )
    exporter.before_workers = _show_log_records
    try:
        exporter.run()
    finally:
        output.close()
    return 0


def _warn(text: str) -> None:
    say(f"warning: {text}\n")


def _show_log_records() -> None:
    from fastio.cli.console import show_log_records  # noqa: PLC0415 - small exports log nothing

    show_log_records(say)
