"""The ``diff`` attribute, which says of paths whether their files are text.

git is asked, one path at a time, by a process that is started for the first question; few exports
have any. An export of git's reads attributes without an index, and no drivers (``diff=c``), so
neither do we.
"""

from __future__ import annotations

import os

from fastio.errors import RepositoryError
from fastio.store.git import GitProcess
from fastio.store.repository import Repository

_ANSWERS = {b"set": True, b"unset": False}


class TextAttribute:
    """Tells whether files are text, going by their paths.

    Args:
        repository: Where attributes are read from.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._up = b"../" * repository.prefix.count(b"/")  # to where paths begin
        self._process: GitProcess | None = None
        self._owner = 0  # who started it: a worker that was forked later starts its own
        self._known: dict[bytes, bool | None] = {}

    def __call__(self, path: bytes) -> bool | None:
        """Return whether *path* is text; None when that is left to its content.

        Raises:
            RepositoryError: git does not answer.
        """
        if path not in self._known:
            self._known[path] = self._ask(path)
        return self._known[path]

    def close(self) -> None:
        """End the process, if there is one and it is ours."""
        if self._process is not None and self._owner == os.getpid():
            self._process.close()
        self._process = None

    def __del__(self) -> None:
        self.close()  # an export that asks does not know when it asks for the last time

    def _ask(self, path: bytes) -> bool | None:
        if self._process is None or self._owner != os.getpid():
            no_index = os.fsdecode(os.path.join(self._repository.git_dir, b"no-index"))
            git = self._repository.git.with_environment(GIT_INDEX_FILE=no_index)
            self._process = git.start("check-attr", "--stdin", "-z", "diff")
            self._owner = os.getpid()
        output = self._process.output
        self._process.send(self._up + path + b"\0")
        if not self._process.wait_for(lambda: output.count(b"\0") == 3):
            raise RepositoryError("git check-attr ended without an answer")
        value = bytes(output).split(b"\0")[2]
        output.clear()
        return _ANSWERS.get(value)
