"""Submodules that an export passes over, as git's does: those that diffs are told to ignore.

``--ignore-submodules`` hides all. Without it a submodule is hidden if ``.gitmodules`` lists its
path and says ``ignore = all``, or the configuration does so for its name, which counts more. That
file is the work tree's, else the index's, else HEAD's; without a work tree nothing is hidden.

git is asked when the first submodule comes up, so that it costs others nothing.
"""

from __future__ import annotations

import os
from collections.abc import Container
from functools import cached_property

from fastio.errors import OptionError, RepositoryError
from fastio.store.config import read_listing
from fastio.store.repository import Repository

_FILE = ".gitmodules"
_VALUES = {"all", "none", "untracked", "dirty"}


def hidden_submodules(repository: Repository, argument: str | None) -> Container[bytes] | None:
    """Tell which submodules are passed over.

    Args:
        repository: Where they are, and what may say so.
        argument: What ``--ignore-submodules`` says; None if it was not given.

    Returns:
        Their paths; None if it can be none.
    """
    if argument is None:
        return None if repository.is_bare else ConfiguredSubmodules(repository)
    return AllSubmodules() if argument == "all" else None


class AllSubmodules:
    """Holds every path."""

    def __contains__(self, path: object) -> bool:
        return True


class ConfiguredSubmodules:
    """Holds the paths that configuration hides.

    Args:
        repository: Where to look.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def __contains__(self, path: object) -> bool:
        name = self._names.get(path)
        if name is None:
            return False
        key = f"submodule.{name}.ignore"
        value = self._repository.config.text(key)
        if value is None:
            return self._listed.get(key) == "all"
        if value not in _VALUES:
            raise OptionError(f"bad --ignore-submodules argument: {value}")
        return value == "all"

    @cached_property
    def _listed(self) -> dict[str, str]:
        """What the file says, as far as git goes by it."""
        listed: dict[str, str] = {}
        for key, value in _read_file(self._repository):
            start, _, variable = key.rpartition(".")
            name = start.removeprefix("submodule.")
            if name == start or variable not in ("path", "ignore") or _is_suspicious(name):
                continue
            if value is None:
                raise RepositoryError(f"missing value for '{key}' in {_FILE}")
            if not value.startswith("-") and (variable == "path" or value in _VALUES):
                listed.pop(key, None)  # of two submodules at one path the last one counts
                listed[key] = value
        return listed

    @cached_property
    def _names(self) -> dict[object, str]:
        """Names by paths."""
        return {
            os.fsencode(value): key[len("submodule.") : -len(".path")]
            for key, value in self._listed.items()
            if key.endswith(".path")
        }


def _is_suspicious(name: str) -> bool:
    """Whether git does not trust a name, which is part of a path."""
    return not name or ".." in name.replace("\\", "/").split("/")


def _read_file(repository: Repository) -> list[tuple[str, str | None]]:
    git = repository.git
    top = git.run("rev-parse", "--show-toplevel", capture_stderr=True)
    if top.status:  # started in the repository's own directory
        return []
    path = os.path.join(top.stdout.removesuffix(b"\n"), os.fsencode(_FILE))
    if os.path.lexists(path):
        source: tuple[str | bytes, ...] = ("--file", path)
    else:
        for blob in (f":{_FILE}", f"HEAD:{_FILE}"):
            if not git.run("rev-parse", "-q", "--verify", blob, capture_stderr=True).status:
                source = ("--blob", blob)
                break
        else:
            return []
    listing = git.run("config", "--list", "-z", *source, capture_stderr=True)
    if listing.status:
        raise RepositoryError(f"cannot read {_FILE}: {_last_line(listing.stderr)}")
    return list(read_listing(listing.stdout))


def _last_line(text: bytes) -> str:
    lines = text.decode(errors="replace").splitlines() or ["git failed without a word"]
    return lines[-1].removeprefix("fatal: ")
