"""What the commands of a stream mean: marks, refs, names of commits, paths.

Nothing is kept but marks, refs, and the paths of one commit. Where only a repository could answer
(does that branch exist, is that oid a blob), a note says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from fastio.check.marks import ANY, MarkBook
from fastio.check.names import ZERO_OID, Names
from fastio.check.paths import PathBook
from fastio.check.refs import Ref, RefBook, name_error
from fastio.errors import StreamError
from fastio.objects.kinds import BLOB, COMMIT, SHA1, SHA256, TAG, TREE
from fastio.objects.path_check import check_path
from fastio.objects.trees import DIRECTORY, GITLINK, empty_tree_oid
from fastio.stream import commands as c
from fastio.stream.excerpt import visible
from fastio.stream.parser import StreamParser

_EMPTY_TREES: Final = tuple(empty_tree_oid(each).hex().encode() for each in (SHA1, SHA256))
_TYPES: Final = {DIRECTORY: TREE, GITLINK: COMMIT}

Tell = Callable[[StreamError], None]


class Meaning:
    """Follows a stream's commands and tells what is wrong with them.

    Args:
        parser: Gives the commands, and knows where it stands.
        tell: Is given what is found; an offset of -1 stands for that of the command.
        checks_signatures: Whether signatures of commits have to be well-formed.

    Attributes:
        marks: The marks so far.
        refs: The refs so far.
        commit: The header of the commit that is open, None between commits.
        counts: How many there were of what.
    """

    def __init__(self, parser: StreamParser, tell: Tell, *, checks_signatures: bool = True) -> None:
        self._parser, self._tell = parser, tell
        self.checks_signatures = checks_signatures
        self.marks, self.refs, self._paths = MarkBook(), RefBook(), PathBook()
        self._names = Names(self.marks, self.refs, self._say)
        self._tags: dict[bytes, int] = {}  # with the offset of the command
        self.commit: c.Commit | None = None
        self._ref: Ref | None = None
        self._commit_offset = 0
        self.counts = {"blobs": 0, "commits": 0, "tags": 0}
        self._in_commit: dict[type, Callable[[Any], None]] = {
            c.FileModify: self._modify,
            c.FileDelete: lambda delete: self._remove(b"D ", delete.path),
            c.FileCopy: self._copy,
            c.FileRename: self._rename,
            c.FileDeleteAll: lambda _: self._paths.clear(),
            c.NoteModify: self._note,
            c.CommitEnd: lambda _: self._end_commit(),
            c.Ls: self._ls,
            c.CatBlob: lambda question: self._names.object(b"cat-blob ", question.dataref, BLOB),
            c.DataPiece: lambda _: None,
        }
        self._between: dict[type, Callable[[Any], None]] = {
            c.Blob: self._blob,
            c.Commit: self._begin_commit,
            c.Tag: self._tag,
            c.Reset: self._reset,
            c.Alias: self._alias,
            c.Checkpoint: lambda _: self._update_refs(),
            c.GetMark: lambda question: self._names.object(b"get-mark ", question.mark, ANY),
        }

    def handle(self, command: c.Command) -> None:
        """Follow one command."""
        kind = type(command)
        handle = self._in_commit.get(kind)
        if handle is None:
            if self.commit is not None:  # it was cut short
                self._end_commit()
            handle = self._between.get(kind, lambda _: None)
        handle(command)

    def finish(self) -> None:
        """Take it that the stream is over."""
        if self.commit is not None:
            self._end_commit()
        self._update_refs()
        for error in self.refs.case_collisions():
            self._tell(error)

    # --- marks ----------------------------------------------------------------------------------

    def _declare(self, mark: int | None, kind: int, offset: int = -1) -> None:
        if mark and self.marks.declare(mark, kind):
            reason = f"mark :{mark} was declared before"
            line = b"mark :%d" % mark
            self._tell(StreamError(reason, offset, kind="redeclared-mark", line=line))

    def _say(self, kind: str, reason: str, line: bytes) -> None:
        """Tell of the command of the moment; *line* is what its line starts with."""
        self._tell(StreamError(reason, kind=kind, line=line))

    # --- refs and commits -----------------------------------------------------------------------

    def _open_ref(self, start: bytes, name: bytes) -> Ref:
        ref = self.refs.get(name)
        if ref is None:
            ref = self.refs.open(name, self._parser.offset, self._parser.command_number)
            self._look_at_name(start + name, name)
        return ref

    def _look_at_name(self, line: bytes, name: bytes) -> None:
        error = name_error(name)
        if error is not None:
            self._say(error.kind, error.reason, line)

    def _update_refs(self) -> None:
        for error in self.refs.update():
            self._tell(error)

    def _start_from(self, ref: Ref, value: c.Committish) -> None:
        if value == ref.name:
            reason = f"{visible(ref.name)} cannot start from itself"
            self._say("self-parent", reason, b"from " + ref.name)
        elif isinstance(value, bytes) and ZERO_OID.fullmatch(value):
            self.refs.set_tip(ref, False)
            ref.deleted = True
            return
        other = self.refs.get(value) if isinstance(value, bytes) else None
        if other is None:
            self._names.committish(b"from ", value)
        self.refs.set_tip(ref, other is None or other.has_tip)

    def _begin_commit(self, header: c.Commit) -> None:
        self.counts["commits"] += 1
        self.commit, self._commit_offset = header, self._parser.offset
        ref = self._ref = self._open_ref(b"commit ", header.ref)
        if header.from_ is not None:
            self._start_from(ref, header.from_)
        for value in header.merges:
            self._names.committish(b"merge ", value)
        if self.checks_signatures:
            for signature in header.signatures:
                if not signature.well_formed:
                    reason = f"malformed gpgsig line: {visible(signature.words)}"
                    self._say("signature", reason, b"gpgsig " + signature.words)

    def _end_commit(self) -> None:
        header, ref = self.commit, self._ref
        if header is not None and ref is not None:
            self._declare(header.mark, COMMIT, self._commit_offset)
            self.refs.set_tip(ref, True)
        for reason in self._paths.case_collisions():
            self._say("case", reason, b"")
        self._paths.clear()
        self.commit = self._ref = None

    def _reset(self, reset: c.Reset) -> None:
        ref = self._open_ref(b"reset ", reset.ref)
        self.refs.set_tip(ref, False)
        if reset.from_ is not None:
            self._start_from(ref, reset.from_)
        if ref.deleted and not ref.has_tip and reset.ref.startswith(b"refs/tags/"):
            self._tags.pop(reset.ref.removeprefix(b"refs/tags/"), None)

    # --- changes --------------------------------------------------------------------------------

    def _modify(self, change: c.FileModify) -> None:
        mode, path, dataref = change.mode, change.path, change.dataref
        if dataref is None:
            self.counts["blobs"] += 1
        elif isinstance(dataref, int):
            self._names.mark(b"M ", dataref, _TYPES.get(mode, BLOB))
        elif mode != GITLINK and dataref.lower() not in _EMPTY_TREES:
            self._names.object(b"M ", dataref, ANY)
        elif mode == DIRECTORY and path:
            self._remove(b"M ", path)  # of an empty tree nothing is left
            return
        self._check_path(b"M ", path, mode)
        undone = self._paths.set(path) if mode != DIRECTORY else ""
        if undone:
            self._say("order", undone, b"M ")

    def _check_path(self, start: bytes, path: bytes, mode: int) -> None:
        if path:
            try:
                check_path(path, mode)
            except StreamError as error:
                self._say("refused-path", error.reason, start)
        elif mode != DIRECTORY:
            self._say("root", "the root of a tree can only be a directory", start)

    def _remove(self, start: bytes, path: bytes) -> None:
        undone = self._paths.remove(path)
        if undone:
            self._say("order", undone, start)

    def _copy(self, change: c.FileCopy) -> None:
        source = change.source
        self._check_path(b"C ", change.dest, DIRECTORY)
        if not source.startswith(b"/") and (b"//" in source or source.endswith(b"/")):
            self._say_empty(b"C ", source)

    def _rename(self, change: c.FileRename) -> None:
        self._check_path(b"R ", change.dest, DIRECTORY)
        if change.source and b"" in change.source.split(b"/"):
            self._say_empty(b"R ", change.source)
        self._remove(b"R ", change.source)

    def _say_empty(self, start: bytes, source: bytes) -> None:
        reason = f"empty path component in the source '{visible(source)}'"
        self._say("empty-component", reason, start)

    def _note(self, note: c.NoteModify) -> None:
        self._names.committish(b"N ", note.committish)
        if note.dataref is None:
            self.counts["blobs"] += 1
        elif isinstance(note.dataref, int) or not ZERO_OID.fullmatch(note.dataref):
            self._names.object(b"N ", note.dataref, BLOB)

    # --- other commands -------------------------------------------------------------------------

    def _blob(self, blob: c.Blob) -> None:
        self.counts["blobs"] += 1
        self._declare(blob.mark, BLOB)

    def _tag(self, tag: c.Tag) -> None:
        self.counts["tags"] += 1
        name = b"refs/tags/" + tag.name
        self._look_at_name(b"tag " + tag.name, name)
        if tag.name in self._tags:
            reason = f"tag {visible(tag.name)} was made at byte {self._tags[tag.name]} already"
            self._say("tag-again", reason, b"tag " + tag.name)
        self._names.committish(b"from ", tag.from_, ANY)
        self._tags[tag.name] = self._parser.offset
        self.refs.set_tag(name, self._parser.offset, self._parser.command_number)
        self._declare(tag.mark, TAG)

    def _ls(self, question: c.Ls) -> None:
        dataref = question.dataref
        self._names.object(b"ls ", dataref, ANY)
        if isinstance(dataref, int) and self.marks.kind(dataref) == BLOB:
            self._say("mark-type", f"mark :{dataref} is a blob, and has no paths", b"ls ")

    def _alias(self, alias: c.Alias) -> None:
        self._names.committish(b"to ", alias.to)
        self._declare(alias.mark, COMMIT)
