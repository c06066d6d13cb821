"""What an import can be told: by the configuration, by the stream, by the command line.

Later sources override earlier ones: built-in default, configuration, stream (``feature`` and
``option``), command line. Flags that can only be switched on stay on.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from fastio.errors import StreamError, UsageError
from fastio.numerals import parse_size, parse_uint
from fastio.records import record

if TYPE_CHECKING:
    from fastio.objects.kinds import Oid

MAX_DEPTH = 8191
SMALLEST_PACK_BYTES, SMALLEST_PACK = 8192, 1 << 20
DATE_FORMATS = ("raw", "raw-permissive", "rfc2822", "now")
SIGNATURE_MODES = {
    "verbatim": "verbatim",
    "ignore": "verbatim",
    "warn-verbatim": "warn-verbatim",
    "warn": "warn-verbatim",
    "abort": "abort",
    "strip": "strip",
    "warn-strip": "warn-strip",
    "strip-if-invalid": "strip-if-invalid",
    "sign-if-invalid": "sign-if-invalid",
    "abort-if-invalid": "abort-if-invalid",
}
# Flags that only announce that a command exists.
ANNOUNCEMENTS = frozenset(("alias", "cat-blob", "get-mark", "ls", "notes"))
UNSAFE_FEATURES = frozenset((b"import-marks", b"import-marks-if-exists", b"export-marks"))


@record
class MarksImport:
    """A marks file to read before the first command."""

    path: str
    if_exists: bool


class ImportOptions:
    """All options of one import, with git's defaults.

    Attributes:
        workers: Worker processes; None means one a core, 0 none at all.
        memory: Bytes that all processes together may use beside the object map; None means a
            quarter of the machine's memory, at most 1 GiB.
        compression: zlib level of the pack; None means what the configuration says.
        sha1_collision_check: Whether to look for SHA-1 collisions in all objects.
        depth: Longest delta chain; None means what the configuration says.
        max_pack_size: Bytes of a pack, 0 for any number; None likewise.
        big_file_threshold: Blobs longer than this many bytes are streamed; None likewise.
        signed_commits_key: What ``sign-if-invalid`` signs with; empty for the default.
        signed_tags_key: The same for tags.
    """

    force: bool = False
    quiet: bool = False
    done: bool = False
    date_format: str = "raw"
    export_marks: str | None = None
    export_pack_edges: str | None = None
    max_pack_size: int | None = None
    relative_marks: bool = False
    allow_unsafe_features: bool = False
    cat_blob_fd: int = 1
    depth: int | None = None
    big_file_threshold: int | None = None
    active_branches: int = 5
    signed_commits: str = "verbatim"
    signed_commits_key: str = ""
    signed_tags: str = "verbatim"
    signed_tags_key: str = ""

    def __init__(
        self,
        *,
        workers: int | None = None,
        memory: int | None = None,
        compression: int | None = None,
    ) -> None:
        self.workers, self.memory, self.compression = workers, memory, compression
        self.sha1_collision_check = False
        self.import_marks: list[MarksImport] = []
        # Marks by the submodule's name.
        self.rewrite_from: dict[str, dict[int, Oid]] = {}
        self.rewrite_to: dict[str, dict[int, Oid]] = {}


class OptionReader:
    """Applies options from their three sources to one `ImportOptions`.

    Args:
        options: What is filled in.
        marks_directory: Gives the directory that ``relative-marks`` refers to.
        warn: Is given each warning's text.
    """

    def __init__(
        self,
        options: ImportOptions,
        marks_directory: Callable[[], str],
        warn: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self.options, self._warn = options, warn
        self._marks_directory = marks_directory
        self._stream_imports = 0
        self._command_line_imports = False

    # --- sources --------------------------------------------------------------------------------

    def command_line(self, word: str) -> None:
        """Apply one ``--name`` or ``--name=value`` word.

        Raises:
            StreamError: It is unknown or its value is bad.
            UsageError: A signature mode is bad.
        """
        name, equals, value = word[2:].partition("=")
        if name == "allow-unsafe-features" and not equals:
            return  # it was looked for before anything else
        if name == "cat-blob-fd" and equals:
            self.options.cat_blob_fd = self._uint(name, value, 2**31 - 1)
        elif name.startswith("import-marks") and equals:
            if not self._command_line_imports:
                self.options.import_marks.clear()
                self._command_line_imports = True
            self._import_marks(name, value)
        elif not (
            self._flag(name, equals)
            or self._value(name, equals, value)
            or self._setting(name, equals, value)
        ):
            raise StreamError(f"unknown option {word}")

    def stream_option(self, text: bytes) -> None:
        """Apply what follows ``option git``."""
        name, equals, value = os.fsdecode(text).partition("=")
        if not self._setting(name, equals, value):
            raise StreamError(
                f"this version of fast-import does not support option: {name}", kind="feature"
            )

    def feature(self, name: bytes, value: bytes | None) -> None:
        """Apply a ``feature`` of the stream."""
        text, argument = os.fsdecode(name), os.fsdecode(value or b"")
        equals = "" if value is None else "="
        if name in UNSAFE_FEATURES and not self.options.allow_unsafe_features:
            raise StreamError(
                f"feature '{text}' forbidden in input without --allow-unsafe-features",
                kind="unsafe-feature",
            )
        if name.startswith(b"import-marks") and value is not None:
            self._stream_imports += 1
            if self._stream_imports > 1:
                raise StreamError("only one import-marks command allowed per stream")
            self._import_marks(text, argument)
        elif not (self._flag(text, equals) or self._value(text, equals, argument)):
            raise StreamError(
                f"this version of fast-import does not support feature {text}", kind="feature"
            )

    # --- what the sources share -----------------------------------------------------------------

    def _flag(self, name: str, equals: str) -> bool:
        """Flags of command line and feature."""
        options = self.options
        if equals:
            return False
        if name == "force":
            options.force = True
        elif name == "done":
            options.done = True
        elif name in ("relative-marks", "no-relative-marks"):
            options.relative_marks = name == "relative-marks"
        else:
            return name in ANNOUNCEMENTS
        return True

    def _value(self, name: str, equals: str, value: str) -> bool:
        """Options with a value of command line and feature."""
        if not equals:
            return False
        if name == "date-format":
            if value not in DATE_FORMATS:
                raise StreamError(f"unknown --date-format argument {value}", kind="date-format")
            self.options.date_format = value
        elif name == "export-marks":
            self.options.export_marks = self._marks_path(value)
        elif name == "rewrite-submodules-from":
            self._rewrite_submodules(self.options.rewrite_from, value)
        elif name == "rewrite-submodules-to":
            self._rewrite_submodules(self.options.rewrite_to, value)
        else:
            return False
        return True

    def _setting(self, name: str, equals: str, value: str) -> bool:
        """Options of command line and ``option git``."""
        options = self.options
        if not equals:
            if name not in ("quiet", "stats", "allow-unsafe-features"):
                return False
            if name != "allow-unsafe-features":
                options.quiet = name == "quiet"
        elif name == "depth":
            options.depth = self._uint(name, value, MAX_DEPTH)
        elif name == "active-branches":
            options.active_branches = self._uint(name, value, 2**64 - 1)
        elif name in ("big-file-threshold", "max-pack-size"):
            try:
                size = parse_size(value)
            except ValueError:
                return False
            if name == "max-pack-size":
                options.max_pack_size = self._pack_size(size)
            else:
                options.big_file_threshold = size or None
        elif name == "export-pack-edges":
            options.export_pack_edges = self._open_edges(value)
        elif name in ("signed-commits", "signed-tags"):
            mode, key = self._signature_mode(name, value)
            if name == "signed-commits":
                options.signed_commits, options.signed_commits_key = mode, key
            else:
                options.signed_tags, options.signed_tags_key = mode, key
        else:
            return False
        return True

    def _pack_size(self, size: int) -> int:
        """Take a small number as MiB, as very old versions did, and raise what is too little."""
        if 0 < size < SMALLEST_PACK_BYTES:
            self._warn(f"max-pack-size is in bytes now, assuming --max-pack-size={size}m")
            return size << 20
        if 0 < size < SMALLEST_PACK:
            self._warn("minimum max-pack-size is 1 MiB")
            return SMALLEST_PACK
        return size

    def _open_edges(self, value: str) -> str:
        """Make sure that the file can be written: later would be too late."""
        path = os.path.abspath(value)
        try:
            with open(path, "ab"):
                return path
        except OSError as error:
            raise StreamError(f"cannot open '{value}': {error.strerror}") from error

    def _signature_mode(self, name: str, value: str) -> tuple[str, str]:
        """Return mode and key of ``mode`` or ``sign-if-invalid=key``."""
        word, equals, key = value.partition("=")
        mode = SIGNATURE_MODES.get(word)
        if mode is None or (equals and mode != "sign-if-invalid"):
            raise UsageError(f"unknown --{name} mode '{value}'")
        return mode, key

    def _uint(self, name: str, value: str, limit: int) -> int:
        try:
            number = parse_uint(value)
        except ValueError:
            raise StreamError(f"--{name}: argument must be a non-negative integer") from None
        if number > limit:
            raise StreamError(f"--{name} cannot exceed {limit}")
        return number

    def _import_marks(self, name: str, value: str) -> None:
        if name not in ("import-marks", "import-marks-if-exists"):
            raise StreamError(f"unknown option --{name}")
        marks = MarksImport(self._marks_path(value), name.endswith("if-exists"))
        self.options.import_marks.append(marks)

    def _rewrite_submodules(self, marks: dict[str, dict[int, Oid]], value: str) -> None:
        from fastio.importer.submodules import read_submodule_marks  # noqa: PLC0415 - seldom used

        name, colon, path = value.partition(":")
        if not colon:
            raise StreamError(f"expected <name>:<marks file> for submodules: {value}")
        marks[name] = read_submodule_marks(os.path.abspath(path))

    def _marks_path(self, path: str) -> str:
        if not path:
            return path  # no file has that name, as an abspath would have
        if not self.options.relative_marks or os.path.isabs(path):
            return os.path.abspath(path)
        return os.path.join(self._marks_directory(), path)
