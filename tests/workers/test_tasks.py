import hashlib
import random
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.arena import Arena
from workers.delta import apply_delta, encode_delta
from workers.errors import CodecError, TaskError
from workers.rows import (
    DELTA,
    FAILED,
    FULL,
    NO_OID,
    RESULT_SIZE,
    TASK_SIZE,
    Result,
    Task,
    unpack_results,
)
from workers.tasks import Settings, deflate_bound, encode

FEW = settings(max_examples=100, derandomize=True, deadline=None)
KINDS = {1: b"commit", 2: b"tree", 3: b"blob", 4: b"tag"}
DEFAULTS = Settings()
SIZE = 102_400
TEXT = "".join(f"a line, number {i}\n" for i in range(200)).encode()
bodies = st.one_of(
    st.binary(max_size=60),
    st.builds(bytes.__mul__, st.binary(), st.integers(0, 100)),
    st.builds(lambda at, new: TEXT[:at] + new + TEXT[at:], st.integers(0, 4000), st.binary()),
)


class Desk:
    """A small arena: places objects one after the other, keeps the tasks.

    What is only read lies in the annex if there is one: a filled *annex* with room behind it.
    """

    def __init__(self, annex: bytearray | None = None) -> None:
        self.arena, self.annex = Arena(SIZE), annex
        self.memory = self.arena.view
        self.memory[:] = b"\xee" * SIZE
        if annex is not None:
            self.arena.attach(annex)
        self.end = self.annex_end = 0
        self.tasks: list[Task] = []

    def place(self, content: bytes) -> int:
        self.memory[self.end : self.end + len(content)] = content
        self.end += len(content)
        return self.end - len(content)

    def place_input(self, content: bytes) -> int:
        if self.annex is None:
            return self.place(content)
        start = self.annex_end
        self.annex_end += len(content)
        assert self.annex_end <= len(self.annex)
        self.annex[start : self.annex_end] = content
        return SIZE + start

    def add(
        self,
        raw: bytes,
        base: bytes | None = None,
        *,
        kind: int = 3,
        max_delta: int | None = None,
        room: int | None = None,
        flags: int = 0,
    ) -> None:
        room = deflate_bound(len(raw)) if room is None else room
        base_place = (-1, 0) if base is None else (self.place_input(base), len(base))
        limit = len(raw) if max_delta is None else max_delta
        raw_place, out = self.place_input(raw), self.place(bytes(room))
        self.tasks.append(Task(raw_place, len(raw), *base_place, out, room, limit, kind, flags))

    def run(self, settings: Settings = DEFAULTS) -> list[Result]:
        batch = b"".join(task.pack() for task in self.tasks)
        return unpack_results(encode(self.arena, batch, settings))

    def payload(self, number: int, result: Result) -> bytes:
        start = self.tasks[number].out_offset
        return bytes(self.memory[start : start + result.packed_size])


@FEW
@given(bodies, st.one_of(st.none(), bodies), st.sampled_from(sorted(KINDS)), st.integers(-1, 9))
def test_result_agrees_with_its_model(
    raw: bytes, base: bytes | None, kind: int, level: int
) -> None:
    desk = Desk()
    desk.add(raw, base, kind=kind)
    (result,) = desk.run(Settings(level=level))
    payload = desk.payload(0, result)
    inflated = zlib.decompress(payload)
    assert result.oid[:20] == hashlib.sha1(b"%s %d\0" % (KINDS[kind], len(raw)) + raw).digest()
    assert result.oid[20:] == bytes(12)
    assert (result.crc, result.inflated_size) == (zlib.crc32(payload), len(inflated))
    if result.form == DELTA:
        assert base is not None
        assert inflated == encode_delta(base, raw, max_size=len(raw))
        assert apply_delta(base, inflated, max_size=len(raw)) == raw
    else:
        assert inflated == raw
    assert len(payload) <= deflate_bound(len(raw))
    assert desk.memory[desk.end :] == b"\xee" * (SIZE - desk.end)


@FEW
@given(bodies, st.one_of(st.none(), bodies), st.integers(1, 100))
def test_annex_is_read_like_the_arena(raw: bytes, base: bytes | None, ahead: int) -> None:
    near, far = Desk(), Desk(bytearray(SIZE))
    for desk in (near, far):
        desk.place_input(bytes(ahead))
        desk.add(raw, base)
        desk.add(raw)
    assert far.run() == near.run()
    for number, result in enumerate(near.run()):
        assert far.payload(number, result) == near.payload(number, result)


def test_struct_sizes_are_those_of_the_layout() -> None:
    assert (TASK_SIZE, RESULT_SIZE) == (64, 56)


def test_a_known_oid_is_not_computed_again() -> None:
    desk = Desk()
    for flags in (0, NO_OID):
        desk.add(TEXT + b"tail", TEXT, flags=flags)
        desk.add(TEXT, kind=1, flags=flags)
    results = desk.run()
    assert [result._replace(oid=bytes(32)) for result in results[:2]] == results[2:]
    assert results[0].oid != bytes(32)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_every_object_of_a_batch_gets_its_own_oid(object_format: str) -> None:
    desk = Desk()
    for number in range(60):
        desk.add(bytes([number]) * (number * 37 % 1500), flags=NO_OID if number % 7 == 0 else 0)
    results = desk.run(Settings(object_format=object_format))
    for task, result in zip(desk.tasks, results, strict=True):
        raw = bytes(desk.memory[task.raw_offset : task.raw_offset + task.raw_size])
        oid = hashlib.new(object_format, b"blob %d\0" % len(raw) + raw).digest()
        assert result.oid == (bytes(32) if task.flags else oid.ljust(32, b"\0"))


