"""Answers to a frontend that asks (``get-mark``, ``cat-blob``, ``ls``), and ``progress``."""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING, Final

from fastio.errors import StreamError
from fastio.importer.branches import show
from fastio.importer.source import wait_for
from fastio.objects.kinds import Oid
from fastio.objects.trees import DIRECTORY, GITLINK, find_path
from fastio.stream.quoting import quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastio.importer.blob_reader import BlobReader
    from fastio.importer.committish import CommittishResolver
    from fastio.importer.executor import Executor
    from fastio.importer.object_sink import ObjectSink
    from fastio.importer.options import ImportOptions
    from fastio.stream.commands import Dataref


_WORDS: Final = {GITLINK: b"commit", DIRECTORY: b"tree"}


class ReplyPipeClosed(Exception):
    """The reader of our replies is gone: git dies by SIGPIPE here, without a word."""


class Replies:
    """Writes replies, each at once and unbuffered.

    Args:
        blobs: Finds contents for ``cat-blob``.
        options: Says where replies go (``--cat-blob-fd``).
        quote_high: Whether bytes above 127 are quoted in paths (``core.quotePath``).

    Attributes:
        before_progress: Is called before a progress line is written.
    """

    def __init__(
        self,
        options: ImportOptions,
        sink: ObjectSink,
        resolver: CommittishResolver,
        executor: Executor,
        blobs: BlobReader,
        *,
        quote_high: bool,
    ) -> None:
        self._options, self._sink, self._resolver = options, sink, resolver
        self._executor, self._blobs, self._quote_high = executor, blobs, quote_high
        self._oid_size = sink.object_format.oid_size
        self.before_progress: Callable[[], None] = lambda: None

    def progress(self, text: bytes) -> None:
        """Echo a progress line, always to fd 1."""
        self.before_progress()
        _write(1, b"progress " + text + b"\n")

    def get_mark(self, mark: int) -> None:
        """Say a mark's oid."""
        entry = self._resolver.entry_of_mark(mark)
        self._say(self._sink.map.oid(entry).hex().encode() + b"\n")

    def cat_blob(self, dataref: Dataref) -> None:
        """Say a blob's oid, size and content, or that it is missing."""
        oid = self._oid(dataref)
        content = self._blobs.read(oid)
        name = oid.hex().encode()
        if type(content) is bytes:
            self._say(b"%b blob %d\n%b\n" % (name, len(content), content))
        elif content is None:
            self._say(name + b" missing\n")
        else:
            assert not isinstance(content, bytes)
            self._say(b"%b blob %d\n" % (name, content.size))
            for piece in content.pieces:
                self._say(piece)
            self._say(b"\n")

    def ls(self, dataref: Dataref | None, path: bytes) -> None:
        """Say what stands at *path* in a tree-ish, or in the commit that is open."""
        if dataref is not None:
            root = self._resolver.tree_of_any(self._oid(dataref))
            found = find_path(self._sink.trees.load, root, path, oid_size=self._oid_size)
        elif self._executor.commit is None:
            raise StreamError(f"not in a commit: ls {show(path)}")
        else:
            found = self._executor.editor.get(path)
        shown = quote(path, quote_high=self._quote_high)
        if found is None:
            self._say(b"missing %s\n" % shown)
            return
        mode, oid = found
        word = _WORDS.get(mode, b"blob")
        self._say(b"%06o %s %s\t%s\n" % (mode, word, oid.hex().encode(), shown))

    def _oid(self, dataref: Dataref) -> Oid:
        if isinstance(dataref, int):
            return Oid(self._sink.map.oid(self._resolver.entry_of_mark(dataref)))
        return self._resolver.dataref_oid(dataref)

    def _say(self, reply: bytes) -> None:
        _write(self._options.cat_blob_fd, reply)


def _write(fd: int, data: bytes) -> None:
    rest: bytes | memoryview = data
    while True:
        try:
            written = os.write(fd, rest)
        except BlockingIOError:
            wait_for(fd, select.POLLOUT)
        except BrokenPipeError as error:
            raise ReplyPipeClosed from error
        except OSError as error:
            raise StreamError(f"cannot write a reply to fd {fd}: {error.strerror}") from error
        else:
            if written == len(rest):
                return
            rest = memoryview(rest)[written:]
