"""``fastio exec``: run a command whose ``git fast-import`` and some other commands are ours.

The directory ``handover`` beside this file goes first on PATH, and the command takes the place of
this process: signals, descriptors, exit status and terminal are its own, and nothing is left to
clean up.

``handover`` is laid out like git's exec path: ``git``, and ``git-<name>`` for each subcommand that
we take over. Its ``git`` is a shell script, since it also runs for every other git command and a
shell starts in a millisecond. It finds the subcommand behind the global options. One of ours
becomes ``fastio <global options> <name>``; for all else it executes the real git, the first one
on PATH that is not in a ``handover``. To take over one more subcommand, add a copy of
``git-fast-import`` under its name, and the name to `fastio.cli.main.COMMANDS`.

git prepends its exec path, where there is a ``git`` as well, to the PATH of what it runs: programs
like git-filter-repo, aliases, hooks, remote helpers. So the script sets GIT_EXEC_PATH to
``handover`` and puts the true exec path behind it on PATH, where git finds its other programs;
who asks for it, by ``git --exec-path``, is told the true one. Between these processes travel

* FASTIO_PYTHON: the interpreter that runs fastio;
* FASTIO_EXEC_PATH: git's true exec path.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from fastio.cli.endings import say, tell
from fastio.errors import FastioError, RepositoryError, UsageError
from fastio.store.git import Git

USAGE = """\
usage: fastio [<git's global options>] exec [--] <command> [<args>]

Runs the command, which may be any program, as it would run without us, except that
'git fast-import', 'git fast-export' and 'git hash-object', wherever it or what it
starts runs them, are fastio's:

    fastio exec -- git filter-repo --path src
    fastio exec -- hg-fast-export.sh -r ../hg-repository

The exit status is the command's; 127 if it is not found, 126 if it cannot be run.
Global options are in force for every git that the command runs.
"""

HANDOVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "handover")


def run(words: Sequence[str]) -> int:
    """Run the subcommand; returns the exit status if the command could not be run."""
    if words[:1] in (["-h"], ["--help"]):
        tell(USAGE)
        return 0
    command = list(words[1:] if words[:1] == ["--"] else words)
    if not command or (words[0] != "--" and words[0].startswith("-")):
        problem = f"unknown option: {words[0]}" if command else "no command given"
        say(f"fastio exec: {problem}\n{USAGE}")
        return UsageError.exit_status
    _prepare_environment()
    try:
        _execute(command)
    except OSError as error:
        say(f"fastio exec: cannot run '{command[0]}': {error.strerror}\n")
        return 127 if error.errno in (errno.ENOENT, errno.ENOTDIR) else 126


def _prepare_environment() -> None:
    if os.pathsep in HANDOVER:
        raise FastioError(f"PATH cannot hold {HANDOVER}: there is a '{os.pathsep}' in it")
    if not os.access(os.path.join(HANDOVER, "git"), os.X_OK):
        raise FastioError(f"{HANDOVER}/git is not executable: fastio is not installed properly")
    if not os.environ.get("GIT_EXEC_PATH"):
        try:
            exec_path = Git().run("--exec-path").stdout.removesuffix(b"\n")
            os.environ["FASTIO_EXEC_PATH"] = os.fsdecode(exec_path)
        except RepositoryError:  # No git, as yet. Whether one is needed is the command's business.
            os.environ.pop("FASTIO_EXEC_PATH", None)
    path = os.environ.get("PATH", os.defpath)
    if not path.startswith(HANDOVER + os.pathsep):
        os.environ["PATH"] = HANDOVER + os.pathsep + path
    os.environ["FASTIO_PYTHON"] = sys.executable


def _execute(command: list[str]) -> NoReturn:
    """Become the command, as execvp(3) does it."""
    for name in ("SIGPIPE", "SIGXFSZ"):  # which Python ignores, and a program would inherit that
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    if not command[0]:  # which Python does not hand on
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    try:
        os.execvp(command[0], command)
    except OSError as error:
        script = shutil.which(command[0])
        if error.errno != errno.ENOEXEC or script is None:
            raise
        os.execv("/bin/sh", ["/bin/sh", script, *command[1:]])
