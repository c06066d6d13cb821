"""Files of attributes of directories: where there are some, and about which names they say much.

Most lines say nothing about content, or only that lines are to end by LF. For those it need not be
known what their patterns match: content without a carriage return stays as it is anyhow. Of a line
that says more, the end of its pattern tells which names it does not match.
"""

from __future__ import annotations

import os
import re
import stat

from fastio.hasher.files import is_there
from fastio.records import record

_STRONG = {b"filter", b"ident", b"working-tree-encoding", b"crlf"}
_NAME = re.compile(rb"[-!]?(?!builtin_)[A-Za-z0-9_.][-A-Za-z0-9_.]*")
_SPECIAL = re.compile(rb"[*?\[\]\\/]")
_ODD_START = (b"!", b'"', b"[attr]", b"\xef\xbb\xbf")  # git warns of it, or it is hard to read
_ODD = re.compile(rb"[\0\v\f]")
_LONGEST_LINE = 2047  # bytes; git leaves longer ones out
_LARGEST = 1 << 20  # bytes of a file that is looked at


@record
class Extent:
    """What the attribute files that count for a directory could say.

    Attributes:
        has_file: Whether there is any.
        strong: How names end, in lower case, of which they may say more than that carriage returns
            go. b"" stands for all names.
    """

    has_file: bool
    strong: tuple[bytes, ...]


_ANYTHING = Extent(has_file=True, strong=(b"",))


class AttributeFiles:
    """Tells what the files that count for a directory could say: its own and those above it.

    Args:
        top: The way to the top of the work tree, from where directories are named.
    """

    def __init__(self, top: bytes) -> None:
        self._top = top
        self._known: dict[bytes, Extent] = {}

    def extent(self, directory: bytes) -> Extent:
        """Tell it of a directory, named with a slash behind it."""
        extent = self._known.get(directory)
        if extent is not None:
            return extent
        extent, end = Extent(has_file=False, strong=()), 0
        while True:
            part = directory[:end]
            known = self._known.get(part)
            extent = _joined(extent, self._own(part)) if known is None else known
            self._known[part] = extent
            if end == len(directory):
                return extent
            end = directory.index(b"/", end) + 1

    def _own(self, directory: bytes) -> Extent | None:
        path = os.path.join(self._top, directory, b".gitattributes")
        if not is_there(path):
            return None
        try:
            # As git, follow no link; nor wait for whoever writes to a FIFO.
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return _ANYTHING
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return _ANYTHING
            text = os.read(descriptor, _LARGEST + 1)
        except OSError:
            return _ANYTHING
        finally:
            os.close(descriptor)
        return _ANYTHING if len(text) > _LARGEST else Extent(True, tuple(strong_ends(text)))


def _joined(above: Extent, own: Extent | None) -> Extent:
    if own is None:
        return above
    return Extent(True, tuple(dict.fromkeys(above.strong + own.strong)))


def strong_ends(text: bytes) -> set[bytes]:
    """Tell how names end about which a file of attributes says more than that lines end by LF."""
    if _ODD.search(text):
        return {b""}
    ends = set[bytes]()
    for line in text.split(b"\n"):
        pattern, *attributes = line.split() or [b"#"]
        if pattern.startswith(b"#"):
            continue
        if len(line) > _LONGEST_LINE or pattern.startswith(_ODD_START):
            return {b""}
        if not all(map(_is_weak, attributes)):
            ends.add(_SPECIAL.split(pattern)[-1].lower())  # core.ignoreCase may be set
    return ends


def _is_weak(attribute: bytes) -> bool:
    name, _, value = attribute.partition(b"=")
    if not _NAME.fullmatch(name) or value == b"crlf":
        return False
    return name.lstrip(b"-!") not in _STRONG
