"""Compares the hand-written stub of every kernel with what was built from it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def kernel_modules() -> list[str]:
    """Return the dotted names of all kernels."""
    paths = (path for room in ("fastio", "workers") for path in (ROOT / room).rglob("_*.pyx"))
    return sorted(".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths)


def main() -> int:
    """Run stubtest once over all kernels and return its exit status."""
    modules = kernel_modules()
    if not modules:
        return 0
    stubtest = [sys.executable, "-m", "mypy.stubtest", "--ignore-disjoint-bases"]
    stubtest += ["--mypy-config-file", "pyproject.toml"]
    # A kernel need not have each of Cython's own names, so an unused line is no mistake.
    allowed = ["--allowlist", ".ci/stub_allowlist.txt", "--ignore-unused-allowlist"]
    return subprocess.run([*stubtest, *allowed, *modules], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
