"""Records behind the last commit: refs that no commit was written under, and refs to delete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from fastio.objects.kinds import Oid

if TYPE_CHECKING:
    from fastio.exporter.anonymize import Anonymizer
    from fastio.exporter.marks import MarkTable
    from fastio.exporter.options import ExportOptions
    from fastio.exporter.walk import Walk


def reset_record(name: bytes, target: bytes) -> bytes:
    """Return the record that sets a ref, or deletes it when *target* is all zeros."""
    return b"reset %b\nfrom %b\n\n" % (name, target)


def ref_records(
    refs: Iterable[tuple[bytes, Oid]],
    *,
    walk: Walk,
    options: ExportOptions,
    marks: MarkTable,
    settle: Callable[[Oid], Oid | None],
    count: Callable[[], bytes],
    anonymizer: Anonymizer | None = None,
) -> Iterator[bytes]:
    """Yield the records of plain refs, last name first, but for those that commits have.

    Args:
        refs: Full names, as mapped by refspecs, and commits; ascending by name.
        walk: The commits, all of which are written by now.
        options: Those of the export.
        marks: What was exported or imported.
        settle: Gives the commit that stands for one that path limits dropped, None if none does.
        count: Counts a ref that is set to a mark; returns the ``progress`` command that is due.
        anonymizer: Replaces names.
    """
    written = walk.used_names()
    for name, oid in reversed(list(refs)):
        if name in written:
            continue
        settled = settle(oid)
        mark = 0 if settled is None else marks.find(settled)
        shown = anonymizer.ref(name) if anonymizer is not None else name
        if mark:
            yield reset_record(shown, b":%d" % mark) + count()
        elif settled is not None and options.reference_excluded_parents:
            yield reset_record(shown, settled.hex().encode())
        else:
            yield reset_record(shown, b"0" * (2 * marks.oid_size))


def deletion_records(names: Iterable[bytes], oid_size: int) -> Iterator[bytes]:
    """Yield the records of refs that refspecs delete, which are named as they were given."""
    for name in names:
        yield reset_record(name, b"0" * (2 * oid_size))
