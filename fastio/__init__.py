"""fastio: moving git history, many times faster than C git and with the same result."""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; `typing` takes 5 ms to import

if TYPE_CHECKING:
    from typing import Any

    from fastio.exporter.commands import export_commands
    from fastio.stream.reading import parse

__all__ = ["__version__", "export_commands", "parse"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import what the package offers when it is asked for: the program starts without it."""
    if name == "parse":
        from fastio.stream.reading import parse  # noqa: PLC0415 - see above

        return parse
    if name == "export_commands":
        from fastio.exporter.commands import export_commands  # noqa: PLC0415

        return export_commands
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
