"""Marks of an export: what has which number in the stream, and the files that keep it.

Theory of operation
-------------------
The table is git's own: open addressing with linear probing, a slot being the first four bytes of
the oid, lowest first, modulo the number of slots. Before an oid is put in that would make it more
than two thirds full, it grows from n to (n + 1000) * 3 / 2 slots, the old ones being put in again
in their order. All marked objects are in it, blobs and tags too. A marks file lists its commits in
the order of the slots, and so has the same bytes as git's.

An object that is marked again keeps its slot. Blobs and tags are never imported: what a file says
of them only keeps their numbers from being used again.

A file is written beside the old one and renamed, as a crash must not leave half of it. Where no
file can be made beside it, and for devices and pipes, it is written in place, as git does always.

Cost: 28 bytes a slot with SHA-1, 42 to 65 an object.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO

from fastio.errors import FastioError, MarksError
from fastio.exporter._mark_table import MarkTable
from fastio.objects.kinds import COMMIT

if TYPE_CHECKING:
    from fastio.exporter.options import ExportOptions
    from fastio.store.objects import ObjectStore
    from fastio.store.repository import Repository

__all__ = ["MarkTable", "export_marks", "import_marks"]

_PIECE = 1 << 20
_LONGEST_LINE = 511  # of those that are read natively; only what is odd is longer


def import_marks(
    options: ExportOptions,
    repository: Repository,
    store: ObjectStore,
    warn: Callable[[str], None],
) -> MarkTable:
    """Read the marks file that the options name, if they name one.

    Args:
        options: Those of the export.
        repository: Where it is; a relative name goes by the top of its work tree, as in git.
        store: Its objects.
        warn: Is told of commits that have two marks; the last one counts.

    Returns:
        A table of the marks of commits.

    Raises:
        MarksError: The file cannot be read, a line of it is malformed, or an object is missing.
        FastioError: The options name two.
    """
    table = MarkTable(repository.object_format.oid_size)
    name, always = options.import_marks, options.import_marks is not None
    if options.import_marks_if_exists is not None:
        if always:
            both = "options '--import-marks' and '--import-marks-if-exists'"
            raise FastioError(f"{both} cannot be used together")
        name = options.import_marks_if_exists
    if name is None:
        return table
    path = _resolve(repository, name)
    if not always and not os.access(path, os.F_OK):
        return table
    try:
        with open(path, "rb") as file:
            _MarksReader(table, store, name, warn).read(file)
    except OSError as error:
        reason = f"could not open '{name}' for reading: {error.strerror}"
        raise MarksError(reason) from error
    return table


class _MarksReader:
    """Reads one marks file: usual lines natively, and what follows an odd one line by line.

    No more than a piece of it is held, for it may have no end.
    """

    def __init__(
        self, table: MarkTable, store: ObjectStore, name: str, warn: Callable[[str], None]
    ) -> None:
        self._table, self._store, self._name, self._warn = table, store, name, warn

    def read(self, file: BinaryIO) -> None:
        rest, number = b"", 1
        while piece := file.read(_PIECE):
            piece = rest + piece
            taken = self._table.take_lines(piece, self._store.search)
            number += piece.count(b"\n", 0, taken)
            rest = piece[taken:]
            if len(rest) > _LONGEST_LINE:
                whole = rest[: rest.rfind(b"\n") + 1] or rest
                self._read_slowly(whole, number)
                number += whole.count(b"\n")
                rest = rest[len(whole) :]
        if rest:
            self._read_slowly(rest, number)

    def _read_slowly(self, lines: bytes, first: int) -> None:
        import io  # noqa: PLC0415 - lines are usual ones, mostly all of them

        from fastio.store.marks_file import read_lines  # noqa: PLC0415

        oid_size = self._table.oid_size
        for mark, oid in read_lines(io.BytesIO(lines), self._name, oid_size, first=first):
            kind = self._store.kind(oid)
            if kind is None:
                raise MarksError(f"object not found: {oid.hex()} (in marks file {self._name})")
            if kind != COMMIT:
                self._table.skip(mark)
                continue
            if self._table.find(oid):
                self._warn(f"object {oid.hex()} already has a mark")
            self._table.set(oid, mark, True)


def export_marks(
    options: ExportOptions,
    repository: Repository,
    table: MarkTable,
    warn: Callable[[str], None],
) -> None:
    """Write the marks file that the options name, unless there is nothing new.

    Args:
        options: Those of the export.
        repository: Where it is; a relative name goes by the top of its work tree, as in git.
        table: What to write.
        warn: Is told when writing failed; as in git that does not matter for the exit status.

    Raises:
        MarksError: The file cannot be opened for writing.
    """
    name = options.export_marks
    if name is None or not table.has_new:
        return
    path = _resolve(repository, name)
    target = os.path.realpath(path)
    try:
        file, beside = _open_for_writing(path, target)
    except OSError as error:
        reason = f"unable to open marks file {name} for writing: {error.strerror}"
        raise MarksError(reason) from error
    try:
        with file:
            file.writelines(table.lines())
        if beside is not None:
            os.replace(beside, target)
    except OSError as error:
        if beside is not None:
            _remove(beside)
        warn(f"unable to write marks file {name}: {error.strerror}")
    except BaseException:
        if beside is not None:
            _remove(beside)
        raise


def _open_for_writing(path: bytes, target: bytes) -> tuple[BinaryIO, bytes | None]:
    """Open a file that becomes *target*, which *path* leads to.

    Returns:
        The file, and its name unless it is the target already.
    """
    mode = None
    with contextlib.suppress(FileNotFoundError):
        mode = os.stat(path).st_mode  # of a pipe, to which no target's name leads
    is_file = mode is None or (stat.S_ISREG(mode) and os.access(path, os.W_OK))
    if not path or not is_file:
        return open(path, "wb"), None
    beside = target + b".new-" + os.urandom(3).hex().encode()
    try:
        file = open(beside, "xb")  # noqa: SIM115 - the caller closes it
    except OSError:
        if mode is None:
            raise
        return open(path, "wb"), None  # the file is open to us, its directory is not
    if mode is not None:
        os.fchmod(file.fileno(), stat.S_IMODE(mode))
    return file, beside


def _remove(path: bytes) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def _resolve(repository: Repository, name: str) -> bytes:
    """Return where the file *name* is: git works from the top of the work tree."""
    if not name:
        return b""  # no file, as a directory's name would be
    directory = repository.git.directory or b"."
    return os.path.join(directory, b"../" * repository.prefix.count(b"/"), os.fsencode(name))
