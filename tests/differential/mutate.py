"""Damage to streams that is likely to meet the edges of the grammar."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

BYTES = (
    *(b" ", b"\n", b'"', b"\\", b"/", b":", b"0", b"9", b"\r", b"\t", b"#", b"<", b">", b"\xff"),
    *(b"-", b"+", b".", b"=", b"\0"),
)
_NUMBER = re.compile(rb"[0-9]+")
_MARK = re.compile(rb":[0-9]+")


# --- chunks: lines and bodies ---------------------------------------------------------------------


def _drop(chunks: list[bytes], at: int, rng: random.Random) -> None:
    del chunks[at : at + rng.choice((1, 1, 1, 2, 4))]


def _duplicate(chunks: list[bytes], at: int, _rng: random.Random) -> None:
    chunks.insert(at, chunks[at])


def _duplicate_run(chunks: list[bytes], at: int, rng: random.Random) -> None:
    run = chunks[at : at + rng.randint(2, 9)]
    place = rng.randint(0, len(chunks))
    chunks[place:place] = run


def _swap(chunks: list[bytes], at: int, rng: random.Random) -> None:
    other = min(at + rng.randint(1, 3), len(chunks) - 1)
    chunks[at], chunks[other] = chunks[other], chunks[at]


def _move(chunks: list[bytes], at: int, rng: random.Random) -> None:
    chunks.insert(rng.randint(0, len(chunks) - 1), chunks.pop(at))


def _truncate(chunks: list[bytes], at: int, rng: random.Random) -> None:
    chunks[at] = chunks[at][: rng.randint(0, len(chunks[at]))]
    del chunks[at + 1 :]


def _blank_line(chunks: list[bytes], at: int, rng: random.Random) -> None:
    chunks.insert(at, rng.choice((b"\n", b"\n\n", b"# comment\n", b"x\n", b" \n", b"done\n")))


def _join(chunks: list[bytes], at: int, _rng: random.Random) -> None:
    chunks[at] = chunks[at].removesuffix(b"\n")


# --- within a chunk -------------------------------------------------------------------------------


def _insert_bytes(chunk: bytes, rng: random.Random) -> bytes:
    place = rng.randint(0, len(chunk))
    return chunk[:place] + b"".join(rng.choices(BYTES, k=rng.choice((1, 1, 2)))) + chunk[place:]


def _drop_byte(chunk: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(chunk))
    return chunk[:place] + chunk[place + 1 :]


def _replace_byte(chunk: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(chunk))
    return chunk[:place] + rng.choice(BYTES) + chunk[place + 1 :]


def _cut(chunk: bytes, rng: random.Random) -> bytes:
    return chunk[: rng.randrange(len(chunk))] + b"\n" * rng.randint(0, 1)


def _crlf(chunk: bytes, _rng: random.Random) -> bytes:
    return chunk.replace(b"\n", b"\r\n")


def _swap_fields(chunk: bytes, rng: random.Random) -> bytes:
    fields = chunk.removesuffix(b"\n").split(b" ")
    one, other = rng.randrange(len(fields)), rng.randrange(len(fields))
    fields[one], fields[other] = fields[other], fields[one]
    return b" ".join(fields) + b"\n"


def _drop_field(chunk: bytes, rng: random.Random) -> bytes:
    fields = chunk.removesuffix(b"\n").split(b" ")
    del fields[rng.randrange(len(fields))]
    return b" ".join(fields) + b"\n"


def _change_number(chunk: bytes, rng: random.Random) -> bytes:
    """Miss a number by one, or by far."""
    found = list(_NUMBER.finditer(chunk))
    if not found:
        return chunk
    match = rng.choice(found)
    number = int(match[0]) + rng.choice((-1, 1, 1, 10, -10, 1000, 2**32, 2**63, 2**64))
    return chunk[: match.start()] + b"%d" % number + chunk[match.end() :]


def _change_case(chunk: bytes, rng: random.Random) -> bytes:
    keyword, blank, rest = chunk.partition(b" ")
    return rng.choice((keyword.swapcase(), keyword.capitalize())) + blank + rest


_IN_CHUNKS: tuple[Callable[[list[bytes], int, random.Random], None], ...] = (
    *(_drop, _drop, _duplicate, _duplicate_run, _swap, _swap, _move, _truncate, _blank_line),
    _join,
)
_IN_CHUNK: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_insert_bytes, _drop_byte, _replace_byte, _cut, _crlf, _swap_fields, _drop_field),
    *(_change_number, _change_number, _change_case),
)


def _exchange_marks(chunks: list[bytes], at: int, rng: random.Random) -> None:
    """Let a line name, or declare, the mark that another line has."""
    marks = [mark for chunk in chunks for mark in _MARK.findall(chunk)]
    if marks:
        chunks[at] = _MARK.sub(lambda _: rng.choice(marks), chunks[at], count=1)


def mutate(chunks: list[bytes], rng: random.Random, other: list[bytes]) -> list[bytes]:
    """Return chunks with one to three kinds of damage.

    Args:
        chunks: A stream.
        rng: Chooses.
        other: Another stream, of which a part may be put in.
    """
    chunks = list(chunks)
    if rng.random() < 0.005:
        return [_crlf(chunk, rng) for chunk in chunks]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if not chunks:
            break
        at, kind = rng.randrange(len(chunks)), rng.random()
        if kind < 0.45:
            rng.choice(_IN_CHUNKS)(chunks, at, rng)
        elif kind < 0.9:
            chunks[at] = rng.choice(_IN_CHUNK)(chunks[at], rng) if chunks[at] else b"\n"
        elif kind < 0.96:
            _exchange_marks(chunks, at, rng)
        else:
            start = rng.randint(0, len(other))
            chunks[at:at] = other[start : start + rng.randint(1, 20)]
    return chunks
