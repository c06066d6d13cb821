"""What is configured for logs, diffs and colours is nothing to an export, be it good or bad."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fastio.exporter.neutral_git import neutral_git
from fastio.store.repository import Repository
from tests.exporter.records import LINE
from tests.exporter.source import Source

BAD = (
    *("log.showRoot=bad", "diff.algorithm=bad", "diff.submodule=bad", "format.pretty=bad"),
    *("color.ui=bad", "grep.patternType=bad", "log.diffMerges=bad"),
)
GOOD = (
    *("log.follow=true", "log.showSignature=true", "log.mailmap=true", "log.diffMerges=on"),
    *("log.showRoot=false", "log.date=iso", "log.abbrevCommit=true", "format.pretty=oneline"),
    *("color.ui=always", "log.decorate=full", "diff.relative=true", "diff.renames=copies"),
    *("log.excludeDecoration=refs/*", "i18n.logOutputEncoding=latin1", "diff.noPrefix=true"),
    *("diff.ignoreSubmodules=all", "diff.orderFile=/nonexistent", "format.notes=true"),
    *("grep.patternType=fixed", "diff.external=false", "core.pager=false"),
)


@pytest.mark.parametrize("settings", [*([one] for one in BAD), GOOD])
def test_settings_for_logs_do_not_matter(source: Source, settings: Sequence[str]) -> None:
    source.load(LINE)
    words = ["main", "--first-parent", "--grep=f.r"]
    expected = source.stream(*words)
    assert b"first" in expected
    assert b"second" not in expected
    assert source.stream(*words, config=settings) == expected
    limited = source.stream("main", "--", "--", "b")
    assert source.stream("main", "--", "--", "b", config=settings) == limited


def test_they_do_not_matter_where_the_repository_has_them(source: Source) -> None:
    source.load(LINE)
    expected = source.stream("main", "--first-parent", "^main~2")
    source.git("config", "log.showRoot", "bad")
    source.git("config", "--add", "remote.a b\\.url", 'a "name"\nwith all\t\\')
    assert source.stream("main", "--first-parent", "^main~2") == expected


def test_a_linked_work_tree_has_its_own_head(source: Source) -> None:
    source.load(LINE)
    source.git("worktree", "add", "-q", "--detach", "../linked", "main~1")
    source.git("config", "diff.renames", "bad")
    linked = source.path.parent / "linked"
    expected = source.stream("main~1", "--first-parent", "--refspec=x:y")
    stream = source.stream("HEAD", "--first-parent", "--refspec=x:y", cwd=linked)
    assert stream == expected.replace(b"main~1", b"HEAD")


def test_a_neutral_git_sees_everything_else(tmp_path: Path) -> None:
    source = Source("fastio", tmp_path / "repository", "--bare")
    source.load(LINE)
    source.git("config", 'x.a "b\\.c', 'some\n"text"\\ # ;')
    source.git("config", "log.date", "iso")
    repository = Repository.discover(source.path)
    with neutral_git(repository) as git:
        settings = git.run("config", "--list", "-z").stdout
        assert b'x.a "b\\.c\nsome\n"text"\\ # ;\0' in settings
        assert b"log.date" not in settings
        assert git.run("rev-parse", "main").stdout == source.oid("main") + b"\n"
        directory = git.environment["GIT_DIR"]
    assert not Path(directory).exists()
