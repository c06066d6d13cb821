"""SHA-1 collisions of the known kinds: looked for if somebody asks, and refused.

Without being asked fastio hashes with plain SHA-1, and an object that is there already is not
written again: of two colliding objects the first one stays, as in git.
"""

from __future__ import annotations

from collections.abc import Callable

from fastio.errors import ObjectError
from fastio.objects import kinds


class _Search:
    """Whether one goes on."""

    goes_on = False


def check_collisions() -> None:
    """Look for collisions from now on, in this process and those that it forks."""
    from workers.collisions import LookingHash, start_looking  # noqa: PLC0415 - nearly nobody asks

    start_looking()
    kinds.hash_with("sha1", LookingHash)
    _Search.goes_on = True


def refuse_collision(named: Callable[[bytes], str] = bytes.hex) -> None:
    """Raise an ObjectError if an object was hashed that was made to collide with another one.

    Args:
        named: What to call an object.
    """
    if not _Search.goes_on:
        return
    from workers.collisions import collision  # noqa: PLC0415 - as above

    oid = collision()
    if oid is not None:
        raise ObjectError(f"object {named(oid)} is part of a SHA-1 collision attack")
