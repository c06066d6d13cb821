"""``--refspec``: other names for refs, and refs to delete.

Refspecs are those of ``git fetch``: ``[+]SOURCE:DESTINATION`` with one ``*`` on each side or none,
and ``^SOURCE``. Three things are odd, and git's own:

* an exact source is compared with the full name;
* a ``^SOURCE`` is not compared with the name itself, but with the sources of those refspecs that
  name it exactly, or whose pattern on the right side matches it: so ``^refs/heads/x`` has no effect
  on ``refs/heads/*:x/*``;
* an empty source deletes the destination, and where there is not even a colon that has the name
  ``(null)``.

Source: gitrevisions(7) and git-fetch(1), "refspec"; the odd things are those of ``git fast-export``
2.55 when it is run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from fastio.errors import FastioError
from fastio.records import record
from fastio.store.ref_names import check_ref_format

_NO_NAME = b"(null)"


@record
class Refspec:
    """One refspec; *destination* is None when it has no right side."""

    source: bytes
    destination: bytes | None
    is_negative: bool = False


class Refspecs:
    """All refspecs of an export, in the order of the command line.

    Args:
        words: As they were written.
        oid_size: Bytes of an oid: a hexadecimal one cannot be excluded.

    Raises:
        FastioError: One of them is malformed.
    """

    def __init__(self, words: Iterable[str], oid_size: int = 20) -> None:
        specs = [_parse(word, 2 * oid_size) for word in words]
        self._positive = [spec for spec in specs if not spec.is_negative]
        self._negative = [spec.source for spec in specs if spec.is_negative]

    def map(self, name: bytes) -> bytes:
        """Return what the ref *name* is called in the stream."""
        if self._negative and self._is_excluded(name):
            return name
        for spec in self._positive:
            if spec.destination is None:
                continue
            mapped = _expand(spec.source, name, spec.destination)
            if mapped is not None:
                return mapped
        return name

    def deletions(self) -> list[bytes]:
        """Names of the refs to delete at the end of the stream."""
        return [
            _NO_NAME if spec.destination is None else spec.destination
            for spec in self._positive
            if not spec.source
        ]

    def _is_excluded(self, name: bytes) -> bool:
        sources = []
        for spec in self._positive:
            if b"*" in spec.source and spec.destination is not None:
                sources.append(_expand(spec.destination, name, spec.source))
            elif spec.source == name:
                sources.append(name)
        return any(
            _expand(negative, source, source) is not None
            for source in sources
            if source is not None
            for negative in self._negative
        )


def _expand(pattern: bytes, name: bytes, result: bytes) -> bytes | None:
    """Match *name* with a pattern and put what its ``*`` stands for into *result*."""
    before, star, behind = pattern.partition(b"*")
    if not star:
        return result if name == pattern else None
    if len(name) < len(before) + len(behind):
        return None
    if not name.startswith(before) or not name.endswith(behind):
        return None
    return result.replace(b"*", name[len(before) : len(name) - len(behind)], 1)


def _parse(word: str, hex_size: int) -> Refspec:
    text = os.fsencode(word)
    if text.startswith(b"^"):
        source = text[1:]
        if not source or _is_hex_oid(source, hex_size) or not _is_side(source):
            raise FastioError(f"invalid refspec '{word}'")
        return Refspec(source, None, is_negative=True)
    # The last colon, though no name may have another.
    source, colon, destination = text.removeprefix(b"+").rpartition(b":")
    if not colon:
        source, destination = destination, source
    stars = (b"*" in source, b"*" in destination)
    fine = stars[0] == stars[1] and (not source or _is_side(source))
    if not fine or (destination and (destination == b"@" or not _is_side(destination))):
        raise FastioError(f"invalid refspec '{word}'")
    return Refspec(source, destination if colon else None)


def _is_side(text: bytes) -> bool:
    """Tell whether one side of a refspec is well-formed: a name, with one ``*`` perhaps."""
    return text == b"@" or check_ref_format(text.replace(b"*", b"x", 1))


def _is_hex_oid(text: bytes, hex_size: int) -> bool:
    return len(text) == hex_size and not text.strip(b"0123456789abcdefABCDEF")
