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


def test_the_text_has_a_row_for_each_codec(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["codecs", "--sample=64k", str(folder)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"folder {folder}: 3 files, ")
    assert "a folder has each file once" in lines[2]
    start = next(number for number, line in enumerate(lines) if line.startswith("codec  "))
    names = [codec.name for codec in codecs.find_codecs().all]
    rows = lines[start + 1 : start + 1 + len(names)]
    assert [row.partition("  ")[0] for row in rows] == names
    assert lines[-2].startswith("  recommended: ")
    assert lines[-1].removeprefix("--compression=") in [*"0123456789"]


def test_steps_of_loose_objects_are_in_the_report(
    study: Study, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "work").mkdir()
    found = study(folder, f"--work={tmp_path / 'work'}")["loose"]
    assert (found["objects"], found["fsync"]) == (20, False)
    assert found["directory"] == str(tmp_path / "work")
    assert {"create", "name", "close"} <= {step["name"] for step in found["loose"]}
    assert 0 < found["file_share"] < 1
    assert list((tmp_path / "work").iterdir()) == []


def test_configuration_says_what_is_hardened(
    study: Study, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.fsync'='loose-object'")
    assert study(folder)["loose"]["fsync"] is True


@pytest.mark.git
def test_what_a_second_is_worth_decides(study: Study, repository: Work) -> None:
    found = study(repository.path, "--worth=1")
    best, smallest = found["recommended"], found["smallest"]
    assert best["pack_size"] == smallest["pack_size"] or best == found["default"]
    found = study(repository.path, "--worth=1000g")
    best = found["recommended"]
    assert best["cpu_seconds"] == found["fastest"]["cpu_seconds"] or best == found["default"]
    assert best["option"] == f"--compression={best['compression']}"


def test_the_report_goes_where_it_is_wanted(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (["-o", str(tmp_path / "a")], [f"--output={tmp_path / 'b'}", "--json"]):
        assert run(["codecs", "--sample=64k", *words, str(folder)]) == 0
    assert capsys.readouterr().out == ""
    assert "--compression=" in (tmp_path / "a").read_text().splitlines()[-1]
    assert json.loads((tmp_path / "b").read_text())["version"] == 1


@pytest.mark.parametrize("words", [["-o", "missing/x"], ["--work=missing"], ["--plot=missing/x"]])
def test_what_cannot_be_written_is_told_at_once(words: list[str], folder: Path) -> None:
    if words[0].startswith("--plot"):
        pytest.importorskip("matplotlib")
    status, out, err = fastio("bench", "codecs", *words, folder)
    assert (status, out) == (128, "")
    assert err.startswith("fatal: cannot write ")


def test_a_plot(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "plot.png"
    status, out, _ = fastio("bench", "codecs", "--sample=4k", f"--plot={path}", folder)
    assert (status, out.splitlines()[-1].partition("=")[0]) == (0, "--compression")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_plot_without_matplotlib(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(FastioError, match="needs matplotlib, which fastio's extra 'bench' has"):
        run(["codecs", "--plot=x.png", str(folder)])


@pytest.mark.git
def test_a_broken_repository_is_no_folder_and_none_above_is_taken(repository: Work) -> None:
    (repository.path / "dir" / ".git").mkdir()
    status, out, err = fastio("bench", "codecs", repository.path / "dir")
    assert (status, out) == (128, "")
    assert err.startswith(f"fatal: '{repository.path}/dir': not a git repository")


@pytest.mark.git
def test_gits_global_options_name_the_repository(
    repository: Work, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(repository.path)
    assert run(["codecs", "--sample=64k"]) == 0
    assert capsys.readouterr().out.startswith(f"repository {repository.path}/.git: ")
    monkeypatch.chdir("dir")
    assert run(["codecs", "--sample=64k"]) == 0
    assert capsys.readouterr().out.startswith("folder .: 12 files, ")
    monkeypatch.setenv("GIT_DIR", f"{repository.path}/.git")
    assert run(["codecs", "--sample=64k"]) == 0
    assert capsys.readouterr().out.startswith(f"repository {repository.path}/.git: ")


def test_names_do_not_command_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "\x1b[31m\udcff"
    path.mkdir()
    (path / "file").write_bytes(LINES)
    assert run(["codecs", "--sample=64k", f"--work={path}", str(path)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"folder {tmp_path}/\\x1b[31m\\xff: 1 file, ")
    assert "\x1b" not in out


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
    "words",
    [
        [],
        ["x"],
        ["codecs", "--nonsense"],
        ["codecs", "a", "b"],
        ["codecs", "--sample=1"],
        ["codecs", "-ox", "--plot=x"],
    ],
)
def test_mistakes_on_the_command_line(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert run(words) == 129
    assert "usage: fastio bench codecs" in capfd.readouterr().err


def test_a_study_that_fails_leaves_no_report(folder: Path, tmp_path: Path) -> None:
    words = ["bench", "codecs", f"-o{tmp_path}/report", "--work=/nowhere", str(folder)]
    status, out, err = fastio(*words)
    assert (status, out) == (128, "")
    assert err.startswith("fatal: cannot write to '/nowhere")
    assert not (tmp_path / "report").exists()
