"""All refs of a repository, as ``--all``, ``--branches``, ``--glob``, ``--exclude`` choose them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator

from fastio.errors import FastioError
from fastio.exporter.wildcards import SPECIAL, wildcard
from fastio.objects.kinds import NUMBERS, Oid
from fastio.records import record
from fastio.store.repository import Repository

_FORMAT = "%(objectname) %(objecttype) %(refname) %(symref) %(if)%(HEAD)%(then)*%(end)"


@record
class Ref:
    """A ref: its full name, its value, the value's type, and the ref it stands for, if symbolic."""

    name: bytes
    oid: Oid
    kind: int
    target: bytes = b""


class UnclearError(FastioError):
    """Something is wrong that git has words for."""


class RefList:
    """The refs of a repository in ascending order of their names, and its HEADs.

    Args:
        repository: Whose refs.
        doubt: Called when there are broken ones: raises an error if git ends with one.
    """

    def __init__(self, repository: Repository, doubt: Callable[[], None]) -> None:
        self._repository, self._doubt = repository, doubt
        self._refs: dict[bytes, Ref] | None = None
        self._head: Ref | None = None

    @property
    def head(self) -> Ref | None:
        """The ref that HEAD stands for; None if it stands for none of `refs`."""
        return self._head if self.refs else None

    @property
    def refs(self) -> dict[bytes, Ref]:
        """All refs below ``refs/`` that point to an object, by full name."""
        if self._refs is None:
            self._refs = {ref.name: ref for ref in self._read()}
        return self._refs

    def chosen(self, prefix: bytes, pattern: bytes | None) -> list[Ref]:
        """Refs below *prefix* that match a pattern as git's globs do, which may lack its ``*``."""
        if pattern is None:
            return [ref for name, ref in self.refs.items() if name.startswith(prefix)]
        full = prefix + pattern
        if not prefix and not pattern.startswith(b"refs/"):
            full = b"refs/" + pattern
        if not any(char in SPECIAL for char in pattern):
            full = full.removesuffix(b"/") + b"/*"
        match = wildcard(full)
        return [ref for name, ref in self.refs.items() if match(name)]

    def full_name(self, name: bytes) -> bytes:
        """Follow symbolic refs from a full name to the end."""
        for _ in range(5):
            ref = self.refs.get(name)
            if ref is None or not ref.target:
                break
            name = ref.target
        return name

    def is_only_itself(self, name: bytes) -> bool:
        """Tell whether a full name cannot be short for another ref."""
        tried = (b"refs/%s", b"refs/tags/%s", b"refs/heads/%s", b"refs/remotes/%s")
        others = [pattern % name for pattern in (*tried, b"refs/remotes/%s/HEAD")]
        return not any(other in self.refs for other in others)

    def heads_elsewhere(self) -> list[bytes]:
        """Names of the HEADs of all work trees but this one, the main one first."""
        common, own = self._repository.common_dir, self._repository.git_dir
        names = [] if os.path.samefile(common, own) else [b"main-worktree/HEAD"]
        folder = os.path.join(common, b"worktrees")
        with contextlib.suppress(OSError):  # there is none mostly, and no directory need be there
            for name in os.listdir(folder):  # in the order of the directory, which is git's too
                entry = os.path.join(folder, name)
                if os.path.exists(os.path.join(entry, b"gitdir")) and not os.path.samefile(
                    entry, own
                ):
                    names.append(b"worktrees/%s/HEAD" % name)
        return names

    def _read(self) -> Iterator[Ref]:
        git = self._repository.git
        listed = git.run("for-each-ref", f"--format={_FORMAT}", capture_stderr=True)
        lines = [line.split(b" ") for line in listed.stdout.splitlines()]
        if listed.status or b"warning: ignoring" in listed.stderr:
            self._doubt()  # with --ignore-missing there may be refs to objects that are missing
            untyped = _FORMAT.replace("%(objecttype)", "?")
            listed = git.run("for-each-ref", f"--format={untyped}", capture_stderr=True)
            lines = [line.split(b" ") for line in listed.stdout.splitlines()]
            asked = b"".join(line[0] + b"\n" for line in lines)
            said = git.run("cat-file", "--batch-check=%(objecttype)", text=asked)
            answers = said.stdout.splitlines()
            if len(answers) != len(lines):  # it has crashed
                raise UnclearError("git cat-file does not tell what refs point to")
            for line, answer in zip(lines, answers, strict=True):
                line[1] = answer
        for oid, kind, name, target, is_head in lines:
            if kind in NUMBERS:
                ref = Ref(name, Oid(bytes.fromhex(oid.decode())), NUMBERS[kind], target)
                if is_head:
                    self._head = ref
                yield ref
