"""Where a walk starts or stops: revisions in command-line order, each resolved."""

from __future__ import annotations

from fastio.objects.kinds import Oid
from fastio.records import record


@record
class Start:
    """One revision that the command line names, or a glob has found.

    Attributes:
        oid: The object, which may be a tag, or even a tree or blob.
        kind: Its type.
        written: The text that becomes the name of its commit if no ref gives a better one.
        ref: The text that may be a ref's name; empty where it cannot be one.
        is_negative: Whether it and its history are left out.
        given: What git is told for it; None for its oid, empty if another start's text covers it.
        full_name: The ref that *ref* is known to be, and alone; empty when that is to be found out.
    """

    oid: Oid
    kind: int
    written: bytes
    ref: bytes = b""
    is_negative: bool = False
    full_name: bytes = b""
    given: bytes | None = None
