"""Git's delta format: one object as copies from another one (its base) and inserted bytes.

A delta is two size headers (base, target) and instructions: copy a range of the base, or insert
the next 1 to 127 bytes. See gitformat-pack(5), "Deltified representation".

The coder trims what base and target have in common at both ends, which is most of two consecutive
versions of a file. For the rest it hashes the base's 16-byte blocks, looks up the target's bytes
at every position, and extends each match both ways. Blocks are taken every 4 bytes in the edited
part of the base and every 16 elsewhere, where only moved or repeated text is looked for.

Measured on 5,655 random pairs of consecutive versions out of git.git's history (200 MB of targets,
one core; "packed" is deflated by ISA-L level 1):

    ======================== ======== ============ ============
    blocks, edited/elsewhere MB/s     delta bytes  packed bytes
    ======================== ======== ============ ============
    16 / none                2,380    2,957,650    1,789,911
    16 / 16                  1,890    2,799,170    1,749,233
    8 / 16                   1,820    2,674,504    1,693,493
    4 / 32                   1,550    2,620,503    1,670,981
    **4 / 16**               1,530    2,599,190    1,664,338
    2 / 16                   1,010    2,532,308    1,633,014
    git fast-import (zlib 6)          2,817,409    1,666,503
    ======================== ======== ============ ============
"""

from __future__ import annotations

from workers import _delta

TYPE_CHECKING = False
if TYPE_CHECKING:  # not worth its import time
    from typing_extensions import Buffer

__all__ = ["apply_delta", "encode_delta"]


def encode_delta(base: Buffer, target: Buffer, *, max_size: int) -> bytes | None:
    """Describe *target* as a delta against *base*.

    Args:
        base: Inflated bytes of the delta base.
        target: Inflated bytes of the object.
        max_size: Longest delta worth having, in bytes.

    Returns:
        The delta, both size headers included, or None when it would be longer than *max_size*,
        or base or target have 2**32 bytes or more, which copy instructions cannot reach.

    Source: gitformat-pack(5), "Deltified representation".
    """
    return _delta.encode_delta(base, target, max_size)


def apply_delta(base: Buffer, delta: Buffer, *, max_size: int) -> bytes:
    """Rebuild a target object from its delta base.

    Args:
        base: Inflated bytes of the delta base.
        delta: Inflated delta, both size headers included.
        max_size: Largest target to build, in bytes.

    Returns:
        The target, as long as the delta's second size header says.

    Raises:
        DeltaError: The delta is cut short, does not fit *base*, or passes *max_size*.

    Source: gitformat-pack(5), "Deltified representation".
    """
    return _delta.apply_delta(base, delta, max_size)
