"""``python -m fastio``: the same as the command ``fastio``."""

from __future__ import annotations

from fastio.cli.main import program

if __name__ == "__main__":
    program()
