"""A git that does not see what was configured for logs, diffs and colours.

``git log`` reads settings that ``git fast-export`` has never heard of, and ends where it cannot
read one; no option takes that back. Where there are such settings git is given another directory,
which has links to all that is in the repository's own and a configuration without them.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastio.store.git import Git
    from fastio.store.repository import Repository

_LOGS = (
    *("log.", "diff.", "format.", "color.", "grep.", "pretty.", "i18n.", "notes.", "gpg."),
    *("merge.", "pager.", "column."),
)
# The listing of settings has what files include, and the work tree is told otherwise.
_HIDDEN = (*_LOGS, "include.", "includeif.", "core.worktree")
_COPIED = {b"HEAD"}  # what git does not take as a link
_CONFIGURATION = {b"config", b"config.worktree", b"commondir", b"gitdir"}


@contextlib.contextmanager
def neutral_git(repository: Repository) -> Iterator[Git]:
    """Give a git for walks, as long as the context lasts."""
    variables = list(repository.config.variables())
    if not any(key.startswith(_LOGS) for key, _ in variables):
        yield repository.git
        return
    import tempfile  # noqa: PLC0415 - few have such settings and walks

    kept = [(key, value) for key, value in variables if not key.startswith(_HIDDEN)]
    with tempfile.TemporaryDirectory(prefix="fastio-") as name:
        directory = os.fsencode(name)
        common = os.path.join(directory, b"common")
        _link(repository.common_dir, common)
        with open(os.path.join(common, b"config"), "w", errors="surrogateescape") as file:
            file.writelines(_setting(key, value) for key, value in kept)
        own = common
        if not os.path.samefile(repository.git_dir, repository.common_dir):
            own = os.path.join(directory, b"own")
            _link(repository.git_dir, own)
        yield _in_directory(repository.git, own, common)


def _link(source: bytes, target: bytes) -> None:
    """Make a directory with links to what is in another one, but for its configuration."""
    os.mkdir(target)
    for name in os.listdir(source):
        path, link = os.path.join(source, name), os.path.join(target, name)
        if name in _COPIED:
            with open(path, "rb") as old, open(link, "wb") as new:
                new.write(old.read())
        elif name not in _CONFIGURATION:
            os.symlink(path, link)


def _setting(key: str, value: str | None) -> str:
    """Write a variable as a section of its own."""
    section, _, rest = key.partition(".")
    subsection, _, name = rest.rpartition(".")
    if subsection:
        section += f" {_quoted(subsection)}"
    return f"[{section}]\n{name}" + ("\n" if value is None else f" = {_quoted(value)}\n")


def _quoted(text: str) -> str:
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'


def _in_directory(git: Git, own: bytes, common: bytes) -> Git:
    """Run git where it did, with other directories and no other configuration."""
    said = git.run("rev-parse", "--show-toplevel", capture_stderr=True)
    variables = {
        "GIT_DIR": os.fsdecode(own),
        "GIT_COMMON_DIR": os.fsdecode(common),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_COUNT": "0",
        "GIT_CONFIG_PARAMETERS": "",
    }
    if not said.status:
        variables["GIT_WORK_TREE"] = os.fsdecode(said.stdout.removesuffix(b"\n"))
    return git.with_environment(**variables)
