import hashlib
import random
import subprocess
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workers.delta import apply_delta, apply_delta_into, encode_delta
from workers.errors import DeltaError

FEW = settings(max_examples=150, derandomize=True, deadline=None)
NO_LIMIT = 1 << 40


def model_size(value: int) -> bytes:
    """Size encoding of gitformat-pack(5): seven bits a byte, lowest first, top bit for "more"."""
    groups = [value >> shift & 0x7F for shift in range(0, max(value.bit_length(), 1), 7)]
    return bytes(group | 0x80 for group in groups[:-1]) + bytes(groups[-1:])


def take_size(delta: list[int]) -> int:
    value = shift = 0
    while True:
        byte = delta.pop(0)
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value


def model_apply(base: bytes, delta: bytes, max_size: int) -> bytes | None:
    """Carry out a delta; None when there is anything wrong with it."""
    rest = list(delta)
    target = b""
    try:
        base_size, target_size = take_size(rest), take_size(rest)
        if base_size != len(base) or target_size > max_size:
            return None
        while rest:
            code = rest.pop(0)
            if code & 0x80:
                offset, size = (
                    sum(rest.pop(0) << 8 * i for i in range(count) if bits >> i & 1)
                    for bits, count in ((code, 4), (code >> 4, 3))
                )
                size = size or 0x10000
                if offset + size > len(base):
                    return None
                target += base[offset : offset + size]
            elif code == 0 or code > len(rest):
                return None
            else:
                target += bytes(rest[:code])
                del rest[:code]
    except IndexError:
        return None
    return target if len(target) == target_size else None


def edit(base: bytes, edits: list[tuple[int, int, bytes]]) -> bytes:
    for where, removed, added in edits:
        at = where % (len(base) + 1)
        base = base[:at] + added + base[at + removed :]
    return base


chunks = st.one_of(
    st.binary(max_size=300), st.builds(bytes.__mul__, st.binary(), st.integers(0, 9))
)
edits = st.lists(st.tuples(st.integers(0, 9999), st.integers(0, 200), chunks), max_size=6)
numbers = "".join(f"line {i} of a text that differs in few places\n" for i in range(60)).encode()
bases = st.one_of(chunks, st.just(numbers))


@FEW
@given(bases, edits)
def test_delta_of_edits_builds_the_target(base: bytes, edits: list[tuple[int, int, bytes]]) -> None:
    target = edit(base, edits)
    delta = encode_delta(base, target, max_size=NO_LIMIT)
    assert delta is not None
    assert model_apply(base, delta, len(target)) == target
    assert apply_delta(base, delta, max_size=len(target)) == target


@FEW
@given(bases, edits, st.integers(-1, 400))
def test_max_size_is_kept_and_sharp(
    base: bytes, edits: list[tuple[int, int, bytes]], limit: int
) -> None:
    target = edit(base, edits)
    unlimited = encode_delta(base, target, max_size=NO_LIMIT)
    assert unlimited is not None
    limited = encode_delta(base, target, max_size=limit)
    assert limited == (unlimited if len(unlimited) <= limit else None)


@FEW
@given(bases, st.one_of(st.binary(max_size=40), st.none()), st.data())
def test_any_delta_is_applied_as_by_the_model(
    base: bytes, body: bytes | None, data: st.DataObject
) -> None:
    if body is None:  # a sound delta, damaged at one place
        sound = bytearray(encode_delta(base, base[10:] + b"new", max_size=NO_LIMIT) or b"")
        sound[data.draw(st.integers(0, len(sound) - 1))] = data.draw(st.integers(0, 255))
        delta = bytes(sound)
    else:
        delta = model_size(len(base)) + body
    expected = model_apply(base, delta, 5000)
    if expected is None:
        with pytest.raises(DeltaError):
            apply_delta(base, delta, max_size=5000)
        with pytest.raises(DeltaError):
            apply_delta_into(base, delta, bytearray(5000))
    else:
        assert apply_delta(base, delta, max_size=5000) == expected
        room = bytearray(len(expected))
        apply_delta_into(base, delta, room)
        assert room == expected
        with pytest.raises(DeltaError):
            apply_delta_into(base, delta, bytearray(len(expected) + 1))


