"""Draws a study: speed against ratio, time by size, and the steps of storing loose objects."""

from __future__ import annotations

import os
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from fastio.bench.content import FORMS
from fastio.bench.report import TITLES, class_name
from fastio.errors import FastioError
from fastio.stream.excerpt import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastio.bench.loose import LooseStudy
    from fastio.bench.report import Report
    from fastio.bench.study import Measured

FIELD = 5.0  # inches


def require_matplotlib() -> Any:
    """Import what draws.

    Raises:
        FastioError: It is not installed.
    """
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - nothing else needs it
    except ImportError:
        raise FastioError(
            "--plot needs matplotlib, which fastio's extra 'bench' has: "
            "python -m pip install 'matplotlib>=3.7'"
        ) from None
    return Figure


def draw(path: str, report: Report) -> None:
    """Write a PNG.

    Raises:
        OSError: It cannot be written.
        FastioError: There is nothing to draw with.
    """
    figure = require_matplotlib()(figsize=(2 * FIELD, 3 * FIELD), layout="constrained")
    fields = figure.subplots(3, 2)
    for column, form in enumerate(FORMS):
        _draw_ratio(fields[0][column], report, form)
        _draw_sizes(fields[1][column], report.measured, form)
    _draw_import(fields[2][0], report)
    _draw_loose(fields[2][1], report.loose)
    name = visible(os.fsencode(report.content.name))
    figure.suptitle(f"{report.content.kind} {name}".replace("$", r"\$"))
    figure.savefig(path, dpi=100, format="png")


def _draw_ratio(axes: Any, report: Report, form: str) -> None:
    axes.set(title=f"{TITLES[form]}: to the left and up is better", xlabel="ratio", ylabel="MB/s")
    lines: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
    for measured in report.measured:
        figures = measured.of(form)
        if figures is not None and measured.codec.library != "stored":
            lines[measured.codec.library].append(
                (figures.ratio, figures.speed / 1e6, measured.codec.level)
            )
    for library, points in lines.items():
        _draw_line(axes, library, sorted(points, key=lambda point: point[2]))
    _finish(axes, is_empty=not lines)


def _draw_line(axes: Any, label: str, points: list[tuple[float, float, int]]) -> None:
    axes.plot([x for x, _, _ in points], [y for _, y, _ in points], "o-", label=label, markersize=3)
    for x, y, level in points:
        axes.annotate(str(level), (x, y), fontsize="x-small")


def _draw_sizes(axes: Any, measured: Sequence[Measured], form: str) -> None:
    axes.set(title=f"{TITLES[form]}, by size", ylabel="µs each")
    own = [one for one in measured if one.codec.choice is not None]
    for one in own:
        points = [
            (class_name(number), figures.each * 1e6)
            for (its, number), figures in one.cells.items()
            if its == form
        ]
        if points:
            axes.plot(*zip(*points, strict=True), "o-", label=one.codec.name, markersize=3)
    _finish(axes, is_empty=not any(its == form for one in own for its, _ in one.cells))


def _draw_import(axes: Any, report: Report) -> None:
    axes.set(
        title="import, estimated: to the left and down is better",
        xlabel="pack, MiB",
        ylabel="CPU, s",
    )
    lines: dict[str, list[tuple[float, float, int]]] = defaultdict(list)
    for estimate in report.estimates:
        if estimate.codec.library not in ("stored", "lz4"):
            lines[estimate.codec.library].append(
                (estimate.size / (1 << 20), estimate.seconds, estimate.codec.level)
            )
    for library, points in lines.items():
        _draw_line(axes, library, sorted(points, key=lambda point: point[2]))
    best = report.advice.best
    axes.plot([best.size / (1 << 20)], [best.seconds], "k*", markersize=12, label="recommended")
    _finish(axes, is_empty=False)


def _draw_loose(axes: Any, loose: LooseStudy) -> None:
    axes.set(title="an object written", ylabel="µs each, wall time")
    colours: dict[str, str] = {}  # the same steps have the same on both sides
    for side, steps in (("loose", loose.loose), ("pack", loose.pack)):
        bottom = 0.0
        for step in steps:
            height = step.wall / loose.objects * 1e6
            colour = colours.get(step.name)
            label = None if colour else step.name
            colours.setdefault(step.name, f"C{len(colours)}")
            axes.bar(side, height, bottom=bottom, color=colours[step.name], label=label)
            bottom += height
    axes.legend(fontsize="x-small")


def _finish(axes: Any, *, is_empty: bool) -> None:
    if is_empty:
        axes.text(0.5, 0.5, "there are none", ha="center", transform=axes.transAxes)
        return
    axes.set_yscale("log")
    axes.legend(fontsize="x-small")
