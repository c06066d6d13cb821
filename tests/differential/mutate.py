"""Damage to streams that is likely to meet the edges of the grammar."""

from __future__ import annotations

import random
from collections.abc import Callable

BYTES = (b" ", b"\n", b'"', b"\\", b"/", b":", b"0", b"9", b"\r", b"\t", b"#", b"<", b">", b"\xff")


def _drop(chunks: list[bytes], at: int, rng: random.Random) -> None:
    del chunks[at : at + rng.choice((1, 1, 1, 2, 4))]


def _duplicate(chunks: list[bytes], at: int, _rng: random.Random) -> None:
    chunks.insert(at, chunks[at])


def _swap(chunks: list[bytes], at: int, rng: random.Random) -> None:
    other = min(at + rng.randint(1, 3), len(chunks) - 1)
    chunks[at], chunks[other] = chunks[other], chunks[at]


def _move(chunks: list[bytes], at: int, rng: random.Random) -> None:
    chunks.insert(rng.randint(0, len(chunks) - 1), chunks.pop(at))


def _truncate(chunks: list[bytes], at: int, rng: random.Random) -> None:
    chunks[at] = chunks[at][: rng.randint(0, len(chunks[at]))]
    del chunks[at + 1 :]


def _insert_byte(chunks: list[bytes], at: int, rng: random.Random) -> None:
    chunk, place = chunks[at], rng.randint(0, len(chunks[at]))
    chunks[at] = chunk[:place] + rng.choice(BYTES) + chunk[place:]


def _drop_byte(chunks: list[bytes], at: int, rng: random.Random) -> None:
    chunk = chunks[at]
    if chunk:
        place = rng.randrange(len(chunk))
        chunks[at] = chunk[:place] + chunk[place + 1 :]


def _replace_byte(chunks: list[bytes], at: int, rng: random.Random) -> None:
    chunk = chunks[at]
    if chunk:
        place = rng.randrange(len(chunk))
        chunks[at] = chunk[:place] + rng.choice(BYTES) + chunk[place + 1 :]


def _blank_line(chunks: list[bytes], at: int, rng: random.Random) -> None:
    chunks.insert(at, rng.choice((b"\n", b"\n\n", b"# comment\n", b"x\n", b" \n")))


def _crlf(chunks: list[bytes], at: int, _rng: random.Random) -> None:
    chunks[at] = chunks[at].replace(b"\n", b"\r\n")


_WAYS: tuple[Callable[[list[bytes], int, random.Random], None], ...] = (
    *(_drop, _drop, _duplicate, _duplicate, _swap, _swap, _move, _truncate),
    *(_insert_byte, _drop_byte, _replace_byte, _blank_line, _crlf),
)


def mutate(chunks: list[bytes], rng: random.Random) -> list[bytes]:
    """Return chunks with one to three kinds of damage."""
    chunks = list(chunks)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if chunks:
            rng.choice(_WAYS)(chunks, rng.randrange(len(chunks)), rng)
    return chunks
