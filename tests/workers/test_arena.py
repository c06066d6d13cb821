import mmap
import os

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.leftovers import shared_files
from workers.arena import Arena
from workers.errors import ArenaError

SIZE = 64 * 1024
sizes = st.one_of(st.integers(0, 300), st.integers(0, SIZE // 3))


class ArenaModel(RuleBasedStateMachine):
    """Live blocks as a dict of offset → the bytes written there."""

    def __init__(self) -> None:
        super().__init__()
        self.arena = Arena(SIZE)
        self.blocks: dict[int, bytes] = {}

    @rule(n=sizes, fill=st.integers(0, 255))
    def allocate(self, n: int, fill: int) -> None:
        offset = self.arena.allocate(n)
        if offset == -1:
            assert self.arena.used + n > SIZE // 4  # nothing fits: not while nearly empty
            return
        for other, content in self.blocks.items():
            assert offset + n <= other or other + len(content) <= offset
        self.blocks[offset] = bytes([fill]) * n
        self.arena.view[offset : offset + n] = self.blocks[offset]

    @precondition(lambda self: self.blocks)
    @rule(data=st.data())
    def free(self, data: st.DataObject) -> None:
        offset = data.draw(st.sampled_from(sorted(self.blocks)))
        self.arena.free(offset)
        del self.blocks[offset]

    @precondition(lambda self: self.blocks)
    @rule(data=st.data())
    def shrink(self, data: st.DataObject) -> None:
        offset = data.draw(st.sampled_from(sorted(self.blocks)))
        kept = data.draw(st.integers(0, len(self.blocks[offset])))
        self.arena.shrink(offset, kept)
        self.blocks[offset] = self.blocks[offset][:kept]

    @precondition(lambda self: self.blocks)
    @rule(data=st.data(), pinned=st.booleans())
    def compact(self, data: st.DataObject, pinned: bool) -> None:
        moving = sorted(self.blocks)
        if pinned:
            moving = data.draw(st.lists(st.sampled_from(moving), unique=True))
        places = dict(zip(moving, self.arena.compact(moving), strict=True))
        assert all(new <= old for old, new in places.items())
        self.blocks = {places.get(old, old): kept for old, kept in self.blocks.items()}

    @invariant()
    def same_content(self) -> None:
        self.arena.check_invariants()
        for offset, content in self.blocks.items():
            assert self.arena.size_of(offset) == len(content)
            assert self.arena.view[offset : offset + len(content)] == content


TestArena = ArenaModel.TestCase
TestArena.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)


def test_compact_leaves_one_gap() -> None:
    arena = Arena(SIZE)
    offsets = [arena.allocate(1000) for _ in range(50)]
    for offset in offsets[::2]:
        arena.free(offset)
    assert arena.allocate(SIZE - 27_000) == -1
    arena.compact(offsets[1::2])
    assert arena.allocate(SIZE - 27_000) != -1


def test_recently_freed_memory_is_used_again() -> None:
    arena = Arena(1 << 20)
    first, _ = arena.allocate(1000), arena.allocate(1000)
    arena.free(first)
    assert arena.allocate(990) == first


def test_full_arena_says_minus_one() -> None:
    arena = Arena(4096)
    assert arena.allocate(4096) == -1
    assert arena.allocate(4096 - 64 - 16) > 0
    assert arena.allocate(0) == -1
    assert arena.allocate(-1) == -1


@pytest.mark.parametrize("offset", [-1, 0, 16, 64, 81, 4096 + 16, 1 << 40])
def test_offsets_that_name_no_block_are_refused(offset: int) -> None:
    arena = Arena(4096)
    for refuse in (arena.free, arena.size_of, lambda place: arena.compact([place])):
        with pytest.raises(ArenaError):
            refuse(offset)
    arena.check_invariants()


def test_double_free_is_refused() -> None:
    arena = Arena(4096)
    offset = arena.allocate(10)
    arena.free(offset)
    with pytest.raises(ArenaError):
        arena.free(offset)


def test_shrink_cannot_grow() -> None:
    arena = Arena(4096)
    offset = arena.allocate(10)
    with pytest.raises(ArenaError, match="11 bytes"):
        arena.shrink(offset, 11)


@pytest.mark.parametrize("size", [-1, 0, 4095, 1 << 60])
def test_impossible_sizes_are_refused(size: int) -> None:
    with pytest.raises(ArenaError):
        Arena(size)


def test_no_memory_is_an_arena_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(mmap, "mmap", refuse)
    with pytest.raises(ArenaError, match="Cannot allocate memory"):
        Arena(1 << 20)


def test_annex_is_kept_and_not_copied() -> None:
    arena = Arena(1 << 16)
    assert (arena.annex, arena.annex_size) == (None, 0)
    content = bytearray(b"elsewhere")
    arena.attach(memoryview(content).toreadonly())
    content[:4] = b"some"
    assert (arena.annex, arena.annex_size) == (b"somewhere", 9)
    with pytest.raises(BufferError):
        content.clear()
    arena.attach(b"")
    content.clear()
    arena.check_invariants()


def test_dev_shm_is_not_used() -> None:
    before = shared_files()
    arena = Arena(1 << 24)
    assert shared_files() == before
    arena.view[:4] = b"kept"


@pytest.mark.parametrize("shared", [True, False])
def test_what_a_child_writes_is_seen_where_the_arena_is_shared(shared: bool) -> None:
    arena = Arena(1 << 16, shared=shared)
    arena.view[:4] = b"mine"
    child = os.fork()
    if not child:
        arena.view[:4] = b"ours"
        os._exit(0)
    os.waitpid(child, 0)
    assert arena.view[:4] == (b"ours" if shared else b"mine")
