"""Recipes: the model applies each delta to the whole content of its base."""

from __future__ import annotations

import gc
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastio.errors import DeltaError
from fastio.objects.kinds import BLOB
from fastio.store._recipe_runs import part, shared_runs
from fastio.store.recipes import Recipes
from workers.delta import apply_delta

FEW = settings(max_examples=100, derandomize=True, deadline=None)
PIECE = 12  # bytes


def number(value: int) -> bytes:
    groups = [value >> shift & 0x7F for shift in range(0, max(value.bit_length(), 1), 7)]
    return bytes(group | 0x80 for group in groups[:-1]) + bytes(groups[-1:])


def copy(offset: int, size: int) -> bytes:
    """A copy instruction with all its bytes, some of which may be zero."""
    return b"\xff" + offset.to_bytes(4, "little") + size.to_bytes(3, "little")


def make_delta(rng: random.Random, base: bytes, *, steps: int) -> bytes:
    """Some instructions, mostly copies in order as those of real deltas are."""
    parts, size, at = [], 0, 0
    for _ in range(rng.randint(0, steps)):
        if base and rng.random() < 0.7:
            start = at if rng.random() < 0.6 and at < len(base) else rng.randrange(len(base))
            length = min(rng.randint(1, max(len(base), 1)), len(base) - start, 0xFFFF)
            parts.append(copy(start, length))
            at = start + length + rng.choice([0, 0, 1, 20])
        else:
            length = rng.choice([1, 5, 127])
            parts.append(bytes([length]) + rng.randbytes(length))
        size += length
    return number(len(base)) + number(size) + b"".join(parts)


@FEW
@given(
    st.randoms(use_true_random=False),
    st.sampled_from([0, 1, 100, 5000, 70_000]),
    st.sampled_from([3, 10, 40]),
    st.sampled_from([1 << 16, 1 << 20, 1 << 24]),
)
def test_recipes_make_what_deltas_applied_one_by_one_make(
    rng: random.Random, size: int, steps: int, memory: int
) -> None:
    recipes = Recipes(memory)
    model: dict[int, bytes] = {0: rng.randbytes(size)}
    recipes.add_whole(0, BLOB, model[0])
    for key in range(1, 40):
        base_key = key - 1 if rng.random() < 0.7 else rng.randrange(key)
        if base_key not in model:
            continue
        delta = make_delta(rng, model[base_key], steps=steps)
        target = apply_delta(model[base_key], delta, max_size=1 << 30)
        if len(target) > recipes.largest:
            try:
                assert not recipes.add_delta(key, base_key, delta)
                assert recipes.content(base_key) is None  # dropped: nobody knows how large it is
            except DeltaError as error:
                assert "too large" in str(error)  # noqa: PT017 - it may also be unknown
            recipes.add_whole(key, BLOB, target[: recipes.largest])
            model[key] = target[: recipes.largest]
        elif recipes.add_delta(key, base_key, delta):
            model[key] = target
    for key, content in model.items():
        assert recipes.content(key) in (None, (BLOB, content))
        assert memory < 1 << 24 or recipes.content(key)


Span = tuple[object, int, int]  # from where, its start, its size


def composed(base: list[Span], delta: list[Span]) -> list[Span]:
    """Compose a delta, whose own copies are spans of None, with what its base is made of."""
    spans: list[Span] = []
    for source, start, size in delta:
        cut = [(source, start, size)]
        if source is None:
            places = [(origin, at + i) for origin, at, length in base for i in range(length)]
            cut = [(origin, at, 1) for origin, at in places[start : start + size]]
        for origin, at, length in cut:
            if spans and spans[-1][0] == origin and sum(spans[-1][1:]) == at:
                spans[-1] = (origin, spans[-1][1], spans[-1][2] + length)
            else:
                spans.append((origin, at, length))
    return spans


