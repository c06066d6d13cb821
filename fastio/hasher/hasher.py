"""hash-object, from the words of its command line to the last answer.

The main thread reads names, orders them in groups, and takes the groups' outcomes in order. Groups
are dealt with by other processes, each of which has a thread here that talks with it. What comes
alone, because whoever asks waits for each answer, is dealt with at once by the main thread.

Answers leave as soon as what they tell of is there for everybody. What goes into a pack is there
when the pack is complete, which it is as soon as no more names are at hand.
"""

from __future__ import annotations

import contextlib
import os
from collections import deque
from typing import TYPE_CHECKING

from fastio.errors import FastioError, ObjectError, RepositoryError
from fastio.hasher.batches import LOOSE, NO_STORING, PACKED, BatchWorker, Group
from fastio.hasher.large_files import Content
from fastio.hasher.names import GROUP, parted, read_names
from fastio.hasher.rules import BY_GIT, IDENT, LINE_ENDS, MAYBE, NONE
from fastio.objects.collisions import refuse_collision
from fastio.objects.kinds import BLOB, SHA1, Oid

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fastio.hasher.answers import Answers
    from fastio.hasher.batches import Outcome
    from fastio.hasher.conversions import Conversions, Question
    from fastio.hasher.converter import Converter
    from fastio.hasher.crew import Crew, Work
    from fastio.hasher.keeper import Keeper
    from fastio.hasher.options import HashOptions
    from fastio.hasher.processes import Processes
    from fastio.store.repository import Repository

_AHEAD = 3  # groups a process has at most


