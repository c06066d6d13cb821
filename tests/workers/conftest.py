import multiprocessing
import os
import threading
from collections.abc import Iterator

import pytest

from tests.importer.target import wait_until
from tests.leftovers import shared_files
from workers.arena import Arena
from workers.rows import Task
from workers.tasks import Settings, deflate_bound, encode


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """A test that leaves a process, thread, descriptor or shared file behind fails."""
    files = shared_files()
    before = (set(os.listdir("/dev/fd")), threading.active_count())
    yield
    assert not multiprocessing.active_children()
    assert (set(os.listdir("/dev/fd")), threading.active_count()) == before
    # Those of tests that run beside this one are there for a moment.
    wait_until(lambda: shared_files() <= files, "for shared files to go")


class Bench:
    """An arena with numbered blobs, batches over them, and what must come back."""

    def __init__(self) -> None:
        self.arena = Arena(1 << 20)
        self.settings = Settings()

    def task(self, content: bytes) -> bytes:
        raw = self.arena.allocate(len(content))
        self.arena.view[raw : raw + len(content)] = content
        room = deflate_bound(len(content))
        return Task(raw, len(content), -1, 0, self.arena.allocate(room), room, 0, 3).pack()

    def batch(self, number: int, count: int = 4) -> bytes:
        return b"".join(self.task(b"blob %d of batch %d" % (i, number)) for i in range(count))

    def expected(self, batch: bytes) -> bytes:
        return encode(self.arena, batch, self.settings)


@pytest.fixture
def bench() -> Bench:
    return Bench()
