"""The commands of a fast-import stream, as values.

One top-level line or change is one command. A commit comes apart: `Commit` (its header) as soon as
the line behind the header shows that it is complete, then its changes in stream order with `Ls` and
`CatBlob` among them, then `CommitEnd`.

Bodies travel as a read-only `memoryview` of the parser's buffer, valid until the next call of
`next_command`, `take_blobs` or `get_buffer`. Counted ones longer than the parser's ``piece_size``
come as a `LargeData` that only tells the size, followed by `DataPiece` commands. Messages and
signatures are `bytes` always.
"""

from __future__ import annotations

from typing import NewType

from fastio.records import record

Mark = NewType("Mark", int)
"""A mark, 0 to 2**64-1. A reference to mark 0 is possible, but nothing can be found there."""

Dataref = Mark | bytes
"""A mark, or the 40 or 64 hexadecimal digits of an oid, as written."""

Committish = Mark | bytes
"""A mark, or any other name of a commit (branch, ref, expression), as written."""

Data = memoryview | bytes
"""A body, whole."""


@record
class LargeData:
    """Stands for a body that follows as `DataPiece` commands, *size* bytes in all."""

    size: int


@record
class DataPiece:
    """A part of the body that `LargeData` announced."""

    data: Data
    last: bool


@record
class Blob:
    """``blob``: a blob, without a path so far."""

    mark: Mark | None
    original_oid: bytes | None
    data: Data | LargeData


SIGNATURE_ALGORITHMS = frozenset((b"sha1", b"sha256"))
SIGNATURE_FORMATS = frozenset((b"openpgp", b"x509", b"ssh", b"unknown"))


@record
class Signature:
    """``gpgsig``: a commit's signature; *words* is the rest of its line, not checked yet."""

    words: bytes
    data: bytes

    @property
    def algorithm(self) -> bytes:
        """The first word: the algorithm of the commit object that was signed."""
        return self.words.partition(b" ")[0]

    @property
    def format(self) -> bytes:
        """What follows the first word: the kind of signature."""
        return self.words.partition(b" ")[2]

    @property
    def well_formed(self) -> bool:
        """Whether both words are known ones. Whoever drops signatures need not ask."""
        return self.algorithm in SIGNATURE_ALGORITHMS and self.format in SIGNATURE_FORMATS


@record
class Commit:
    """``commit``: the header of a commit.

    The idents are what belongs into the commit object behind ``author`` and ``committer``: the date
    is normalised already. An *author* of None means the committer.
    """

    ref: bytes
    mark: Mark | None
    original_oid: bytes | None
    author: bytes | None
    committer: bytes
    signatures: tuple[Signature, ...]
    encoding: bytes | None
    message: bytes
    from_: Committish | None
    merges: tuple[Committish, ...]


@record
class FileModify:
    """``M``: an entry is set. A *dataref* of None means inline: the blob is in *data*."""

    mode: int
    dataref: Dataref | None
    path: bytes
    data: Data | LargeData | None = None


@record
class FileDelete:
    """``D``: a file or directory is removed."""

    path: bytes


@record
class FileCopy:
    """``C``: a file or directory is copied."""

    source: bytes
    dest: bytes


@record
class FileRename:
    """``R``: a file or directory is moved."""

    source: bytes
    dest: bytes


@record
class FileDeleteAll:
    """``deleteall``: the tree becomes empty."""


@record
class NoteModify:
    """``N``: a note is set or removed. A *dataref* of None means inline, as in `FileModify`."""

    dataref: Dataref | None
    committish: Committish
    data: Data | LargeData | None = None


@record
class CommitEnd:
    """The commit that was begun is complete."""


@record
class Tag:
    """``tag``: an annotated tag; *tagger* is an ident as in `Commit`."""

    name: bytes
    mark: Mark | None
    from_: Committish
    original_oid: bytes | None
    tagger: bytes | None
    message: bytes


@record
class Reset:
    """``reset``: a branch is made anew."""

    ref: bytes
    from_: Committish | None


@record
class Alias:
    """``alias``: a commit gets one more mark."""

    mark: Mark
    to: Committish


@record
class Checkpoint:
    """``checkpoint``: everything so far is to be stored."""


@record
class Progress:
    """``progress``: *text* is to be echoed, with the keyword in front."""

    text: bytes


@record
class GetMark:
    """``get-mark``: the frontend asks for a mark's oid."""

    mark: Mark


@record
class CatBlob:
    """``cat-blob``: the frontend asks for a blob."""

    dataref: Dataref


@record
class Ls:
    """``ls``: the frontend asks for an entry; without a *dataref*, of the commit being built."""

    dataref: Dataref | None
    path: bytes


@record
class Feature:
    """``feature``: the stream needs something of its reader."""

    name: bytes
    value: bytes | None


@record
class Option:
    """``option``: *text* is all behind the keyword, the vendor's name included."""

    text: bytes

    @property
    def git_option(self) -> bytes | None:
        """What follows ``git``, or None when the option is for somebody else."""
        return self.text[4:] if self.text.startswith(b"git ") else None


@record
class Done:
    """``done``: the stream ends here, whatever follows."""


Change = FileModify | FileDelete | FileCopy | FileRename | FileDeleteAll | NoteModify

Command = (
    Blob
    | DataPiece
    | Commit
    | Change
    | CommitEnd
    | Tag
    | Reset
    | Alias
    | Checkpoint
    | Progress
    | GetMark
    | CatBlob
    | Ls
    | Feature
    | Option
    | Done
)
