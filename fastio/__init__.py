"""fastio: moving git history, many times faster than C git and with the same result."""

from __future__ import annotations

__version__ = "0.1.0"
