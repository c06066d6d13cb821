"""What usually causes an error of the stream, and what to do about it.

Kinds of `StreamError` that have a cure here are, of the grammar: ``ident``, ``date``, ``mark``,
``dataref``, ``mode``, ``path``, ``command``, ``expected``, ``carriage-return``, ``header``,
``truncated``, ``data-length``, ``data``, ``line``, ``nul``, ``date-format``, ``done``. Of what it
means: ``refused-path``, ``empty-component``, ``root``, ``ref-name``, ``reserved-name``,
``ref-clash``, ``committish``, ``self-parent``, ``empty-branch``, ``undeclared-mark``,
``mark-type``, ``object-type``, ``unsafe-feature``, ``feature``. A cure is a guess by the look of
the line: if nothing usual is seen, there is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from fastio.errors import StreamError
from fastio.stream.excerpt import visible

_DATE: Final = re.compile(rb"> ?(.*)", re.DOTALL)
_OFFSET: Final = re.compile(rb"[-+]?[0-9]+ [-+]([0-9]+)")
_SUB_COMMANDS: Final = re.compile(
    rb"(author|committer|tagger|gpgsig|encoding|mark|original-oid|from|merge|to|data|[MNDCR]) "
)
_COMMANDS: Final = re.compile(
    rb"\s*(blob|commit|tag|reset|alias|checkpoint|progress|get-mark|cat-blob|ls|feature|option|done"
    rb"|deleteall)\b",
    re.IGNORECASE,
)
_SHORT_OID: Final = re.compile(rb"[0-9a-f]{4,63}\b")

CARRIAGE_RETURN: Final = (
    "the line ends in CR LF: write LF alone; on Windows open the pipe or file in binary mode"
)
CONTENT: Final = (
    "if this is text of a file or message, the data before it was declared too short: count bytes"
    " after encoding, not characters, and let nothing change LF to CR LF"
)
TRUNCATED: Final = (
    "the stream was cut off (did the frontend die? its own messages come first), or a data count"
    " before is too large"
)
# What begins so is no stream yet.
_UNPACKERS: Final = {
    b"\x1f\x8b": "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
}
_FROM_SUBVERSION: Final = b"SVN-fs-dump-format-version"


def cure_of(error: StreamError) -> str:
    """Return a hint for the usual cause of *error*, or an empty text."""
    if error.offset == 0 and (hint := _no_stream(error.line)):
        return hint
    if error.line.endswith(b"\r") and error.kind != "truncated":
        return CARRIAGE_RETURN
    cure = _CURES.get(error.kind, "")
    return cure if isinstance(cure, str) else cure(error)


def _no_stream(line: bytes) -> str:
    """Cure what is something else from its first byte on."""
    for magic, program in _UNPACKERS.items():
        if line.startswith(magic):
            return f"it is compressed: unpack it on the way here, as by '{program} -dc <file> |'"
    if line.startswith(_FROM_SUBVERSION):
        return "this is a dump of Subversion's: it takes a converter to make a stream of it"
    return ""


def _ident(error: StreamError) -> str:
    usual = "an ident is 'Name <email> date', with one space on each side of <email>"
    if b"<" not in error.line:
        return usual + "; without an address write <>"
    return usual + ", and no other < or >"


def _date(error: StreamError) -> str:
    found = _DATE.search(error.line)
    text = found[1] if found else error.line
    offset = _OFFSET.fullmatch(text)
    if not text:
        return "a date is missing behind the address: '0 +0000' will do if none is known"
    if "not 'now'" in error.reason:
        return "this stream's date format is 'now', so that every date has to be the word now"
    if text == b"now":
        return "read it with --date-format=now, or begin the stream with 'feature date-format=now'"
    if "rfc2822" in error.reason:
        return "day, month, year, time of day are needed: 'Thu, 1 Jan 2026 12:00:00 +0100'"
    if offset is not None and int(offset[1][:9]) > 1400:
        return "no such time zone; --date-format=raw-permissive lets it through as it is"
    if re.fullmatch(rb"[-+]?[0-9]+", text):
        return "the time zone is missing: write '1234567890 +0000'"
    if re.match(rb"[-+]?[0-9]+[.,]", text):
        return "the seconds have to be whole"
    if re.match(rb"[-+]?[0-9]+ [-+][0-9]+:", text):
        return "a time zone is written without a colon: +0100"
    if re.search(rb"[A-Za-z]{3}|[0-9][-/:T][0-9]", text):
        return (
            "read such dates with --date-format=rfc2822, or begin the stream with"
            " 'feature date-format=rfc2822'"
        )
    return "a raw date is '<seconds since 1970> <time zone>', as '1234567890 +0100'"


def _reference(error: StreamError) -> str:
    """Cure what was to name an object or a commit."""
    words = error.line.split(b" ")
    at = {b"M": 2, b"N": 1}.get(words[0], 1)
    word = words[at] if len(words) > at else b""
    if error.kind == "committish" and words[0] == b"N":
        word = words[-1]
    if word[:1] == b":":
        return "a mark is a colon and a number, and nothing may follow but a space: ':12'"
    if word.isdigit() and len(word) < 40:
        return f"a mark is written with a colon: ':{word.decode()}'"
    if error.kind == "committish":
        return "it must be a mark, a branch that this stream has begun, or a commit that exists"
    if words[0] == b"ls" and word[:1] == b'"':
        return "outside a commit, ls needs a commit or tree: 'ls :1 path'"
    if _SHORT_OID.fullmatch(word):
        return "an oid is written in full, 40 or 64 hexadecimal digits"
    return "an object is named by its mark (':12') or by its full oid, not by a ref"


def _mode(error: StreamError) -> str:
    words = error.line.split(b" ")
    if len(words) < 4:
        return "the line is 'M <mode> <dataref> <path>'"
    if words[1] in (b"33188", b"33261", b"40960", b"57344", b"16384"):
        return "a mode is written in octal: 100644, 100755, 120000, 160000, 040000"
    return "git knows only 100644, 100755, 120000 (symlink), 160000 (gitlink), 040000 (directory)"


def _path(error: StreamError) -> str:
    if "missing space after source" in error.reason:
        return "the line is 'C <source> <dest>' or 'R …'; a source with blanks goes in quotes"
    if "NUL" in error.reason:
        return "no file name can hold a NUL"
    return (
        'a path that starts with a double quote is read as quoted, up to the next one: \\" and \\\\'
        " stand for themselves, other bytes are \\ and three octal digits"
    )


def _refused_path(error: StreamError) -> str:
    found = re.search(r"'(.*)'", error.reason, re.DOTALL)
    path = found[1] if found else ""
    parts = path.split("/")
    if path.startswith("/"):
        return "paths are relative to the top of the tree: leave the leading slash out"
    if "" in parts:
        return "leave out the slash at the end" if not parts[-1] else "leave out the second slash"
    if "." in parts or ".." in parts:
        return "write the path without '.' and '..'"
    return "git keeps this name for itself: leave the file out or give it another name"


def _command(error: StreamError) -> str:
    line = error.line
    if not line:
        return "at most one empty line may follow a command; " + CONTENT
    if _SUB_COMMANDS.match(line):
        return (
            "this line belongs into a commit or tag that has already ended, by an empty line or"
            " because its lines are out of order"
        )
    if (known := _COMMANDS.match(line)) is not None:
        return f"the command is spelled '{known[1].decode().lower()}', in column one"
    return CONTENT


def _expected(error: StreamError) -> str:
    line = error.line
    if line.startswith(b"mark ") and "'data n'" in error.reason:
        if line.startswith(b"mark :"):
            return "a mark stands first, before original-oid and all else"
        return "a mark is declared with a colon: 'mark :12'"
    if line.startswith(b"author ") and "'data n'" in error.reason:
        return "the author stands before the committer"
    if "'committer'" in error.reason:
        return "every commit needs a committer, behind mark, original-oid and author"
    if "'from'" in error.reason:
        return "a tag needs 'from', right behind its mark"
    if "'data n'" in error.reason:
        return "data is 'data <bytes>' or 'data <<END', and needs to be there even when empty"
    return ""


def _data_length(error: StreamError) -> str:
    if "characters" in error.reason:
        return "count the bytes after encoding, not the characters"
    if "CR LF" in error.reason:
        return "nothing may change line ends: on Windows open the pipe or file in binary mode"
    if "too short" in error.reason:
        return CONTENT
    return "count what is written, in bytes, when nothing will change it any more"


def _self_parent(error: StreamError) -> str:
    name = visible(error.line.removeprefix(b"from ")) or "<branch>"
    return (
        "without a from line a commit continues its branch; to go on where the repository's branch"
        f" stands, write 'from {name}^0'"
    )


_CURES: Final[dict[str, str | Callable[[StreamError], str]]] = {
    "ident": _ident,
    "date": _date,
    "mark": _reference,
    "dataref": _reference,
    "committish": _reference,
    "mode": _mode,
    "path": _path,
    "refused-path": _refused_path,
    "command": _command,
    "expected": _expected,
    "truncated": TRUNCATED,
    "line": CONTENT,
    "nul": CONTENT,
    "data-length": _data_length,
    "data": "only contents of files may be as long as that; is the count right?",
    "date-format": "the formats are raw, raw-permissive, rfc2822 and now",
    "header": "features and options stand before all else in the stream, even before comments",
    "done": "the frontend did not finish: its own messages tell why",
    "unsafe-feature": "if you trust the stream, give --allow-unsafe-features",
    "feature": "the stream is meant for another or a newer importer",
    "ref-name": (
        "no blanks, control characters, '..', '~', '^', ':', '?', '*', '[', '\\', '@{', '//',"
        " no part that starts with '.' or ends in '.lock' (git check-ref-format --help)"
    ),
    "ref-clash": "a ref cannot be beside refs below it ('a' and 'a/b'): rename one of them",
    "undeclared-mark": (
        "a mark is declared by an earlier command, or comes from a file: --import-marks=<file>"
    ),
    "mark-type": "does another object carry the same mark?",
    "object-type": "does the mode, or the mark, belong to something else?",
    "reserved-name": "names of refs start with refs/, as in refs/heads/main",
    "empty-branch": "no commit has been made on that branch yet",
    "empty-component": "leave out the second slash, or the one at the end",
    "root": 'an empty path means the whole tree, which only M 040000 <tree> "" can replace',
    "self-parent": _self_parent,
}
