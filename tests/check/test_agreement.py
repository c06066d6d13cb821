"""What a check says beside what reader and importer say of the same stream."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

from fastio.check.kinds import ERROR
from fastio.stream.writer import write_command
from tests.check.checking import check
from tests.check.planted import MISTAKES
from tests.differential.generate import Case, StreamMaker
from tests.differential.mutate import mutate
from tests.differential.run import run_ours
from tests.differential.world import World, make_worlds
from tests.strategies import streams
from tests.stream.feeding import say
from tests.stream.test_parser_properties import fragment_streams

SEEDS = range(60)


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
    stream = b"".join(mutate(chunks, rng))
    if say([stream]).error is not None:
        assert errors(stream)


@given(st.lists(st.sampled_from(MISTAKES), max_size=4), st.randoms(use_true_random=False))
def test_damage_to_what_is_wrong_already(mistakes: list[Any], rng: Any) -> None:
    lines = b"".join(one.at(9)[0] for one in mistakes).splitlines(keepends=True)
    stream = b"".join(mutate(lines, rng))
    assert bool(errors(stream)) >= (say([stream]).error is not None)


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> list[World]:
    return make_worlds("git", tmp_path_factory.mktemp("worlds"))


@pytest.mark.git
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_imported_has_no_errors(seed: int, worlds: list[World], tmp_path: Path) -> None:
    rng = random.Random(seed)
    world = rng.choice(worlds)
    case = StreamMaker(rng, world, recent=True).make()
    if rng.random() < 0.5:
        case.chunks = mutate(case.chunks, rng)
    status = run_ours("git", case, world, tmp_path / "ours", seed=seed).status
    checker = check(case.stream, **_options(case, tmp_path))
    if status == 0 and "core.protectNTFS=false" not in case.config:
        assert [one.name for one in checker.findings if one.kind.severity == ERROR] == []


def _options(case: Case, directory: Path) -> dict[str, Any]:
    """Return what a check can be told of a case's options."""
    options: dict[str, Any] = {
        "done": "--done" in case.options,
        "allow_unsafe_features": "--allow-unsafe-features" in case.options,
        "strip_signatures": any(
            one.startswith("--signed-commits=") and one.endswith("strip") for one in case.options
        ),
    }
    for option in case.options:
        if option.startswith("--date-format="):
            options["date_format"] = option.partition("=")[2]
    if case.imported_marks:
        path = directory / "marks"
        path.write_bytes(case.imported_marks)
        options["import_marks"] = ((str(path), False),)
    return options
