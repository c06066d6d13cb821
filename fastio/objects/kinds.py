"""Object types and oids: the words that every other room shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, NewType, Protocol

from fastio.records import record

if TYPE_CHECKING:
    from collections.abc import Callable

Oid = NewType("Oid", bytes)
"""A raw object id: 20 bytes for SHA-1, 32 for SHA-256."""

# Numbers of gitformat-pack(5), "object types".
COMMIT, TREE, BLOB, TAG = 1, 2, 3, 4
OFS_DELTA, REF_DELTA = 6, 7
NAMES = {COMMIT: b"commit", TREE: b"tree", BLOB: b"blob", TAG: b"tag"}
NUMBERS = {name: number for number, name in NAMES.items()}


class _Hashes(dict[str, "Callable[..., Hash]"]):
    """Who hashes by which algorithm: hashlib, if nobody else was named.

    `hashlib.new` would look the name up for every object, at half a microsecond each. To import it
    is to load OpenSSL, 3 ms; what is small is hashed by kernels and never asks.
    """

    def __missing__(self, name: str) -> Callable[..., Hash]:
        import hashlib  # noqa: PLC0415 - see above

        made: Callable[..., Hash] = getattr(hashlib, name)
        self[name] = made
        return made


_HASHES = _Hashes()


def hash_with(name: str, make: Callable[..., Hash]) -> None:
    """Hash with something else by an algorithm from now on."""
    _HASHES[name] = make


class Hash(Protocol):
    """What fastio needs of a hashlib object."""

    def update(self, data: bytes | bytearray | memoryview, /) -> None:
        """Take in more bytes."""

    def digest(self) -> bytes:
        """Return the raw digest."""


@record
class ObjectFormat:
    """A repository's hash algorithm (``extensions.objectFormat``)."""

    name: str
    oid_size: int

    def new(self, data: bytes = b"") -> Hash:
        """Start a hash, with *data* as its first bytes."""
        return _HASHES[self.name](data, usedforsecurity=False)

    @property
    def zero_oid(self) -> Oid:
        """The oid with all digits zero."""
        return Oid(bytes(self.oid_size))

    def hash_object(self, kind: int, body: bytes | bytearray | memoryview) -> Oid:
        """Return the oid of an object of type *kind* with content *body*."""
        state = self.new(b"%s %d\x00" % (NAMES[kind], len(body)))
        state.update(body)
        return Oid(state.digest())


SHA1 = ObjectFormat("sha1", 20)
SHA256 = ObjectFormat("sha256", 32)
FORMATS = {"sha1": SHA1, "sha256": SHA256}
