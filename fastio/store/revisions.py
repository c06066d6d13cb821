"""Revision expressions (``main~2``, ``v1.0^{tree}``, abbreviated oids), answered by git.

One ``git cat-file --batch-check`` is kept for all questions. It notices refs, loose objects and
packs that appear while it runs; its warnings (ambiguous names) go to our stderr.
"""

from __future__ import annotations

import re

from fastio.objects.kinds import COMMIT, NUMBERS, TAG, Oid
from fastio.store.git import Git, GitProcess

_FOUND = rb"([0-9a-f]+) (commit|tree|blob|tag) [0-9]+\Z"


class Revisions:
    """Resolves expressions against what is on disk."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: GitProcess | None = None

    def resolve(self, expression: bytes) -> Oid | None:
        """The commit that an expression names, through annotated tags; None if there is none."""
        found = self.resolve_object(expression)
        if found and found[0] == TAG:
            found = self.resolve_object(b"%s^{commit}" % found[1].hex().encode())
        return found[1] if found and found[0] == COMMIT else None

    def resolve_object(self, expression: bytes) -> tuple[int, Oid] | None:
        """The object that an expression names, as (type, oid); None if there is none."""
        if b"\n" in expression or b"\0" in expression:
            return None
        answer = self._ask(expression)
        match = re.match(_FOUND, answer)
        return match and (NUMBERS[match[2]], Oid(bytes.fromhex(match[1].decode())))

    def close(self) -> None:
        """End the git process, if there is one."""
        if self._process is not None:
            self._process.close()
        self._process = None

    def _ask(self, expression: bytes) -> bytes:
        if self._process is None:
            self._process = self._git.start("cat-file", "--batch-check")
        # git takes one CR off the end of each line.
        self._process.send(expression + b"\r\n")
        answer = self._process.read_line()
        if answer is None:  # some malformed expressions end it
            self.close()
        return answer or b""
