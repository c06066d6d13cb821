"""Known collisions are found in each half, and nothing else is.

The collision is the published one of SHAttered (Stevens, Bursztein, Karpman, Albertini and Markov,
"The first collision for full SHA-1", 2017): 192 bytes that both files begin with, then two blocks.
"""

import hashlib
import random
import sys
from collections.abc import Callable

import pytest

from tests.conformance.side import in_child
from workers import collisions
from workers._sha1 import hash_objects

BEGIN = bytes.fromhex("""
    255044462d312e330a25e2e3cfd30a0a0a312030206f626a0a3c3c2f57696474682032203020522f
    4865696768742033203020522f547970652034203020522f537562747970652035203020522f4669
    6c7465722036203020522f436f6c6f7253706163652037203020522f4c656e677468203820302052
    2f42697473506572436f6d706f6e656e7420383e3e0a73747265616d0affd8fffe00245348412d31
    20697320646561642121212121852fec092339759c39b1a1c63c4c97e1fffe01
""")
FIRST = bytes.fromhex("""
    7346dc9166b67e118f029ab621b2560ff9ca67cca8c7f85ba84c79030c2b3de218f86db3a90901d5
    df45c14f26fedfb3dc38e96ac22fe7bd728f0e45bce046d23c570feb141398bb552ef5a0a82be331
    fea48037b8b5d71f0e332edf93ac3500eb4ddc0decc1a864790c782c76215660dd309791d06bd0af
    3f98cda4bc4629b1
""")
DIFFERENCE = bytes.fromhex("""
    0c000002c0000010b400001c3c000004bc00001a200000102400001cec0000140c000002c0000010
    b400001c2c000004bc000018b00000100000000cb80000100c000002c0000010b400001c3c000004
    bc00001a200000102400001cec0000140c000002c0000010b400001c2c000004bc000018b0000010
    0000000cb8000010
""")
SECOND = bytes(one ^ other for one, other in zip(FIRST, DIFFERENCE, strict=True))


def found_in(*pieces: bytes) -> bytes:
    """Hash pieces in a process that looks; returns the noted oid, or nothing."""

    def run() -> int:
        collisions.start_looking()
        state = collisions.LookingHash()
        for piece in pieces:
            state.update(piece)
        assert state.digest() == hashlib.sha1(b"".join(pieces)).digest()
        sys.stdout.write((collisions.collision() or b"").hex())
        return 0

    done = in_child(b"", run)
    assert (done.returncode, done.stderr) == (0, b"")
    return bytes.fromhex(done.stdout.decode())


def succeeds(run: Callable[[], None]) -> None:
    """Do something in a process of its own."""
    done = in_child(b"", lambda: run() or 0)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("half", [FIRST, SECOND], ids=["first", "second"])
@pytest.mark.parametrize("behind", [b"", b"anything" * 1000], ids=["", "more behind"])
def test_each_half_is_found(half: bytes, behind: bytes) -> None:
    whole = BEGIN + half + behind
    assert found_in(whole) == hashlib.sha1(whole).digest()
    assert found_in(whole[:7], whole[7:150], whole[150:201], whole[201:])


def test_both_halves_have_one_digest() -> None:
    assert found_in(BEGIN + FIRST) == found_in(BEGIN + SECOND)


def test_what_is_no_half_is_not_found() -> None:
    changed = bytearray(BEGIN + FIRST)
    assert not found_in(BEGIN)
    assert not found_in(FIRST)
    assert not found_in(b"blob 320\0" + BEGIN + FIRST)
    assert not found_in(BEGIN + FIRST[:64] + SECOND[64:])
    changed[319] ^= 1
    assert not found_in(changed)


def test_nothing_is_found_in_what_has_no_pattern_and_in_text() -> None:
    choose = random.Random(1)
    assert not found_in(choose.randbytes(1 << 20))
    assert not found_in(b"".join(b"line %d\n" % number for number in range(100_000)))


def test_oids_are_the_same() -> None:
    choose = random.Random(2)
    objects = [
        (choose.randrange(1, 5), choose.randbytes(choose.choice((0, 1, 50, 64, 119, 5000))))
        for _ in range(200)
    ]
    expected = hash_objects(objects)

    def run() -> None:
        collisions.start_looking()
        assert hash_objects(objects) == expected
        assert collisions.collision() is None

    succeeds(run)


def test_what_a_child_finds_its_parent_hears_of() -> None:
    def run() -> None:
        collisions.start_looking()
        succeeds(lambda: collisions.LookingHash(BEGIN + FIRST).digest() and None)
        assert collisions.collision() == hashlib.sha1(BEGIN + SECOND).digest()

    succeeds(run)


def test_nobody_looks_unasked() -> None:
    def run() -> None:
        with pytest.raises(RuntimeError):
            collisions.LookingHash(b"x")

    succeeds(run)