class Hasher:
    """One run of hash-object for blobs.

    Args:
        options: What was asked for.
        repository: Where we are; None outside of any repository.
        answers: Where oids go.
        conversions: Tells what is converted; None where nothing is.
        converter: Has git convert.
        keeper: Stores objects; None if they are not stored.
    """

    def __init__(
        self,
        options: HashOptions,
        repository: Repository | None,
        answers: Answers,
        *,
        conversions: Conversions | None,
        converter: Converter,
        keeper: Keeper | None,
    ) -> None:
        self._options, self._repository, self._answers = options, repository, answers
        self._format = SHA1 if repository is None else repository.object_format
        self._conversions, self._converter, self._keeper = conversions, converter, keeper
        self._worker = BatchWorker(self._format, keeper)
        self._worker.decide = self._decide
        self._threads = (os.cpu_count() or 1) if options.workers is None else options.workers
        self._crew: Crew[Group, Outcome] | None = None
        self._processes: Processes | None = None
        self._under_way: deque[Work[Group, Outcome]] = deque()
        self._turn = 0  # groups so far
        self._burst = 0  # names since the last time that all was settled
        self._unheard = bytearray()  # answers that wait for the pack
        self._top = b""

    def run(self, files: list[bytes]) -> None:
        """Do all that was asked for.

        Raises:
            FastioError: Something went wrong; what came before it was done and answered.
        """
        try:
            if self._options.stdin:
                self._hash_stdin()
            if self._options.stdin_paths:
                self._hash_named()
            else:
                self._hash_all(parted(files))
        except FastioError:
            # What comes before a failure is stored and told; if it cannot be, the first one counts.
            with contextlib.suppress(FastioError):
                self._settle()
            raise
        finally:
            if self._crew is not None:
                self._crew.close()
            if self._processes is not None:
                self._processes.close()

    def _hash_stdin(self) -> None:
        content = Content(0, "stdin")
        self._answer(self._hash_content(content, loose=False))
        self._settle()

    def _hash_named(self) -> None:
        """Hash the files whose names stdin has; they are names from the top of the work tree."""
        if self._repository is not None:
            self._top = b"../" * self._repository.prefix.count(b"/")
        keeper = self._keeper
        self._hash_all(read_names(0, lambda: keeper is not None and keeper.is_packing))

    def _hash_all(self, parts: Iterable[list[bytes] | None]) -> None:
        for part in self._ask(parts):
            if part is None:
                self._settle()
            else:
                self._order(*part)
        self._settle()

    def _ask(
        self, parts: Iterable[list[bytes] | None]
    ) -> Iterator[tuple[list[bytes], Question | None] | None]:
        """Ask about each part's conversions while the one before it is dealt with."""
        held: tuple[list[bytes], Question | None] | None = None
        try:
            for names in parts:
                asked = None if names is None else (names, self._question(names))
                if held is not None:
                    yield held
                held = asked
                if names is None:
                    yield None
        except FastioError:
            if held is not None:
                yield held
            raise
        if held is not None:
            yield held

    # --- groups -----------------------------------------------------------------------------------

    def _order(self, names: list[bytes], question: Question | None) -> None:
        """Order groups of some names."""
        self._burst += len(names)
        paths, rules = self._paths(names), self._rules(names, question)
        for start in range(0, len(names), GROUP):
            part = slice(start, start + GROUP)
            self._turn += 1
            of_part = bytearray(rules[part])
            group = Group(names[part], paths[part], of_part, self._storing(), self._turn)
            self._submit(group)

    def _submit(self, group: Group) -> None:
        """Order a group, and take the outcomes of old ones when there are many."""
        if self._threads == 0 or (len(group.names) < GROUP and not self._under_way):
            self._take(group, self._worker.run(group))
            return
        if self._crew is None:
            from fastio.hasher.crew import Crew  # noqa: PLC0415 - a few files need none
            from fastio.hasher.processes import Processes  # noqa: PLC0415 - as above

            self._processes = Processes(self._threads, self._worker)
            self._crew = Crew(self._processes.count, self._processes.run)
        if len(self._under_way) >= _AHEAD * self._threads:
            self._take_oldest()
        self._under_way.append(self._crew.submit(group))
        while self._under_way and self._under_way[0].is_done:
            self._take_oldest()

    def _take_oldest(self) -> None:
        work = self._under_way.popleft()
        try:
            self._take(work.task, work.result())
        except FastioError:
            self._under_way.clear()  # what comes behind a failure was never asked for
            raise

    def _take(self, group: Group, outcome: Outcome) -> None:
        """Answer what a batch has found out, and see to the rest of its group."""
        done = 0
        while True:
            for blobs in outcome.packed:
                assert self._keeper is not None
                self._keeper.add(blobs)
            self._answer(outcome.oids)
            done += outcome.count
            if done == len(group.names):
                return
            if group.rules[done] == MAYBE:  # it could not be read like the others
                self._decide(group, done)
            rule = group.rules[done]
            self._answer(self._hash_alone(group.names[done], group.paths[done], rule))
            done += 1
            outcome = self._worker.run(group, done)

    def _storing(self) -> int:
        if self._keeper is None:
            return NO_STORING
        many = self._keeper.is_packing or self._burst > self._keeper.limit
        return PACKED if many else LOOSE

    def _paths(self, names: list[bytes]) -> list[bytes]:
        """Where files are that names from the top of the work tree stand for."""
        if not self._top:
            return names
        return [name if name.startswith(b"/") else self._top + name for name in names]

    def _question(self, names: list[bytes]) -> Question | None:
        if self._conversions is None:
            return None
        if self._options.path is not None:
            names = [self._path()]
        return self._conversions.ask([self._converter.shown(name) for name in names])

    def _rules(self, names: list[bytes], question: Question | None) -> bytes:
        if self._conversions is None or question is None:
            return bytes([NONE]) * len(names)
        rules = self._conversions.rules(question)
        return rules if self._options.path is None else rules * len(names)

    def _decide(self, group: Group, first: int) -> None:
        """Ask about the files of a group from number *first* on. Any thread may do so."""
        assert self._conversions is not None
        names = group.names[first:]
        if self._options.path is not None:
            rules = self._conversions.ask_after_all([self._converter.shown(self._path())])
            group.rules[first:] = rules * len(names)
        else:
            asked = [self._converter.shown(name) for name in names]
            group.rules[first:] = self._conversions.ask_after_all(asked)

    def _path(self) -> bytes:
        return os.fsencode(self._options.path or "")

    # --- files that are special -------------------------------------------------------------------

    def _hash_alone(self, name: bytes, path: bytes, rule: int) -> Oid:
        shown = os.fsdecode(name)
        if rule == BY_GIT:
            return self._by_git(name)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise ObjectError(f"cannot open '{shown}': {reason}") from error
        try:
            content = Content(descriptor, f"'{shown}'")
            if rule == LINE_ENDS and content.holds(b"\r"):
                return self._by_git(name)
            if rule == IDENT and content.holds(b"$Id"):
                return self._by_git(name)
            return self._hash_content(content, loose=rule != NONE)
        finally:
            os.close(descriptor)

    def _by_git(self, name: bytes) -> Oid:
        if self._options.path is not None:
            return self._converter.convert_as(name, self._options.path)
        return self._converter.convert(name)

    def _hash_content(self, content: Content, *, loose: bool) -> Oid:
        """Hash, and store, what may be large."""
        keeper = self._keeper
        if keeper is None:
            oid = Oid(content.oid(self._format))
            refuse_collision()
            return oid
        if content.regular:
            from fastio.hasher.large_storing import store_large  # noqa: PLC0415

            loose = loose or keeper.limit == float("inf")
            return store_large(
                keeper, content, self._format, threads=max(self._threads, 1), loose=loose
            )
        body = content.whole()
        oid = self._format.hash_object(BLOB, body)
        refuse_collision()
        if not keeper.knows(oid):
            keeper.loose.write(oid, BLOB, body)
        return oid

    # --- answers ----------------------------------------------------------------------------------

    def _answer(self, oids: bytes) -> None:
        """Answer with some oids, which follow each other."""
        if not oids:
            return
        text = oids.hex("\n", self._format.oid_size).encode() + b"\n"
        if self._keeper is not None and self._keeper.is_packing:
            self._unheard += text
        else:
            self._tell(text)

    def _settle(self) -> None:
        """Answer all that was asked so far."""
        while self._under_way:
            self._take_oldest()
        if self._keeper is not None:
            self._keeper.settle()
        self._tell(b"")
        self._burst = 0

    def _tell(self, text: bytes) -> None:
        text = bytes(self._unheard) + text
        self._unheard.clear()
        if text:
            try:
                self._answers.put(text)
            except BrokenPipeError:
                raise
            except OSError as error:
                raise RepositoryError(f"cannot write to stdout: {error.strerror}") from error
