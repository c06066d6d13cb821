"""Small files, read and hashed many at once.

Sixteen files are hashed in the time of four or five (`workers._sha1`), and a call for each file
would take longer than to read a small one. So a run of files is one call.
"""

from __future__ import annotations

from fastio.hasher._files import LARGEST, MOST, OUT_ROOM, QUICK, ROOM, FileReader, is_there

__all__ = ["LARGEST", "MOST", "OUT_ROOM", "QUICK", "ROOM", "FileReader", "is_there"]
