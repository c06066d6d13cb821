"""What commands of another reader's choice are taken by, see `StreamParser.pass_over`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from typing_extensions import Buffer


class Scan(Protocol):
    """Who knows some commands by their look."""

    def __call__(
        self,
        data: Buffer,
        start: int,
        end: int,
        *,
        max_line: int,
        max_data: int,
        optional_lf: bool,
    ) -> tuple[int, int, bool]:
        """Take commands from ``data[start:end]``, whole ones with the optional LF behind them.

        Returns:
            The position behind them, how many they are, and whether more bytes might bring more.
        """
