"""Loose objects: one deflated file each, named by oid.

Source: gitformat-loose(5).
"""

from __future__ import annotations

import os
import re

from isal import isal_zlib

from fastio.errors import ObjectError
from fastio.objects.kinds import NAMES, NUMBERS, Oid
from fastio.store.entry_reader import InflateError

_HEADER = rb"(commit|tree|blob|tag) (0|[1-9][0-9]{0,17})\0"  # sizes of 62 bits: no file is larger
_MAX_HEADER = 32


def loose_path(directory: bytes, oid: bytes) -> bytes:
    """Where an object lies below an object directory."""
    name = oid.hex().encode()
    return b"%s/%s/%s" % (directory, name[:2], name[2:])


def write_loose(directory: bytes, oid: Oid, kind: int, body: bytes) -> None:
    """Write an object that is read once and thrown away: neither small nor safe from a crash.

    Raises:
        OSError: It cannot be written.
    """
    path = loose_path(directory, oid)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(isal_zlib.compress(b"%s %d\0%s" % (NAMES[kind], len(body), body), 0))


def read_loose(directory: bytes, oid: Oid) -> tuple[int, bytes] | None:
    """Read an object as (type, content); None when there is no such file.

    Raises:
        ObjectError: The file is damaged or cannot be read.
    """
    packed = _read_file(directory, oid)
    return None if packed is None else _inflate(oid, packed)


def loose_info(directory: bytes, oid: Oid) -> tuple[int, int] | None:
    """Tell type and size of an object; None when there is no such file."""
    header = loose_header(directory, oid)
    return None if header is None else header[:2]


def loose_header(directory: bytes, oid: Oid) -> tuple[int, int, int] | None:
    """Tell type, size and the header's length; None when there is no such file."""
    packed = _read_file(directory, oid, limit=4096)
    return None if packed is None else _parse_header(oid, packed)


def _read_file(directory: bytes, oid: Oid, limit: int = -1) -> bytes | None:
    try:
        with open(loose_path(directory, oid), "rb", buffering=0) as file:
            return file.read(limit) or b""
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ObjectError(f"cannot read loose object {oid.hex()}: {error}") from error


def _inflate(oid: Oid, packed: bytes) -> tuple[int, bytes]:
    kind, size, start = _parse_header(oid, packed)
    inflater = isal_zlib.decompressobj()
    try:  # one byte more than there should be, to notice it
        inflated = inflater.decompress(packed, start + size + 1)
    except (InflateError, MemoryError, OverflowError) as error:
        raise ObjectError(f"loose object {oid.hex()} is damaged: {error}") from None
    if len(inflated) != start + size or not inflater.eof or inflater.unused_data:
        raise ObjectError(f"loose object {oid.hex()} has not the promised {size} bytes")
    return kind, inflated[start:]


def _parse_header(oid: Oid, packed: bytes) -> tuple[int, int, int]:
    """Inflate no more than the header; type, size and the header's length."""
    try:
        head = isal_zlib.decompressobj().decompress(packed, _MAX_HEADER)
    except InflateError as error:
        raise ObjectError(f"loose object {oid.hex()} is damaged: {error}") from None
    match = re.match(_HEADER, head)
    if match is None:
        raise ObjectError(f"loose object {oid.hex()} has no proper header")
    return NUMBERS[match[1]], int(match[2]), match.end()
