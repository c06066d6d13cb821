"""Lists of refs where git does not give one."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from fastio.exporter.ref_list import RefList, UnclearError
from fastio.store.git import Finished


class CrashingGit:
    """Lists one ref, of an object that it does not look at."""

    def run(self, command: str, *_words: str, **_keywords: object) -> Finished:
        if command == "cat-file":
            return Finished(-6, b"", b"BUG")
        return Finished(128, b"1" * 40 + b" ? refs/heads/main  \n", b"")


def test_a_git_that_crashes_is_an_error() -> None:
    refs = RefList(SimpleNamespace(git=CrashingGit()), lambda: None)  # type: ignore[arg-type]
    with pytest.raises(UnclearError, match="does not tell what refs point to"):
        refs.chosen(b"refs/", None)
