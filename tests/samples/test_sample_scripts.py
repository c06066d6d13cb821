"""Every sample script does what its first lines promise."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run_sample(name, *arguments, root=ROOT, stdin=subprocess.DEVNULL):
    interpreter = sys.executable if name.endswith(".py") else "sh"
    return subprocess.run(
        [interpreter, root / "samples" / name, *arguments],
        stdin=stdin,
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
def test_an_address_is_changed_everywhere(git_side):
    with (ROOT / "samples/history.fe").open("rb") as stream:
        outcome = run_sample("change_email.py", "ben@example.org", "cook@x.org", stdin=stream)
    assert git_side.run(outcome.stdout.encode()).returncode == 0
    addresses = set(git_side.git("log", "--all", "--format=%ae%n%ce").split())
    assert addresses == {"ada@example.org", "cook@x.org"}


@pytest.mark.git
@pytest.mark.parametrize(
    "stream", sorted((ROOT / "samples").glob("*.fe")), ids=lambda path: path.stem
)
def test_a_filter_that_finds_nothing_changes_nothing(stream, git_side, tmp_path):
    filtered = tmp_path / "filtered.fe"
    command = [sys.executable, ROOT / "samples/change_email.py", "no", "body"]
    with stream.open("rb") as source, filtered.open("wb") as target:
        subprocess.run(command, stdin=source, stdout=target, check=True)
    git_side.run(stream.read_bytes())
    refs = git_side.refs()
    assert git_side.run(filtered.read_bytes(), "--force").returncode == 0
    assert git_side.refs() == refs


@pytest.mark.git
def test_a_repository_is_copied_through_a_pipe(tmp_path, git_side, fastio_on_path):
    git_side.run((ROOT / "samples/history.fe").read_bytes())
    outcome = run_sample("copy-repository.sh", git_side.repository, tmp_path / "copy.git")
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout == "all 5 branches and tags are the same\n"


@pytest.mark.git
def test_the_first_import_sets_everything_up_and_shows_a_log(tmp_path, fastio_on_path):
    # Elsewhere: what is set up here must not be made anew under the tests that run in it.
    root = tmp_path / "a checkout"
    shutil.copytree(ROOT / "samples", root / "samples", ignore=shutil.ignore_patterns("out"))
    (root / "setup.sh").write_text('echo "this is set up"\n')
    (root / ".venv").symlink_to(tmp_path)  # where the fixture has put bin/fastio
    outcome = run_sample("first-import.sh", root=root)
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout.startswith("this is set up\n")
    assert "Start the book with bread" in outcome.stdout
