"""A study as text for people."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fastio.bench.content import FORMS
from fastio.bench.report import TITLES, Report, class_name
from fastio.stream.excerpt import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastio.bench.estimate import Advice, Estimate
    from fastio.bench.loose import LooseStudy, Step
    from fastio.bench.study import Figures, Measured

MIB = 1 << 20
_US = 1e6
_BLANK = "-"


def text_lines(report: Report) -> Iterator[str]:
    """Yield the lines of the report; the last one can be pasted."""
    yield from _head(report)
    yield ""
    yield from _table(*_codec_rows(report))
    yield from (f"left out: {name}, install {how}" for name, how in report.codecs.left_out.items())
    for form in FORMS:
        if report.content.payloads[form]:
            yield ""
            yield f"us for each of the {TITLES[form]}, by their size"
            yield from _table(*_class_rows(report.measured, form))
    yield ""
    yield from _basis(report)
    yield ""
    yield from _loose_lines(report.loose)
    yield ""
    yield from _advice_lines(report.advice)


def _head(report: Report) -> Iterator[str]:
    content = report.content
    noun = "file" if content.kind == "folder" else "object"
    name = visible(os.fsencode(content.name))
    yield f"{content.kind} {name}: {_counted(content.objects, noun)}, {_bytes(content.size)}"
    for form in FORMS:
        count, size = content.sampled(form)
        if count:
            whole = f"about {content.count(form):,.0f}"
            yield f"measured on {count:,} {TITLES[form]} of {whole}, {_bytes(size)}"
    if content.note:
        yield content.note
    versions = ", ".join(f"{name} {version}" for name, version in report.codecs.versions.items())
    yield f"one core; {versions}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def _codec_rows(report: Report) -> tuple[list[str], list[list[str]]]:
    forms = [form for form in FORMS if report.content.payloads[form]]
    heads = ["codec", "--compression"]
    for form in forms:
        heads += [f"{TITLES[form]}: MB/s", "ratio", "us each"]
    heads += ["import: CPU, s", "pack, MiB"]
    rows = []
    for measured, estimate in zip(report.measured, report.estimates, strict=True):
        codec = measured.codec
        row = [codec.name, _BLANK if codec.choice is None else str(codec.choice)]
        for form in forms:
            row += _figures(measured.of(form))
        rows.append([*row, _number(estimate.seconds), _number(estimate.size / MIB)])
    return heads, rows


def _figures(figures: Figures | None) -> list[str]:
    if figures is None:
        return [_BLANK] * 3
    return [
        f"{figures.speed / 1e6:.0f}",
        f"{figures.ratio:.3f}",
        f"{figures.each * _US:.1f}",
    ]


def _class_rows(measured: Sequence[Measured], form: str) -> tuple[list[str], list[list[str]]]:
    classes = sorted({number for one in measured for its, number in one.cells if its == form})
    rows = [
        [one.codec.name, *(f"{one.cells[form, number].each * _US:.1f}" for number in classes)]
        for one in measured
    ]
    return ["codec", *map(class_name, classes)], rows


def _basis(report: Report) -> Iterator[str]:
    beside = report.beside
    yield "The import is an estimate: what the sample took, times what it stands for."
    yield (
        f"  CPU of all processes; beside the codec {_seconds(beside.seconds)}: hashing"
        f" {_seconds(beside.hashing)} and making deltas {_seconds(beside.deltas)},"
    )
    coordinator = _seconds(beside.coordinator)
    yield f"  measured here, and the coordinator {coordinator}, by what others took"
    yield (
        f"  pack beside what is deflated: {_bytes(beside.size)}, entry headers and small deltas of"
        " trees, which are stored"
    )
    if report.content.kind == "repository":
        yield "  deltas are what packs have as such, and loose blobs with a version before them"


def _loose_lines(loose: LooseStudy) -> Iterator[str]:
    hardened = "with" if loose.fsync else "without"
    place = visible(os.fsencode(loose.directory))
    yield (
        f"{loose.objects:,} of the objects, {_bytes(loose.size)}, written as loose ones"
        f" ({hardened} fsync, as configured) and into a pack, in {place}"
    )
    for title, steps in (("loose", loose.loose), ("pack", loose.pack)):
        yield from _table([title, "us each", "share", "CPU, us"], list(_step_rows(loose, steps)))
    ratio = _total(loose.loose) / _total(loose.pack)
    yield (
        f"creating, naming and closing files takes {loose.file_share:.0%} of the time for loose"
        f" objects, {loose.file_share_of_cpu:.0%} of"
    )
    yield f"their CPU; a pack takes {ratio:.1f} times less time"


def _step_rows(loose: LooseStudy, steps: Sequence[Step]) -> Iterator[list[str]]:
    total = _total(steps)
    for step in steps:
        yield [
            step.name,
            f"{step.wall / loose.objects * _US:.1f}",
            f"{step.wall / total:.0%}",
            f"{step.cpu / loose.objects * _US:.1f}",
        ]
    cpu = sum(step.cpu for step in steps)
    yield ["all", f"{total / loose.objects * _US:.1f}", "100%", f"{cpu / loose.objects * _US:.1f}"]


def _total(steps: Sequence[Step]) -> float:
    return sum(step.wall for step in steps)


def _advice_lines(advice: Advice) -> Iterator[str]:
    yield f"advice: a second of CPU is worth {advice.worth / 1e6:g} MB of pack (--worth)"
    others = {
        "the default": advice.default,
        "the least CPU": advice.fastest,
        "the smallest pack": advice.smallest,
        "what cannot be chosen": advice.beyond,
    }
    for why, other in others.items():
        if other is not None and other is not advice.best:
            yield f"  {why}: {_named(other)}, {_compared(other, advice.best)}"
    best = advice.best
    is_default = ", which is the default" if best is advice.default else ""
    what = f"{best.codec.name}, {_seconds(best.seconds)}, {_bytes(best.size)}"
    yield f"  recommended: {what}{is_default}"
    yield f"--compression={best.codec.choice}"


def _named(estimate: Estimate) -> str:
    codec = estimate.codec
    return codec.name if codec.choice is None else f"--compression={codec.choice} ({codec.name})"


def _compared(one: Estimate, other: Estimate) -> str:
    return (
        f"{one.seconds / other.seconds - 1:+.1%} CPU, {one.size / other.size - 1:+.1%} pack"
        f" ({_seconds(one.seconds)}, {_bytes(one.size)})"
    )


def _bytes(size: float) -> str:
    return f"{size / MIB:,.2f} MiB" if size >= MIB else f"{size / 1024:,.2f} KiB"


def _seconds(seconds: float) -> str:
    return f"{_number(seconds)} s"


def _number(value: float) -> str:
    """Write a number with three digits or more that count, but no exponent."""
    if not value:
        return "0"
    digits = next((digits for digits in range(2, 7) if value >= 10 ** (2 - digits)), 6)
    return f"{value:.{digits}f}"


def _table(heads: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Yield aligned lines: the first column to the left, all others to the right."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        yield "  ".join(cells).rstrip()
