"""Files that git converts: it is asked to hash them, and to store what comes out.

One git answers for all of them (``git hash-object --stdin-paths``); it is started by the first. It
says what it has to say, warnings and errors, to our stderr.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from fastio.errors import GitEnded
from fastio.objects.kinds import Oid

if TYPE_CHECKING:
    from fastio.store.git import Git, GitProcess


class Converter:
    """Has git hash files.

    Args:
        git: Runs git where the command was started.
        prefix: Where that is below the top of the work tree, for names that are told from there.
        write: Whether objects are stored.
    """

    def __init__(self, git: Git, *, prefix: bytes, write: bool) -> None:
        self._git, self._prefix = git, prefix
        self._words = ("hash-object", *(["-w"] if write else []))
        self._process: GitProcess | None = None

    @cached_property
    def _hashing_git(self) -> Git:
        return self._git.behind_wrappers()

    def shown(self, name: bytes) -> bytes:
        """Return a name as seen from the top of the work tree."""
        return name if name.startswith(b"/") else self._prefix + name

    def convert(self, name: bytes) -> Oid:
        """Return the oid of a file's converted content.

        Raises:
            GitEnded: It did not get that far.
        """
        from fastio.stream.quoting import quote  # noqa: PLC0415 - few files are converted

        if self._process is None:
            self._process = self._hashing_git.start(*self._words, "--stdin-paths")
        process = self._process
        # What git could misread is quoted: a quote at the beginning, a CR at the end, a line end.
        process.send(quote(self.shown(name), quote_high=False) + b"\n")
        line = process.read_line()
        if line is None:
            raise GitEnded(process.close() or GitEnded.exit_status)
        return Oid(bytes.fromhex(line.decode()))

    def convert_as(self, name: bytes, path: str) -> Oid:
        """Return the oid of a file's content, converted as if it lay at *path*.

        Raises:
            GitEnded: It did not get that far.
        """
        done = self._hashing_git.run(*self._words, f"--path={path}", "--", name)
        if done.status:
            raise GitEnded(done.status)
        return Oid(bytes.fromhex(done.stdout.decode()))

    def stop(self) -> None:
        """Tell the git that answered to end now, whatever it waits for; close it as well."""
        if self._process is not None:
            self._process.terminate()

    def close(self) -> None:
        """End the git that answered."""
        if self._process is not None:
            self._process.close()
