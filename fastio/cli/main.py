"""``fastio``: git's global options, then a subcommand."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence

from fastio import __version__
from fastio.cli.endings import die_by, open_standard_files

USAGE = """\
usage: fastio [-C <dir>] [--git-dir=<dir>] [--work-tree=<dir>] [-c <name>=<value>]
              <command> [<args>]

commands:
   import   read a fast-import stream into a repository

'fastio <command> --help' tells more.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``fastio``; returns the exit status."""
    try:
        return _main(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        die_by(signal.SIGINT)
        return 128


def _main(words: list[str]) -> int:
    open_standard_files()
    try:
        command = _take_global_options(words)
    except _UsageProblem as problem:
        sys.stderr.write(f"fastio: {problem}\n{USAGE}")
        return 129
    if command in ("", "help", "--help", "-h"):
        (sys.stdout if command else sys.stderr).write(USAGE)
        return 0 if command else 129
    if command == "--version":
        sys.stdout.write(f"fastio {__version__}\n")
        return 0
    run = _find(command)
    if run is None:
        sys.stderr.write(f"fastio: '{command}' is not a fastio command\n{USAGE}")
        return 129
    return run(words)


class _UsageProblem(Exception):
    """A global option that cannot be understood."""


def _find(command: str) -> Callable[[Sequence[str]], int] | None:
    if command == "import":
        # Nothing that is imported goes away again: looking for garbage among it takes 4 ms.
        gc.disable()
        from fastio.cli.import_ import run  # noqa: PLC0415 - start only what is asked for

        gc.enable()
        return run
    return None


def _take_global_options(words: list[str]) -> str:
    """Apply and remove the options before the command; returns the command."""
    while words:
        word = words.pop(0)
        if word == "-C":
            _change_directory(_value(words, word))
        elif word == "-c":
            _add_config(_value(words, word))
        elif word in ("--git-dir", "--work-tree"):
            _set_place(word, _value(words, word))
        elif word.startswith(("--git-dir=", "--work-tree=")):
            _set_place(*word.split("=", 1))
        elif word == "--bare":
            os.environ.setdefault("GIT_DIR", os.getcwd())
        elif word.startswith("-") and word not in ("--version", "--help", "-h"):
            raise _UsageProblem(f"unknown option: {word}")
        else:
            return word
    return ""


def _value(words: list[str], option: str) -> str:
    if not words:
        raise _UsageProblem(f"no value given for {option}")
    return words.pop(0)


def _change_directory(path: str) -> None:
    try:
        os.chdir(path or ".")
    except OSError as error:
        sys.stderr.write(f"fatal: cannot change to '{path}': {error.strerror}\n")
        raise SystemExit(128) from error


def _set_place(option: str, path: str) -> None:
    os.environ["GIT_DIR" if option == "--git-dir" else "GIT_WORK_TREE"] = path


def _add_config(setting: str) -> None:
    """Pass a setting to every git that runs, by the variables that git has for this."""
    key, equals, value = setting.partition("=")
    count = int(os.environ.get("GIT_CONFIG_COUNT") or 0)
    os.environ[f"GIT_CONFIG_KEY_{count}"] = key
    os.environ[f"GIT_CONFIG_VALUE_{count}"] = value if equals else "true"
    os.environ["GIT_CONFIG_COUNT"] = str(count + 1)


if __name__ == "__main__":
    sys.exit(main())
