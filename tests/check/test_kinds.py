"""The kinds of findings, as people see them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fastio.check.kinds import KINDS, SEVERITIES
from fastio.check.report import text_lines
from tests.check.checking import check
from tests.check.planted import BEGINNINGS, ENDS, MISTAKES, Planted

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = sorted((ROOT / "samples").glob("*.fe"))


def test_the_documentation_has_all_of_them() -> None:
    text = (ROOT / "docs" / "check.md").read_text()
    rows = re.findall(r"^\| `([a-z-]+)` \| (error|warning|note) \| (.*) \|$", text, re.MULTILINE)
    assert rows == [(name, kind.severity, kind.title) for name, kind in KINDS.items()]


def test_the_documentation_shows_what_is_said() -> None:
    text = (ROOT / "docs" / "check.md").read_text()
    shown = text.split("```\n")[2].split("```")[0]
    stream = (
        b"blob\nmark :1\ndata 3\nabc\ncommit refs/heads/main\nmark :2\n"
        b"author A U Thor <a@example.com> 1 +051800\ncommitter A U Thor <a@example.com> 1 +0000\n"
        b"data 2\nhi\nM 644 :9 x\n\n"
    )
    assert shown.splitlines() == list(text_lines("dump.fe", check(stream)))


def test_the_graver_comes_first() -> None:
    severities = [kind.severity for kind in KINDS.values()]
    assert severities == sorted(severities, key=SEVERITIES.index)


@pytest.mark.parametrize("planted", [*MISTAKES, *BEGINNINGS, *ENDS], ids=lambda one: one.kind)
def test_every_finding_has_a_cure(planted: Planted) -> None:
    for finding in check(b"feature done\n" + planted.at(7)[0]).findings:
        assert [place.error for place in finding.places if not place.cure] == []


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_samples_are_in_order(sample: Path) -> None:
    findings = check(sample.read_bytes()).findings
    assert [one.name for one in findings if one.kind.severity != "note"] == []
