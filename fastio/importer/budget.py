"""How ``--memory`` is divided: arena, tree cache, and what the processes themselves need.

Of the arena, bases that are kept, blobs held back and what is in flight have fixed shares that add
up to less than the whole. The shares bound what the stream alone decides about, so they do not
depend on scheduling; where the arena is cut into pieces too small to use, it is compacted.
"""

from __future__ import annotations

from fastio.memory import MIB, usable_memory

DEFAULT_LIMIT = 1 << 30
# Up to here trees get a quarter of the memory, not an eighth: those that fell out of the cache are
# read back from the pack. With 64 MiB for git.git the coordinator took 10.6 s instead of 13.4, and
# the pack had 165 MiB instead of 171 (205 when bases had half of the arena, not five eighths).
SCARCE_TREES = 64 * MIB
# More than this under way at once only spreads the work over more memory.
IN_FLIGHT_LIMIT = 64 * MIB
# The more blobs a batch has, the better its hashing fills the lanes (workers/_sha1.pyx): CPU
# seconds of the workers for git.git were 9.0 at 512 KiB, 8.3 at 2 MiB, 7.6 at 4 MiB.
SMALLEST_BATCH, LARGEST_BATCH = MIB // 2, 4 * MIB
# A batch of commits is to fit the cache of who deflates it.
COMMITS_LIMIT = 1 << 16


class Budget:
    """Byte counts for each use of memory.

    Args:
        memory: What all processes together may use; None for a quarter of the machine's memory,
            at most 1 GiB.
    """

    def __init__(self, memory: int | None) -> None:
        self.memory = usable_memory(memory, limit=DEFAULT_LIMIT)
        self.arena = self.memory * 5 // 8
        self.trees = max(self.memory // 8, min(self.memory // 4, SCARCE_TREES))
        self.objects = self.memory // 32
        self.bases = self.arena * 5 // 8
        self.commits = min(self.arena // 512, COMMITS_LIMIT)  # 32 times in all
        self.hold = self.arena // 8
        self.hold_count = 16_384
        self.in_flight = min(self.arena // 8, IN_FLIGHT_LIMIT)
        self.largest_blob = self.arena // 16

    def batch(self, workers: int) -> int:
        """Bytes of blobs in a batch: as many as leave four batches to each worker."""
        with_room = self.in_flight // (4 * max(workers, 1))
        return min(max(with_room // 2, SMALLEST_BATCH), LARGEST_BATCH)
