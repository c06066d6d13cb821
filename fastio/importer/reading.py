"""The loop of an import: the stream is read, and what the parser finds in it goes to the intake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastio.errors import StreamError
from fastio.importer.places import placed
from fastio.stream import commands as c
from fastio.stream.parser import NEED_DATA

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastio.importer.clashes import ClashWatch
    from fastio.importer.intake import Intake
    from fastio.importer.source import Source
    from fastio.stream.parser import StreamParser
    from fastio.stream.reader import Step

READ_SIZE = 1 << 20
MAX_LINES: Final = 200  # so many are kept without asking which of them are needed
# Behind these another command begins, which may be a plain one unless it is of the same kind.
BETWEEN_COMMANDS: Final = {c.Blob: b"", c.CommitEnd: b"", c.Reset: b"reset ", c.Tag: b"tag "}


class Reading:
    """Reads a stream to its end.

    Args:
        parser: Finds the commands.
        header: Is given the features and options.
        begin: Builds the intake, when the first other command is there.
        clashes: Looks at the repository's refs while there is nothing to read.

    Attributes:
        intake: Takes the commands; None before the first.
        wants_checkpoint: Whether to publish what there is as soon as no commit is open.
        progress: Is called about once a read.
    """

    def __init__(
        self,
        parser: StreamParser,
        header: Callable[[c.Command], None],
        begin: Callable[[], Intake],
        clashes: ClashWatch,
    ) -> None:
        self._parser, self._header, self._begin, self._clashes = parser, header, begin, clashes
        self.intake: Intake | None = None
        self.wants_checkpoint = False
        self.progress: Callable[[], None] = lambda: None

    def run(self, source: Source) -> None:
        """Have all of *source* executed.

        Raises:
            FastioError: Something is wrong with it. What came before is executed.
        """
        while (command := self._next_command()) is not None:
            if command is NEED_DATA:
                self._read(source)
                self._take_quickly(source)
                continue
            kind = type(command)
            if kind is c.Feature or kind is c.Option:
                try:
                    self._header(command)
                except StreamError as error:
                    raise placed(error, self._parser.place) from error
                continue
            if kind is c.Done:
                break
            self._dispatch(command)
            if kind is c.Reset:
                while (reset := self._parser.take_reset()) is not None:
                    self._dispatch(reset)
            same = BETWEEN_COMMANDS.get(kind)
            if same is not None and not (same and self._parser.comes_next(same)):
                self._take_quickly(source)
        intake = self._started()
        intake.check_complete()
        intake.catch_up()

    def _started(self) -> Intake:
        if self.intake is None:
            self.intake = self._begin()
        return self.intake

    def _next_command(self) -> Step | None:
        try:
            return self._parser.next_command()
        except StreamError:
            self._catch_up()
            raise

    def _catch_up(self) -> None:
        """Execute what came before bad input: if that is wrong as well, it was wrong first."""
        if self.intake is not None:
            self.intake.catch_up()

    def _dispatch(self, command: c.Command) -> None:
        intake = self.intake or self._started()
        intake.handle(command)
        self._checkpoint_if_asked(intake)

    def _checkpoint_if_asked(self, intake: Intake) -> None:
        if self.wants_checkpoint and not intake.in_commit:
            self.wants_checkpoint = False
            intake.checkpoint()

    def _take_quickly(self, source: Source) -> None:
        """Take what fast paths take, and read on until there is something else.

        So a frontend that asks, commits and asks again is answered without the parser's steps.
        """
        parser = self._parser
        while True:
            if (question := parser.take_question()) is not None:
                self._dispatch(question)
                may_read = not parser.bytes_left
            elif parser.is_between:
                left, intake = parser.bytes_left, self._started()
                may_read = intake.take_plain()
                self._checkpoint_if_asked(intake)
                if not may_read and parser.bytes_left == left:
                    return
            else:
                return
            if may_read:
                self._read(source)

    def _read(self, source: Source) -> None:
        """Do what can be done meanwhile, and read what there is."""
        parser, intake = self._parser, self.intake
        if intake is not None:
            intake.step()
        if parser.lines_kept > MAX_LINES:
            parser.drop_lines((intake and intake.next_place) or parser.place)
        if self._clashes.has_new and not source.is_ready():
            self._clashes.look()
        try:
            count = source.advance(READ_SIZE) or source.read_into(parser.get_buffer(READ_SIZE))
        except StreamError as error:
            self._catch_up()
            place = parser.bytes_read, parser.command_number, 0
            raise placed(error, place) from error
        if count:
            parser.buffer_updated(count)
            self.progress()
            if self._clashes.has_new:  # the stream is more than a few commits, or waits for us
                self._clashes.look()
        else:
            parser.feed_eof()
