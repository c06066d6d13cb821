"""Builds the Cython kernels; everything else is in pyproject.toml."""

import multiprocessing
import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.modified import newer

# What Cython would write into every kernel that uses it, memory views above all, is compiled once
# and imported by the others: half of the compiler's work, and a sooner start.
SHARED = "workers._cyutility"
SHARED_SOURCE = "workers/_cyutility.c"
COMPILER_ARGS = [
    "-O3",
    "-g0",  # what a debugger wants is nine tenths of a kernel; perf and valgrind do without
    "-Wno-sign-compare",  # what Cython writes compares signed with unsigned lengths everywhere
]


def extension(name: str, source: str) -> Extension:
    """Return what *name* is compiled from, and with."""
    return Extension(
        name,
        [source],
        extra_compile_args=COMPILER_ARGS,
        # iconv is a part of the C library elsewhere.
        libraries=["iconv"] if sys.platform == "darwin" else [],
    )


class BuildExtensions(build_ext):
    """Compiles what is newer than its kernel, also in place."""

    def run(self) -> None:
        """Compile every kernel to where it belongs.

        setuptools compiles elsewhere and copies what is to be in place. As an editable install
        throws that other place away, the next change to one kernel would compile all of them.
        """
        super(build_ext, self).run()


# The build runs with the checkout as its working directory: relative names keep a checkout
# whose path has a space in it out of every command line. The longest come first, so that no core
# is idle at the end.
SOURCES = sorted(
    (path for room in ("fastio", "workers") for path in Path(room).rglob("_*.pyx")),
    key=lambda path: (-path.stat().st_size, path),
)
KERNELS = [extension(SHARED, SHARED_SOURCE)]
KERNELS += [extension(".".join(path.with_suffix("").parts), str(path)) for path in SOURCES]

# Kernels do not depend on each other's C files, so they translate and compile side by side.
# Translating needs fork: a build backend has no main module that a fresh process could import.
CORES = os.cpu_count() or 1
CAN_FORK = sys.platform != "darwin" and "fork" in multiprocessing.get_all_start_methods()
if CAN_FORK:
    multiprocessing.set_start_method("fork", force=True)  # as it was by itself before Python 3.14

setup(
    cmdclass={"build_ext": BuildExtensions},
    ext_modules=cythonize(
        KERNELS,
        language_level=3,
        nthreads=CORES if CAN_FORK else 0,
        shared_utility_qualified_name=SHARED,
        # Cython looks at the time of its sources only; what is set here counts as well.
        force=newer("setup.py", SHARED_SOURCE),
        # No object of a kernel is pickled; Cython would write a few hundred lines for each class.
        compiler_directives={"auto_pickle": False},
    ),
    options={"build_ext": {"parallel": CORES}},
)
