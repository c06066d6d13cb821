"""Draws time against size, both sides, one field for each thing that grows."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from bench.pairs import Pair

MISSING = "no plot: matplotlib is missing; .venv/bin/python -m pip install 'matplotlib>=3.7' helps"
COLOURS = {"git": "tab:red", "fastio": "tab:blue"}
FIELD = 4.0  # inches


def draw(path: Path, fields: dict[str, list[Pair]]) -> None:
    """Write a PNG with a field for each list of pairs; says so where it cannot be drawn.

    Both axes are logarithmic; what grows as its size does runs along the dotted line.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - nothing else needs it
    except ImportError:
        print(MISSING, file=sys.stderr)
        return
    figure = Figure(figsize=(FIELD * len(fields), FIELD), layout="constrained")
    all_axes = figure.subplots(1, len(fields), squeeze=False)[0]
    for axes, (title, pairs) in zip(all_axes, fields.items(), strict=True):
        _draw_field(axes, title, sorted(pairs, key=lambda pair: pair.size))
    figure.savefig(path, dpi=100)
    print(f"plot: {path}")


def _draw_field(axes: Any, title: str, pairs: list[Pair]) -> None:
    sides = {
        "git": [(each.size, each.git.best.wall) for each in pairs if finished(each)],  # type: ignore[union-attr]
        "fastio": [(each.size, each.fastio.best.wall) for each in pairs],
    }
    for side, points in sides.items():
        if points:
            axes.plot(*zip(*points, strict=True), "o-", color=COLOURS[side], label=side)
    start_size, start_time = sides["fastio"][-1]
    sizes = [each.size for each in pairs]
    linear = [start_time * size / start_size for size in sizes]
    axes.plot(sizes, linear, ":", color="grey", label="linear")
    axes.set(title=title, xscale="log", yscale="log", xlabel="size", ylabel="seconds")
    axes.legend(loc="upper left")


def finished(pair: Pair) -> bool:
    """Whether git has a time to show."""
    return pair.git is not None and not pair.git.gave_up
