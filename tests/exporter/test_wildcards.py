"""Patterns of refs, against those of a real git."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastio.exporter.wildcards import wildcard
from tests.store.work import Work

NAMES = ("a", "ab", "b", "a/b", "a-b", "B", "1", "a/b/c", "]", "!x", "é")
PATTERNS = (
    *("a*", "*b", "a?b", "[ab]", "[!a]", "[^a]*", "[a-c]*", "[[:upper:]]", "[[:digit:]x]", "*"),
    *("**/b", "a/*", "[]]", "[!]]*", "[a", "[[:none:]]", "[b-a]", "?", "a/**", "*/*", "[!!]*"),
)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Work:
    made = Work(tmp_path_factory.mktemp("patterns") / "work")
    commit = made.commit()
    for number, name in enumerate(NAMES):
        # Each in a folder of its own, as a/b cannot stand beside a.
        made("update-ref", f"refs/p{number}/{name}", commit)
    return made


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_match_what_they_match_in_git(work: Work, pattern: str) -> None:
    full = f"refs/p*/{pattern}"
    listed = work("rev-parse", "--symbolic", f"--glob={full}").splitlines()
    match = wildcard(full.encode())
    ours = [name for n, part in enumerate(NAMES) if match((name := f"refs/p{n}/{part}").encode())]
    assert sorted(listed) == sorted(ours)


@given(st.binary(max_size=12), st.binary(max_size=6))
def test_no_pattern_is_too_odd(pattern: bytes, text: bytes) -> None:
    assert wildcard(pattern)(text) in (True, False)


@given(st.binary(max_size=6))
def test_what_is_escaped_matches_itself_only(text: bytes) -> None:
    pattern = b"".join(b"\\" + bytes([char]) for char in text)
    assert wildcard(pattern)(text)
    assert not wildcard(pattern)(text + b"x")
