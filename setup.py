"""Builds the Cython kernels; everything else is in pyproject.toml."""

import multiprocessing
import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

# The build runs with the checkout as its working directory: relative names keep a checkout
# whose path has a space in it out of every command line.
KERNELS = [
    Extension(
        ".".join(path.with_suffix("").parts),
        [str(path)],
        # What Cython writes compares signed with unsigned lengths everywhere.
        extra_compile_args=["-O3", "-Wno-sign-compare"],
        # iconv is a part of the C library elsewhere.
        libraries=["iconv"] if sys.platform == "darwin" else [],
    )
    for room in ("fastio", "workers")
    for path in sorted(Path(room).rglob("_*.pyx"))
]

# Kernels do not depend on each other's C files, so they translate and compile side by side.
# Translating needs fork: a build backend has no main module that a fresh process could import.
CORES = os.cpu_count() or 1
CAN_FORK = multiprocessing.get_start_method() == "fork"

setup(
    ext_modules=cythonize(KERNELS, language_level=3, nthreads=CORES if CAN_FORK else 0),
    options={"build_ext": {"parallel": CORES}},
)
