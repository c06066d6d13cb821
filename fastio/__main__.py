"""``python -m fastio``: the same as the command ``fastio``."""

from __future__ import annotations

import sys

from fastio.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
