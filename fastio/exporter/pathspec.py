"""Path limits as git understands them: literal paths, wildcards, and magic in front of either.

A limit is a path, relative to the directory in which the command was started, and stands for the
file or the directory there and all below. With wildcards it stands for all files whose whole path
matches as well. Magic changes that: ``:(top)`` or ``:/`` counts from the top, ``:(exclude)``,
``:!`` or ``:^`` takes away from what the others give, ``:(literal)`` has no wildcards,
``:(glob)`` has some that stop at a slash, and ``:(icase)`` ignores case.

What limits mean once they are read is told by `fastio.exporter.path_limits`.

Source: "pathspec" in gitglossary(7); what it does not say is as ``git log`` does it.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Mapping

from fastio.errors import FastioError
from fastio.exporter._path_filter import PathFilter
from fastio.exporter.path_limits import Limit, Limits
from fastio.exporter.wildcards import SPECIAL, wildcard
from fastio.store.config import parse_boolean
from fastio.store.repository import Repository

_SHORT = {b"/": "top", b"!": "exclude", b"^": "exclude"}
# Of these characters git keeps those that it does not use for magic to come.
_RESERVED = b"\"#%&',-;<=>@_`~"
_LONG = {"top", "exclude", "literal", "glob", "icase"}


def limits_of(repository: Repository, words: Iterable[bytes]) -> PathFilter | None:
    """Make a filter of path limits that were given in a repository: see `read_limits`."""

    def find_top() -> bytes:
        found = repository.git.run("rev-parse", "--show-toplevel", capture_stderr=True)
        return repository.git_dir if found.status else found.stdout.removesuffix(b"\n")

    return read_limits(
        words,
        prefix=repository.prefix,
        environment=repository.git.environment,
        find_top=find_top,
    )


def read_limits(
    words: Iterable[bytes],
    *,
    prefix: bytes,
    environment: Mapping[str, str],
    find_top: Callable[[], bytes],
) -> PathFilter | None:
    """Make a filter of path limits.

    Args:
        words: The limits, as they were written.
        prefix: The directory in which we were started, below the top: ``dir/sub/`` or empty.
        environment: May have git's variables that give all limits some magic.
        find_top: Gives the top of the work tree, if a limit is an absolute path.

    Returns:
        The filter; None if there are no limits.

    Raises:
        FastioError: A limit is outside the repository, or has magic that there is not.
    """
    general = _general_magic(environment)
    limits = [_read_limit(word, prefix, general, find_top) for word in words]
    if not limits:
        return None
    if all(limit.exclude for limit in limits):
        limits.append(Limit(b"", 0, 0, None))
    if any(limit.exclude for limit in limits):
        return PathFilter([], Limits(limits).wants)
    plain = [limit.text for limit in limits if limit.is_plain]
    others = [limit for limit in limits if not limit.is_plain]
    return PathFilter(plain, Limits(others).wants if others else None)


def _general_magic(environment: Mapping[str, str]) -> set[str]:
    """The magic that the environment gives all limits; ``noglob`` among it."""
    general = {
        name
        for name in ("literal", "glob", "noglob", "icase")
        if parse_boolean(
            variable := f"GIT_{name.upper()}_PATHSPECS", environment.get(variable, "false")
        )
    }
    if {"glob", "noglob"} <= general:
        raise FastioError("global 'glob' and 'noglob' pathspec settings are incompatible")
    if "literal" in general and len(general) > 1:
        raise FastioError(
            "global 'literal' pathspec setting is incompatible with all other global pathspec "
            "settings"
        )
    return general


def _read_limit(
    word: bytes, prefix: bytes, general: set[str], find_top: Callable[[], bytes]
) -> Limit:
    if "literal" in general:
        magic, pattern = {"literal"}, word
    else:
        magic, pattern = _split_magic(word)
        if {"literal", "glob"} <= magic:
            raise FastioError(f"{_shown(word)}: 'literal' and 'glob' are incompatible")
        magic |= general & {"icase"}
        if not magic & {"literal", "glob"}:
            magic |= {"glob"} & general | ({"literal"} if "noglob" in general else set())
    if not word:
        raise FastioError(
            "empty string is not a valid pathspec. please use . instead if you meant to match "
            "all paths"
        )
    placed = _from_top(pattern, prefix, find_top)
    if "top" in magic:
        placed = pattern, 0  # as it is, dots and all
    if placed is None:
        raise FastioError(
            f"{_shown(word)}: '{_shown(pattern)}' is outside repository at '{_shown(find_top())}'"
        )
    text, prefix_size = placed
    literal_size = len(text) if "literal" in magic else _plain_size(text, prefix_size)
    rest = text[literal_size:]
    ignore_case = "icase" in magic
    return Limit(
        text,
        literal_size,
        prefix_size,
        wildcard(rest, directories="glob" in magic, ignore_case=ignore_case) if rest else None,
        ignore_case,
        "exclude" in magic,
    )


def _plain_size(text: bytes, prefix_size: int) -> int:
    """How many of the first bytes have no wildcards; those of the prefix never have."""
    size = prefix_size
    while size < len(text) and text[size] not in SPECIAL:
        size += 1
    return size


def _split_magic(word: bytes) -> tuple[set[str], bytes]:
    """Take the magic off a limit."""
    if not word.startswith(b":"):
        return set(), word
    if not word.startswith(b":("):
        return _split_short_magic(word)
    end = word.find(b")")
    if end < 0:
        raise FastioError(f"Missing ')' at the end of pathspec magic in '{_shown(word)}'")
    magic = {name.decode(errors="replace") for name in word[2:end].split(b",")} - {""}
    for name in sorted(magic - _LONG):
        if name.partition(":")[0] in ("attr", "prefix"):
            raise FastioError(f"pathspec magic '{name}' is not supported in '{_shown(word)}'")
        raise FastioError(f"Invalid pathspec magic '{name}' in '{_shown(word)}'")
    return magic, word[end + 1 :]


def _split_short_magic(word: bytes) -> tuple[set[str], bytes]:
    magic, at = set[str](), 1
    while at < len(word) and word[at : at + 1] != b":":
        sign = word[at : at + 1]
        if sign in _RESERVED:
            raise FastioError(f"Unimplemented pathspec magic '{_shown(sign)}' in '{_shown(word)}'")
        if sign not in _SHORT:
            return magic, word[at:]
        magic.add(_SHORT[sign])
        at += 1
    return magic, word[at + 1 :]


def _from_top(
    pattern: bytes, prefix: bytes, find_top: Callable[[], bytes]
) -> tuple[bytes, int] | None:
    """A path or pattern from the top, and how much of *prefix* is in it; None for one outside."""
    if pattern.startswith(b"/"):
        prefix, top = b"", os.path.join(find_top(), b"")
        if not os.path.join(pattern, b"").startswith(top):
            return None
        pattern = pattern[len(top) :]
    joined = prefix + pattern
    text = posixpath.normpath(joined) if joined else b""
    if text == b".." or text.startswith(b"../"):
        return None
    if text == b".":
        text = b""
    if text and (joined.endswith((b"/", b"/.", b"/..")) or joined in (b".", b"..")):
        text += b"/"
    shared = posixpath.commonprefix([prefix, os.path.join(text, b"")])
    return text, min(len(shared), len(text))


def _shown(text: bytes) -> str:
    return text.decode(errors="replace")
