"""A study as text for people, and as JSON for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastio.bench.content import DELTA, FORMS, FULL
from fastio.bench.strata import BOUNDS
from fastio.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastio.bench.codecs import Codecs
    from fastio.bench.content import Content
    from fastio.bench.estimate import Advice, Beside, Estimate
    from fastio.bench.loose import LooseStudy, Step
    from fastio.bench.study import Cells, Figures, Measured

VERSION = 1
"""Of the JSON's shape; changes when a reader would have to."""

MIB = 1 << 20
_US = 1e6
_BLANK = "-"
_TITLES = {FULL: "full objects", DELTA: "deltas"}


@record
class Report:
    """All that a study found.

    Attributes:
        content: What was measured on.
        codecs: What there was to measure.
        measured: Of each codec.
        beside: What an import takes beside its codec.
        estimates: Of an import with each codec.
        advice: Drawn from those.
        loose: Loose objects against a pack.
    """

    content: Content
    codecs: Codecs
    measured: Sequence[Measured]
    beside: Beside
    estimates: Sequence[Estimate]
    advice: Advice
    loose: LooseStudy


# --- text -----------------------------------------------------------------------------------------


def text_lines(report: Report) -> Iterator[str]:
    """Yield the lines of the report; the last one can be pasted."""
    yield from _head(report)
    yield ""
    yield from _table(*_codec_rows(report))
    yield from (f"left out: {name}, install {how}" for name, how in report.codecs.left_out.items())
    for form in FORMS:
        if report.content.payloads[form]:
            yield ""
            yield f"µs for each of the {_TITLES[form]}, by their size"
            yield from _table(*_class_rows(report.measured, form))
    yield ""
    yield from _basis(report)
    yield ""
    yield from _loose_lines(report.loose)
    yield ""
    yield from _advice_lines(report.advice)


def _head(report: Report) -> Iterator[str]:
    content = report.content
    noun = "files" if content.kind == "folder" else "objects"
    yield f"{content.kind} {content.name}: {content.objects:,} {noun}, {_mib(content.size)}"
    for form in FORMS:
        count, size = content.sampled(form)
        if count:
            yield (
                f"measured on {count:,} {_TITLES[form]} of about {content.count(form):,.0f},"
                f" {_mib(size)}"
            )
    if content.note:
        yield content.note
    versions = ", ".join(f"{name} {version}" for name, version in report.codecs.versions.items())
    yield f"one core; {versions}"


def _codec_rows(report: Report) -> tuple[list[str], list[list[str]]]:
    forms = [form for form in FORMS if report.content.payloads[form]]
    heads = ["codec", "--compression"]
    for form in forms:
        short = form if form == FULL else "deltas"
        heads += [f"{short}: MB/s", "ratio", "µs each"]
    heads += ["import: CPU, s", "pack, MiB"]
    rows = []
    for measured, estimate in zip(report.measured, report.estimates, strict=True):
        codec = measured.codec
        row = [codec.name, _BLANK if codec.choice is None else str(codec.choice)]
        for form in forms:
            row += _figures(measured.of(form))
        rows.append([*row, f"{estimate.seconds:.2f}", f"{estimate.size / MIB:.2f}"])
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


def class_name(number: int) -> str:
    """Return what tables call a size class."""
    if number < len(BOUNDS):
        return f"to {_short(BOUNDS[number])}"
    return f"over {_short(BOUNDS[-1])}"


def _short(size: int) -> str:
    return f"{size >> 10}K" if size >= 1 << 10 else str(size)


def _basis(report: Report) -> Iterator[str]:
    beside = report.beside
    yield "The import is an estimate: what the sample took, times what it stands for."
    yield (
        f"  CPU of all processes; beside the codec {beside.seconds:.2f} s: hashing"
        f" {beside.hashing:.2f} s and making deltas {beside.deltas:.2f} s,"
    )
    yield f"  measured here, and the coordinator {beside.coordinator:.2f} s, by what others took"
    yield (
        f"  pack beside what is deflated: {_mib(beside.size)}, entry headers and small deltas of"
        " trees, which are stored"
    )
    if report.content.kind == "repository":
        yield "  deltas are what packs have as such, and loose blobs with a version before them"


