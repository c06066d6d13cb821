"""Blobs too large to hold: hashed and deflated as they arrive, never whole in memory.

Threads do it, as many as there are workers and one that hashes; the coordinator goes on reading.

The packed payload goes to a nameless temporary file beside the packs first. Only when the last byte
has come is the oid known, and with it whether the pack needs the object at all.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from fastio.errors import PackError, WorkerError
from fastio.objects.kinds import BLOB, Hash, Oid
from fastio.store.new_files import create_temporary, remove

if TYPE_CHECKING:
    from fastio.importer.object_sink import ObjectSink
    from fastio.stream.commands import Data
    from workers.deflater import ParallelDeflater


class BigBlobWriter:
    """Takes one large blob at a time: :meth:`begin`, :meth:`write` for each piece, :meth:`finish`.

    Args:
        sink: Where the object goes.
        directory: ``objects/pack``, for the temporary file.
        level: Compression level.

    Attributes:
        threads: So many deflate.

    Raises:
        PackError: The temporary file cannot be written.
        WorkerError: There can be no more threads.
    """

    def __init__(self, sink: ObjectSink, directory: bytes, level: int) -> None:
        self._sink, self._directory, self._level = sink, directory, level
        self._mark = self._size = self._packed_size = 0
        self.threads = 1
        self._hash: Hash
        self._deflater: ParallelDeflater | None = None
        self._file: IO[bytes] | None = None

    def begin(self, mark: int, size: int) -> None:
        """Start a blob of *size* bytes."""
        from workers.deflater import ParallelDeflater  # noqa: PLC0415 - most imports have no use for it

        self._mark, self._size, self._packed_size = mark, size, 0
        self._hash = self._sink.object_format.new(b"blob %d\x00" % size)
        path, fd = create_temporary(self._directory, b"tmp_blob_")
        self._file = os.fdopen(fd, "w+b")  # finish() closes it, or close()
        remove(path)
        self._deflater = ParallelDeflater(
            self._level, max(self.threads, 1), self._hash.update, self._put
        )

    def write(self, data: Data) -> None:
        """Take the next bytes."""
        assert self._deflater
        with _threads():
            self._deflater.write(data)

    def finish(self) -> tuple[int, int]:
        """End the blob and store it if it is new.

        Returns:
            Its mark (0 for none) and its entry in the object map.
        """
        assert self._deflater
        with _threads():
            self._deflater.finish()
        oid = Oid(self._hash.digest())
        file, self._file = self._file, None
        assert file is not None
        with file:
            entry = self._sink.known(oid, BLOB)
            if entry < 0:
                file.seek(0)
                entry = self._sink.append_file(oid, BLOB, self._size, file, self._packed_size)
        if self._mark:
            self._sink.marks.set(self._mark, entry)
        return self._mark, entry

    def close(self) -> None:
        """Let go of a blob that will not come to its end."""
        if self._deflater is not None:
            self._deflater.close()
        if self._file is not None:
            with contextlib.suppress(OSError):  # what it still holds may not fit on the disk
                self._file.close()

    def _put(self, packed: bytes) -> None:
        assert self._file is not None
        try:
            self._file.write(packed)
        except OSError as error:
            raise self._refusal(error) from error
        self._packed_size += len(packed)

    def _refusal(self, error: OSError) -> PackError:
        where = self._directory.decode(errors="backslashreplace")
        return PackError(f"cannot write a large blob to {where}: {error.strerror}")


@contextlib.contextmanager
def _threads() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        raise WorkerError(f"a large blob cannot be deflated: {error}") from error
