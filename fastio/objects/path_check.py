"""Which paths may enter a tree.

A checkout must never write into ``.git``, nor let a symlink pose as ``.gitmodules``. So paths are
refused that some file system takes for one of these: NTFS drops trailing dots and blanks, knows
files by short names (``git~1``) and takes backslashes for separators; HFS+ ignores some code
points of Unicode.

Nearly every path is plainly fine, which one cheap match tells; the other patterns run only on
the rest.
"""

from __future__ import annotations

import re
from functools import cache

from fastio.errors import StreamError
from fastio.objects.trees import SYMLINK

# What needs no second look: no empty component, no "~", no "\", and dots only as in ".github".
_PLAIN_NAME = rb"(?:[^./~\\]|\.(?:[^./~\\gG]|git[a-ln-z]))[^/~\\]*+"
_PLAIN = re.compile(_PLAIN_NAME + b"(?:/" + _PLAIN_NAME + b")*+")

_START, _END = rb"(?:\A|/)", rb"(?=/|\Z)"
# An empty component, ".", "..", or ".git".
_ALWAYS = _START + rb"(?:\.{0,2}|(?i:\.git))" + _END
_LINK = _START + rb"(?i:\.gitmodules)" + _END

# As in git, a backslash that starts a component separates nothing.
_NTFS_START = rb"(?:\A|/|[^/]\\)"
_NTFS = _NTFS_START + rb"(?i:\.git|git~1)[. ]*(?=[/\\:]|\Z)"
# ".gitmodules" as NTFS may shorten it: six letters and a small number, or, when many names
# collide, as much of a hashed prefix as leaves room for the number, eight letters in all.
_SHORT = b"|".join(b"gi7eba"[:kept] + rb"~[1-9][0-9]{%d}" % (6 - kept) for kept in range(6, -1, -1))
_NTFS_LINK = _NTFS_START + rb"(?i:\.gitmodules|gitmod~[1-4]|" + _SHORT + rb")[. ]*(?=:|\Z)"

_HFS_IGNORED = "[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]"


def check_path(
    path: bytes, mode: int, *, protect_ntfs: bool = True, protect_hfs: bool = False
) -> None:
    """Refuse a path that must not enter a tree.

    Args:
        path: The path, which is not empty: the root needs no check.
        mode: The entry's mode; symlinks have rules of their own.
        protect_ntfs: ``core.protectNTFS``.
        protect_hfs: ``core.protectHFS``.

    Raises:
        StreamError: The path is refused.
    """
    if mode != SYMLINK and not protect_hfs and _PLAIN.fullmatch(path):
        return
    link = mode == SYMLINK
    if _pattern(link, protect_ntfs).search(path) or (protect_hfs and _hfs_refuses(path, link)):
        raise StreamError(
            f"invalid path '{path.decode('utf-8', 'backslashreplace')}'", kind="refused-path"
        )


@cache
def _pattern(link: bool, protect_ntfs: bool) -> re.Pattern[bytes]:
    parts = [_ALWAYS]
    if link:
        parts.append(_LINK)
    if protect_ntfs:
        parts.append(_NTFS)
    if link and protect_ntfs:
        parts.append(_NTFS_LINK)
    return re.compile(b"|".join(parts))


def _hfs_refuses(path: bytes, link: bool) -> bool:
    refused = {".git", ".gitmodules"} if link else {".git"}
    return any(_hfs_name(component) in refused for component in path.split(b"/"))


def _hfs_name(component: bytes) -> str:
    """Return a component as HFS+ compares it; like git, up to the first invalid UTF-8."""
    try:
        text = component.decode()
    except UnicodeDecodeError as error:
        text = component[: error.start].decode()
    return re.sub(_HFS_IGNORED, "", re.split("[\ufffe\uffff]", text)[0]).lower()
