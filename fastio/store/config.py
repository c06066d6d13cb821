"""git's configuration: values parsed the way git parses them.

`Config` takes the output of ``git config --list -z``, so that files, includes, conditions and
``-c`` settings are git's business. What is here is what the values mean to an import.

Source: git-config(1), "Values" and the variables named below.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from fastio.errors import ConfigError
from fastio.records import record

MAX_DEPTH = 8191
DEFAULT_UNPACK_LIMIT = 100
DEFAULT_BIG_FILE_THRESHOLD = 512 << 20
DEFAULT_LEVEL = -1
DEFAULT_LOOSE_LEVEL = 1

_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
# Compiled when first used, as are all patterns on the way of a start: each costs half a
# millisecond, and most imports set none of these variables.
_INTEGER = r"(?ai)\s*([+-]?)(0x[0-9a-f]+|[0-9]+)([kmg]?)\Z"
_TRUE, _FALSE = {"true", "yes", "on"}, {"", "false", "no", "off"}

_OBJECTS = {"loose-object", "pack"}
_DERIVED = {"pack-metadata", "commit-graph"}
_COMMITTED = _OBJECTS | {"reference"}
_FSYNC_SETS = {
    **{name: {name} for name in (*_COMMITTED, *_DERIVED, "index")},
    "objects": _OBJECTS,
    "derived-metadata": _DERIVED,
    "committed": _COMMITTED,
    "added": _COMMITTED | {"index"},
    "all": _COMMITTED | _DERIVED | {"index"},
}
_FSYNC_DEFAULT = (_OBJECTS | _DERIVED) - {"loose-object"}


@record
class FsyncRules:
    """Which of the files we write are to be hardened, and how (core.fsync).

    Attributes:
        pack: Packs.
        pack_metadata: Pack indexes.
        loose_object: Loose objects.
        reference: Refs.
        method: ``fsync``, ``writeout-only`` or ``batch``.
    """

    pack: bool
    pack_metadata: bool
    loose_object: bool
    reference: bool
    method: str = "fsync"


def parse_integer(key: str, text: str | None, *, bits: int = 32, signed: bool = True) -> int:
    """Read an integer as git does: C notation, with an optional unit k, m or g.

    Args:
        key: Name of the variable, for the error.
        text: Its value; None for a variable without ``=``.
        bits: Width of git's type for it.
        signed: Whether that type can be negative.
    """
    match = re.match(_INTEGER, text or "")
    if match is None or (match[1] == "-" and not signed):
        raise ConfigError(key, f"bad numeric config value '{text or ''}'")
    digits = match[2].lower()
    is_octal = digits.startswith("0") and not digits.startswith("0x")
    try:
        number = int(digits, 8 if is_octal else 0) * _UNITS[match[3].lower()]
    except ValueError:  # 09
        raise ConfigError(key, f"bad numeric config value '{text}'") from None
    limit = (1 << (bits - signed)) - 1
    if number > limit:
        raise ConfigError(key, f"numeric config value '{text}' out of range")
    return -number if match[1] == "-" else number


def parse_boolean(key: str, text: str | None) -> bool:
    """Read a boolean as git does; a variable without ``=`` is true."""
    if text is None or text.lower() in _TRUE:
        return True
    if text.lower() in _FALSE:
        return False
    try:
        return parse_integer(key, text) != 0
    except ConfigError:
        raise ConfigError(key, f"bad boolean config value '{text}'") from None


def read_listing(listing: bytes) -> Iterator[tuple[str, str | None]]:
    """Read what ``git config --list -z`` says, ``key LF value NUL`` or ``key NUL``, in order.

    A value is None for a variable without ``=``.
    """
    for item in listing.decode(errors="surrogateescape").split("\0")[:-1]:
        key, equals, value = item.partition("\n")
        yield key, value if equals else None


class Config:
    """All variables that git sees, the last value winning."""

    def __init__(self, listing: bytes) -> None:
        """Take over a listing.

        Args:
            listing: Output of ``git config --list -z``.
        """
        self._values = dict(read_listing(listing))

    def __contains__(self, key: str) -> bool:
        return _canonical(key) in self._values

    def variables(self) -> Iterator[tuple[str, str | None]]:
        """List all variables that are set, with the values that count."""
        yield from self._values.items()

    def text(self, key: str) -> str | None:
        """The value as text; None when the variable is not set."""
        if key not in self:
            return None
        value = self._values[_canonical(key)]
        if value is None:
            raise ConfigError(key, "missing value")
        return value

    def boolean(self, key: str, default: bool) -> bool:
        """The value as a boolean, *default* when not set."""
        return parse_boolean(key, self._values[_canonical(key)]) if key in self else default

    def integer(self, key: str, default: int, *, bits: int = 32, signed: bool = True) -> int:
        """The value as an integer of git's width for it, *default* when not set."""
        if key not in self:
            return default
        return parse_integer(key, self._values[_canonical(key)], bits=bits, signed=signed)

    @property
    def unpack_limit(self) -> int:
        """Most objects that a pack may hold and still be exploded (fastimport.unpackLimit)."""
        fallback = self.integer("transfer.unpackLimit", DEFAULT_UNPACK_LIMIT)
        return self.integer("fastimport.unpackLimit", fallback)

    def depth(self, default: int) -> int:
        """Longest delta chain (pack.depth)."""
        return min(max(self.integer("pack.depth", default), 0), MAX_DEPTH)

    @property
    def pack_size_limit(self) -> int:
        """Bytes a pack may have, 0 for any number (pack.packSizeLimit)."""
        return self.integer("pack.packSizeLimit", 0, bits=64, signed=False)

    @property
    def index_version(self) -> int:
        """Version of the pack indexes to write, 1 or 2 (pack.indexVersion)."""
        version = self.integer("pack.indexVersion", 2)
        if not 0 <= version <= 2:
            raise ConfigError("pack.indexVersion", f"bad index version {version}")
        return max(version, 1)

    @property
    def pack_level(self) -> int:
        """Deflate level for packs, -1 for the default (pack.compression)."""
        return self._level("pack.compression", self._level("core.compression", DEFAULT_LEVEL))

    @property
    def loose_level(self) -> int:
        """Deflate level for loose objects (core.looseCompression)."""
        fallback = self._level("core.compression", DEFAULT_LOOSE_LEVEL)
        return self._level("core.looseCompression", fallback)

    def _level(self, key: str, default: int) -> int:
        level = self.integer(key, default)
        if not -1 <= level <= 9:
            raise ConfigError(key, f"bad compression level {level}")
        return level

    @property
    def big_file_threshold(self) -> int:
        """Bytes from which on a blob is streamed (core.bigFileThreshold)."""
        key = "core.bigFileThreshold"
        return self.integer(key, DEFAULT_BIG_FILE_THRESHOLD, bits=64, signed=False)

    @property
    def protect_ntfs(self) -> bool:
        """Whether paths are refused that NTFS takes for ``.git`` (core.protectNTFS)."""
        return self.boolean("core.protectNTFS", True)

    @property
    def protect_hfs(self) -> bool:
        """Whether paths are refused that HFS+ takes for ``.git`` (core.protectHFS)."""
        return self.boolean("core.protectHFS", sys.platform == "darwin")

    @property
    def quote_path(self) -> bool:
        """Whether bytes above 0x7f are quoted in paths (core.quotePath)."""
        return self.boolean("core.quotePath", True)

    @property
    def use_replace_refs(self) -> bool:
        """Whether objects may be replaced by others (core.useReplaceRefs)."""
        return self.boolean("core.useReplaceRefs", True)

    @property
    def max_tree_depth(self) -> int:
        """How deep directories may lie in a tree that is gone through (core.maxTreeDepth)."""
        return self.integer("core.maxTreeDepth", 2048)

    @property
    def use_multi_pack_index(self) -> bool:
        """Whether a multi-pack-index is looked into (core.multiPackIndex)."""
        return self.boolean("core.multiPackIndex", True)

    @property
    def promisor_remote(self) -> str | None:
        """The remote that keeps what a partial clone has left out; None if nothing was."""
        for key in self._values:
            if re.fullmatch(r"(?s)remote\..+\.promisor", key) and self.boolean(key, False):
                return key.removeprefix("remote.").removesuffix(".promisor")
        return self.text("extensions.partialClone")

    @property
    def fsync(self) -> FsyncRules:
        """What to harden (core.fsync, core.fsyncMethod, core.fsyncObjectFiles).

        Unknown components and methods are passed over, as git does (with a warning).
        """
        parts = _fsync_components(self.text("core.fsync") or "")
        if self.boolean("core.fsyncObjectFiles", False):
            parts = parts | {"loose-object"}
        method = self.text("core.fsyncMethod")
        if method not in ("fsync", "writeout-only", "batch"):
            method = "writeout-only" if sys.platform == "darwin" else "fsync"
        return FsyncRules(
            "pack" in parts,
            "pack-metadata" in parts,
            "loose-object" in parts,
            "reference" in parts,
            method,
        )

    @property
    def has_hooks(self) -> bool:
        """Whether hooks are told of, or that they lie in a directory of their own."""
        return "core.hooksPath" in self or any(key.startswith("hook.") for key in self._values)

    def reflogs_begun(self, *, is_bare: bool) -> str:
        """Which refs get a reflog with their first change (core.logAllRefUpdates).

        Returns:
            ``none``, ``all``, or ``usual``: branches, remote-tracking branches and notes.
        """
        key = "core.logAllRefUpdates"
        if (self._values.get(_canonical(key)) or "").lower() == "always":
            return "all"
        return "usual" if self.boolean(key, not is_bare) else "none"

    @property
    def shared_permissions(self) -> int:
        """What core.sharedRepository asks of a new file's mode.

        Returns:
            0 to leave it to the umask; a positive mode whose bits are added; a negative one
            that replaces the permissions altogether.
        """
        key = "core.sharedRepository"
        value = self._values.get(_canonical(key), "umask")
        if value in ("umask", "group", "all", "world", "everybody"):
            return {"umask": 0, "group": 0o660}.get(value, 0o664)
        if value is None or not re.fullmatch("[0-7]+", value):
            return 0o660 if parse_boolean(key, value) else 0
        mode = int(value, 8)
        if mode in (0, 1, 2):  # umask, group, everybody, as git once spelled them
            return (0, 0o660, 0o664)[mode]
        if mode & 0o600 != 0o600:
            raise ConfigError(key, f"mode {value} keeps the owner out")
        return -(mode & 0o666)


def _canonical(key: str) -> str:
    """Section and name in lower case; a subsection between them keeps its case."""
    section, _, rest = key.partition(".")
    subsection, dot, name = rest.rpartition(".")
    return f"{section.lower()}.{subsection}{dot}{name.lower()}"


def _fsync_components(text: str) -> set[str]:
    start, added, removed = _FSYNC_DEFAULT, set[str](), set[str]()
    for word in re.split(r"[,\s]+", text):
        name = word.removeprefix("-")
        if word == "none":
            start = set()
        elif name in _FSYNC_SETS:
            (removed if word.startswith("-") else added).update(_FSYNC_SETS[name])
    return (start - removed) | added
