"""The first look at the revisions: which refs, tags and tagged blobs the stream is about.

Every positive revision that is short for exactly one ref stands for that ref from here on. Others,
hex oids and ``main~1`` for instance, only take part in the walk. Refs give their names to the
commits they point to, first come, first served; all further commits that the walk starts from are
called what the command line calls them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from fastio.errors import ObjectError, RepositoryError
from fastio.exporter.refspecs import Refspecs
from fastio.exporter.starts import Start
from fastio.objects.kinds import BLOB, COMMIT, NAMES, TAG, Oid
from fastio.objects.tags import parse_tag
from fastio.records import record
from fastio.store.git import Git
from fastio.store.objects import ObjectStore

# rev-parse repeats what it does not know: so an answer ends even where there is none.
_NEXT = b"--next-answer"
_MAX_NAMES = 500  # to a command line


@record
class ListedTag:
    """A tag object to export, and the ref it was reached from: the same one at each level."""

    name: bytes
    oid: Oid


class Collection:
    """What the positive revisions stand for.

    Attributes:
        refs: Plain refs and their commits, by name; the first of each name.
        tags: Tag objects, outer ones before inner ones.
        tagged_blobs: Blobs that tags end at, in order.
        commits: Where the walk starts: pairs of commit and whether it is negative.
        lines: The same, as git is to be told.
        names: The names of those commits.
    """

    def __init__(
        self, git: Git, store: ObjectStore, refspecs: Refspecs, warn: Callable[[str], None]
    ) -> None:
        self._git, self._store, self._refspecs, self._warn = git, store, refspecs, warn
        self.refs: dict[bytes, Oid] = {}
        self.tags: list[ListedTag] = []
        self.tagged_blobs: list[Oid] = []
        self.commits: list[tuple[Oid, bool]] = []
        self.lines: list[bytes] = []
        self.names: dict[Oid, bytes] = {}

    def collect(self, starts: Sequence[Start]) -> None:
        """Go through all revisions.

        Raises:
            ObjectError: A tag cannot be followed to its end.
        """
        for start, full_name in zip(starts, self._full_names(starts), strict=True):
            if full_name is not None:
                self._add_ref(start, self._refspecs.map(full_name))
        for start in starts:
            _, oid, kind = self._end_of(start)
            if kind == COMMIT:
                self.commits.append((oid, start.is_negative))
                self.names.setdefault(oid, start.written)
                line = b"^" * start.is_negative + oid.hex().encode()
                self.lines += [line] if start.given is None else [start.given][: bool(start.given)]

    def _add_ref(self, start: Start, name: bytes) -> None:
        oid, kind = start.oid, start.kind
        if kind not in (COMMIT, TAG):
            text = start.ref.decode(errors="surrogateescape")
            kind_name = NAMES[kind].decode()
            self._warn(f"{text}: Unexpected object of type {kind_name}, skipping.")
            return
        tags, oid, kind = self._end_of(start)
        self.tags += [ListedTag(name, tag) for tag in tags]
        if kind == COMMIT:
            if start.kind == COMMIT:
                self.refs.setdefault(name, oid)
            self.names.setdefault(oid, name)
        elif kind == BLOB:
            self.tagged_blobs.append(oid)
        else:
            self._warn(f"Tag points to object of unexpected type {NAMES[kind].decode()}, skipping.")

    def _end_of(self, start: Start) -> tuple[Iterable[Oid], Oid, int]:
        """Follow tags: all of them, what they end at, and its type."""
        tags: dict[Oid, None] = {}
        oid, kind = start.oid, start.kind
        while kind == TAG:
            if oid in tags:
                raise ObjectError(f"tag {oid.hex()} points to itself, if by way of others")
            tags[oid] = None
            oid, kind = self._inside(oid)
        return tags, oid, kind

    def _inside(self, tag: Oid) -> tuple[Oid, int]:
        """What a tag points to: the object and its type, which must be what the tag says."""
        oid, kind = parse_tag(self._store.read(tag)[1])
        found = self._store.kind(oid)
        if found != kind:
            problem = "missing" if found is None else f"a {NAMES[found].decode()}"
            raise ObjectError(
                f"tag {tag.hex()} points to {NAMES[kind].decode()} {oid.hex()}, which is {problem}"
            )
        return oid, kind

    def _full_names(self, starts: Sequence[Start]) -> list[bytes | None]:
        """The ref that each start stands for, None where there is no such, or more than one."""
        known = {start.ref: start.full_name for start in starts if start.full_name}
        asked = {start.ref for start in starts if start.ref and not start.is_negative}
        known |= resolve_refs(self._git, sorted(asked - known.keys()))
        return [
            known.get(start.ref) if start.ref and not start.is_negative else None
            for start in starts
        ]


def resolve_refs(git: Git, names: Iterable[bytes]) -> dict[bytes, bytes]:
    """Find the full names of those that are short for exactly one ref."""
    found: dict[bytes, bytes] = {}
    plain = [name for name in names if not name.startswith(b"-")]
    for first in range(0, len(plain), _MAX_NAMES):
        batch = plain[first : first + _MAX_NAMES]
        words = [word for name in batch for word in (name, _NEXT)]
        answers = _full_names(git, words).split(_NEXT + b"\n")
        if len(answers) != len(batch) + 1:
            raise RepositoryError("cannot understand what git rev-parse says of refs")
        found |= {name: answer[:-1] for name, answer in zip(batch, answers, strict=False) if answer}
    for name in names:
        if name.startswith(b"-"):
            answer = _full_names(git, [b"--end-of-options", name]).split(b"\n")
            if len(answer) > 2:
                found[name] = answer[-2]
    return found


def _full_names(git: Git, words: Sequence[bytes]) -> bytes:
    # What it says on stderr was said when the names were resolved.
    return git.run("rev-parse", "--symbolic-full-name", *words, capture_stderr=True).stdout
