"""Large blobs stored as they are read: one thread hashes, several deflate, none holds it whole.

As in git, one above ``core.bigFileThreshold`` goes into a pack and any other is loose, since
whoever stores one file looks for it there.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fastio.errors import ObjectError
from fastio.objects.collisions import refuse_collision
from fastio.objects.kinds import BLOB, Oid
from fastio.store.new_files import refuse, remove, write_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastio.hasher.keeper import Keeper
    from fastio.hasher.large_files import Content
    from fastio.objects.kinds import ObjectFormat


def store_large(
    keeper: Keeper, content: Content, object_format: ObjectFormat, *, threads: int, loose: bool
) -> Oid:
    """Store a blob if it is new.

    Args:
        keeper: Where to.
        content: What is read.
        object_format: How it is hashed.
        threads: So many deflate.
        loose: Whether it is to be loose, however large.

    Returns:
        Its oid.
    """
    if loose or content.size <= keeper.big_file_threshold:
        return _store_loose(keeper, content, object_format, threads)
    pack = keeper.pack()
    pack.entries.begin(BLOB, content.size)
    try:
        oid = _deflate(
            content, object_format, keeper.pack_level, threads, pack.entries.extend, header=b""
        )
    except BaseException:
        pack.drop_last()
        raise
    keeper.keep_last(oid, pack.entries.end())
    return oid


def _store_loose(
    keeper: Keeper, content: Content, object_format: ObjectFormat, threads: int
) -> Oid:
    # Reading twice is nothing beside deflating what is there already.
    oid = Oid(content.oid(object_format))
    refuse_collision()
    if keeper.knows(oid):
        return oid
    path, fd = keeper.loose.create()
    try:
        header = b"blob %d\0" % content.size
        stored = _deflate(
            content,
            object_format,
            keeper.loose.level,
            threads,
            lambda piece: write_all(fd, piece),
            header=header,
        )
        if stored != oid:
            raise ObjectError("a file was changed while it was read")
    except BaseException as error:
        os.close(fd)
        remove(path)
        if isinstance(error, OSError):
            refuse(path, error)
        raise
    keeper.loose.place(path, fd, oid)
    return oid


def _deflate(
    content: Content,
    object_format: ObjectFormat,
    level: int,
    threads: int,
    put: Callable[[bytes], None],
    *,
    header: bytes,
) -> Oid:
    """Hash *content* while it is deflated, with *header* before it in the stream."""
    from workers.deflater import ParallelDeflater  # noqa: PLC0415 - only large files need it

    # What the stream begins with is hashed with it: a loose object's header is what git hashes.
    state = object_format.new(b"" if header else b"blob %d\0" % content.size)
    deflater = ParallelDeflater(level, threads, state.update, put)
    try:
        deflater.write(header)
        for piece in content.pieces():
            deflater.write(piece)
        deflater.finish()
    finally:
        deflater.close()
    oid = Oid(state.digest())
    refuse_collision()
    return oid
