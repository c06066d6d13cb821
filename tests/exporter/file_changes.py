"""Random changes of files, such as commits make."""

from __future__ import annotations

import random

from tests.exporter import odd
from tests.exporter.database import Database, Entry

Files = dict[bytes, Entry]
MODES = (b"100644", b"100644", b"100644", b"100755", b"120000")
# What a change can be.
KINDS = ("add", "add", "edit", "edit", "delete", "mode", "type", "rename", "rename", "copy",
         "to_dir", "to_file", "swap")  # fmt: skip


class FileChanger:
    """Makes changes.

    Args:
        rng: Decides everything.
        traits: What may be odd.
        database: Where blobs go.
        paths: Takes every path that there ever is.
    """

    def __init__(
        self, rng: random.Random, traits: set[str], database: Database, paths: set[bytes]
    ) -> None:
        self.rng, self.traits, self.database, self.paths = rng, traits, database, paths
        self._texts = [self._text() for _ in range(rng.randint(1, 6))]

    def _may(self, trait: str, rate: float) -> bool:
        return trait in self.traits and self.rng.random() < rate

    def _text(self) -> bytes:
        rng = self.rng
        lines = [
            b"%d %d" % (rng.randrange(50), rng.randrange(50))
            for _ in range(rng.choice((0, 1, 9, 40)))
        ]
        end = rng.choice((b"\n", b"\n", b"\r\n", b"\n\0"))
        return end.join(lines) + rng.choice((b"\n", b""))

    def _edited(self, text: bytes) -> bytes:
        rng = self.rng
        lines = text.split(b"\n")
        for _ in range(rng.randint(1, 3)):
            lines[rng.randrange(len(lines))] = b"edit %d" % rng.randrange(100)
        return b"\n".join(lines)

    def _entry(self, path: bytes) -> Entry:
        rng = self.rng
        if self._may("submodules", 0.1):
            return b"160000", b"%0*x" % (self.database.digits, rng.randrange(1, 4))
        mode = rng.choice(MODES)
        if self._may("odd_modes", 0.3):
            mode = rng.choice((b"100664", b"100600", b"100777"))
        text = rng.choice(self._texts) if rng.random() < 0.7 else self._text()
        if mode == b"120000":
            text = path[:9] or b"a"
        return mode, self.database.add("blob", text)

    def _path(self) -> bytes:
        rng, depth = self.rng, self.rng.choice((1, 1, 2, 2, 3))
        names = [
            rng.choice(odd.ODD_PATHS) if self._may("odd_paths", 0.3) else rng.choice(odd.PATHS)
            for _ in range(depth)
        ]
        return b"/".join(names)

    def put(self, files: Files, path: bytes, entry: Entry) -> None:
        """Put a file, in the place of whatever is in its way."""
        parts = path.split(b"/")
        for depth in range(1, len(parts)):
            files.pop(b"/".join(parts[:depth]), None)
        for other in [one for one in files if one.startswith(path + b"/")]:
            del files[other]
        files[path] = entry
        self.paths.add(path)

    def change(self, files: Files) -> None:
        """Change something, on a copy of a commit's files."""
        rng = self.rng
        some = sorted(files)
        kind = rng.choice(KINDS)
        if kind == "add" or not some:
            path = self._path()
            return self.put(files, path, self._entry(path))
        path = rng.choice(some)
        mode, oid = files[path]
        if kind == "delete":
            del files[path]
        elif kind == "edit" and mode != b"160000":
            files[path] = mode, self.database.add("blob", self._edited(self._body(oid)))
        elif kind == "mode" and mode[:2] == b"10":
            files[path] = b"100755" if mode == b"100644" else b"100644", oid
        elif kind == "type":
            files[path] = self._entry(path)
        elif kind in ("rename", "copy") and "renames" in self.traits:
            if kind == "rename":
                del files[path]
            if rng.random() < 0.5 and mode[:2] == b"10":
                oid = self.database.add("blob", self._edited(self._body(oid)))
            target = self._path()
            if rng.random() < 0.3:
                target = (
                    target.rpartition(b"/")[0] + b"/" * (b"/" in target) + path.rpartition(b"/")[2]
                )
            self.put(files, target, (mode, oid))
        elif kind == "swap":
            other = rng.choice(some)
            files[path], files[other] = files[other], files[path]
        elif "clashes" in self.traits:
            self._clash(files, path, kind)
        return None

    def _clash(self, files: Files, path: bytes, kind: str) -> None:
        """Let a file become a directory, or a directory a file; sometimes what was there moves."""
        rng = self.rng
        if kind == "to_dir":
            entry = files.pop(path)
            for _ in range(rng.randint(1, 2)):
                below = path + b"/" + self._path()
                self.put(files, below, entry if rng.random() < 0.5 else self._entry(below))
        else:
            inside = [one for one in files if b"/" in one]
            if not inside:
                return
            top = rng.choice(sorted(inside)).rpartition(b"/")[0]
            entry = next(files[one] for one in sorted(inside) if one.startswith(top + b"/"))
            self.put(files, top, entry if rng.random() < 0.5 else self._entry(top))
        if rng.random() < 0.3:
            away = self._path()
            self.put(files, away, entry)

    def _body(self, oid: bytes) -> bytes:
        return self.database.objects[oid][1]