def test_sha256_fills_the_oid() -> None:
    desk = Desk()
    desk.add(b"abc")
    (result,) = desk.run(Settings(object_format="sha256"))
    assert result.oid == hashlib.sha256(b"blob 3\0abc").digest()


def test_alike_objects_become_deltas() -> None:
    desk = Desk()
    desk.add(TEXT.replace(b"number 77", b"number seventy-seven"), TEXT)
    (result,) = desk.run()
    assert result.form == DELTA
    assert result.packed_size < 60


def test_max_delta_is_kept() -> None:
    desk = Desk()
    for limit in (10, 11, 0, -1):
        desk.add(TEXT + b"tail", TEXT, max_delta=limit)
    sizes = [(result.form, result.inflated_size) for result in desk.run()]
    full = (FULL, len(TEXT) + 4)
    size = len(encode_delta(TEXT, TEXT + b"tail", max_size=99) or b"")
    assert sizes == [(DELTA, size) if size <= limit else full for limit in (10, 11, 0, -1)]


def test_unlike_and_very_small_objects_stay_full() -> None:
    desk = Desk()
    desk.add(random.Random(1).randbytes(5000), TEXT)
    desk.add(b"x" * 31, b"x" * 31)
    assert [result.form for result in desk.run()] == [FULL, FULL]


def test_full_form_wins_where_it_is_smaller() -> None:
    desk = Desk()
    noise = [random.Random(seed).randbytes(40) for seed in range(50)]
    base = b"".join(noise)
    # Half of the target is copied in small scattered pieces; deflated it is next to nothing.
    target = b"".join(piece[:16] + b"\0" * 40 for piece in noise[:2]) + bytes(3000)
    desk.add(target, base)
    (result,) = desk.run()
    packed_full = len(zlib.compress(target))
    assert result.packed_size <= packed_full + 10


def test_payload_without_room_fails_and_writes_nothing_beyond() -> None:
    desk = Desk()
    desk.add(random.Random(3).randbytes(100), room=50)
    desk.add(b"1234567", room=3)
    before = bytes(desk.memory)
    results = desk.run()
    assert [(result.form, result.packed_size) for result in results] == [(FAILED, -1)] * 2
    assert desk.memory == before
    assert results[1].oid[:20] == hashlib.sha1(b"blob 7\x001234567").digest()


@pytest.mark.parametrize("level", [-1, 0, 1, 6])
def test_bound_is_always_enough(level: int) -> None:
    desk = Desk()
    for size in (0, 1, 40, 41, 100, 1024, 1025, 30_000):
        desk.add(random.Random(size).randbytes(size))
    results = desk.run(Settings(level=level))
    for number, result in enumerate(results):
        task = desk.tasks[number]
        raw = desk.memory[task.raw_offset : task.raw_offset + task.raw_size]
        assert zlib.decompress(desk.payload(number, result)) == raw


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": 0},
        {"kind": 5},
        {"flags": 2},
        {"flags": -2},
        {"raw_offset": -1},
        {"raw_size": -1},
        {"raw_size": SIZE + 1},
        {"raw_offset": 1 << 62, "raw_size": 1 << 62},
        {"base_offset": -2},
        {"base_offset": SIZE - 1, "base_size": 2},
        {"raw_offset": SIZE, "raw_size": 1},
        {"out_offset": SIZE + 1},
        {"out_capacity": 1 << 63 - 1},
    ],
)
def test_tasks_outside_the_arena_are_refused(changed: dict[str, int]) -> None:
    desk = Desk()
    desk.add(TEXT, TEXT)
    desk.tasks[0] = desk.tasks[0]._replace(**changed)
    with pytest.raises(TaskError):
        desk.run()


@pytest.mark.parametrize(
    "changed",
    [
        {"raw_offset": SIZE - 1, "raw_size": 2},  # half here, half there
        {"raw_offset": SIZE + 9_000, "raw_size": 1_001},
        {"raw_offset": SIZE + 10_001, "raw_size": 0},
        {"raw_offset": SIZE, "raw_size": -1},
        {"base_offset": SIZE, "base_size": 10_001},
        {"base_offset": (1 << 63) - 1, "base_size": 1},
        {"out_offset": SIZE, "out_capacity": 1},  # nothing is written there
    ],
)
def test_tasks_outside_the_annex_are_refused(changed: dict[str, int]) -> None:
    desk = Desk(bytearray(10_000))
    desk.add(TEXT, TEXT)
    desk.tasks[0] = desk.tasks[0]._replace(**changed)
    with pytest.raises(TaskError):
        desk.run()


def test_cut_batches_and_unknown_settings_are_refused() -> None:
    desk = Desk()
    with pytest.raises(TaskError, match="63 bytes"):
        encode(desk.arena, bytes(63), Settings())
    with pytest.raises(TaskError, match="md5"):
        desk.run(Settings(object_format="md5"))
    with pytest.raises(CodecError):
        desk.run(Settings(level=10))


def test_payloads_unchanged() -> None:
    """Only payloads that our own code writes: a library's update may change what it makes."""
    digest = hashlib.sha256()
    for size in range(41):
        desk = Desk()
        desk.add(random.Random(size).randbytes(size))
        desk.add(TEXT[size:] + b"tail", TEXT)
        for number, result in enumerate(desk.run()):
            digest.update(repr(result).encode() + desk.payload(number, result))
    assert digest.hexdigest()[:16] == "cd8bb7825d92f10d"
