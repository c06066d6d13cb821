"""``fastio``: git's global options, then a subcommand."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from fastio import __version__
from fastio.cli import collector
from fastio.cli.endings import Interrupted, die_by, open_standard_files, say, tell
from fastio.cli.global_options import take_global_options
from fastio.errors import FastioError, UsageError

USAGE = """\
usage: fastio [<git's global options>] <command> [<args>]

commands:
   import       read a fast-import stream into a repository
   export       write a repository as a fast-import stream
   hash-object  tell the oids of files, and store them
   exec         run a command for which these three take the place of git's
   check        tell what would stop an import of a stream
   bench        measure what codecs make of your content, and recommend a level

Global options are those of git, as -C <dir>, --git-dir=<dir>, -c <name>=<value>.
'fastio <command> --help' and 'fastio help <command>' tell more.
"""

# Module of each command, and options that its words begin with. Those that are called as git calls
# them are what a tool runs under `fastio exec`, and a progress bar is nothing a tool expects.
COMMANDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "import": ("fastio.cli.import_", ()),
    "fast-import": ("fastio.cli.import_", ("--no-progress",)),
    "export": ("fastio.cli.export", ()),
    "fast-export": ("fastio.cli.fast_export", ()),
    "exec": ("fastio.cli.exec_", ()),
    "check": ("fastio.cli.check", ()),
    "hash-object": ("fastio.cli.hash_object", ()),
    "bench": ("fastio.cli.bench", ()),
}
HELP = ("help", "--help", "-h")


def program() -> NoReturn:
    """Be ``fastio``: run it, and end the process."""
    collector.own()
    status = main()
    try:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        sys.exit(status)
    # Everything is done. To take down one by one all that Python has made costs 3 to 5 ms.
    os._exit(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``fastio``; returns the exit status."""
    try:
        return _main(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt as error:
        die_by(error.number if isinstance(error, Interrupted) else signal.SIGINT)
        return 128


def _main(words: list[str]) -> int:
    open_standard_files()
    try:
        command = take_global_options(words)
        if command in HELP:
            return _help(words)
        if command in ("--version", "-v", "version"):
            tell(f"fastio {__version__}\n")
            return 0
        return _run(command, words)
    except UsageError as error:
        say(f"fastio: {error}\n{USAGE}")
        return error.exit_status
    except FastioError as error:
        say(f"fatal: {error}\n")
        return error.exit_status
    except MemoryError:
        say("fatal: out of memory\n")
        return FastioError.exit_status


def _help(words: list[str]) -> int:
    if words:
        return _run(words[0], ["--help"])
    tell(USAGE)
    return 0


def _run(command: str, words: list[str]) -> int:
    if not command:
        say(USAGE)
        return UsageError.exit_status
    if command not in COMMANDS:
        raise UsageError(f"'{command}' is not a fastio command")
    module, front = COMMANDS[command]
    if words[:1] != ["-h"] and words[:1] != ["--help"]:
        words = [*front, *words]
    return _find(module)(words)


def _find(module: str) -> Callable[[Sequence[str]], int]:
    """Import only the command that is asked for."""
    __import__(module)
    run: Callable[[Sequence[str]], int] = sys.modules[module].run
    return run
