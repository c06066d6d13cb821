"""Which paths may enter a tree."""

from __future__ import annotations


def check_path(
    path: bytes, mode: int, *, protect_ntfs: bool = True, protect_hfs: bool = False
) -> None:
    """Raise StreamError if *path* may not enter a tree with *mode*."""
