"""The repository: where it lies, what it is, and how git is run in it.

Discovery is git's: one ``git rev-parse`` answers for GIT_DIR, sub-directories, linked work
trees, bare repositories and safe.directory alike. One ``git config`` reads the configuration; both
run at the same time.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from fastio.errors import RepositoryError
from fastio.objects.kinds import FORMATS, ObjectFormat
from fastio.store.config import Config
from fastio.store.git import Git

# What git rev-parse does not know it repeats: so an answer ends even where a path has line ends.
_NEXT = "--next-answer"
_QUESTIONS = (
    *("--git-dir", _NEXT),
    *("--git-common-dir", _NEXT),
    *("--git-path", "objects", _NEXT),
    *("--show-object-format", _NEXT),
    *("--is-bare-repository", _NEXT),
    *("--show-ref-format", _NEXT),
    "--show-prefix",
)
_SEPARATOR = b"\n%s\n" % _NEXT.encode()
_ANSWERS = _QUESTIONS.count(_NEXT) + 1


class Repository:
    """A git repository, found.

    Args:
        git: Runs git in this repository.
        config: Its configuration, as it was when the repository was found.
        git_dir: Absolute path of its directory; of a linked work tree, that one's own.
        common_dir: Absolute path of the directory that all work trees share.
        objects_dir: Absolute path of the object directory.
        object_format: Its hash algorithm.
        is_bare: Whether it has no work tree.
        ref_format: How refs are stored, ``files`` or ``reftable``.
        prefix: Where we are below the top of the work tree, ``dir/sub/`` or empty.
    """

    def __init__(
        self,
        git: Git,
        config: Config,
        *,
        git_dir: bytes,
        common_dir: bytes,
        objects_dir: bytes,
        object_format: ObjectFormat,
        is_bare: bool,
        ref_format: str,
        prefix: bytes,
    ) -> None:
        self.git, self.config, self.git_dir, self.common_dir = git, config, git_dir, common_dir
        self.objects_dir, self.object_format, self.is_bare = objects_dir, object_format, is_bare
        self.ref_format, self.prefix = ref_format, prefix

    @classmethod
    def discover(
        cls,
        path: bytes | str | None = None,
        environment: Mapping[str, str] | None = None,
        *,
        program: str = "git",
    ) -> Repository:
        """Find the repository that git would use: a `Search` and its result."""
        return Search(path, environment, program=program).result()

    def shown(self, path: bytes) -> bytes:
        """Return *path* as git tells it: from the top of the work tree or of a bare repository."""
        top = self.git_dir if self.is_bare else os.path.dirname(self.git_dir)
        if not _is_below(os.getcwdb(), top) or not _is_below(path, top):
            return path
        return os.path.relpath(path, top)


def _is_below(path: bytes, directory: bytes) -> bool:
    return os.path.join(path, b"").startswith(os.path.join(directory, b""))


class Search:
    """A search for the repository that git would use, which goes on while the caller works.

    Args:
        path: Where to start, None for the current directory.
        environment: For every git that is run; None for our own.
        program: The git to run.

    Attributes:
        git: Runs git there.
        config: What git says of its configuration, also where there is no repository; None before
            `result` was asked for.

    Raises:
        RepositoryError: git cannot be run.
    """

    def __init__(
        self,
        path: bytes | str | None = None,
        environment: Mapping[str, str] | None = None,
        *,
        program: str = "git",
    ) -> None:
        self.config: Config | None = None
        self.git = Git(
            program,
            None if path is None else os.fsencode(path),
            os.environ if environment is None else environment,
        )
        asked = ("rev-parse", "--path-format=absolute", *_QUESTIONS)
        self._place = self.git.start(*asked, capture_stderr=True)
        self._config = self.git.start("config", "--list", "-z", capture_stderr=True)

    def result(self) -> Repository:
        """Wait for what git says.

        Raises:
            RepositoryError: There is no repository, or git does not trust it or its configuration.
        """
        with self._place, self._config:
            place, config = self._place.finish(), self._config.finish()
        if not config.status:
            self.config = Config(config.stdout)
        for said in (place, config):
            if said.status:
                raise RepositoryError(git_reason(said.stderr))
        assert self.config is not None
        answers = place.stdout.split(_SEPARATOR)
        object_format = FORMATS.get(answers[3].decode()) if len(answers) == _ANSWERS else None
        if object_format is None:
            raise RepositoryError("cannot understand what git rev-parse says of the repository")
        # A git from before ref formats repeats the option that it does not know.
        ref_format = "files" if answers[5].startswith(b"-") else answers[5].decode()
        return Repository(
            git=self.git,
            config=self.config,
            git_dir=answers[0],
            common_dir=answers[1],
            objects_dir=answers[2],
            object_format=object_format,
            is_bare=answers[4] == b"true",
            ref_format=ref_format,
            prefix=answers[6].removesuffix(b"\n"),
        )


def git_reason(stderr: bytes) -> str:
    """Return what git complained of, without its prefix."""
    text = stderr.decode(errors="replace").strip()
    return text.removeprefix("fatal: ") or "git failed without a word"
