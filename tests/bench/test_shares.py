"""Samples of the CPU go to the part of the work that a library does."""

from pathlib import Path

import pytest

from bench.shares import part_of

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("fastio/importer", "fastio/objects", "fastio/store", "fastio/stream", "workers")


@pytest.mark.parametrize(
    ("library", "part"),
    [
        ("/a b/fastio/stream/_scanner.cpython-311-x86_64-linux-gnu.so", "scan the stream"),
        ("/a b/fastio/importer/_tree_store.cpython-311-x86_64-linux-gnu.so", "trees"),
        ("/venv/lib/python3.11/site-packages/isal/igzip_lib.cpython-311.so", "deflate"),
        ("/usr/lib/libcrypto.so.3", "hash"),
        ("/usr/lib/libc.so.6", "libc: memcpy, malloc"),
        ("/usr/bin/python3.11", "Python"),
        ("[kernel.kallsyms]", "kernel: reading, writing, page faults"),
        ("[unknown]", "other"),
    ],
)
def test_a_library_has_its_part(library: str, part: str) -> None:
    assert part_of(library) == part


def test_every_kernel_of_an_import_has_a_part() -> None:
    kernels = [path for room in ROOMS for path in (ROOT / room).glob("_*.pyx")]
    assert len(kernels) > 30
    assert "other" not in map(part_of, map(str, kernels))