def _loose_lines(loose: LooseStudy) -> Iterator[str]:
    hardened = "with" if loose.fsync else "without"
    yield (
        f"{loose.objects:,} of the objects, {_mib(loose.size)}, written as loose ones"
        f" ({hardened} fsync, as configured) and into a pack, in {loose.directory}"
    )
    for title, steps in (("loose", loose.loose), ("pack", loose.pack)):
        yield from _table([title, "µs each", "share", "CPU, µs"], list(_step_rows(loose, steps)))
    ratio = _total(loose.loose) / _total(loose.pack)
    yield (
        f"creating, naming and closing files is {loose.file_share:.0%} of the time for loose"
        f" objects; a pack takes {ratio:.1f} times less"
    )


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
    yield f"  recommended: {best.codec.name}, {best.seconds:.2f} s, {_mib(best.size)}{is_default}"
    yield f"--compression={best.codec.choice}"


def _named(estimate: Estimate) -> str:
    codec = estimate.codec
    return codec.name if codec.choice is None else f"--compression={codec.choice} ({codec.name})"


def _compared(one: Estimate, other: Estimate) -> str:
    return (
        f"{one.seconds / other.seconds - 1:+.1%} CPU, {one.size / other.size - 1:+.1%} pack"
        f" ({one.seconds:.2f} s, {_mib(one.size)})"
    )


def _mib(size: float) -> str:
    return f"{size / MIB:,.2f} MiB"


def _table(heads: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Yield aligned lines: the first column to the left, all others to the right."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        yield "  ".join(cells).rstrip()


# --- JSON -----------------------------------------------------------------------------------------


def json_value(report: Report) -> dict[str, Any]:
    """Return what the JSON says: sizes in bytes, times in seconds."""
    content, advice = report.content, report.advice
    return {
        "version": VERSION,
        "content": {
            "name": content.name,
            "kind": content.kind,
            "objects": content.objects,
            "size": round(content.size),
            "sampled": {form: _sampled(content, form) for form in FORMS},
        },
        "libraries": report.codecs.versions,
        "left_out": report.codecs.left_out,
        "codecs": [
            _codec_value(measured, estimate)
            for measured, estimate in zip(report.measured, report.estimates, strict=True)
        ],
        "beside_codec": _fields(report.beside, "hashing", "deltas", "coordinator", "size"),
        "loose": _loose_value(report.loose),
        "worth": advice.worth,
        "recommended": _advised(advice.best),
        "default": _advised(advice.default),
        "fastest": _advised(advice.fastest),
        "smallest": _advised(advice.smallest),
    }


def _sampled(content: Content, form: str) -> dict[str, int]:
    count, size = content.sampled(form)
    return {"count": count, "size": size, "of": round(content.count(form))}


def _codec_value(measured: Measured, estimate: Estimate) -> dict[str, Any]:
    codec = measured.codec
    return {
        "library": codec.library,
        "level": codec.level,
        "compression": codec.choice,
        **{form: _figures_value(measured.of(form)) for form in FORMS},
        "classes": _classes_value(measured.cells),
        "import": {"cpu_seconds": estimate.seconds, "pack_size": round(estimate.size)},
    }


def _classes_value(cells: Cells) -> list[dict[str, Any]]:
    return [
        {
            "form": form,
            "largest": BOUNDS[number] if number < len(BOUNDS) else None,
            **(_figures_value(figures) or {}),
        }
        for (form, number), figures in cells.items()
    ]


def _figures_value(figures: Figures | None) -> dict[str, Any] | None:
    if figures is None:
        return None
    return {
        "count": round(figures.count),
        "size": round(figures.size),
        "packed_size": round(figures.packed),
        "seconds": figures.seconds,
        "bytes_per_second": figures.speed,
        "ratio": figures.ratio,
        "seconds_each": figures.each,
    }


def _loose_value(loose: LooseStudy) -> dict[str, Any]:
    value = _fields(loose, "objects", "size", "directory", "fsync", "file_share")
    for name in ("loose", "pack"):
        steps: Sequence[Step] = getattr(loose, name)
        value[name] = [_fields(step, "name", "of_file", "cpu", "wall") for step in steps]
    return value


def _advised(estimate: Estimate) -> dict[str, Any]:
    codec = estimate.codec
    return {
        "compression": codec.choice,
        "option": f"--compression={codec.choice}",
        "library": codec.library,
        "cpu_seconds": estimate.seconds,
        "pack_size": round(estimate.size),
    }


def _fields(thing: object, *names: str) -> dict[str, Any]:
    return {name: getattr(thing, name) for name in names}
