"""What the changes of one commit do to each other's paths."""

from __future__ import annotations

from collections.abc import Iterator

from fastio.stream.excerpt import visible


class PathBook:
    """The paths that one commit has set so far."""

    def __init__(self) -> None:
        self._files: set[bytes] = set()
        self._directories: set[bytes] = set()

    def clear(self) -> None:
        """Forget all: the commit is over, or has emptied its tree."""
        if self._files:
            self._files.clear()
            self._directories.clear()

    def set(self, path: bytes) -> str:
        """Take note of a file that is set; return what that undoes, if anything."""
        undone = ""
        if path in self._directories:
            undone = (
                f"the file takes the place of a directory, with what was put there: {visible(path)}"
            )
        self._files.add(path)
        at = path.rfind(b"/")
        while at > 0 and (above := path[:at]) not in self._directories:
            if above in self._files:
                undone = f"the file goes into the place of another one: {visible(above)}"
            self._directories.add(above)
            at = path.rfind(b"/", 0, at)
        return undone

    def remove(self, path: bytes) -> str:
        """Take note of a path that is removed or moved away; return what that undoes."""
        if path in self._directories:
            return f"what this commit has put there goes as well: {visible(path)}"
        if path in self._files:
            self._files.discard(path)
            return f"this commit has set the file: {visible(path)}"
        return ""

    def case_collisions(self) -> Iterator[str]:
        """Tell of files that share a name where case is folded."""
        if len(self._files) == len({path.lower() for path in self._files}):
            return
        seen: dict[bytes, bytes] = {}
        for path in sorted(self._files):
            first = seen.setdefault(path.lower(), path)
            if first != path:
                yield f"{visible(path)} and {visible(first)} differ in case only"
