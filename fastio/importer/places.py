"""Errors get the place in the stream of the command that met them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastio.errors import FastioError, StreamError

if TYPE_CHECKING:
    from fastio.stream.parser import Place


def placed(error: FastioError, place: Place) -> FastioError:
    """Give an error the place in the stream of the command that met it."""
    offset, number, _ = place
    if isinstance(error, StreamError):
        if error.offset >= 0:
            return error
        return StreamError(error.reason, offset, number, kind=error.kind, line=error.line)
    if error.exit_status != StreamError.exit_status:
        return error
    return StreamError(str(error), offset, number)
