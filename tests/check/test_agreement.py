"""What a check says beside what reader and importer say of the same stream."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

from fastio.check.kinds import ERROR
from fastio.cli.check import parse
from fastio.stream.writer import write_command
from tests.check.checking import check
from tests.check.planted import MISTAKES
from tests.differential.campaign import fast_directory
from tests.differential.compare import version_of
from tests.differential.generate import StreamMaker
from tests.differential.mutate import mutate
from tests.differential.ours import Ours
from tests.differential.run import Case, Place
from tests.differential.world import World
from tests.differential.worlds import Maker
from tests.strategies import streams
from tests.stream.feeding import say
from tests.stream.test_parser_properties import fragment_streams

SEEDS = range(40)
KNOWN = (
    *("--date-format", "--done", "--import-marks", "--import-marks-if-exists"),
    *("--allow-unsafe-features", "--signed-commits"),
)


def errors(stream: bytes, **options: Any) -> int:
    return check(stream, **options).findings.count(ERROR)


@given(fragment_streams | st.binary(max_size=300), st.integers(1, 50))
@example(b"blob\ndata 5\nxblob\n", 1)
@settings(max_examples=300)
def test_what_the_reader_refuses_is_an_error(stream: bytes, piece: int) -> None:
    if say([stream]).error is not None:
        assert errors(stream, piece=piece)


@given(streams, st.randoms(use_true_random=False))
def test_damage_that_the_reader_refuses_is_an_error(commands: list[Any], rng: Any) -> None:
    chunks = [write_command(command) for command in commands]
    stream = b"".join(mutate(chunks, rng, chunks))
    if say([stream]).error is not None:
        assert errors(stream)


@given(st.lists(st.sampled_from(MISTAKES), max_size=4), st.randoms(use_true_random=False))
def test_damage_to_what_is_wrong_already(mistakes: list[Any], rng: Any) -> None:
    lines = b"".join(one.at(9)[0] for one in mistakes).splitlines(keepends=True)
    stream = b"".join(mutate(lines, rng, lines))
    assert bool(errors(stream)) >= (say([stream]).error is not None)


@pytest.fixture(scope="module")
def worlds(place: Place) -> list[World]:
    git = shutil.which("git")
    assert git is not None
    return Maker(git, place.path.parent, version_of(git)).all()


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with tempfile.TemporaryDirectory(dir=fast_directory()) as name:
        yield Place(Path(name) / "place")


@pytest.fixture(scope="module")
def ours(worlds: list[World], place: Place) -> Iterator[Ours]:
    ours = Ours(shutil.which("git") or "", place)
    ours.warm_up(Case(), worlds[0])
    yield ours
    ours.close()


@pytest.mark.git
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_imported_has_no_errors(
    seed: int, worlds: list[World], place: Place, ours: Ours, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    world = rng.choice(worlds)
    case = StreamMaker(rng, world, recent=True).make()
    if rng.random() < 0.5:
        case.chunks = mutate(case.chunks, rng, case.chunks)
    status = ours.run(case, world, seed).status
    monkeypatch.chdir(place.stand(world))
    if status == 0 and "core.protectNTFS=false" not in case.config:
        assert errors_of(case) == []


def errors_of(case: Case) -> list[str]:
    """Check a case's stream, told the words for an import as far as a check knows them."""
    words = [word for word in case.options if word.partition("=")[0] in KNOWN]
    findings = check(case.stream, options=parse(words).options).findings
    return [one.name for one in findings if one.kind.severity == ERROR]
