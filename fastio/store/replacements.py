"""``refs/replace/``: objects that are read in the place of others.

A ref ``refs/replace/<oid>`` names the object that whoever asks for ``<oid>`` is to get, under that
name. Such refs come from ``git replace``, from grafts and from tools that rewrite history.

Source: git-replace(1).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fastio.errors import ObjectError
from fastio.objects.kinds import Oid

if TYPE_CHECKING:
    from fastio.store.repository import Repository

_DEPTH = 5  # how many replacements of replacements git follows
_BASE = "refs/replace/"


class Replacements:
    """What is to be read for which object, as it was at the start: an import may make such refs."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._oids = self._read() if self._wanted() else {}

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return bool(self._oids)

    def of(self, oid: Oid) -> Oid:
        """Return what to read for *oid*, mostly itself.

        Raises:
            ObjectError: There are too many replacements of replacements.
        """
        if not self._oids:
            return oid
        found = oid
        for _ in range(_DEPTH + 1):
            if found not in self._oids:
                return found
            found = self._oids[found]
        raise ObjectError(f"replace depth too high for object {oid.hex()}")

    def _wanted(self) -> bool:
        """Tell whether there may be some, which is seldom so and should then cost no process."""
        repository = self._repository
        environment = repository.git.environment
        if "GIT_NO_REPLACE_OBJECTS" in environment or not repository.config.use_replace_refs:
            return False
        if "GIT_REPLACE_REF_BASE" in environment or repository.ref_format != "files":
            return True
        if os.path.isdir(os.path.join(repository.common_dir, os.fsencode(_BASE))):
            return True
        try:
            with open(os.path.join(repository.common_dir, b"packed-refs"), "rb") as file:
                return b" %b" % _BASE.encode() in file.read()
        except OSError:
            return False

    def _read(self) -> dict[Oid, Oid]:
        git = self._repository.git
        base = os.fsencode(git.environment.get("GIT_REPLACE_REF_BASE", _BASE))
        base = base.rstrip(b"/") + b"/"
        size = self._repository.object_format.oid_size
        oids: dict[Oid, Oid] = {}
        listed = git.run("for-each-ref", "--format=%(objectname) %(refname)", base)
        for line in listed.stdout.splitlines():
            value, _, name = line.partition(b" ")
            try:
                replaced = bytes.fromhex(name.removeprefix(base).decode())
            except ValueError:
                continue  # git warns of such a name and leaves it out
            if len(replaced) == size:
                oids[Oid(replaced)] = Oid(bytes.fromhex(value.decode()))
        return oids
