"""Constants of the fast-import language, shared by the parser and the writer.

Source: git-fast-import(1), "Input Format".
"""

from __future__ import annotations

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB
GIB: Final = 1024 * MIB

MAX_NUMBER: Final = 2**64 - 1
"""Marks and sizes are unsigned and have 64 bits; greater numbers become this one."""

OID_DIGITS: Final = (64, 40)
"""Digits of a SHA-256 and of a SHA-1 oid."""

MAX_LINE: Final = 64 * MIB
"""Longest line, in bytes. Real ones are a few hundred; the limit is there to bound memory."""

MAX_DATA: Final = GIB
"""Largest body that has to be in memory as a whole: messages, signatures, delimited data."""

PIECE_SIZE: Final = MIB
"""Counted bodies of files and notes that are larger come in pieces of this size."""

MODES: Final = {
    0o644: 0o100644,
    0o755: 0o100755,
    0o100644: 0o100644,
    0o100755: 0o100755,
    0o120000: 0o120000,
    0o160000: 0o160000,
    0o040000: 0o040000,
}
"""Modes as written, and what they mean."""

MODES_BY_TEXT: Final = {b"%o" % written: mode for written, mode in MODES.items()} | {
    b"040000": 0o040000
}
"""The usual spellings of the modes, to look them up without counting in octal."""

TREE_MODE: Final = 0o040000
GITLINK_MODE: Final = 0o160000
