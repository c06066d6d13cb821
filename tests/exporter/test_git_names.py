"""Names of refs and refspecs: items 70 to 74 of the exporter's."""

from collections.abc import Callable

import pytest

from tests.exporter.records import LINE, MAIN, ZERO, commit, reset
from tests.exporter.source import Source


@pytest.fixture
def line(source: Source) -> Source:
    """Three commits."""
    source.load(LINE)
    return source


@pytest.mark.parametrize(
    ("refspecs", "name"),
    [
        (["refs/heads/main:refs/heads/other"], b"refs/heads/other"),
        (["refs/heads/*:refs/x/*"], b"refs/x/main"),
        (["+refs/heads/m*n:refs/x/*"], b"refs/x/ai"),
        (["refs/heads/main:refs/a/b", "refs/heads/*:refs/x/*"], b"refs/a/b"),
        (["refs/heads/side:refs/a/b", "refs/heads/*:refs/x/*"], b"refs/x/main"),
        (["main:refs/heads/other"], MAIN),
        (["refs/tags/*:refs/x/*"], MAIN),
        (["refs/heads/*:refs/x/*", "^refs/heads/main"], b"refs/x/main"),
        (["refs/heads/main:"], b""),
    ],
)
def test_refspecs_rename(line: Source, refspecs: list[str], name: bytes) -> None:
    words = [f"--refspec={refspec}" for refspec in refspecs]
    assert line.stream("main", *words) == LINE.replace(MAIN, name)


def test_refspecs_rename_what_is_reset_as_well(line: Source) -> None:
    line.load(reset(b"refs/heads/z", b"refs/heads/main"))
    stream = line.stream("--all", "--refspec=refs/heads/*:refs/x/*")
    assert stream == LINE.replace(MAIN, b"refs/x/main") + reset(b"refs/x/z", b":6")


@pytest.mark.parametrize("refspec", ["a*:b", "refs/heads/*", "a:b:c", "a**:b*", "^a:b", "a..b:c"])
def test_invalid_refspecs_are_fatal(line: Source, refspec: str) -> None:
    assert line.fails("main", f"--refspec={refspec}").stdout == b""


def test_an_empty_left_side_deletes(line: Source) -> None:
    gone = ["--refspec=:refs/heads/gone", "--refspec=:refs/heads/main"]
    deleted = reset(b"refs/heads/gone", ZERO) + reset(MAIN, ZERO)
    assert line.stream(*gone) == deleted
    assert line.stream("main", *gone) == LINE + deleted


def test_a_ref_that_looks_like_an_option(line: Source) -> None:
    line.needs_git(2, 52)
    line.add_ref("refs/heads/--dashes", line.oid("main").decode())
    expected = LINE.replace(MAIN, b"refs/heads/--dashes")
    assert line.stream("--end-of-options", "--dashes") == expected
    assert line.stream("--no-data", "--data", "--end-of-options", "--dashes") == expected
    assert line.stream("refs/heads/--dashes") == expected
    line.fails("--dashes", status=129)


def test_an_ambiguous_name_names_nothing(line: Source) -> None:
    line.add_ref("refs/tags/main", line.oid("main").decode())
    done = line.export("main")
    assert (done.returncode, done.stderr[:9]) == (0, b"warning: ")
    assert done.stdout == LINE.replace(MAIN, b"main")
    assert line.stream("refs/heads/main") == LINE
    branches = line.export("--branches")
    assert branches.stdout == LINE.replace(MAIN, b"main")
    quiet = line.stream("main", config=["core.warnAmbiguousRefs=false"])
    assert quiet == LINE.replace(MAIN, b"refs/tags/main")


@pytest.mark.parametrize("words", [["HEAD"], ["@"], ["HEAD", "main"], ["..HEAD", "main"]])
def test_head_is_the_branch_it_points_to(line: Source, words: list[str]) -> None:
    if words[0] == "..HEAD":
        assert line.stream("main~2..") == line.stream("main~2..main")
    else:
        assert line.stream(*words) == LINE


@pytest.mark.parametrize("word", ["main^0", "main~0", "refs/heads/main^{}"])
def test_what_is_no_ref_is_a_name_all_the_same(line: Source, word: str) -> None:
    assert line.stream(word) == LINE.replace(MAIN, word.encode())
    oid = line.oid("main")
    assert line.stream(oid.decode()) == LINE.replace(MAIN, oid)


def test_ancestors_have_the_name_of_whom_they_were_found_by(line: Source) -> None:
    line.add_ref("refs/heads/b", line.oid("main~1").decode())
    stream = line.stream("--all")
    expected = LINE.replace(MAIN, b"refs/heads/b", 3)
    assert stream == expected
    side = commit(1, b"from refs/heads/main~2", ref=b"refs/heads/a", message=b"side\n")
    line.load(side)
    names = [text for text in line.stream("--all").splitlines() if text.startswith(b"commit ")]
    assert names == [b"commit refs/heads/a", b"commit refs/heads/b", b"commit refs/heads/main",
                     b"commit refs/heads/a"]  # fmt: skip


def test_a_revision_that_is_a_file_as_well_is_unclear_also_when_excluded(
    new_source: Callable[..., Source],
) -> None:
    source = new_source()
    source.load(LINE)
    (source.path / "main").write_text("file")
    for words in (["main"], ["main~1", "^main"]):
        assert b"ambiguous" in source.fails(*words).stderr
