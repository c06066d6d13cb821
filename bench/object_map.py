"""Fills an object map: time an object, the longest single insert, bytes an object.

python -m bench.object_map --objects 16777216
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time

from fastio.store.objmap import ObjectMap


def measure(count: int) -> tuple[float, float, float]:
    """Insert *count* oids; returns ns an insert, the longest in ms, and bytes an object.

    The longest is CPU time of this thread, so that other processes do not show in it.
    """
    objects, longest, spent = ObjectMap(), 0, 0
    for number in range(count):
        oid = hashlib.sha1(number.to_bytes(8, "big"), usedforsecurity=False).digest()
        start = time.thread_time_ns()
        objects.insert(oid, pack=0, offset=12 + number, kind=3)
        passed = time.thread_time_ns() - start
        spent += passed
        longest = max(longest, passed)
    return spent / count, longest / 1e6, objects.nbytes / count


def main() -> int:
    """Print one line for each power of two up to the count asked for."""
    parser = argparse.ArgumentParser(prog="bench.object_map", description=__doc__.splitlines()[0])
    parser.add_argument("--objects", type=int, default=1 << 22)
    limit = parser.parse_args().objects
    print("| objects | ns an insert, call included | longest insert, ms | bytes an object |")
    print("|--:|--:|--:|--:|")
    for power in range(16, limit.bit_length(), 2):
        cost, longest, size = measure(1 << power)
        print(f"| 2^{power} | {cost:.0f} | {longest:.2f} | {size:.1f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