@FEW
@given(st.binary(max_size=30), st.binary(max_size=30))
@example(b"", b"")
@example(b"", b"\x80")
@example(b"", b"\xff" * 12 + b"\x7f")
@example(b"", b"\x00" + b"\xff" * 8 + b"\x01")
@example(b"", b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00\x00")
def test_nonsense_is_a_delta_error(base: bytes, delta: bytes) -> None:
    expected = model_apply(base, delta, 1000)
    if expected is not None:
        assert apply_delta(base, delta, max_size=1000) == expected
        return
    with pytest.raises(DeltaError):
        apply_delta(base, delta, max_size=1000)


@pytest.mark.parametrize(
    ("delta", "reason"),
    [
        (b"\x05", "cut short"),
        (b"\x04\x01\x01x", "another size"),
        (b"\x05\x02\x91\x04\x02", "outside its base"),
        (b"\x05\x01\x00", "reserved instruction"),
        (b"\x05\x02\x01x", "size it promises"),
        (b"\x05\x01\x02xy", "size it promises"),
        (b"\x05\x7f", "more than 100 bytes"),
    ],
)
def test_reasons_name_what_is_wrong(delta: bytes, reason: str) -> None:
    with pytest.raises(DeltaError, match=reason):
        apply_delta(b"12345", delta, max_size=100)


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 127, 128, 0xFFFF, 0x10000, 0x10001, 0x20000])
def test_sizes_around_the_instructions_limits(size: int) -> None:
    base = random.Random(size).randbytes(size)
    for target in (base, base + b"end", b"start" + base, b"x" * size):
        delta = encode_delta(base, target, max_size=NO_LIMIT)
        assert delta is not None
        assert model_apply(base, delta, len(target)) == target


def test_moved_text_is_copied() -> None:
    parts = [random.Random(i).randbytes(500) for i in range(6)]
    base, target = b"".join(parts), b"".join(parts[i] for i in (0, 3, 2, 1, 4, 5))
    delta = encode_delta(base, target, max_size=NO_LIMIT)
    assert delta is not None
    assert len(delta) < 40


def test_text_repeated_from_a_trimmed_part_is_copied() -> None:
    base = random.Random(1).randbytes(4000)
    delta = encode_delta(base, base[:3000] + base[100:600] + base[3000:], max_size=NO_LIMIT)
    assert delta is not None
    assert len(delta) < 60


@pytest.mark.parametrize(
    "pattern",
    [b"a", b"ab", b"abc" * 7, bytes(range(256)), random.Random(5).randbytes(24)],
    ids=["one byte", "two", "21", "256", "24 of chance"],
)
def test_repetitive_data_takes_linear_time(pattern: bytes) -> None:
    half = 10_000_000
    base = (pattern * (half // len(pattern) + 1))[:half]
    spoiled = bytearray(base)
    spoiled[::1009] = bytes(255 - byte for byte in spoiled[::1009])
    start = time.process_time()
    delta = encode_delta(base, b"x" + spoiled + base[:5], max_size=NO_LIMIT)
    assert time.process_time() - start < 2
    assert delta is not None
    assert apply_delta(base, delta, max_size=2 * half) == b"x" + spoiled + base[:5]


def test_unlike_data_is_given_up_early() -> None:
    base, target = (random.Random(seed).randbytes(10_000_000) for seed in (1, 2))
    start = time.process_time()
    assert encode_delta(base, target, max_size=1000) is None
    assert time.process_time() - start < 1


def test_deltas_unchanged() -> None:
    """What is written must not depend on the day: packs are compared byte by byte."""
    source, digest = random.Random(7), hashlib.sha256()
    for _ in range(50):
        lines = [source.choice(numbers.split(b"\n")) for _ in range(200)]
        base = b"\n".join(lines)
        del lines[source.randrange(200)]
        lines.insert(source.randrange(199), source.randbytes(30))
        source.shuffle(lines[50:60])
        digest.update(encode_delta(base, b"\n".join(lines), max_size=NO_LIMIT) or b"")
    assert digest.hexdigest()[:16] == "88bea6d12e62f0f3"


def pack_entry(kind: int, size: int, head: bytes, body: bytes) -> bytes:
    header, size = [kind << 4 | size & 15], size >> 4
    while size:
        header[-1] |= 0x80
        header.append(size & 0x7F)
        size >>= 7
    return bytes(header) + head + zlib.compress(body)


@pytest.mark.git
def test_git_reads_our_deltas(tmp_path: Path) -> None:
    base = numbers * 40
    target = edit(base, [(90, 5, b"changed"), (4000, 0, base[9000:9700]), (70_000, 30, b"\0")])
    delta = encode_delta(base, target, max_size=NO_LIMIT)
    assert delta is not None
    oid = hashlib.sha1(b"blob %d\0" % len(base) + base).digest()
    pack = b"PACK\0\0\0\x02\0\0\0\x02" + pack_entry(3, len(base), b"", base)
    pack += pack_entry(7, len(delta), oid, delta)
    pack += hashlib.sha1(pack).digest()
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "index-pack", "--strict", "--stdin"], input=pack, check=True)
    name = hashlib.sha1(b"blob %d\0" % len(target) + target).hexdigest()
    shown = subprocess.run([*git, "cat-file", "blob", name], check=True, capture_output=True)
    assert shown.stdout == target
