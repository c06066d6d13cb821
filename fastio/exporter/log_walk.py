"""The walk, done by ``git log``: for all that git's revision options can ask for.

It is given oids and no names, so that ``%S``, the revision from which a commit was reached first,
tells which start's name the commit has. What the user has configured for logs does not matter
(`fastio.exporter.neutral_git`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

from fastio.errors import FastioError
from fastio.exporter._log_listing import read_listing
from fastio.exporter.collection import Collection
from fastio.exporter.marks import MarkTable
from fastio.exporter.neutral_git import neutral_git
from fastio.exporter.rev_words import refusal
from fastio.exporter.walk import Walk
from fastio.objects.kinds import TREE
from fastio.store.repository import Repository

# Oid, tree, name and parents. The name stands between tabs: it need not be an oid.
_FORMAT = "--format=tformat:%H %T\t%S\t%P"
_OPTIONS = (
    *("--topo-order", "-s", "--no-color", "--no-notes", "--no-decorate"),
    *("--no-mailmap", "--no-show-signature", "--encoding=UTF-8", _FORMAT),
)
_COUNTS = re.compile(rb"(?s)(-(?=[0-9])|-n|--max-count=|--skip=|--max-count-oldest=)(.*)")


def walk_by_log(
    repository: Repository,
    collection: Collection,
    *,
    options: Sequence[bytes] = (),
    late_options: Sequence[bytes] = (),
    paths: Sequence[bytes] = (),
    marks: MarkTable | None = None,
    warn: Callable[[str], None],
) -> Walk:
    """Let git walk.

    Args:
        repository: Where the commits are.
        collection: Where to start, and the names.
        options: Options of the walk.
        late_options: Those that git must read behind the revisions.
        paths: Path limits.
        marks: The imported marks; None if there are none.
        warn: Is told of git's warnings.

    Raises:
        FastioError: git refuses.
        UsageError: It does not know an option.
    """
    counts: dict[bytes, int] = {}
    if marks is not None:  # what is marked already does not count
        options, counts = _without_counts(options)
    options = [b"--parents", *options]
    listing = run_log(
        repository,
        collection.lines,
        options=options,
        late_options=late_options,
        paths=paths,
        warn=warn,
    )
    oid_size = repository.object_format.oid_size
    if counts:
        listing = _cut(listing, oid_size, marks, counts)
    walk = Walk(oid_size)
    names: dict[bytes, int] = {}
    indexes: dict[bytes, int] = {}
    for oid, name in collection.names.items():
        index = indexes.setdefault(name, len(indexes))
        if index == len(walk.ref_names):
            walk.ref_names.append(name)
        names[oid.hex().encode()] = index
    read_listing(walk, listing, names, marks)
    return walk


def check_options(repository: Repository, options: Sequence[bytes]) -> None:
    """Refuse what git does not know, where there is nothing to walk from.

    Raises:
        UsageError: There is such an option.
    """
    # git knows the empty tree even where it has no object, and no log begins there.
    empty_tree = repository.object_format.hash_object(TREE, b"")
    with neutral_git(repository) as git:
        said = git.run("log", *options, empty_tree.hex(), "--", capture_stderr=True)
    if said.status:
        raise refusal(said)


def run_log(
    repository: Repository,
    lines: Sequence[bytes],
    *,
    options: Sequence[bytes],
    late_options: Sequence[bytes],
    paths: Sequence[bytes],
    warn: Callable[[str], None],
) -> bytes:
    """Return what git log says, newest commit first."""
    text = b"".join(line + b"\n" for line in lines)
    if b"--simplify-by-decoration" in options:  # by all refs, not only those that a log shows
        options = [b"--clear-decorations", *options]
    words: list[str | bytes] = [
        "log",
        *_OPTIONS,
        *options,
        "--stdin",
        *late_options,
        "--",
        *paths,
    ]
    with neutral_git(repository) as git:
        said = git.run(*words, text=text, capture_stderr=True)
    if said.status:
        raise refusal(said)
    for line in said.stderr.splitlines():
        if line.startswith(b"hint:"):  # that grafts are out of fashion
            continue
        warn(os.fsdecode(line).removeprefix("warning: ").removeprefix("error: "))
    return said.stdout


def _without_counts(options: Sequence[bytes]) -> tuple[list[bytes], dict[bytes, int]]:
    """Take what counts commits out of options; what each says, ``-n`` for the most."""
    left: list[bytes] = []
    counts: dict[bytes, int] = {}
    for word in options:
        match = _COUNTS.fullmatch(word)
        if match is None:
            left.append(word)
            continue
        name, text = match.groups()
        try:
            number = int(text)
        except ValueError:
            raise FastioError(f"'{os.fsdecode(text)}': not an integer") from None
        counts[name if name in (b"--skip=", b"--max-count-oldest=") else b"-n"] = number
    return left, counts


def _cut(listing: bytes, oid_size: int, marks: MarkTable | None, counts: dict[bytes, int]) -> bytes:
    """Leave out commits with marks, then those that do not count."""
    lines = listing.splitlines(keepends=True)
    unmarked = [
        line
        for line in lines
        if not (marks and marks.find(bytes.fromhex(line[: 2 * oid_size].decode())))
    ]
    most, oldest = counts.get(b"-n", -1), counts.get(b"--max-count-oldest=")
    if oldest is not None:
        unmarked = unmarked[-oldest:] if oldest > 0 else []
    chosen = unmarked[max(counts.get(b"--skip=", 0), 0) :]
    return b"".join(chosen[:most] if most >= 0 else chosen)
