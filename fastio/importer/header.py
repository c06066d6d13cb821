"""How an import is to be done: what the stream's header asks for, then the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from fastio.errors import MarksError, OptionError, StreamError
from fastio.importer.options import OptionReader
from fastio.importer.submodules import match_rewrites
from fastio.objects.kinds import Oid
from fastio.store.marks_file import read_marks
from fastio.stream import commands as c

if TYPE_CHECKING:
    from fastio.importer.committish import CommittishResolver
    from fastio.importer.object_sink import ObjectSink
    from fastio.importer.options import ImportOptions
    from fastio.importer.publish import Publisher
    from fastio.store.repository import Repository
    from fastio.stream.parser import StreamParser


class Header:
    """Takes features and options, and sees to it that they count.

    Args:
        repository: Where marks files of the stream lie.
        options: What is asked for.
        words: git's options of the command line, applied once the stream's own are read.
        parser: Reads on accordingly.
        sink: Learns the imported marks, and the longest chain.
        resolver: Learns which oids to rewrite.
        publisher: Learns when all marks are known.
        warn: Is given the text of warnings.
    """

    def __init__(
        self,
        repository: Repository,
        options: ImportOptions,
        words: Sequence[str],
        parser: StreamParser,
        sink: ObjectSink,
        resolver: CommittishResolver,
        publisher: Publisher,
        warn: Callable[[str], None],
    ) -> None:
        self._repository, self._options, self._words = repository, options, words
        self._parser, self._sink, self._resolver = parser, sink, resolver
        self._publisher = publisher
        self._reader = OptionReader(options, self._marks_directory, warn)

    def take(self, command: c.Command) -> None:
        """Take a feature or option.

        Raises:
            StreamError: It is unknown, or its value is bad.
        """
        if isinstance(command, c.Feature):
            self._reader.feature(command.name, command.value)
        elif isinstance(command, c.Option) and command.git_option is not None:
            self._reader.stream_option(command.git_option)
        self._let_parser_know()

    def end(self) -> None:
        """Let the command line override the stream's header, before the first command is read.

        Raises:
            OptionError: An option of the command line is wrong.
            MarksError: A marks file cannot be read.
        """
        for word in self._words:
            try:
                self._reader.command_line(word)
            except StreamError as error:
                raise OptionError(error.reason) from error
        self._let_parser_know()
        options = self._options
        if options.depth is not None:
            self._sink.trees.depth = options.depth
        self._import_marks()
        self._resolver.rewrites = match_rewrites(options.rewrite_from, options.rewrite_to)

    def _let_parser_know(self) -> None:
        self._parser.date_format = self._options.date_format
        self._parser.require_done = self._options.done

    def _marks_directory(self) -> str:
        return os.path.join(os.fsdecode(self._repository.common_dir), "info", "fast-import")

    def _import_marks(self) -> None:
        for marks in self._options.import_marks:
            try:
                self._read_marks(marks.path)
            except FileNotFoundError as error:
                if not marks.if_exists:
                    raise MarksError(f"cannot read '{marks.path}': {error.strerror}") from error
        self._publisher.marks_complete = True

    def _read_marks(self, path: str) -> None:
        for mark, oid in read_marks(path, self._repository.object_format.oid_size):
            kind = self._sink.kind_of(oid)
            if kind is None:
                raise MarksError(f"{path}: object of mark :{mark} not found: {oid.hex()}")
            self._sink.marks.set(mark, self._sink.note_elsewhere(Oid(oid), kind))
