"""What usually causes an error that the importer met, and what to do about it.

`fastio.stream.cures` knows about the language; this is about what the repository, the machine and
the options have to do with it.
"""

from __future__ import annotations

import errno
import re
from typing import TYPE_CHECKING, Final, TypeVar

from fastio.errors import (
    FastioError,
    MarksError,
    ObjectError,
    OptionError,
    PackError,
    StreamError,
    WorkerError,
)

if TYPE_CHECKING:
    from fastio.store.config import Config
    from fastio.store.marks import MarkTable

E = TypeVar("E", bound=BaseException)

OLDER_MARK: Final = (
    "it is the mark of an earlier run: import that run's marks with --import-marks=<file>"
)
PARTIAL_CLONE: Final = (
    "this is a partial clone and has not got the object: fetch it first, git cat-file -e <oid> does"
)

OPTIONS: Final = (
    *("--active-branches", "--allow-unsafe-features", "--big-file-threshold", "--cat-blob-fd"),
    *("--compression", "--date-format", "--depth", "--done", "--export-marks"),
    *("--export-pack-edges", "--force", "--import-marks", "--import-marks-if-exists"),
    *("--max-pack-size", "--memory", "--no-progress", "--no-relative-marks", "--quiet"),
    *("--relative-marks", "--rewrite-submodules-from", "--rewrite-submodules-to"),
    *("--sha1-collision-check", "--signed-commits", "--signed-tags", "--stats", "--workers"),
)

_BY_KIND: Final = {
    "absent-source": (
        "C and R look in the tree as the commit has it at that line, letter case included: was the"
        " path removed or renamed above, or never added?"
    ),
    "missing-object": (
        "the repository has no such object: let the stream bring it as a blob, or fetch it first"
    ),
}

_BY_ERRNO: Final = {
    errno.ENOSPC: "the disk is full: make room and import again",
    errno.EDQUOT: "the disk quota is used up: make room and import again",
    errno.EFBIG: "a limit on the size of files was met (ulimit -f, or the file system's):"
    " --max-pack-size=<size> makes several packs",
    errno.EACCES: "this user may not write there",
    errno.EPERM: "this user may not write there",
    errno.EROFS: "the file system is mounted read-only",
    errno.EBADF: "the descriptor is not open: --cat-blob-fd names one that our caller has opened",
    errno.EMFILE: "too many files are open: raise the limit (ulimit -n)",
    errno.EAGAIN: "too many processes run: raise the limit (ulimit -u), or give --workers=0",
    errno.ENOMEM: "memory is short: give a smaller --memory, or fewer --workers",
}


def hint_of(error: FastioError, *, marks: MarkTable, config: Config) -> str:
    """Return a hint for the usual cause of *error*, or an empty text.

    Args:
        error: What ended the import.
        marks: The marks that are declared by now.
        config: The repository's.
    """
    failed = _cause(error, OSError)
    if failed is not None and failed.errno in _BY_ERRNO:
        return _BY_ERRNO[failed.errno]
    if isinstance(error, StreamError):
        return _stream_hint(error, marks, config)
    if isinstance(error, OptionError):
        return _option_hint(str(error))
    if isinstance(error, MarksError):
        return _marks_hint(str(error))
    if isinstance(error, WorkerError):
        return _worker_hint(str(error))
    if isinstance(error, PackError):
        return "'git fsck' tells whether the repository is sound"
    return ""


def _stream_hint(error: StreamError, marks: MarkTable, config: Config) -> str:
    from fastio.stream.cures import cure_of  # noqa: PLC0415 - small imports need no patterns

    if error.kind == "undeclared-mark" and (found := re.search(r":([0-9]+)", error.reason)):
        first = next((mark for mark, _ in marks.items()), None)
        if first is None or int(found[1]) < first:
            return OLDER_MARK
    missing = _cause(error, ObjectError)
    if error.kind == "missing-object" or (missing and str(missing).endswith("is missing")):
        is_partial = "extensions.partialclone" in config
        return PARTIAL_CLONE if is_partial else _BY_KIND["missing-object"]
    return _BY_KIND.get(error.kind) or cure_of(error)


def _option_hint(text: str) -> str:
    word = text.removeprefix("unknown option ")
    if word == text:
        return ""
    name = word.partition("=")[0]
    if name in OPTIONS:
        return f"its value belongs into the same word: {name}=<value>"
    from difflib import get_close_matches  # noqa: PLC0415 - only for a mistake

    alike = get_close_matches(name, OPTIONS, 1)
    return f"is {alike[0]} meant?" if alike else "'fastio import --help' lists the options"


def _marks_hint(text: str) -> str:
    if "object of mark" in text:
        return (
            "the marks are another repository's, or its objects have gone since (git gc removes"
            " what no ref holds)"
        )
    if "No such file" in text:
        return "--import-marks-if-exists=<file> does not mind"
    if "malformed" in text:
        return "each line is ':<mark> <oid>', with an LF behind the last one as well"
    return ""


def _worker_hint(text: str) -> str:
    if "died" in text:
        return "was it killed for want of memory (see dmesg)? give a smaller --memory"
    if "--memory" in text:
        return "give a larger --memory"
    return "give a smaller --memory" if "reserve" in text else ""


def _cause(error: BaseException | None, kind: type[E]) -> E | None:
    """Return the error of that *kind* that is behind *error*, if there is one."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__
    return error
