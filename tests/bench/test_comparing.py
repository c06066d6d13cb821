"""What the benchmarks conclude rests on these: costs are measured, differences are seen."""

import sys

import pytest

from bench.measure import run
from bench.sides import Importer, Outcome, Stream, differences

STREAM = b"""\
commit refs/heads/main
committer C <c@example.org> 1700000000 +0000
data 5
first
"""
# It must outlive two samples of the memory watch, which come every tenth of a second.
MEGABYTES_40 = "data = b'x' * 40_000_000; import time; time.sleep(0.3)"


@pytest.fixture
def importer():
    return Importer(["git"], ["fast-import", "--quiet"], "git", reads_files=False)


def outcome_of(importer, directory, content):
    stream = Stream(directory / "stream.fe")
    stream.path.write_bytes(content)
    watched, timed = (
        importer.fill(directory / "new.git", stream, watch_memory=watch) for watch in (True, False)
    )
    outcome = Outcome([timed], watched)
    importer.inspect(directory / "new.git", outcome, fsck=True)
    return outcome


def test_memory_of_all_descendants_is_counted():
    start_another = f"import subprocess as s, sys; s.run([sys.executable, '-c', {MEGABYTES_40!r}])"
    cost = run([sys.executable, "-c", start_another], watch_memory=True)
    assert cost.status == 0
    assert cost.peak_memory > 40_000_000
    assert cost.most_processes == 2


def test_status_and_stderr_are_kept():
    cost = run([sys.executable, "-c", "import sys; sys.exit('no')"])
    assert (cost.status, cost.stderr) == (1, "no\n")


@pytest.mark.git
def test_equal_repositories_show_no_difference(tmp_path, importer):
    first, second = (outcome_of(importer, tmp_path, STREAM) for _ in range(2))
    assert differences(first, second) == []
    assert first.fsck == "exit status 0"


@pytest.mark.git
def test_a_different_commit_is_seen(tmp_path, importer):
    first = outcome_of(importer, tmp_path, STREAM)
    second = outcome_of(importer, tmp_path, STREAM.replace(b"first", b"other"))
    assert [line.partition(":")[0] for line in differences(first, second)] == ["refs", "objects"]


@pytest.mark.git
def test_a_refused_stream_is_seen(tmp_path, importer):
    first = outcome_of(importer, tmp_path, STREAM)
    second = outcome_of(importer, tmp_path, b"nonsense\n")
    assert differences(first, second)[0] == "exit status: git 0, fastio 128"


@pytest.mark.git
def test_an_outcome_outlives_its_json(tmp_path, importer):
    outcome = outcome_of(importer, tmp_path, STREAM)
    assert Outcome.from_dict(outcome.as_dict()) == outcome
