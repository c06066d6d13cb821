"""An export as the commands of its stream, for programs that rewrite history: no text in between.

The commands are those that a parser of the stream would yield (`fastio.stream.commands`), and for
the most part it does: it is given the text, in which an empty record stands for each blob. In its
place an `ExportedBlob` is yielded, which is read when its data is asked for, and only then.
"""

from __future__ import annotations

import logging
import os
from collections import deque
from typing import TYPE_CHECKING

from fastio.errors import FastioError
from fastio.exporter.exporter import Exporter
from fastio.exporter.fill import Filled, new_blobs
from fastio.exporter.options import parse_options
from fastio.objects.kinds import Oid
from fastio.store.object_reader import ObjectReader
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository
from fastio.stream.commands import Blob, Command, Mark
from fastio.stream.parser import NEED_DATA, StreamParser

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from typing_extensions import Buffer

__all__ = ["ExportedBlob", "export_commands"]

logger = logging.getLogger(__name__)

CACHE = 64 << 20  # bytes of delta bases that are kept for the blobs to come


class ExportedBlob(Blob):
    """A blob whose data is read from the repository each time that it is asked for.

    Attributes:
        oid: The blob's own oid.
    """

    __slots__ = ("_reader", "oid")

    oid: Oid
    _reader: ObjectReader

    def __init__(
        self, mark: Mark, original_oid: bytes | None, oid: Oid, reader: ObjectReader
    ) -> None:
        vars(Blob)["mark"].__set__(self, mark)  # frozen otherwise
        vars(Blob)["original_oid"].__set__(self, original_oid)
        object.__setattr__(self, "oid", oid)
        object.__setattr__(self, "_reader", reader)

    @property
    def data(self) -> bytes:
        """The content.

        Raises:
            FastioError: It is missing or damaged.
        """
        return self._reader.read(self.oid)[1]

    def __repr__(self) -> str:
        return f"ExportedBlob(mark={self.mark}, oid={self.oid.hex()})"

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return Blob, (self.mark, self.original_oid, self.data)  # a reader stays where it is

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExportedBlob) and (self.mark, self.oid) == (other.mark, other.oid)

    def __hash__(self) -> int:
        return hash((self.mark, self.oid))


class _Pieces:
    """Takes a stream until somebody wants it."""

    def __init__(self) -> None:
        self._taken: list[bytes] = []

    def write(self, pieces: Sequence[Buffer]) -> None:
        self._taken += map(bytes, pieces)

    def take(self) -> bytes:
        taken = b"".join(self._taken)
        self._taken.clear()
        return taken

    def close(self) -> None:
        pass


class _Blobs:
    """Stands for the blobs of a stream, in its text and in its commands."""

    def __init__(self, oid_size: int, reader: ObjectReader, *, original_oids: bool) -> None:
        self._oid_size, self._reader, self._original_oids = oid_size, reader, original_oids
        self._waiting: deque[ExportedBlob] = deque()

    def tell(self, filled: Filled) -> bytes:
        """Put an empty record for each blob into text."""
        pieces, at = [], 0
        for position, mark, padded in new_blobs(filled.blobs):
            oid = Oid(padded[: self._oid_size])
            original = oid.hex().encode() if self._original_oids else None
            self._waiting.append(ExportedBlob(Mark(mark), original, oid, self._reader))
            pieces += [filled.text[at:position], b"blob\nmark :%d\ndata 0\n\n" % mark]
            at = position
        return b"".join([*pieces, filled.text[at:]])

    def replace(self, command: Command) -> Command:
        """Give a blob for its empty record."""
        return self._waiting.popleft() if isinstance(command, Blob) else command


def export_commands(
    repository: str | bytes | os.PathLike[str] | Repository,
    words: Sequence[str],
    *,
    workers: int = 0,
) -> Iterator[Command]:
    """Export, as commands.

    Args:
        repository: It, or a directory in it.
        words: Revisions, paths and options, as on the command line of ``fastio export``.
        workers: Processes that compare trees meanwhile; 0 to do that here.

    Yields:
        The commands of the stream, blobs as `ExportedBlob`.

    Raises:
        FastioError: The export ends here.
    """
    if not isinstance(repository, Repository):
        repository = Repository.discover(os.fsencode(repository))
    options, arguments = parse_options([f"--workers={workers}", *words])
    if options.anonymize:
        raise FastioError("commands cannot be anonymized, for their blobs are read as they are")
    store = ObjectStore(repository)
    reader = ObjectReader(store, memory=CACHE, verify=options.verify)
    oid_size = repository.object_format.oid_size
    blobs = _Blobs(oid_size, reader, original_oids=options.show_original_ids)
    output = _Pieces()
    exporter = Exporter(
        repository, options, arguments, output, stdin=lambda: b"", warn=logger.warning
    )
    exporter.tell_blobs = blobs.tell
    parser = StreamParser(date_format="raw-permissive")
    for _ in exporter.steps():
        if text := output.take():
            parser.feed(text)
            yield from _commands(parser, blobs)
    parser.feed(output.take())
    parser.feed_eof()
    yield from _commands(parser, blobs)


def _commands(parser: StreamParser, blobs: _Blobs) -> Iterator[Command]:
    while (command := parser.next_command()) is not NEED_DATA and command is not None:
        yield blobs.replace(command)
