"""A study as JSON for programs: sizes in bytes, times in seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastio.bench.content import FORMS
from fastio.bench.strata import BOUNDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastio.bench.content import Content
    from fastio.bench.estimate import Estimate
    from fastio.bench.loose import LooseStudy, Step
    from fastio.bench.report import Report
    from fastio.bench.study import Cells, Figures, Measured

VERSION = 1
"""Of its shape; changes when a reader would have to."""


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
    value = _fields(loose, "objects", "size", "directory", "fsync")
    value |= _fields(loose, "file_share", "file_share_of_cpu")
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
