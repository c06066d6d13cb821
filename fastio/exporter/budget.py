"""How ``--memory`` is divided between the arena and what each process caches.

Segments are the pieces of the arena that workers fill with blobs' records. Each worker has as many
of its own, so that none can take what another needs to go on; what is over is for blobs that are
larger than a segment, and one too large for that is passed on piece by piece by the coordinator.

Where memory is scarce there are fewer workers: one that can keep nothing reads the same deltas over
and over.
"""

from __future__ import annotations

from fastio.memory import MIB, usable_memory

DEFAULT_LIMIT = 512 * MIB
# More than this under way only spreads the work over more memory.
LARGEST_ARENA = 128 * MIB
SMALLEST_SEGMENT, LARGEST_SEGMENT = MIB // 8, 2 * MIB
SEGMENTS = 8  # of each worker
LARGEST_RECORDS = 4 * MIB  # twice what a run of commits is to have
LEAST_SHARE = 4 * MIB  # what a worker caches at least
LARGEST_WALK = 32 * MIB


class Budget:
    """Byte counts for each use of memory.

    Args:
        memory: What all processes together may use; None for a quarter of the machine's memory,
            at most 512 MiB.
        workers: How many are wanted.

    Attributes:
        workers: How many there can be.
        ahead: Bytes for commits that are read ahead of the walk, at most.
        walk: Bytes that the walk may cache, before there are workers.
        records: Bytes of the arena for records of one job of commits, at most an eighth in all.
        text: Bytes of text that wait for the blobs before them.
        trees: Bytes of trees, and of what renames are found by, in each process.
        slow: Bytes of objects out of the ordinary, kept as they are, in each process.
    """

    def __init__(self, memory: int | None, workers: int) -> None:
        self.memory = usable_memory(memory, limit=DEFAULT_LIMIT)
        self.arena = min(self.memory // 4, LARGEST_ARENA)
        self.text = self.memory // 16
        self.ahead = self.memory // 8
        self.walk = min(self.memory // 4, LARGEST_WALK)
        self.coordinator_cache = self.memory // 16
        self._shared = self.memory - self.arena - self.text - self.memory // 8
        self.workers = min(workers, max((self._shared - self.ahead) // LEAST_SHARE, 1))
        places = max(self.workers, 1)
        self.large = self.arena // 2
        self.segment = min(
            max((self.arena - self.large) // (places * (SEGMENTS + 1)), SMALLEST_SEGMENT),
            LARGEST_SEGMENT,
        )
        self.records = min(self.arena // (16 * places), LARGEST_RECORDS)
        self.segments = max((self.arena - self.large) // (places * self.segment) - 1, 1)
        self.divide(self.ahead)

    def divide(self, ahead: int) -> None:
        """Divide what is left between the workers, now that commits read ahead take so much."""
        rest = (self._shared - ahead) // max(self.workers, 1)
        self.trees = rest // 4
        self.slow = rest // 16
        self.worker_cache = rest - self.trees - self.slow
