"""Pairs: both sides run, the table says what is known and no more, git's side can be kept."""

import json
import sys
from dataclasses import replace
from functools import partial

import pytest

from bench import pairs, sides
from bench.comparison import Bench
from bench.measure import KILLED, Cost
from bench.pairs import Pair, table
from bench.plot import draw
from bench.sides import Outcome, Stream

STREAM = b"blob\nmark :1\ndata 4\nbody\n"


@pytest.fixture
def start(tmp_path, monkeypatch):
    monkeypatch.setattr(sides, "OUT", tmp_path)
    monkeypatch.setattr(pairs, "OUT", tmp_path)
    return lambda *words: Bench("trial", "Tries.", ["--work", str(tmp_path / "work"), *words])


@pytest.fixture
def stream(tmp_path):
    path = tmp_path / "stream.fe"
    path.write_bytes(STREAM)
    return Stream(path)


def outcome(wall, *, status=0, objects="same"):
    return Outcome([Cost(status, wall, wall, 0.0, 1 << 20, 1, "")], objects_digest=objects)


def last_line(git, fastio):
    return [cell.strip() for cell in table([Pair("it", {}, git, fastio)])[-1].split("|")[1:-1]]


@pytest.mark.git
def test_both_sides_run_and_their_figures_are_kept(start, stream, tmp_path):
    bench = start()
    pair = bench.import_both("one blob", stream)
    assert bench.finish() == 0
    assert (pair.git.objects, pair.fastio.objects) == (1, 1)
    saved = json.loads((tmp_path / "trial.json").read_text())["cases"]["one blob"]
    assert Pair.from_dict(saved) == pair
    assert "| one blob |" in (tmp_path / "trial.md").read_text()
    assert not bench.work.exists()


@pytest.mark.git
def test_gits_side_of_the_same_input_can_be_used_again(start, stream):
    before = start().import_both("one blob", stream)
    assert start("--skip-git").import_both("one blob", stream).git == before.git
    stream.path.write_bytes(STREAM + b"\n")
    assert start("--skip-git").import_both("one blob", stream).git is None


@pytest.mark.git
def test_cases_of_earlier_runs_stay(start, stream, tmp_path):
    for case in ("first", "second"):
        bench = start("--no-fsck")
        bench.import_both(case, stream)
        bench.finish()
    assert list(json.loads((tmp_path / "trial.json").read_text())["cases"]) == ["first", "second"]


def costs_of_runs(bench, *, wall, status=0):
    """Run both sides; what is called with *watch_memory* has memory, and takes ten times longer."""
    called = []

    def run(side, *, watch_memory):
        called.append((side, watch_memory))
        return Cost(status, wall * 10**watch_memory, 0.0, 0.0, watch_memory << 20, 1, "")

    outcomes = bench.run_in_turn("it", {side: partial(run, side) for side in ("git", "fastio")})
    return called, outcomes["fastio"]


def test_no_run_is_both_timed_and_watched(start):
    called, outcome = costs_of_runs(start("--repeat", "2"), wall=1.0)
    turns = (True, False, False)
    assert called == [(side, watched) for watched in turns for side in ("git", "fastio")]
    assert (outcome.best.wall, len(outcome.costs), outcome.peak_memory) == (1.0, 2, 1 << 20)


def test_memory_need_not_be_told(start):
    called, outcome = costs_of_runs(start("--no-memory"), wall=1.0)
    assert called == [("git", False), ("fastio", False)]
    assert last_line(outcome, outcome)[6:8] == ["-", "-"]


def test_what_did_not_finish_does_not_run_again(start):
    called, outcome = costs_of_runs(start("--repeat", "3"), wall=60.0, status=KILLED)
    assert called == [("git", True), ("fastio", True)]
    assert outcome.gave_up


def test_the_table_has_the_ratio_of_wall_times():
    assert last_line(outcome(6.0), outcome(2.0))[:4] == ["it", "6.00", "2.00", "3.00"]


def test_what_git_did_not_finish_is_not_compared():
    line = last_line(outcome(60.0, status=KILLED, objects="fewer"), outcome(2.0))
    assert (line[1:4], line[-1]) == (["> 60.00", "2.00", "> 30.00"], "not compared")


def test_a_difference_is_told():
    pair = Pair("it", {}, outcome(1.0, objects="others"), outcome(1.0))
    assert pair.differences == ["it: objects: git has 0, fastio 0, not the same ones"]
    assert last_line(pair.git, pair.fastio)[-1] == "DIFFERS"


def test_a_plot_has_a_field_for_each_row(tmp_path):
    pytest.importorskip("matplotlib")
    pairs_of_row = [
        replace(Pair("it", {}, outcome(2.0 * size), outcome(1.0 * size)), size=size)
        for size in (1, 10)
    ]
    draw(tmp_path / "plot.png", {"one": pairs_of_row, "other": pairs_of_row})
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_the_remedy_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    draw(tmp_path / "plot.png", {})
    assert "pip install" in capsys.readouterr().err
    assert not (tmp_path / "plot.png").exists()
