"""Objects made by hand, so that there is none that cannot be: and how they come to lie on disk."""

from __future__ import annotations

import hashlib
import subprocess
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path

# (mode, hexadecimal oid)
Entry = tuple[bytes, bytes]


class Database:
    """A set of objects.

    Args:
        algorithm: ``sha1`` or ``sha256``.
    """

    def __init__(self, algorithm: str = "sha1") -> None:
        self.algorithm = algorithm
        self.objects: dict[bytes, tuple[str, bytes]] = {}

    @property
    def digits(self) -> int:
        """How many hexadecimal digits an oid has."""
        return 40 if self.algorithm == "sha1" else 64

    def add(self, kind: str, body: bytes) -> bytes:
        """Add an object; returns its oid."""
        text = b"%b %d\0" % (kind.encode(), len(body)) + body
        oid = hashlib.new(self.algorithm, text).hexdigest().encode()
        self.objects[oid] = kind, body
        return oid

    def tree(self, entries: Iterable[tuple[bytes, bytes, bytes]]) -> bytes:
        """Add one directory of (mode, name, oid)."""

        def key(entry: tuple[bytes, bytes, bytes]) -> bytes:
            return entry[1] + (b"/" if entry[0] == b"40000" else b"")

        rows = sorted(entries, key=key)
        body = b"".join(b"%b %b\0" % row[:2] + bytes.fromhex(row[2].decode()) for row in rows)
        return self.add("tree", body)

    def files(self, files: Mapping[bytes, Entry]) -> bytes:
        """Add all directories of a commit, given by paths; returns the oid of its tree."""
        here: list[tuple[bytes, bytes, bytes]] = []
        below: dict[bytes, dict[bytes, Entry]] = {}
        for path, (mode, oid) in files.items():
            name, slash, rest = path.partition(b"/")
            if slash:
                below.setdefault(name, {})[rest] = mode, oid
            else:
                here.append((mode, name, oid))
        here += [(b"40000", name, self.files(some)) for name, some in below.items()]
        return self.tree(here)

    # --- on disk --------------------------------------------------------------------------------

    def write_loose(self, store: Path, oids: Iterable[bytes]) -> None:
        """Write objects as a file each."""
        for oid in oids:
            kind, body = self.objects[oid]
            path = store / oid[:2].decode() / oid[2:].decode()
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_bytes(zlib.compress(b"%b %d\0" % (kind.encode(), len(body)) + body, 1))

    def write_pack(self, git: str, store: Path, oids: Iterable[bytes], *options: str) -> None:
        """Let git make a pack, with deltas, of objects that it can find somewhere."""
        words = ["pack-objects", "-q", *options, str(store / "pack" / "pack")]
        subprocess.run(
            [git, "-C", str(store.parent), *words],
            input=b"".join(b"%b\n" % oid for oid in oids), stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
