"""How ``--memory`` is divided between the arena and what each process caches.

Segments are the pieces of the arena that workers fill with blobs' records. Each worker has as many
of its own, so that none can take what another needs to go on; what is over is for blobs that are
larger than a segment, and one too large for that is passed on piece by piece by the coordinator.
"""

from __future__ import annotations

from fastio.memory import MIB, usable_memory

DEFAULT_LIMIT = 512 * MIB
# More than this under way only spreads the work over more memory.
LARGEST_ARENA = 128 * MIB
SMALLEST_SEGMENT, LARGEST_SEGMENT = MIB // 8, 2 * MIB
SEGMENTS = 8  # of each worker


class Budget:
    """Byte counts for each use of memory.

    Args:
        memory: What all processes together may use; None for a quarter of the machine's memory,
            at most 512 MiB.
        workers: How many there are.
        ahead: What commits that were read ahead take.
    """

    def __init__(self, memory: int | None, workers: int, *, ahead: int = 0) -> None:
        self.memory = usable_memory(memory, limit=DEFAULT_LIMIT)
        places = max(workers, 1)
        self.arena = min(self.memory // 4, LARGEST_ARENA)
        self.large = self.arena // 2
        self.segment = min(
            max((self.arena - self.large) // (places * (SEGMENTS + 1)), SMALLEST_SEGMENT),
            LARGEST_SEGMENT,
        )
        self.segments = max((self.arena - self.large) // (places * self.segment) - 1, 1)
        self.text = self.memory // 16
        """Bytes of text that wait for the blobs before them."""
        own = self.memory // 8
        self.coordinator_cache = own // 2
        rest = (self.memory - self.arena - self.text - own - ahead) // places
        self.trees = rest // 4
        """Bytes of trees, and of what renames are found by, in each process."""
        self.worker_cache = rest - self.trees


def memory_ahead(memory: int | None) -> int:
    """Tell how much of *memory* commits may take that are read ahead."""
    return usable_memory(memory, limit=DEFAULT_LIMIT) // 8
