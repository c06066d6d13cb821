"""Measures what this machine can do at best: the limits that an import runs into.

One core, a working set of 64 MiB, the best of five. `deflate` is our default level over the
standard library's sources.

    python -m bench.machine
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable

from bench.generate import standard_library
from bench.sides import machine, save
from workers.deflater import deflate_piece

SIZE = 64 << 20
PIECE = 1 << 20
ROUNDS = 5


def speed(work: Callable[[], object]) -> float:
    """Return how many GB a second *work* does, which treats SIZE bytes."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return SIZE / min(times) / 1e9


def read_all(fd: int, buffer: bytearray) -> None:
    """Read SIZE bytes into the same place again and again."""
    left = SIZE
    while left:
        left -= os.readv(fd, [buffer])


def read_file() -> float:
    """Read a file that lies in the page cache."""
    buffer = bytearray(PIECE)
    with tempfile.TemporaryFile() as file:
        file.write(bytes(SIZE))
        file.flush()

        def again() -> None:
            os.lseek(file.fileno(), 0, os.SEEK_SET)
            read_all(file.fileno(), buffer)

        return speed(again)


def read_pipe() -> float:
    """Read from a pipe that another thread writes to."""
    buffer, data = bytearray(PIECE), bytes(PIECE)
    into, out = os.pipe()

    def feed() -> None:
        left = SIZE * ROUNDS
        while left:
            left -= os.write(out, data[:left])

    writer = threading.Thread(target=feed)
    writer.start()
    result = speed(lambda: read_all(into, buffer))
    writer.join()
    os.close(into)
    os.close(out)
    return result


def sources() -> bytes:
    """Return SIZE bytes of text."""
    text = b"".join(standard_library().values())
    return (text * (SIZE // len(text) + 1))[:SIZE]


def limits() -> dict[str, float]:
    """Return GB a second by what is done."""
    data, target = sources(), memoryview(bytearray(SIZE))

    def copy() -> None:
        target[:] = data

    return {
        "SHA-1 (OpenSSL)": speed(lambda: hashlib.sha1(data, usedforsecurity=False)),
        "memcpy": speed(copy),
        "deflate": speed(lambda: deflate_piece(data, b"", -1)),
        "read from a file in memory": read_file(),
        "read from a pipe": read_pipe(),
    }


def main(_words: list[str] | None = None) -> int:
    """Print one line for each limit."""
    found, about = limits(), machine("git")
    lines = [f"{about['processor']}, {about['cores']} cores, Python {about['python']}", ""]
    lines += ["| one core | GB/s |", "|---|--:|"]
    lines += [f"| {what} | {figure:.2f} |" for what, figure in found.items()]
    print("\n".join(lines))
    save("machine", lines, {"machine": about, "GB/s": found})
    return 0


if __name__ == "__main__":
    sys.exit(main())
