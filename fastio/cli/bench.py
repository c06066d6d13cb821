"""``fastio bench``: studies on content of the user's own."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fastio.bench.options import SAMPLE, SEED, WORTH, BenchOptions, parse_options
from fastio.cli.endings import raise_when_interrupted, say, tell
from fastio.cli.hash_object import leave_handover
from fastio.cli.progress import ProgressBar
from fastio.errors import FastioError, RepositoryError, UsageError
from fastio.store.repository import Search

if TYPE_CHECKING:
    from fastio.bench.content import Content
    from fastio.bench.report import Report
    from fastio.store.config import Config
    from fastio.store.repository import Repository

USAGE = f"""\
usage: fastio bench codecs [<options>] [<folder> | <repository>]

Measures what each codec makes of the content of a folder or a repository (default: the current
directory), at each level: speed, ratio, time for an object by its size, and what an import of that
content would take. Also what writing it as loose objects takes, beside a pack. It ends with the
level to recommend, as an option for 'fastio import'.
A work tree with '.git' in it is a repository: all objects are the content, the deltas among them.

    --sample=<size>       how much to measure with, with k, m (default: {SAMPLE >> 20}m)
    --seed=<n>            choose another sample (default: {SEED})
    --work=<dir>          write loose objects and the pack below it (default: where temporary
                          files go): the file system is what counts
    --worth=<size>        bytes of pack that a second of CPU is worth (default: what a line of
                          100 Mbit/s carries, {WORTH}); larger for speed
    --json                the report in JSON
    --plot=<file>         draw it as well, in a PNG; needs matplotlib
    -o <file>, --output=<file>
                          write the report there
    --no-progress         no progress bar, also on a terminal
"""


def run(words: Sequence[str]) -> int:
    """Run the subcommand; returns the exit status."""
    if "-h" in words or "--help" in words:
        tell(USAGE)
        return 0
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    raise_when_interrupted()  # so that what is written to be measured goes away
    try:
        line = parse_options(words)
    except UsageError as error:
        say(f"fatal: {error}\n{USAGE}")
        return error.exit_status
    leave_handover()
    if line.plot is not None:
        from fastio.bench.plot import require_matplotlib  # noqa: PLC0415 - seldom wanted

        require_matplotlib()
    report = _study(line)
    _write(report, line)
    return 0


def _study(line: BenchOptions) -> Report:
    from fastio.bench.codecs import find_codecs  # noqa: PLC0415 - help needs none of it
    from fastio.bench.estimate import advise, estimate, estimate_beside  # noqa: PLC0415
    from fastio.bench.loose import study_loose  # noqa: PLC0415
    from fastio.bench.report import Report  # noqa: PLC0415
    from fastio.bench.study import grouped, measure_codecs  # noqa: PLC0415

    chance = random.Random(line.seed)
    content, config, repository = _take_sample(line, chance)
    # What cannot be written is told before all the measuring.
    for path in (line.output, line.plot):
        if path is not None:
            _write_to(path, _try)
    loose = study_loose(content, config, chance, line.work)
    codecs = find_codecs()
    steps = [0]
    total = len(codecs.all) * len(grouped(content))
    with _bar(line, steps, total) as progress:

        def step() -> None:
            steps[0] += 1
            progress("measuring")

        measured = list(measure_codecs(content, codecs.all, step))
        beside = estimate_beside(content, None if repository is None else repository.object_format)
    estimates = [estimate(one, beside) for one in measured]
    advice = advise(estimates, codecs.default, line.worth)
    return Report(content, codecs, measured, beside, estimates, advice, loose)


def _try(path: str) -> None:
    """Open a file for writing, and leave things as they were."""
    is_new = not os.path.lexists(path)
    open(path, "ab").close()
    if is_new:
        os.unlink(path)


def _bar(line: BenchOptions, steps: list[int], total: int | None) -> ProgressBar:
    return ProgressBar(
        enabled=line.progress,
        position=lambda: steps[0],
        note=lambda: "",
        size=total,
        unit=" steps",
    )


def _take_sample(
    line: BenchOptions, chance: random.Random
) -> tuple[Content, Config, Repository | None]:
    steps = [0]
    with _bar(line, steps, None) as progress:

        def step() -> None:
            steps[0] += 1
            progress("sampling")

        if _is_repository(line.path):
            from fastio.bench.repository import RepositorySample  # noqa: PLC0415 - as above

            repository = _find_repository(line.path)
            name = line.path or os.fsdecode(repository.git_dir)

            def warn(text: str) -> None:
                progress.clear()
                say(f"warning: {text}\n")

            sample = RepositorySample(repository, name, chance, progress=step, warn=warn)
            return sample.take(line.sample), repository.config, repository
        from fastio.bench.folder import FolderSample  # noqa: PLC0415 - as above

        folder = FolderSample(line.path or ".", chance, step)
        content = folder.take(line.sample)
        progress.clear()
        if folder.left_out:
            say(f"warning: left out{folder.reason}\n")
        return content, _config_of(line.path or "."), None


def _is_repository(path: str | None) -> bool:
    """Tell whether a directory is to be taken as a repository: a work tree's top, or a bare one."""
    if path is None and ("GIT_DIR" in os.environ):
        return True
    path = path or "."
    if os.path.lexists(os.path.join(path, ".git")):
        return True
    return os.path.isfile(os.path.join(path, "HEAD")) and all(
        os.path.isdir(os.path.join(path, name)) for name in ("objects", "refs")
    )


def _find_repository(path: str | None) -> Repository:
    """Find the repository there, and nowhere above."""
    if path is None and "GIT_DIR" in os.environ:
        return Search().result()
    environment = {name: value for name, value in os.environ.items() if name != "GIT_DIR"}
    above = os.path.dirname(os.path.abspath(path or "."))
    try:
        return Search(path or ".", environment | {"GIT_CEILING_DIRECTORIES": above}).result()
    except RepositoryError as error:
        raise RepositoryError(f"'{path or '.'}': {error}") from error


def _config_of(path: str) -> Config:
    """Return git's configuration for a folder."""
    search = Search(path)
    try:
        return search.result().config
    except RepositoryError:
        if search.config is None:
            raise
        return search.config


def _write(report: Report, line: BenchOptions) -> None:
    from fastio.bench.json_form import json_value  # noqa: PLC0415 - as above
    from fastio.bench.text import text_lines  # noqa: PLC0415

    if line.plot is not None:
        from fastio.bench.plot import draw  # noqa: PLC0415 - seldom wanted

        _write_to(line.plot, lambda path: draw(path, report))
    if line.json:
        text = json.dumps(json_value(report), indent=2) + "\n"
    else:
        text = "\n".join(text_lines(report)) + "\n"
    if line.output is None:
        tell(text)
        return
    _write_to(line.output, lambda path: Path(path).write_text(text, encoding="utf-8"))


def _write_to(path: str, write: Callable[[str], object]) -> None:
    try:
        write(path)
    except OSError as error:
        raise FastioError(f"cannot write '{path}': {error.strerror}") from error
