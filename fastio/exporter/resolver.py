"""Revisions, resolved: plain ones, ranges, parents of one; each becomes starts of the walk.

One ``git cat-file --batch-check`` answers what an expression names. What cannot be resolved is
nobody's error yet: it may be a path.

Source: gitrevisions(7).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from fastio.exporter.ref_list import UnclearError
from fastio.exporter.starts import Start
from fastio.objects.kinds import COMMIT, Oid
from fastio.store.repository import Repository
from fastio.store.revisions import Revisions

_PARENTS = rb"(?s)(.*)\^(@|!|-([0-9]*))"  # compiled when first used: --all does without


class Resolver:
    """Resolves revisions of one repository."""

    def __init__(self, repository: Repository) -> None:
        self._git = repository.git
        self._revisions = Revisions(repository.git)

    def close(self) -> None:
        """End the git process, if there is one."""
        self._revisions.close()

    def resolve(self, text: bytes, *, is_negative: bool) -> list[Start] | None:
        """Resolve a revision argument.

        Args:
            text: What the command line says.
            is_negative: Whether that stands behind ``--not``.

        Returns:
            Its starts in git's order; None if it is no revision.

        Raises:
            UnclearError: It is one that git has words for.
        """
        if (starts := self._range(text, is_negative)) is not None:
            return starts
        revision = text.removeprefix(b"^")
        is_negative ^= revision != text
        if revision != text and revision.startswith(b"-"):
            return None
        match = re.fullmatch(_PARENTS, revision)
        if match and (starts := self._parents(match, is_negative, revision != text)) is not None:
            return starts
        found = self.find(revision)
        if found is None:
            return None
        # "--not ^x" is positive, but no name of a ref.
        ref = b"" if text.startswith(b"^") else revision
        return [Start(found[1], found[0], revision, ref, is_negative)]

    def is_missing(self, text: bytes) -> bool:
        """Tell whether what is no revision names an object all the same, which is not there."""
        words = ("--verify", "--quiet", "--end-of-options", text.removeprefix(b"^"))
        return self._git.run("rev-parse", *words, capture_stderr=True).status == 0

    def find(self, expression: bytes) -> tuple[int, Oid] | None:
        """The object that an expression names, as (type, oid); None if there is none."""
        return self._revisions.resolve_object(expression)

    def _range(self, text: bytes, is_negative: bool) -> list[Start] | None:
        left_text, dots, right_text = text.partition(b"..")
        if not dots or text == b"..":
            return None
        is_symmetric = right_text.startswith(b".")
        right_text = right_text.removeprefix(b".") if is_symmetric else right_text
        left_text, right_text = left_text or b"HEAD", right_text or b"HEAD"
        left, right = self.find(left_text), self.find(right_text)
        if left is None or right is None:
            return None
        if is_symmetric:
            return self._difference((left_text, *left), (right_text, *right), is_negative)
        return [
            Start(left[1], left[0], left_text, left_text, not is_negative),
            Start(right[1], right[0], right_text, right_text, is_negative),
        ]

    def _difference(
        self, left: tuple[bytes, int, Oid], right: tuple[bytes, int, Oid], is_negative: bool
    ) -> list[Start]:
        """Starts of a symmetric difference, whose sides git tells apart (``--left-only``)."""
        bases = self._merge_bases(left[2], right[2])
        # The names of commits are known, those of tags are not.
        sides = (self.find(b"%s^{commit}" % side[0]) or side[1:] for side in (left, right))
        both = b"...".join(oid.hex().encode() for _, oid in sides)
        covered = None if is_negative else b""
        return [
            *(
                Start(
                    *(oid, COMMIT, oid.hex().encode()),
                    is_negative=not is_negative,
                    given=covered,
                )
                for oid in bases
            ),
            Start(left[2], left[1], left[0], left[0], is_negative, given=covered),
            Start(
                *(right[2], right[1], right[0], right[0], is_negative),
                given=None if is_negative else both,
            ),
        ]

    def _merge_bases(self, left: Oid, right: Oid) -> Iterator[Oid]:
        ends = (left.hex(), right.hex())
        said = self._git.run("merge-base", "--all", *ends, capture_stderr=True)
        if said.status > 1:
            raise UnclearError("no merge base can be found")
        for line in said.stdout.split():
            yield Oid(bytes.fromhex(line.decode()))

    def _parents(
        self, match: re.Match[bytes], is_negative: bool, has_caret: bool
    ) -> list[Start] | None:
        name, mark, number = match[1], match[2], match[3]
        found = self.find(name)
        if found is None or (number and not int(number)):
            return None
        commit = self.find(name + b"^{commit}")
        if commit is None:
            return None
        parents = list(self._parents_of(commit[1]))
        ref = b"" if has_caret else name
        if mark == b"@":
            return [Start(oid, COMMIT, name, ref, is_negative) for oid in parents]
        if mark != b"!":
            parents = parents[int(number or b"1") - 1 :][:1]
            if not parents:
                return None
        others = [Start(oid, COMMIT, name, ref, is_negative=not is_negative) for oid in parents]
        return [*others, Start(found[1], found[0], name, is_negative=is_negative)]

    def _parents_of(self, commit: Oid) -> Iterator[Oid]:
        """Ask for one after the other: git minds grafts and replacements."""
        for number in itertools.count(1):
            found = self.find(b"%s^%d" % (commit.hex().encode(), number))
            if found is None:
                return
            yield found[1]
