"""Two hundred random streams, the same ones every time; the campaign takes any number."""

import pytest

from tests.differential.campaign import Finding, compare, show, version_of

STREAMS_A_TEST = 25


@pytest.fixture(scope="module")
def version(real_git):
    return version_of(real_git)


@pytest.mark.git
@pytest.mark.parametrize("first", range(0, 200, STREAMS_A_TEST))
def test_random_streams_give_what_git_gives(first, version, real_git, worlds, tmp_path):
    found = []
    for seed in range(first, first + STREAMS_A_TEST):
        _, result = compare(real_git, seed, worlds, tmp_path, version=version)
        if isinstance(result, Finding):
            found.append(show(result))
    assert not found, "\n".join(found)
