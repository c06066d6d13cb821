"""A few hundred random streams, the same ones every time; the campaign takes any number."""

import pytest

from tests.differential.campaign import RECENT, Finding, compare, show, version_of

STREAMS_A_TEST = 25


@pytest.fixture(scope="module")
def recent(real_git):
    return version_of(real_git) >= RECENT


@pytest.mark.git
@pytest.mark.parametrize("first", range(0, 300, STREAMS_A_TEST))
def test_random_streams_give_what_git_gives(first, recent, real_git, worlds, tmp_path):
    found = []
    for seed in range(first, first + STREAMS_A_TEST):
        _, result = compare(real_git, seed, worlds, tmp_path, recent=recent)
        if isinstance(result, Finding):
            found.append(show(result))
    assert not found, "\n".join(found)
