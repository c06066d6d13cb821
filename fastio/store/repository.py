"""The repository: where it lies, what it is, and how git is run in it.

Discovery is git's: one ``git rev-parse`` answers for GIT_DIR, sub-directories, linked work
trees, bare repositories and safe.directory alike. The configuration is read when first asked
for, by one ``git config``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from fastio.errors import RepositoryError
from fastio.objects.kinds import FORMATS, ObjectFormat
from fastio.store.config import Config
from fastio.store.git import Git

# One line of output each, in this order.
_QUESTIONS = (
    "--git-dir",
    "--git-common-dir",
    "--git-path",
    "objects",
    "--show-object-format",
    "--is-bare-repository",
    "--show-ref-format",
    "--show-prefix",
)
_ANSWERS = len(_QUESTIONS) - 1


# Not slotted: cached_property keeps its values in the instance's dictionary.
@dataclass(frozen=True)
class Repository:
    """A git repository, found.

    Attributes:
        git: Runs git in this repository.
        git_dir: Absolute path of its directory; of a linked work tree, that one's own.
        common_dir: Absolute path of the directory that all work trees share.
        objects_dir: Absolute path of the object directory.
        object_format: Its hash algorithm.
        is_bare: Whether it has no work tree.
        ref_format: How refs are stored, ``files`` or ``reftable``.
        prefix: Where we are below the top of the work tree, ``dir/sub/`` or empty.
    """

    git: Git
    git_dir: bytes
    common_dir: bytes
    objects_dir: bytes
    object_format: ObjectFormat
    is_bare: bool
    ref_format: str
    prefix: bytes

    @classmethod
    def discover(
        cls,
        path: bytes | str | None = None,
        environment: Mapping[str, str] | None = None,
        *,
        program: str = "git",
    ) -> Self:
        """Find the repository that git would use.

        Args:
            path: Where to start, None for the current directory.
            environment: For every git that is run; None for our own.
            program: The git to run.

        Raises:
            RepositoryError: There is none, or git does not trust it, or cannot be run.
        """
        git = Git(
            program,
            None if path is None else os.fsencode(path),
            os.environ if environment is None else environment,
        )
        asked = git.run("rev-parse", "--path-format=absolute", *_QUESTIONS, capture_stderr=True)
        if asked.status:
            raise RepositoryError(_reason(asked.stderr))
        answers = asked.stdout.split(b"\n", _ANSWERS - 1)
        object_format = FORMATS.get(answers[3].decode()) if len(answers) == _ANSWERS else None
        if object_format is None:
            raise RepositoryError("cannot understand what git rev-parse says of the repository")
        # A git from before ref formats repeats the option that it does not know.
        ref_format = "files" if answers[5].startswith(b"-") else answers[5].decode()
        return cls(
            git=git,
            git_dir=answers[0],
            common_dir=answers[1],
            objects_dir=answers[2],
            object_format=object_format,
            is_bare=answers[4] == b"true",
            ref_format=ref_format,
            prefix=answers[6].removesuffix(b"\n"),
        )

    @cached_property
    def config(self) -> Config:
        """The configuration, as it was when first asked for."""
        listed = self.git.run("config", "--list", "-z", capture_stderr=True)
        if listed.status:
            raise RepositoryError(_reason(listed.stderr))
        return Config(listed.stdout)


def _reason(stderr: bytes) -> str:
    """What git complained of, without its prefix."""
    text = stderr.decode(errors="replace").strip()
    return text.removeprefix("fatal: ") or "git failed without a word"
