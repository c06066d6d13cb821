"""Every sample script does what its first lines promise."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OWN_ENVIRONMENT = Path(sys.prefix) == ROOT / ".venv"


def run_sample(name, *arguments):
    interpreter = sys.executable if name.endswith(".py") else "sh"
    return subprocess.run(
        [interpreter, ROOT / "samples" / name, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_stream_is_surveyed():
    outcome = run_sample("survey.py", ROOT / "samples/history.fe")
    assert outcome.returncode == 0, outcome.stderr
    assert "      10 Commit\n" in outcome.stdout
    assert "       5 Ada Baker\n" in outcome.stdout


@pytest.mark.git
def test_a_repository_is_copied_through_a_pipe(tmp_path, git_side, fastio_on_path):
    git_side.run((ROOT / "samples/history.fe").read_bytes())
    outcome = run_sample("copy-repository.sh", git_side.repository, tmp_path / "copy.git")
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout == "all 5 branches and tags are the same\n"


@pytest.mark.git
@pytest.mark.skipif(not OWN_ENVIRONMENT, reason="it would set up a whole environment first")
def test_the_first_import_shows_a_log(fastio_on_path):
    outcome = run_sample("first-import.sh")
    assert outcome.returncode == 0, outcome.stderr
    assert "Start the book with bread" in outcome.stdout
