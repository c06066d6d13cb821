"""Builds the Cython kernels; everything else is in pyproject.toml."""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

KERNELS = [
    Extension(
        str(path.with_suffix("")).replace("/", "."),
        [str(path)],
        extra_compile_args=["-O3"],
    )
    for room in ("fastio", "workers")
    for path in sorted(Path(room).rglob("_*.pyx"))
]

setup(ext_modules=cythonize(KERNELS, language_level=3))
