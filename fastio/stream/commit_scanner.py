"""The fast path for commits: one in its usual spelling is read whole, in one compiled loop.

Usual is what exporters write: idents with raw dates, perhaps a signature, a counted message,
parents by mark; paths deleted (``D``), and set (``M``) to files by mark or oid, to files that stand
inline, or to gitlinks, but not to more than one of the three, for an error in one line counts
before the blob of the next is stored; all paths beyond doubt. Only commits that are wholly in the
buffer are read here. All else, what is wrong included, is left to the parser, which says what it
means.
"""

from __future__ import annotations

from fastio.stream._commit_scanner import INCOMPLETE
from fastio.stream._plain_commit import PlainCommit
from fastio.stream.grammar import MIB
from fastio.stream.reader import NEED_DATA, NeedData, StreamReader

__all__ = ["PlainCommit", "take_commit"]

_DATE_FORMATS = frozenset(("raw", "raw-permissive"))


def may_be_plain(reader: StreamReader) -> bool:
    """Tell whether *reader* reads commits in such a way that plain ones may be taken."""
    buffer = reader.buffer
    return reader.date_format in _DATE_FORMATS and buffer.max_line >= MIB and buffer.max_data >= MIB


def take_commit(reader: StreamReader, number: int) -> PlainCommit | NeedData | None:
    """Take the commit before which *reader* stands.

    Args:
        reader: Stands between two commands.
        number: The command's number.

    Returns:
        The commit; NEED_DATA if it is plain as far as it has arrived, which the parser need not
        be asked about before there is more; or None if it is for the parser.
    """
    buffer = reader.buffer
    if not may_be_plain(reader):
        return None
    commit, position = reader.commits.take(
        buffer.data,
        buffer.start,
        buffer.end,
        base=buffer.base,
        number=number,
        optional_lf=bool(reader.optional_lf),
        max_body=reader.piece_size,
        eof=buffer.eof,
    )
    if commit is None:
        return NEED_DATA if position == INCOMPLETE and not buffer.eof else None
    buffer.start = position
    reader.optional_lf = reader.in_header = False
    reader.offset = commit.offset
    reader.recent.append(commit)
    return commit
