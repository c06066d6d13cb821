"""``fastio bench codecs`` from its command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fastio.bench import codecs, loose, timing
from fastio.cli.bench import run
from fastio.errors import FastioError
from tests.store.work import Work

ROOT = Path(__file__).resolve().parents[2]
LINES = b"".join(b"line %d of many\n" % number for number in range(500))

Study = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Measure each figure as little as can be, and leave signals as they were."""
    monkeypatch.setattr(timing, "ENOUGH", 0)
    monkeypatch.setattr(loose, "OBJECTS", 20)
    numbers = (signal.SIGPIPE, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.fixture
def study(capsys: pytest.CaptureFixture[str]) -> Study:
    """Runs a study and returns what its JSON says."""

    def run_study(*words: str | Path) -> dict[str, Any]:
        assert run(["codecs", "--json", "--sample=1m", *map(str, words)]) == 0
        value: dict[str, Any] = json.loads(capsys.readouterr().out)
        return value

    return run_study


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of some files, and things that are none."""
    path = tmp_path / "folder"
    (path / "sub" / ".git").mkdir(parents=True)
    (path / "sub" / ".git" / "left out").write_bytes(LINES)
    (path / "empty").write_bytes(b"")
    (path / "tiny").write_bytes(b"tiny")
    (path / "sub" / "lines").write_bytes(LINES)
    (path / "link").symlink_to("sub/lines")
    (path / "loop").symlink_to(".")
    os.mkfifo(path / "fifo")
    return path


@pytest.fixture
def repository(tmp_path: Path) -> Work:
    """A history of some commits, all of its objects loose."""
    work = Work(tmp_path / "repository")
    work.fill()
    return work


def fastio(*words: str | Path, cwd: Path | None = None) -> tuple[int, str, str]:
    """Run ``fastio`` as a process; return exit status, stdout and stderr."""
    command = [sys.executable, "-m", "fastio", *map(str, words)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, cwd=cwd, env=environment)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_folder(study: Study, folder: Path) -> None:
    found = study(folder)
    assert found["version"] == 1
    content = found["content"]
    assert (content["kind"], content["objects"]) == ("folder", 3)
    assert content["size"] == len(LINES) + 4
    assert content["sampled"]["full"] == {"count": 3, "size": len(LINES) + 4, "of": 3}
    assert content["sampled"]["delta"]["count"] == 0
    assert [one["compression"] for one in found["codecs"]][:11] == [*range(10), None]
    stored, isal = found["codecs"][0], found["codecs"][3]
    assert stored["full"]["ratio"] > 1 > isal["full"]["ratio"]
    assert isal["delta"] is None
    assert isal["import"]["pack_size"] < stored["import"]["pack_size"]
    assert [one["largest"] for one in isal["classes"]] == [40, 16 << 10]


@pytest.mark.git
@pytest.mark.parametrize("state", ["loose", "packed"])
def test_a_repository(study: Study, repository: Work, state: str) -> None:
    if state == "packed":
        repository("repack", "-qad")
        repository("prune-packed")
    found = study(repository.path)
    content = found["content"]
    every = list(repository.objects())
    assert (content["kind"], content["objects"]) == ("repository", len(every))
    # All versions of the file but one are deltas; all of so few objects are in the sample.
    deltas = content["sampled"]["delta"]
    assert (deltas["count"], deltas["of"]) == (11, 11)
    assert 11 < deltas["size"] < 2_000
    assert content["size"] == sum(size for _, _, size in every)
    assert found["beside_codec"]["deltas"] > 0


@pytest.mark.git
def test_what_it_ends_with_can_be_pasted(repository: Work) -> None:
    bare = repository.path.parent / "bare.git"
    repository("clone", "-q", "--bare", ".", str(bare))
    status, out, err = fastio("bench", "codecs", "--sample=4k", bare)
    assert (status, err) == (0, "")
    option = out.splitlines()[-1]
    assert option.startswith("--compression=")
    target = Work(repository.path.parent / "target")
    stream = subprocess.run(
        ["git", "fast-export", "--all"], cwd=repository.path, capture_output=True, check=True
    ).stdout
    command = [sys.executable, "-m", "fastio", "-C", str(target.path), "import", option]
    subprocess.run(command, input=stream, capture_output=True, cwd=ROOT, check=True)
    assert target("rev-parse", "main") == repository("rev-parse", "main")


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(FastioError, match="there is no file to measure with"):
        run(["codecs", str(tmp_path)])


def test_an_empty_repository(tmp_path: Path) -> None:
    work = Work(tmp_path / "empty")
    with pytest.raises(FastioError, match="there is no object to measure with"):
        run(["codecs", str(work.path)])


def test_a_folder_that_is_not_there() -> None:
    status, out, err = fastio("bench", "codecs", "missing")
    assert (status, out) == (128, "")
    assert err == "fatal: cannot read 'missing': No such file or directory\n"


def test_a_codec_that_is_not_installed_is_named(
    study: Study, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codecs, "LIBDEFLATE", "no_such_module")
    found = study(folder)
    assert found["left_out"] == {"libdeflate": "no_such_module (fastio's extra 'bench' has it)"}
    assert not [one for one in found["codecs"] if one["library"] == "libdeflate"]


@pytest.mark.parametrize(
    "words", [[], ["x"], ["codecs", "--nonsense"], ["codecs", "a", "b"], ["codecs", "--sample=1"]]
)
def test_mistakes_on_the_command_line(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert run(words) == 129
    assert "usage: fastio bench codecs" in capfd.readouterr().err
