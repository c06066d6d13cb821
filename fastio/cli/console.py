"""What the rooms log, those of the workers included, shown the way git shows warnings."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class _Console(logging.Handler):
    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        self._say(f"{record.levelname.lower()}: {record.getMessage()}\n")


def show_log_records(say: Callable[[str], None]) -> None:
    """Hand warnings and worse to *say*, unless somebody has set up logging already."""
    logger = logging.getLogger()
    if not logger.handlers:
        logger.addHandler(_Console(say))
