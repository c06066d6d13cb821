"""Every sample stream gives the repository that git makes of it."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STREAMS = sorted((ROOT / "samples").glob("*.fe"))

pytestmark = pytest.mark.git


@pytest.mark.parametrize("stream", STREAMS, ids=lambda path: path.stem)
def test_a_sample_imports_as_git_imports_it(stream, git_side, fastio_side):
    data = stream.read_bytes()
    expected, outcome = git_side.run(data), fastio_side.run(data)
    assert expected.returncode == 0, expected.stderr
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout == expected.stdout
    assert fastio_side.refs() == git_side.refs()
    assert fastio_side.objects() == git_side.objects()
    assert fastio_side.git("fsck", "--strict") == git_side.git("fsck", "--strict")


@pytest.mark.parametrize("cores", ["1", "3"])
def test_the_number_of_workers_does_not_matter(cores, git_side, fastio_side):
    data = (ROOT / "samples/history.fe").read_bytes()
    git_side.run(data)
    assert fastio_side.run(data, f"--workers={cores}").returncode == 0
    assert fastio_side.refs() == git_side.refs()


def test_a_compressed_sample_is_imported_from_its_file(tmp_path, git_side, fastio_side):
    plain = (ROOT / "samples/history.fe").read_bytes()
    compress = [sys.executable, ROOT / "samples/compress.py"]
    packed = tmp_path / "history.fe.lz4"
    packed.write_bytes(subprocess.check_output(compress, input=plain))
    git_side.run(plain)
    assert fastio_side.run(b"", str(packed)).returncode == 0
    assert fastio_side.refs() == git_side.refs()
