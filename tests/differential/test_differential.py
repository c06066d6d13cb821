"""Some hundred random streams, the same ones every time; the campaign takes any number."""

import pytest

from tests.differential.compare import Finding, show

STREAMS_A_TEST = 50


@pytest.mark.git
@pytest.mark.parametrize("first", range(0, 300, STREAMS_A_TEST))
def test_random_streams_give_what_git_gives(first, comparer):
    found = []
    for seed in range(first, first + STREAMS_A_TEST):
        _, result = comparer.compare(seed)
        if isinstance(result, Finding):
            found.append(show(result))
    assert not found, "\n".join(found)
    assert comparer.audit.complaints() == []
