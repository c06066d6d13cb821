"""Renames and copies: those that git finds in random pairs of trees."""

from pathlib import Path

import pytest

from fastio.exporter.diff_options import FULL_SCORE
from tests.exporter.rename_cases import (
    REGULAR,
    Case,
    CaseMaker,
    ask_git,
    counts_last_line,
    side,
    similarity_in,
    taken,
    tell,
    without_scores,
    write_cases,
)
from tests.store.work import Work

pytestmark = pytest.mark.git

OPTIONS = (
    "-M",
    "-M10%",
    "-M75%",
    "-M075",
    "-M.755",
    "-M123456",
    "-M100%",
    "-M -l1",
    "-M --no-rename-empty",
    "-C",
    "-C -M1%",
    "-C -l2",
    "-C -C",
    "-C -C -l3",
    "-C20% --find-copies-harder -l0",
    "-B",
    "-B -M",
    "-B -C",
    "-B -C -C",
    "-B10% -M",
    "-B/20% -M",
    "-B20%/10% -C30%",
    "-B -M100%",
    "-M --diff-filter=R",
    "-C --diff-filter=dm",
    "-C --diff-filter=C*",
    "-M --diff-filter=*",
    "--diff-filter=T",
    "--find-copies-harder --diff-filter=MC",
    "-B20%/30% -M --diff-filter=B",
    "-B20%/30% -C --diff-filter=M",
    "-B20%/30% --diff-filter=b",
)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Work, list[Case]]:
    work = Work(tmp_path_factory.mktemp("renames") / "work")
    maker = CaseMaker(1, cut_lines=counts_last_line())
    cases = [maker.make() for _ in range(300)]
    write_cases(work, cases)
    return work, cases


@pytest.mark.parametrize("words", OPTIONS)
def test_pairs_are_those_of_git(told: tuple[Work, list[Case]], words: str) -> None:
    work, cases = told
    options, rest = taken(words.split())
    assert not rest
    similarity = similarity_in(work)
    for number, theirs in enumerate(ask_git(work, cases, *words.split())):
        ours = tell(cases[number], options, similarity)
        assert (number, ours) == (number, without_scores(theirs))


def test_scores_are_those_of_git(told: tuple[Work, list[Case]]) -> None:
    work, cases = told
    similarity = similarity_in(work)
    seen = set()
    for case, pairs in zip(cases, ask_git(work, cases, "-C1%"), strict=True):
        for status, old, new in pairs:
            if status[0] in "RC" and case.old[old][1] != case.new[new][1]:
                score = similarity.score(side(case.old, old), side(case.new, new), 600)
                assert (score * 100 // FULL_SCORE, old, new) == (int(status[1:]), old, new)
                seen.add(status)
    assert len(seen) > 50


def test_pairs_do_not_hang_on_what_is_remembered(told: tuple[Work, list[Case]]) -> None:
    work, cases = told
    options, _ = taken(["-C", "-C", "-B"])
    roomy, narrow = similarity_in(work), similarity_in(work, memory=1)
    for case in cases[:100]:
        assert tell(case, options, roomy) == tell(case, options, narrow)


def test_only_so_many_sources_of_equal_content_are_looked_at(tmp_path: Path) -> None:
    work, cases = Work(tmp_path / "work"), []
    for name in (b"f099", b"f100"):
        old = {b"d%03d/f%03d" % (i, i): (REGULAR, b"same\n") for i in range(102)}
        cases.append(Case(old, old | {b"new/" + name: (REGULAR, b"same\n")}))
    write_cases(work, cases)
    options, _ = taken(["-C", "-C"])
    for case, theirs in zip(cases, ask_git(work, cases, "-C", "-C"), strict=True):
        assert tell(case, options, similarity_in(work)) == without_scores(theirs)


@pytest.mark.parametrize("attribute", ["diff", "-diff", "diff=c", "!diff", "binary"])
def test_attributes_say_what_is_text(tmp_path: Path, attribute: str) -> None:
    """A CR before an LF counts in binary files only."""
    work = Work(tmp_path / "work")
    text, binary = (b"".join(b"%d\r\n" % i for i in range(99)), b"\0\r\n" + b"1\r\n2\r\n" * 40)
    case = Case(
        {b"t": (REGULAR, text), b"b": (REGULAR, binary)},
        {
            b"t2": (REGULAR, text.replace(b"\r\n", b"\n", 70)),
            b"b2": (REGULAR, binary.replace(b"\r\n", b"\n", 60)),
        },
    )
    write_cases(work, [case])
    (work.path / ".git" / "info" / "attributes").write_text(f"* {attribute}\n")
    means = {"diff": True, "-diff": False, "binary": False}.get(attribute)
    similarity = similarity_in(work, is_text=lambda _path: means)
    [pairs] = ask_git(work, [case], "-M20%")
    assert pairs
    for status, old, new in pairs:
        score = similarity.score(side(case.old, old), side(case.new, new), 1)
        assert (status[0], score * 100 // FULL_SCORE) == ("R", int(status[1:]))
