"""``fastio hash-object``: tell the oids of files, and store them."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, NoReturn

from fastio.cli import collector
from fastio.cli.endings import die_by, hear_keyboard, raise_when_interrupted, say, tell
from fastio.errors import FastioError, GitEnded, RepositoryError, UsageError
from fastio.hasher.options import HashOptions, parse_options
from fastio.objects.collisions import check_collisions
from fastio.store.repository import Search, git_reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastio.hasher.answers import Answers
    from fastio.hasher.conversions import Conversions
    from fastio.hasher.hasher import Hasher
    from fastio.store.git import GitProcess
    from fastio.store.repository import Repository

USAGE = """\
usage: fastio hash-object [-t <type>] [-w] [--path=<file> | --no-filters] [--stdin]
                          [--literally] [--] [<file>...]
   or: fastio hash-object [-t <type>] [-w] --stdin-paths [--no-filters]

Tells the oids of files as objects, as 'git hash-object' does.

fastio's own options:
    --loose               with -w: a loose object each; otherwise more than
                          fastimport.unpackLimit (100) at a time go into a pack
    --workers=<n>         processes (default: one a core; 0: none)
    --sha1-collision-check
                          refuse objects of the known SHA-1 collision attacks

git's options, as in 'git hash-object':
    -t <type>             blob (default), tree, commit, tag
    -w                    store the objects as well
    --stdin               hash stdin, before any file
    --stdin-paths         hash the files whose names stdin has, one a line
    --path=<file>         convert the content as if it lay there
    --no-filters          convert nothing
    --literally           whatever the content's format is
"""

_KINDS = ("blob", "tree", "commit", "tag")
_SYSTEM_FILE = b"/etc/gitattributes"


def run(words: Sequence[str]) -> int:
    """Run the subcommand; returns the exit status."""
    try:
        options, files = parse_options(words)
        if options.help:
            tell(USAGE)
            return 0
        options.check(files)
        return _hash(options, files)
    except BrokenPipeError:
        die_by(signal.SIGPIPE)
        return 128
    except UsageError as error:
        say(f"error: {error}\n{USAGE}")
        return error.exit_status
    except FastioError as error:
        if str(error):
            say(f"fatal: {error}\n")
        return error.exit_status


def _hash(options: HashOptions, files: list[str]) -> int:
    leave_handover()
    has_input = bool(options.stdin or options.stdin_paths or files)
    if has_input and options.kind not in _KINDS:
        raise FastioError(f"'{options.kind}' is no object type")
    if has_input and (options.kind != "blob" or (options.stdin and options.path is not None)):
        _become_git(options, files)
    search = Search()
    if options.sha1_collision_check:
        check_collisions()
    # What only git knows: where the attributes of all users are.
    asked = search.git.start("var", "GIT_ATTR_SYSTEM", capture_stderr=True)
    from fastio.hasher.answers import Answers  # noqa: PLC0415 - while git searches
    from fastio.hasher.converter import Converter  # noqa: PLC0415
    from fastio.hasher.hasher import Hasher  # noqa: PLC0415

    repository = _result(search, options)
    conversions = _conversions(search, repository, asked, options)
    keeper = None
    hear_keyboard()
    collector.freeze()
    if options.write:
        raise_when_interrupted()
        from fastio.hasher.keeper import Keeper  # noqa: PLC0415 - as above

        assert repository is not None
        keeper = Keeper(repository, always_loose=options.loose)
    prefix = b"" if repository is None or options.stdin_paths else repository.prefix
    converter = Converter(search.git, prefix=prefix, write=options.write)
    answers = Answers(1)
    hasher = Hasher(
        options,
        repository,
        answers,
        conversions=conversions,
        converter=converter,
        keeper=keeper,
    )
    try:
        _run(hasher, files, answers)
    except KeyboardInterrupt:
        converter.stop()
        raise
    finally:
        converter.close()
        if conversions is not None:
            conversions.close()
        if keeper is not None:
            keeper.close()
    return 0


def _run(hasher: Hasher, files: list[str], answers: Answers) -> None:
    try:
        hasher.run([os.fsencode(name) for name in files])
    except FastioError:
        answers.close()  # what comes before a failure is told, but nobody waits for an interrupt's
        raise
    answers.close()


def _result(search: Search, options: HashOptions) -> Repository | None:
    """Return the repository; None if there is none, and none is needed."""
    try:
        return search.result()
    except RepositoryError:
        if options.write or search.config is None:
            raise
        return None


def _conversions(
    search: Search, repository: Repository | None, asked: GitProcess, options: HashOptions
) -> Conversions | None:
    with asked:
        answer = asked.finish()
    if answer.status == GitEnded.exit_status:  # it found something in its configuration
        raise RepositoryError(git_reason(answer.stderr))
    if search.config is None:
        return None
    search.config.big_file_threshold  # noqa: B018 - as git, refuse a bad value where it may matter
    if options.no_filters:
        return None
    from fastio.hasher.conversions import Conversions  # noqa: PLC0415 - as above

    return Conversions(
        search.git,
        repository,
        search.config,
        system_file=_SYSTEM_FILE if answer.status else answer.stdout.removesuffix(b"\n"),
        write=options.write,
    )


def leave_handover() -> None:
    """Let ``git`` be git itself, if we were called under `fastio exec`: we ask it to hash."""
    entries = os.environ.get("PATH", os.defpath).split(os.pathsep)
    kept = [entry for entry in entries if not entry.endswith("/fastio/cli/handover")]
    if kept == entries:
        return
    os.environ["PATH"] = os.pathsep.join(kept)
    os.environ.pop("GIT_EXEC_PATH", None)
    if exec_path := os.environ.get("FASTIO_EXEC_PATH"):
        os.environ["GIT_EXEC_PATH"] = exec_path


def _become_git(options: HashOptions, files: list[str]) -> NoReturn:
    """Let git itself do what it checks or converts as a whole: trees, commits, tags."""
    from fastio.store.git import Git  # noqa: PLC0415 - as above

    program = Git().behind_wrappers().program
    words = ["git", "hash-object", "-t", options.kind]
    flags = {
        "-w": options.write,
        "--stdin": options.stdin,
        "--stdin-paths": options.stdin_paths,
        "--literally": options.literally,
        "--no-filters": options.no_filters,
    }
    words += [flag for flag, is_set in flags.items() if is_set]
    if options.path is not None:
        words.append(f"--path={options.path}")
    try:
        os.execvp(program, [*words, *(["--", *files] if files else [])])
    except OSError as error:
        raise RepositoryError(f"cannot run 'git': {error.strerror}") from error