@FEW
@given(st.randoms(use_true_random=False), st.integers(1, 12))
def test_pieces_are_those_that_composing_by_hand_gives(rng: random.Random, depth: int) -> None:
    recipes = Recipes(1 << 24)
    content = rng.randbytes(3001)  # no multiple of eight: no neighbour in memory goes on with it
    spans: list[Span] = [("root", 0, len(content))]
    recipes.add_whole(0, BLOB, content)
    for key in range(1, depth):
        cuts = sorted(rng.sample(range(len(content)), 2 * rng.randint(1, 4)))
        delta, parts, at = [], [], 0
        for start, stop in zip(cuts[::2], cuts[1::2], strict=True):
            stop = min(stop, start + 20)
            fresh = rng.randbytes(rng.randint(1, 9))
            parts.append(
                (copy(at, start - at) if start > at else b"") + bytes([len(fresh)]) + fresh
            )
            delta += [(None, at, start - at), (f"{key} {start}", 0, len(fresh))]
            at = stop
        delta.append((None, at, len(content) - at))
        parts.append(copy(at, len(content) - at) if at < len(content) else b"")
        size = sum(length for *_, length in delta)
        packed = number(len(content)) + number(size) + b"".join(parts)
        content = apply_delta(content, packed, max_size=1 << 20)
        assert recipes.add_delta(key, key - 1, packed)
        assert recipes.content(key) == (BLOB, content)
        spans = composed(spans, [span for span in delta if span[2]])
        if len(spans) > len(content) // (2 * PIECE):
            spans = [(key, 0, len(content))]
        assert recipes.sizes(key) == [length for *_, length in spans]


def edited(rng: random.Random, base: list[int]) -> tuple[list[int], bytes]:
    """Replace a few ranges; return where the target's bytes come from (-1: new) and the delta."""
    cuts = sorted(rng.sample(range(len(base)), 2 * rng.randint(1, 4)))
    places, parts, at = [], [], 0
    for start, stop in zip(cuts[::2], cuts[1::2], strict=True):
        fresh = rng.randbytes(rng.randint(1, 9))
        parts.append((copy(at, start - at) if start > at else b"") + bytes([len(fresh)]) + fresh)
        places += [*range(at, start), *[-1] * len(fresh)]
        at = min(stop, start + rng.choice([0, 20]))
    parts.append(copy(at, len(base) - at))
    places += range(at, len(base))
    return places, number(len(base)) + number(len(places)) + b"".join(parts)


@FEW
@given(st.randoms(use_true_random=False), st.integers(2, 12))
def test_runs_are_what_two_objects_copy_from_one_place(rng: random.Random, depth: int) -> None:
    recipes, content = Recipes(1 << 24), rng.randbytes(3001)
    origins = [[(0, place) for place in range(len(content))]]  # for each byte, where it came up
    contents = [content]
    recipes.add_whole(0, BLOB, content)
    for key in range(1, depth):
        base = rng.randrange(key)
        places, delta = edited(rng, list(range(len(contents[base]))))
        assert recipes.add_delta(key, base, delta)
        contents.append(apply_delta(contents[base], delta, max_size=1 << 20))
        origins.append(
            [(key, at) if place < 0 else origins[base][place] for at, place in enumerate(places)]
        )
    old, new = rng.randrange(depth), rng.randrange(depth)
    runs = shared_runs(recipes, old, new)
    assert runs is not None
    pairs = [(left + at, right + at) for left, right, size in runs for at in range(size)]
    assert pairs == sorted(set(pairs))
    assert all(origins[old][left] == origins[new][right] for left, right in pairs)
    common = {origin for origin in origins[old] if origin[0] == 0} & set(origins[new])
    pieces = len(recipes.sizes(old) or []) + len(recipes.sizes(new) or [])
    assert len(common) - len(pairs) <= 20 * pieces  # passed over: shorter than what was replaced


@FEW
@given(st.randoms(use_true_random=False))
def test_parts_are_those_of_the_whole(rng: random.Random) -> None:
    recipes, content = Recipes(1 << 24), rng.randbytes(3001)
    recipes.add_whole(0, BLOB, content)
    for key in range(1, 9):
        _, delta = edited(rng, list(range(len(content))))
        assert recipes.add_delta(key, key - 1, delta)
        content = apply_delta(content, delta, max_size=1 << 20)
        at, end = sorted(rng.sample(range(len(content)), 2))
        assert part(recipes, key, at, end) == content[at:end]


