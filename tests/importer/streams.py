"""Streams for the importer's tests, written as bytes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from random import Random
from typing import ParamSpec

P = ParamSpec("P")

WHO = b"C O Mitter <c@example.com> 1234567890 +0000"


def joined(function: Callable[P, Iterator[bytes]]) -> Callable[P, bytes]:
    """Let a generator of pieces return the whole stream."""

    @functools.wraps(function)
    def call(*arguments: P.args, **keywords: P.kwargs) -> bytes:
        return b"".join(function(*arguments, **keywords))

    return call


def blob(mark: int, data: bytes) -> bytes:
    return b"blob\nmark :%d\ndata %d\n%b\n" % (mark, len(data), data)


def commit(
    mark: int,
    *changes: bytes,
    ref: bytes = b"refs/heads/main",
    start: bytes | None = None,
    message: bytes = b"message",
) -> bytes:
    """A commit; each change is a line without its LF, *start* what follows ``from``."""
    head = b"commit %b\nmark :%d\ncommitter %b\ndata %d\n%b\n"
    lines = [] if start is None else [b"from " + start]
    body = b"".join(line + b"\n" for line in (*lines, *changes))
    return head % (ref, mark, WHO, len(message), message) + body + b"\n"


def inline(path: bytes, data: bytes) -> bytes:
    """An M line with its data, to be used as a change of a commit."""
    return b"M 100644 inline %b\ndata %d\n%b" % (path, len(data), data)


def text(rng: Random, size: int) -> bytes:
    """Lines of hex digits, which deflate to about half."""
    return b"\n".join(rng.randbytes(24).hex().encode() for _ in range(size // 49 + 1))[:size]


def edit(rng: Random, content: bytes) -> bytes:
    """The same with a few bytes replaced or inserted."""
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.randbytes(12).hex().encode() + content[at + rng.choice((0, 24)) :]


@joined
def history(
    *, files: int, size: int, commits: int, seed: int = 1, edits: int = 0, repeats: int = 1
) -> Iterator[bytes]:
    """A history that begins with *files* files of about *size* bytes, and edits some a commit.

    Each begins as a text that stands there *repeats* times.
    """
    rng = Random(seed)
    sizes = range(size // 2 // repeats, size * 3 // 2 // repeats)
    contents = [text(rng, rng.randrange(sizes.start, sizes.stop)) * repeats for _ in range(files)]
    mark = 0
    for number in range(commits):
        touched = range(files) if number == 0 else sorted(rng.sample(range(files), edits or 3))
        changes = []
        for file in touched:
            mark += 1
            contents[file] = edit(rng, contents[file])
            yield blob(mark, contents[file])
            changes.append(b"M 100644 :%d dir%d/file%d" % (mark, file % 7, file))
        mark += 1
        yield commit(mark, *changes, message=b"commit %d" % number)


@joined
def blobs_first(*, count: int, size: int, seed: int = 2) -> Iterator[bytes]:
    """All blobs, then the commits that use them, each blob twice in the stream."""
    rng = Random(seed)
    content = text(rng, size)
    for mark in range(1, count + 1):
        content = edit(rng, content)
        yield blob(mark, content)
        yield blob(mark, content)  # the mark is declared again
    for mark in range(1, count + 1):
        yield commit(count + mark, b"M 100644 :%d file" % mark, message=b"%d" % mark)


@joined
def sizes(*, rounds: int, largest: int, seed: int = 3) -> Iterator[bytes]:
    """Files of very different sizes, rewritten and deleted, so that free room lies in pieces."""
    rng = Random(seed)
    mark = 0
    for number in range(rounds):
        changes = []
        for _ in range(4):
            mark += 1
            yield blob(mark, text(rng, int(largest ** rng.uniform(0, 1))))
            changes.append(b"M 100644 :%d file%d" % (mark, rng.randrange(12)))
        mark += 1
        yield commit(mark, *changes, b"D file%d" % rng.randrange(12), message=b"%d" % number)


@joined
def one_file(*, versions: int, size: int, seed: int = 4) -> Iterator[bytes]:
    """One path, many versions, some of them there before: chains get long, blobs come again."""
    rng = Random(seed)
    content = [text(rng, size)]
    mark = 0
    for number in range(versions):
        content.append(rng.choice(content) if number % 9 == 8 else edit(rng, content[-1]))
        path = b"file" if number % 5 else b"other"
        yield commit(mark := mark + 1, inline(path, content[-1]), message=b"%d" % number)
