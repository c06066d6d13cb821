"""Which names a ref may have.

Source: git-check-ref-format(1) for the form of a name, gitrepository-layout(5) for what else
lies in the git directory.
"""

from __future__ import annotations

import functools
import os
import re

_FORBIDDEN = rb"""(?x)
      [\x00-\x20\x7f~^:?*\[\\]  # controls, blank, and what has a meaning in revisions
    | \.\. | @\{ | //
    | (?: \A | / ) \.           # no component starts with a dot
    | \.lock (?: / | \Z )       # nor ends like a lock file
    | \A / | [./] \Z
"""
_PSEUDO_REF = rb"[A-Z_]+\Z"
_REF_CONTENT = rb"(?:[0-9a-f]{40}(?:[0-9a-f]{24})?|ref: .*)\s*\Z"
_NOT_FOR_REFS = {
    *(b"branches", b"common", b"hooks", b"info", b"logs", b"lost-found", b"modules", b"objects"),
    *(b"reftable", b"rebase-apply", b"rebase-merge", b"rr-cache", b"sequencer", b"svn"),
}


@functools.cache  # doing it at once would cost every start a millisecond
def _forbidden() -> re.Pattern[bytes]:
    return re.compile(_FORBIDDEN)


def check_ref_format(name: bytes, *, allow_onelevel: bool = True) -> bool:
    """Tell whether git accepts *name* as a ref's name.

    Args:
        name: The full name.
        allow_onelevel: Whether a name without a slash will do.
    """
    if not name or name == b"@" or _forbidden().search(name):
        return False
    return allow_onelevel or b"/" in name


def is_part_of_git(name: bytes) -> bool:
    """Tell whether every git directory has something else at *name*, or may have."""
    return name == b"refs" or name.split(b"/", 1)[0] in _NOT_FOR_REFS


def is_reserved(name: bytes, git_dir: bytes) -> bool:
    """Tell whether a well-formed name would write over something that is no ref.

    Names outside ``refs/`` become files of the git directory; git would overwrite ``config``
    without a question.

    Args:
        name: A name that passed `check_ref_format`.
        git_dir: The repository's directory.
    """
    if name.startswith(b"refs/") or re.match(_PSEUDO_REF, name):
        return False
    if is_part_of_git(name):
        return True
    try:
        with open(os.path.join(git_dir, name), "rb") as file:
            return not re.match(_REF_CONTENT, file.read(4096))
    except OSError:  # absent, or a directory, which git itself refuses
        return False
