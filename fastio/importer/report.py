"""What an import tells at its end: git's block of counts, and what no other tool says."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from fastio.objects.kinds import BLOB, COMMIT, NAMES, TAG, TREE
from fastio.store.ref_changes import Status

if TYPE_CHECKING:
    from fastio.importer.importer import Importer
    from fastio.importer.publish import Published

RULE = "-" * 69
NO_CHANGE = "no ref was changed"
MIB = 1 << 20


class Spent(NamedTuple):
    """Clocks in seconds."""

    wall: float
    own: float
    """CPU of this process, which coordinates."""
    children: float
    """CPU of workers and git's commands, as far as they have ended."""

    def since(self, start: Spent) -> Spent:
        """Return what was spent after *start*."""
        return Spent(*(now - then for now, then in zip(self, start, strict=True)))


def spent_so_far() -> Spent:
    """Return what the clocks show."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(
        time.monotonic(), own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime
    )


def statistics(importer: Importer, started: Spent) -> Iterator[str]:
    """Yield the lines of the statistics block.

    Args:
        importer: After its run.
        started: What the clocks showed at the start of the run.
    """
    yield "fastio import statistics:"
    yield RULE
    yield from _objects(importer)
    yield from _memory(importer)
    yield RULE
    yield from _cost(importer, spent_so_far().since(started))
    yield RULE
    yield ""


def closing_line(published: Published, status: int) -> str:
    """Say what was done, for the last line of all.

    Args:
        published: What was made visible, at checkpoints and at the end.
        status: The exit status.
    """
    done: list[str] = []
    for state in (Status.UPDATED, Status.DELETED):
        count = published.count(state)
        noun = "" if done else "ref " if count == 1 else "refs "
        done += [f"{count} {noun}{state.value}"] if count else []
    if done and status > 1:
        done[-1] += " by checkpoints before"
    done = done or [NO_CHANGE]
    for state in (Status.REFUSED, Status.NOT_DELETED):
        count = published.count(state)
        done += [f"{count} {state.value}"] if count else []
    if published.lacks_marks:
        done.append("the marks were not written")
    return f"fastio: {'import failed: ' if status else ''}{', '.join(done)}"


def _objects(importer: Importer) -> Iterator[str]:
    counts: list[tuple[str, int, int, int]] = []
    queue = importer.queue
    for kind in (BLOB, TREE, COMMIT, TAG):
        counter = importer.sink.counters[kind]
        stored, duplicates, deltas = counter.stored, counter.duplicates, counter.deltas
        if kind == BLOB and queue is not None:
            blobs = queue.entries
            stored, duplicates = stored + blobs.stored, duplicates + blobs.duplicates
            deltas += blobs.deltas
        counts.append((NAMES[kind].decode() + "s", stored, duplicates, deltas))
    total, same, deltas = (sum(column) for column in zip(*(row[1:] for row in counts), strict=True))
    yield f"Total objects:  {total:>13,} ({same:>10,} duplicates, {deltas:>10,} deltas)"
    for name, stored, duplicates, count in counts:
        label = f"      {name:<8}:"
        yield f"{label} {stored:>13,} ({duplicates:>10,} duplicates, {count:>10,} deltas)"
    yield f"Total branches: {len(importer.branches):>13,}"
    yield f"      marks   : {len(importer.sink.marks):>13,}"


def _memory(importer: Importer) -> Iterator[str]:
    objects = len(importer.sink.map)
    map_bytes, mark_bytes = importer.sink.map.nbytes, importer.sink.marks.nbytes
    each = f", {map_bytes / objects:.1f} bytes an object" if objects else ""
    yield f"object map:     {map_bytes:>13,} bytes{each}"
    yield f"mark table:     {mark_bytes:>13,} bytes"


def _cost(importer: Importer, spent: Spent) -> Iterator[str]:
    published = importer.publisher.result
    raw = importer.parser.bytes_read
    for phase, seconds in importer.phases.items():
        yield f"{'time, ' + phase + ':':<16}{seconds:>13.2f} s"
    wall, cpu = spent.wall, spent.own + spent.children
    yield f"time, total:    {wall:>13.2f} s, {cpu / wall if wall else 0:.2f} cores used"
    for who, seconds in (("coordinator", spent.own), ("workers", spent.children)):
        yield f"{'CPU, ' + who + ':':<17}{seconds:>12.2f} s, {seconds / cpu if cpu else 0:.1%}"
    yield f"stream:         {raw / MIB:>13.1f} MiB, {raw / MIB / wall if wall else 0:.1f} MiB/s"
    if published.packs:
        share = published.pack_bytes / raw if raw else 0
        yield (
            f"packs:          {published.pack_bytes / MIB:>13.1f} MiB in {published.packs},"
            f" {share:.1%} of the stream"
        )
    if published.loose_objects:
        yield f"loose objects:  {published.loose_objects:>13,}"
    yield f"refs updated:   {published.count(Status.UPDATED):>13,}"
