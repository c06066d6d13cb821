"""Memory for blocks: what many recipes keep stays as it is, wherever the memory comes from."""

from __future__ import annotations

import random

import pytest

from fastio.objects.kinds import BLOB
from fastio.store.recipes import Recipes


@pytest.mark.parametrize("memory", [1 << 23, 1 << 24])
def test_blocks_are_kept_until_they_are_dropped(memory: int) -> None:
    """With the larger memory there is an arena."""
    rng = random.Random(memory)
    kept = Recipes(memory)
    contents = {}
    for key in range(4000):
        contents[key] = rng.randbytes(rng.choice([10, 1000, 20_000, 300_000][: 1 + key % 4]))
        kept.add_whole(key, BLOB, contents[key])
        assert kept.held <= memory
    found = {key: kept.content(key) for key in contents}
    assert 100 < sum(each is not None for each in found.values()) < 4000
    assert all(found[key] in (None, (BLOB, contents[key])) for key in contents)
