"""A check's findings for people, and for programs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

from fastio.check.checker import Checker
from fastio.check.findings import Finding, Place
from fastio.check.kinds import ERROR, NOTE, WARNING
from fastio.stream.excerpt import excerpt, visible

VERSION: Final = 1
"""Of the JSON format; it counts up when a field changes its meaning or goes away."""

_UNITS: Final = ("bytes", "KiB", "MiB", "GiB", "TiB")


def text_lines(name: str, checker: Checker) -> Iterator[str]:
    """Yield the lines of one stream's report for people.

    Args:
        name: What to call the stream.
        checker: After its run.
    """
    findings = checker.findings
    errors = findings.count(ERROR)
    verdict = "an import would fail" if errors else "nothing would stop an import"
    if not checker.is_complete:
        verdict = "it could not be read to its end"
    parts = [_counted(findings.count(one), one) for one in (ERROR, WARNING, NOTE)]
    yield f"{visible(os.fsencode(name))}: {verdict}: {', '.join(parts)}"
    counts = [_counted(count, what[:-1]) for what, count in checker.counts.items()]
    yield f"  read: {_size(checker.bytes_read)}, {', '.join(counts)}"
    for finding in findings:
        yield ""
        yield from _finding_lines(finding)


def _finding_lines(finding: Finding) -> Iterator[str]:
    kind, places = finding.kind, finding.places
    yield f"{kind.severity}: {kind.title} [{finding.name}]: {finding.count:,}"
    common = places[0].cure if places else ""
    for place in places:
        yield f"  {_where(place)}"
        yield f"    {visible(place.error.reason.encode('utf-8', 'surrogateescape'))}"
        if place.error.line and excerpt(place.error.line) not in place.error.reason:
            yield f"    {excerpt(place.error.line)}"
        if place.cure != common:
            yield f"    cure: {place.cure}"
    if finding.count > len(places):
        yield f"  and {finding.count - len(places):,} more"
    if common:
        yield f"  cure: {common}"


def _where(place: Place) -> str:
    where = f"byte {place.error.offset}, command {place.error.command_number}"
    if place.branch:
        where += f", commit {place.commit} on " if place.commit else ", a commit on "
        where += visible(place.branch)
    return where


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _size(count: int) -> str:
    size, unit = float(count), 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.1f} {_UNITS[unit]}" if unit else f"{count} bytes"


def json_value(name: str, checker: Checker) -> dict[str, Any]:
    """Return one stream's report as a value for JSON; docs/check.md describes it."""
    findings = checker.findings
    return {
        "name": name,
        "complete": checker.is_complete,
        "bytes": checker.bytes_read,
        "commands": checker.command_count,
        **checker.counts,
        "errors": findings.count(ERROR),
        "warnings": findings.count(WARNING),
        "notes": findings.count(NOTE),
        "findings": [_finding_value(finding) for finding in findings],
    }


def _finding_value(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.name,
        "severity": finding.kind.severity,
        "title": finding.kind.title,
        "count": finding.count,
        "places": [_place_value(place) for place in finding.places],
    }


def _place_value(place: Place) -> dict[str, Any]:
    error = place.error
    return {
        "byte": error.offset,
        "command": error.command_number,
        "commit": place.commit or None,
        "branch": visible(place.branch) or None,
        "line": visible(error.line) or None,
        "reason": visible(error.reason.encode("utf-8", "surrogateescape")),
        "cure": place.cure or None,
    }
