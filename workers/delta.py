"""Git's delta format: one object as copies from another one (its base) and inserted bytes.

A delta is two size headers (base, target) and instructions: copy a range of the base, or insert
the next 1 to 127 bytes. See gitformat-pack(5), "Deltified representation".

The coder trims what base and target have in common at both ends, which is most of two consecutive
versions of a file. From there on it hashes 16-byte blocks of the base's next 512 bytes, looks up
the target's bytes at every position, extends each match both ways, and goes on behind it in both.
Only when 64 bytes in a row found nothing, the rest of the base is surveyed: a block every 4 bytes
of what was not trimmed, and every 16 elsewhere, where only moved or repeated text is looked for;
one place for each hash, without chains.

Measured on 10,617 random pairs of versions out of git.git's history (one core, bytes in the cache;
"packed" is deflated by ISA-L level 3; the chosen row in a run of its own, the first took 19.0 µs):

    =================================== ===== ============ ============
    blocks of the base                  µs    delta bytes  packed bytes
    =================================== ===== ============ ============
    all, every 4 and 16 bytes, chained  19.8  6,019,536    3,783,415
    windows by 4; then all, chained     16.3  6,062,823    3,803,714
    windows by 4; survey by 4 and 16    14.0  6,199,071    3,858,613
    windows by 4; survey by 8 and 16    10.9  6,336,283    3,899,502
    windows by 4; survey by 16          10.2  6,669,217    4,043,037
    **windows by 2; survey by 4, 16**   15.0  6,176,673    3,847,695
    =================================== ===== ============ ============
"""

from __future__ import annotations

from workers import _delta, _delta_apply

TYPE_CHECKING = False
if TYPE_CHECKING:  # not worth its import time
    from typing_extensions import Buffer

__all__ = ["apply_delta", "apply_delta_into", "encode_delta"]


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
    return _delta_apply.apply_delta(base, delta, max_size)


def apply_delta_into(base: Buffer, delta: Buffer, target: Buffer) -> None:
    """Rebuild a target object in memory that is there for it, a mapped file perhaps.

    Args:
        base: Inflated bytes of the delta base.
        delta: Inflated delta, both size headers included.
        target: As long as the delta's second size header says.

    Raises:
        DeltaError: The delta is cut short, does not fit *base*, or builds another size.
    """
    _delta_apply.apply_delta_into(base, delta, target)
