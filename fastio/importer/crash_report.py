"""The report that a fatal error leaves in the git directory, with git's sections."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastio.importer.branches import Branch
    from fastio.importer.diagnosis import Diagnosis
    from fastio.importer.executor import Executor
    from fastio.importer.object_sink import ObjectSink
    from fastio.importer.options import ImportOptions


def write_crash_report(
    git_dir: bytes,
    diagnosis: Diagnosis,
    options: ImportOptions,
    executor: Executor,
    sink: ObjectSink,
) -> bytes:
    """Write ``fast_import_crash_<pid>``; returns its path.

    Raises:
        OSError: It cannot be written.
    """
    path = os.path.join(git_dir, b"fast_import_crash_%d" % os.getpid())
    with open(path, "wb") as file:
        for line in _report(diagnosis, options, executor, sink):
            file.write(line + b"\n")
    return path


def _report(
    diagnosis: Diagnosis, options: ImportOptions, executor: Executor, sink: ObjectSink
) -> Iterator[bytes]:
    yield b"fast-import crash report:"
    yield b"    fast-import process: %d" % os.getpid()
    yield b"    parent process     : %d" % os.getppid()
    yield b"    at %s" % time.strftime("%Y-%m-%d %H:%M:%S +0000", time.gmtime()).encode()
    yield b""
    for text in diagnosis.lines():
        yield text.encode()
    yield b""
    yield from _section(b"Most Recent Commands Before Crash")
    for number, line in enumerate(diagnosis.recent, 1):
        yield (b"* " if number == len(diagnosis.recent) else b"  ") + line
    yield b""
    yield from _section(b"Active Branch LRU")
    yield b"    active_branches = %d cur, %d max" % (executor.commit is not None, 1)
    yield b""
    yield from _section(b"Inactive Branches")
    for branch in executor.branches.in_update_order():
        yield from _branch(branch, executor)
    if executor.tags:
        yield b""
        yield from _section(b"Annotated Tags")
        for name, oid in executor.tags:
            yield b"%s %s" % (oid.hex().encode(), name)
    yield b""
    yield from _section(b"Marks")
    if options.export_marks is not None:
        yield b"  exported to %s" % os.fsencode(options.export_marks)
    else:
        for mark, entry in sink.marks.items():
            yield b":%d %s" % (mark, sink.map.oid(entry).hex().encode())
    yield b""
    yield b"-" * 19
    yield b"END OF CRASH REPORT"


def _section(title: bytes) -> tuple[bytes, bytes]:
    return title, b"-" * len(title)


def _branch(branch: Branch, executor: Executor) -> Iterator[bytes]:
    active = b" active dirty" if branch is executor.commit else b""
    yield branch.name + b":"
    yield b" status      :" + active
    yield b" tip commit  : " + _hex(branch.tip)
    yield b" cur tree    : " + _hex(branch.tree)
    yield b""


def _hex(oid: bytes | None) -> bytes:
    return b"-" if oid is None else oid.hex().encode()
