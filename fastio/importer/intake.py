"""From commands to operations: blobs go to the arena, everything else into the pipeline.

The intake runs ahead of the executor. It must not ask what has been executed, only what the stream
said, or the pack would depend on scheduling. Where a command needs an answer at once (``get-mark``,
``cat-blob``, ``ls``) or makes a promise to the frontend (``progress``, ``checkpoint``), everything
before it is executed first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fastio.errors import FastioError
from fastio.importer._blob_tables import HELD, Blob
from fastio.importer.places import placed
from fastio.objects.trees import DIRECTORY, GITLINK
from fastio.stream import commands as c
from fastio.stream.reader import NEED_DATA

if TYPE_CHECKING:
    from fastio.importer._bases import DeltaBases
    from fastio.importer._blobs import BlobQueue
    from fastio.importer._commit_lane import CommitLane
    from fastio.importer.big_blob import BigBlobWriter
    from fastio.importer.executor import Executor
    from fastio.importer.pipeline import Pipeline
    from fastio.importer.replies import Replies
    from fastio.stream.parser import Place, StreamParser


class Intake:
    """Hands each command of the parser to whoever deals with it.

    Args:
        parser: Gives the commands; the caller feeds it.
        pipeline: Takes operations, in stream order.
        queue: Takes blobs.
        bases: Chooses delta bases by path.
        executor: Has the operations.
        replies: Answers the frontend.
        big: Takes blobs that are too large for the arena.
        lane: Takes commits in their usual spelling.
        largest: Blobs of more bytes than this go to *big*.
        publish: Publishes what there is, at a checkpoint.
    """

    def __init__(
        self,
        parser: StreamParser,
        pipeline: Pipeline,
        queue: BlobQueue,
        bases: DeltaBases,
        executor: Executor,
        replies: Replies,
        big: BigBlobWriter,
        lane: CommitLane,
        *,
        largest: int,
        publish: Callable[[], None],
    ) -> None:
        self._parser, self._pipeline, self._queue, self._bases = parser, pipeline, queue, bases
        self._executor, self._replies, self._big, self._lane = executor, replies, big, lane
        self._largest, self._publish = largest, publish
        # A blob that comes in pieces: where it is filled, and what to do when it is whole.
        self._commit_mark, self._in_commit = 0, False
        self._filling: Blob | None = None
        self._filled = 0
        self._after_filling: Callable[[Blob], None] = queue.hold
        self._handlers: dict[type, Callable[[Any], None]] = {
            c.Blob: self._blob,
            c.DataPiece: self._data_piece,
            c.Commit: self._commit,
            c.FileModify: self._modify,
            c.FileDelete: lambda x: self._add(executor.delete, x.path),
            c.FileCopy: self._copy,
            c.FileRename: self._rename,
            c.FileDeleteAll: lambda _: self._add(executor.delete_all),
            c.NoteModify: self._note,
            c.CommitEnd: self._commit_end,
            c.Tag: self._tag,
            c.Reset: self._reset,
            c.Alias: self._alias,
            c.Checkpoint: self._at_checkpoint,
            c.Progress: self._progress,
            c.GetMark: self._get_mark,
            c.CatBlob: self._cat_blob,
            c.Ls: self._ls,
        }

    def take_plain(self) -> bool:
        """Take blobs and commits in their usual spelling, without a command for each.

        Returns:
            Whether what comes next can wait until more of it has arrived; the parser has to be
            asked about it otherwise.
        """
        parser = self._parser
        while True:
            if (run := parser.take_run()) is not None:
                self._lane.take_all(run)
            commit = parser.take_commit()
            if commit is NEED_DATA:
                return True
            if commit is None:
                return False
            self._lane.take(commit, parser.place[2])
            self._pipeline.throttle()

    def step(self) -> None:
        """Do what can be done before more is read."""
        self._pipeline.step()

    @property
    def next_place(self) -> Place | None:
        """Where the command stands that is to be executed next; None if there is none."""
        return self._pipeline.next_place

    def catch_up(self) -> None:
        """Execute everything so far."""
        self._queue.submit_held()
        self._pipeline.drain()

    def handle(self, command: c.Command) -> None:
        """Deal with one command."""
        self._handlers[type(command)](command)

    def _add(self, action: Callable[..., None], *arguments: Any) -> None:
        self._pipeline.add(self._parser.place, action, *arguments)

    # --- blobs ----------------------------------------------------------------------------------

    def _blob(self, command: c.Blob) -> None:
        self._take_data(command.mark or 0, command.data, self._queue.hold)

    def _take_data(
        self,
        mark: int,
        data: c.Data | c.LargeData,
        then: Callable[[Blob], None],
        *,
        behind: int = 0,
    ) -> None:
        """Bring a blob's bytes into the arena (or past it), then call *then* with the blob.

        After an error the blobs up to it are kept. This one counts as standing *behind* bytes
        after the command's start: 0 if it is stored even when the rest of its command fails.
        """
        large = isinstance(data, c.LargeData)
        size = data.size if isinstance(data, c.LargeData) else len(data)
        self._after_filling = then
        if size > self._largest:
            self._pipeline.drain()
            self._big.begin(mark, size)
            if not isinstance(data, c.LargeData):
                self._data_piece(c.DataPiece(data, True))
            return
        blob = self._queue.open(mark, size, self._parser.offset + behind)
        if large:
            self._filling, self._filled = blob, 0
        else:
            assert not isinstance(data, c.LargeData)
            self._queue.fill(blob, 0, memoryview(data))
            then(blob)

    def _data_piece(self, piece: c.DataPiece) -> None:
        blob = self._filling
        if blob is None:
            self._big.write(piece.data)
            if piece.last:
                mark, entry = self._big.finish()
                if mark:
                    self._queue.forget_mark(mark)
                self._after_filling(self._queue.settled(mark, entry))
            return
        self._queue.fill(blob, self._filled, memoryview(piece.data))
        self._filled += len(piece.data)
        if piece.last:
            self._filling = None
            self._after_filling(blob)

    # --- commits --------------------------------------------------------------------------------

    def _commit(self, command: c.Commit) -> None:
        for parent in (command.from_, *command.merges):
            self._need_mark(parent)
        self._add(self._executor.begin_commit, command)
        self._commit_mark = command.mark or 0
        self._in_commit = True

    def _commit_end(self, _: c.CommitEnd) -> None:
        self._add(self._executor.end_commit)
        self._in_commit = False
        if self._commit_mark:
            self._queue.forget_mark(self._commit_mark)

    def _modify(self, command: c.FileModify) -> None:
        path, mode = command.path, command.mode
        if command.data is not None:
            self._take_data(0, command.data, lambda blob: self._set_blob(mode, path, blob))
            return
        dataref = command.dataref
        assert dataref is not None
        if isinstance(dataref, int):
            blob = self._queue.pending.get(dataref)
            if blob is not None:
                self._set_blob(mode, path, blob)
                return
            self._bases.reuse(path, dataref)
        elif mode not in (DIRECTORY, GITLINK):
            self._need(dataref)
        self._add(self._executor.modify, mode, dataref, path)

    def _set_blob(self, mode: int, path: bytes, blob: Blob) -> None:
        if blob.state == HELD:
            self._bases.assign(path, blob)
        elif blob.mark:
            self._bases.reuse(path, blob.mark)
        self._add(self._executor.modify, mode, blob, path)

    def _copy(self, command: c.FileCopy) -> None:
        self._bases.move(command.source, command.dest, keep=True)
        self._add(self._executor.copy, command.source, command.dest)

    def _rename(self, command: c.FileRename) -> None:
        self._bases.move(command.source, command.dest, keep=False)
        self._add(self._executor.rename, command.source, command.dest)

    def _note(self, command: c.NoteModify) -> None:
        # First of all, as git does: if it fails, the note's data does not become a blob.
        self._need_mark(command.committish)
        self._add(self._executor.annotate, command.committish)
        if command.data is not None:
            self._take_data(0, command.data, self._set_note, behind=1)
            return
        reference: Blob | c.Dataref | None = command.dataref
        assert reference is not None
        if isinstance(reference, int):
            reference = self._queue.pending.get(reference) or reference
        if isinstance(reference, Blob):
            self._set_note(reference)
        else:
            self._need(reference)
            self._add(self._executor.note, reference)

    def _set_note(self, blob: Blob) -> None:
        if blob.state == HELD:
            self._queue.submit(blob, None)
        self._add(self._executor.note, blob)

    # --- other commands -------------------------------------------------------------------------

    def _tag(self, command: c.Tag) -> None:
        self._need(command.from_)
        self._add(self._executor.tag, command)
        if command.mark:
            self._queue.forget_mark(command.mark)

    def _reset(self, command: c.Reset) -> None:
        self._need_mark(command.from_)
        self._add(self._executor.reset, command)

    def _alias(self, command: c.Alias) -> None:
        self._need_mark(command.to)
        self._add(self._executor.alias, command)
        self._queue.forget_mark(command.mark)

    def _need(self, reference: c.Committish | None) -> None:
        """See to it that the blob behind *reference* is on its way before what asks for it."""
        if isinstance(reference, bytes):
            self._queue.submit_held()  # it may be named by its oid, which nobody knows yet
        else:
            self._need_mark(reference)

    def _need_mark(self, reference: c.Committish | None) -> None:
        """The same where an oid can be no blob's: but a mark can, by mistake."""
        if isinstance(reference, int):
            blob = self._queue.pending.get(reference)
            if blob is not None and blob.state == HELD:
                self._queue.submit_pathless(blob)

    def _progress(self, command: c.Progress) -> None:
        self._pipeline.drain()
        self._replies.progress(command.text)

    @property
    def in_commit(self) -> bool:
        """Whether a commit has begun and not ended."""
        return self._in_commit

    def check_complete(self) -> None:
        """Make sure that no blob is half there. The parser sees to it; this is our own check."""
        assert self._filling is None

    def _at_checkpoint(self, _: c.Checkpoint) -> None:
        self.checkpoint()

    def checkpoint(self) -> None:
        """Execute everything so far and publish it."""
        self.catch_up()
        self._bases.clear()
        self._publish()

    def _get_mark(self, command: c.GetMark) -> None:
        self._need_mark(command.mark)
        self._ask(self._replies.get_mark, command.mark)

    def _cat_blob(self, command: c.CatBlob) -> None:
        dataref, blob = command.dataref, None
        if isinstance(dataref, int):
            self._need_mark(dataref)
            blob = self._queue.pending.get(dataref)
        if blob is None:
            self._ask(self._replies.cat_blob, dataref)
            return
        self._queue.pin(blob)  # so that it need not be read back
        self._ask(self._replies.cat_blob, dataref)
        self._queue.unpin(blob)

    def _ls(self, command: c.Ls) -> None:
        self._need_mark(command.dataref)  # an oid cannot be a blob's here
        self._ask(self._replies.ls, command.dataref, command.path)

    def _ask(self, reply: Callable[..., None], *arguments: Any) -> None:
        """Answer a question, with everything before it executed."""
        self._pipeline.drain()
        try:
            reply(*arguments)
        except FastioError as error:
            place = self._pipeline.place = self._parser.place
            raise placed(error, place) from error