def test_objects_of_other_families_share_no_runs() -> None:
    recipes = Recipes(1 << 20)
    recipes.add_whole(1, BLOB, b"same")
    recipes.add_whole(2, BLOB, b"same")
    assert shared_runs(recipes, 1, 2) is None
    assert shared_runs(recipes, 1, 3) is None
    assert shared_runs(recipes, 1, 1) == [(0, 0, 4)]


def test_families_unused_for_longest_are_dropped() -> None:
    recipes = Recipes(1 << 20)
    for key in range(5):
        recipes.add_whole(key, BLOB, bytes([key]) * 250_000)
        assert recipes.content(0)
        assert recipes.held <= 1 << 20
    assert [recipes.content(key) is not None for key in range(5)] == [1, 0, 0, 1, 1]
    assert recipes.count == 3


def test_a_family_that_grows_too_large_is_continued_in_another() -> None:
    recipes = Recipes(1 << 20)
    rng = random.Random(1)
    content = rng.randbytes(20_000)
    recipes.add_whole(0, BLOB, content)
    for key in range(1, 300):
        fresh = rng.randbytes(16_000)  # the half of it, so that most are built
        inserted = b"".join(b"\x64" + fresh[at : at + 100] for at in range(0, len(fresh), 100))
        delta = number(20_000) + number(20_000) + copy(0, 4000) + inserted
        assert recipes.add_delta(key, key - 1, delta)
        content = content[:4000] + fresh
        assert recipes.content(key) == (BLOB, content)
        assert recipes.held <= (1 << 20) + 50_000
    assert recipes.content(0) is None
    assert recipes.content(290)


@pytest.mark.parametrize(
    ("delta", "message"),
    [
        (b"", "cut short"),
        (number(9), "cut short"),
        (number(10) + number(3) + copy(0, 3), "another size"),
        (number(9) + number(3) + copy(7, 3), "outside its base"),
        (number(9) + number(3) + b"\0", "reserved"),
        (number(9) + number(3) + b"\x03ab", "cut short"),
        (number(9) + number(3) + b"\x91\0", "cut short"),
        (number(9) + number(3) + copy(0, 4), "promises"),
        (number(9) + number(3) + copy(0, 2), "promises"),
        (number(9) + number(1 << 60) + copy(0, 2), "too large"),
        (b"\xff" * 30, "cut short"),
    ],
)
def test_damaged_deltas_are_refused(delta: bytes, message: str) -> None:
    recipes = Recipes(1 << 20)
    recipes.add_whole(1, BLOB, b"some base")
    with pytest.raises(DeltaError, match=message):
        recipes.add_delta(2, 1, delta)
    assert recipes.content(1) == (BLOB, b"some base")
    assert recipes.content(2) is None


@FEW
@given(st.binary(max_size=60))
def test_noise_is_refused_or_applied_as_the_model_does(noise: bytes) -> None:
    recipes, base, delta = Recipes(1 << 24), bytes(range(200)) * 3, number(600) + noise
    recipes.add_whole(1, BLOB, base)
    try:
        expected = apply_delta(base, delta, max_size=recipes.largest)
    except Exception:  # noqa: BLE001 - whatever it is, it is an error here too
        with pytest.raises(DeltaError):
            recipes.add_delta(2, 1, delta)
    else:
        recipes.add_delta(2, 1, delta)
        assert recipes.content(2) == (BLOB, expected)


def test_many_objects_make_the_table_grow() -> None:
    recipes = Recipes(1 << 26)
    for key in range(5000):
        recipes.add_whole(key << 20, BLOB, b"%d" % key)
    assert recipes.count == 5000
    assert all(recipes.content(key << 20) == (BLOB, b"%d" % key) for key in range(5000))


@pytest.mark.parametrize("memory", [1 << 16, 1 << 24])  # the C library's, and an arena
def test_recipes_in_a_cycle_are_collected(memory: int) -> None:
    holder: list[object] = [Recipes(memory)]
    holder[0].add_whole(1, BLOB, bytes(5000))  # type: ignore[attr-defined]
    holder.append(holder)  # as the frames do that an error keeps
    del holder
    gc.collect()  # it took the memory away before what was to be given back to it
