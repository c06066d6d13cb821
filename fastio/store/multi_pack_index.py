"""The multi-pack-index: one look-up that spares one in each pack.

A file ``multi-pack-index`` beside the packs says for each object of many of them in which pack it
is, and where. Where is asked of that pack's own idx all the same, so that nothing depends on this
file: if it is of no use or wrong, or names a pack that is gone, all packs are asked. A chain of
such files (``multi-pack-index.d``) is not read.

Layout, numbers big-endian (gitformat-pack(5), "multi-pack-index files"): a header, a table of
chunks (id and offset of each), and the chunks: names of the packs, fan-out, oids, places (number
of the pack, offset), offsets that need eight bytes; at the end a checksum.
"""

from __future__ import annotations

import os

from fastio.errors import PackError
from fastio.objects.kinds import ObjectFormat
from fastio.store._mapping import map_file
from fastio.store._multi_pack import MultiPackView

__all__ = ["MultiPackIndex", "open_multi_pack_index"]


class MultiPackIndex(MultiPackView):
    """A multi-pack-index of packs in *folder*, which *content* is.

    Raises:
        PackError: It is none, or none of this object format.
    """

    def __init__(self, folder: bytes, content: memoryview, object_format: ObjectFormat) -> None:
        super().__init__(content, object_format.oid_size)
        self.folder = folder

    def paths(self) -> list[bytes]:
        """Paths of the packs, without suffix, in the order of their numbers."""
        return [
            os.path.join(self.folder, name.removesuffix(b".idx").removesuffix(b".pack"))
            for name in self.pack_names
        ]


def open_multi_pack_index(folder: bytes, object_format: ObjectFormat) -> MultiPackIndex | None:
    """Open the multi-pack-index of a directory of packs; None if there is none to be used."""
    try:
        with open(os.path.join(folder, b"multi-pack-index"), "rb") as file:
            return MultiPackIndex(folder, map_file(file.fileno()), object_format)
    except (OSError, ValueError, MemoryError, PackError):  # ValueError: an empty file
        return None
