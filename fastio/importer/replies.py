"""Answers to a frontend that asks (``get-mark``, ``cat-blob``, ``ls``), and ``progress``."""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING

from fastio.errors import ObjectError, StreamError
from fastio.importer.branches import show
from fastio.importer.source import wait_for
from fastio.objects.kinds import BLOB, COMMIT, NAMES, TAG, TREE, Oid
from fastio.objects.tags import parse_tag
from fastio.objects.tree_edit import TreeEditor
from fastio.objects.trees import DIRECTORY, GITLINK
from fastio.stream.quoting import quote

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastio.importer.committish import CommittishResolver
    from fastio.importer.executor import Executor
    from fastio.importer.object_sink import ObjectSink
    from fastio.importer.options import ImportOptions
    from fastio.stream.commands import Dataref


class ReplyPipeClosed(Exception):
    """The reader of our replies is gone: git dies by SIGPIPE here, without a word."""


class Replies:
    """Writes replies, each at once and unbuffered.

    Args:
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
        *,
        quote_high: bool,
    ) -> None:
        self._options, self._sink, self._resolver = options, sink, resolver
        self._executor, self._quote_high = executor, quote_high
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
        kind = self._sink.kind_of(oid)
        name = oid.hex().encode()
        if kind is None:
            self._say(name + b" missing\n")
            return
        if kind != BLOB:
            raise StreamError(
                f"object {oid.hex()} is a {NAMES[kind].decode()} but a blob was expected"
            )
        _, content = self._sink.read(oid)
        self._say(b"%s blob %d\n%s\n" % (name, len(content), content))

    def ls(self, dataref: Dataref | None, path: bytes) -> None:
        """Say what stands at *path* in a tree-ish, or in the commit that is open."""
        if dataref is not None:
            editor = self._reader(self._tree_of(self._oid(dataref)))
        elif self._executor.commit is None:
            raise StreamError(f"not in a commit: ls {show(path)}")
        else:
            editor = self._executor.editor
        found = editor.get(path)
        shown = quote(path, quote_high=self._quote_high)
        if found is None:
            self._say(b"missing %s\n" % shown)
            return
        mode, oid = found
        word = {GITLINK: b"commit", DIRECTORY: b"tree"}.get(mode, b"blob")
        self._say(b"%06o %s %s\t%s\n" % (mode, word, oid.hex().encode(), shown))

    def _reader(self, root: Oid) -> TreeEditor:
        return TreeEditor(
            self._sink.load_tree, self._sink.store_tree, root, self._sink.object_format
        )

    def _oid(self, dataref: Dataref) -> Oid:
        if isinstance(dataref, int):
            return Oid(self._sink.map.oid(self._resolver.entry_of_mark(dataref)))
        return self._resolver.dataref_oid(dataref)

    def _tree_of(self, oid: Oid) -> Oid:
        """Peel tags and commits down to a tree."""
        while True:
            try:
                kind, body = self._sink.read(oid)
            except ObjectError as error:
                raise StreamError(f"can't load tree-ish: {error}") from error
            if kind == TREE:
                return oid
            if kind == COMMIT:
                return self._resolver.tree_of(oid)
            if kind != TAG:
                raise StreamError(f"not a tree-ish: {oid.hex()}")
            oid = parse_tag(body)[0]

    def _say(self, reply: bytes) -> None:
        _write(self._options.cat_blob_fd, reply)


def _write(fd: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(fd, rest) :]
        except BlockingIOError:
            wait_for(fd, select.POLLOUT)
        except BrokenPipeError as error:
            raise ReplyPipeClosed from error
        except OSError as error:
            raise StreamError(f"cannot write a reply to fd {fd}: {error.strerror}") from error
