"""Repositories of every kind, and the settings of theirs that an import honours."""

import argparse
import os
import struct
from pathlib import Path

import pytest

from tests.importer import streams
from tests.importer.target import Target, blob_oid

STREAM = streams.blob(1, b"content") + streams.commit(2, b"M 100644 :1 dir/file")
TEXT = Path(argparse.__file__).read_bytes()  # source text: what level 9 is better at than 1


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
@pytest.mark.parametrize("bare", [["--bare"], []])
def test_format_and_bareness(tmp_path: Path, algorithm: str, bare: list[str]) -> None:
    target = Target(tmp_path / "target", f"--object-format={algorithm}", *bare)
    target.git("config", "fastimport.unpackLimit", "1")
    assert target.run(STREAM, "--export-marks=marks").returncode == 0
    assert target.git("rev-parse", "main:dir/file") == blob_oid(b"content", algorithm)
    assert target.git("show", "main:dir/file") == "content"
    assert blob_oid(b"content", algorithm) in (target.path / "marks").read_text()
    assert (len(target.packs()), target.files(), target.fsck()) == (1, [], "")


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_incremental_import_with_deltas(tmp_path: Path, algorithm: str) -> None:
    target = Target(tmp_path / "target", f"--object-format={algorithm}", "--bare")
    history = streams.history(files=40, size=3000, commits=30, edits=5)
    assert target.run(history, "--export-marks=marks").returncode == 0
    more = streams.commit(
        999, b"R dir0 moved", streams.inline(b"dir1/file1", b"new"), start=b"main^0"
    )
    assert target.run(more).returncode == 0
    assert target.git("rev-list", "--count", "main") == "31"
    assert (target.fsck(), target.git("ls-tree", "main", "dir0")) == ("", "")


@pytest.mark.parametrize(
    ("shared", "mode"), [("umask", 0o400), ("group", 0o440), ("all", 0o444), ("0640", 0o440)]
)
def test_packs_of_a_shared_repository(target: Target, shared: str, mode: int) -> None:
    target.git("config", "fastimport.unpackLimit", "1")
    target.git("config", "core.sharedRepository", shared)
    umask = os.umask(0o077)
    try:
        assert target.run(STREAM).returncode == 0
    finally:
        os.umask(umask)
    made = (target.git_dir / "objects/pack").iterdir()
    assert {path.suffix: path.stat().st_mode & 0o777 for path in made} == {
        ".pack": mode,
        ".idx": mode,
    }


def test_subdirectory_and_linked_work_tree(tmp_path: Path) -> None:
    target = Target(tmp_path / "main")
    (target.path / "sub").mkdir()
    inside = target.fastio("import", "--export-marks=marks", stream=STREAM, cwd=target.path / "sub")
    assert inside.returncode == 0
    assert (target.path / "sub/marks").exists()
    target.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"), "main")
    other = streams.commit(1, ref=b"refs/heads/other")
    done = target.fastio("import", stream=other + b"bad\n", cwd=tmp_path / "linked")
    assert done.returncode == 128
    assert list((target.git_dir / "worktrees/linked").glob("fast_import_crash_*"))
    assert target.fastio("import", stream=other, cwd=tmp_path / "linked").returncode == 0
    assert sorted(target.refs()) == ["refs/heads/main", "refs/heads/other"]


def test_git_dir_and_global_options(target: Target, tmp_path: Path) -> None:
    path = str(target.path)
    ways = [(["-C", path], {}), ([f"--git-dir={path}"], {}), ([], {"GIT_DIR": path})]
    for number, (words, variables) in enumerate(ways):
        stream = streams.commit(1, ref=b"refs/heads/x%d" % number)
        done = target.fastio(*words, "import", "--quiet", stream=stream, cwd=tmp_path, **variables)
        assert (done.returncode, done.stderr) == (0, b"")
    assert sorted(target.refs()) == ["refs/heads/x0", "refs/heads/x1", "refs/heads/x2"]


def test_no_repository(tmp_path: Path, target: Target) -> None:
    done = target.fastio("import", stream=STREAM, cwd=tmp_path, GIT_CEILING_DIRECTORIES="/")
    assert done.returncode == 128
    assert done.stderr.startswith(b"fatal: not a git repository")


def pack_size(path: Path, words: list[str], options: list[str]) -> int:
    target = Target(path, "--bare")
    target.git("config", "fastimport.unpackLimit", "0")
    done = target.fastio(*words, "import", "--quiet", *options, stream=streams.blob(1, TEXT))
    assert done.returncode == 0
    return target.packs()[0].stat().st_size


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["-c", "core.compression=9"], []),
        (["-c", "pack.compression=9", "-c", "core.compression=0"], []),
        (["-c", "core.compression=0"], ["--compression=9"]),
    ],
)
def test_compression_is_honoured(tmp_path: Path, words: list[str], options: list[str]) -> None:
    stored = pack_size(tmp_path / "0", ["-c", "core.compression=0"], [])
    fast = pack_size(tmp_path / "1", ["-c", "core.compression=1"], [])
    best = pack_size(tmp_path / "9", words, options)
    assert best < fast < len(TEXT) < stored


@pytest.mark.parametrize(
    ("setting", "packs"), [("3", 0), ("2", 1), ("0", 1), ("-1", 0), ("100", 0)]
)
def test_small_packs_become_loose_objects(target: Target, setting: str, packs: int) -> None:
    target.git("config", "fastimport.unpackLimit", setting)
    assert target.run(streams.commit(1, streams.inline(b"file", b"x"))).returncode == 0
    assert (len(target.packs()), target.files()) == (packs, [])
    assert target.git("show", "main:file") == "x"
    assert target.fsck() == ""


@pytest.mark.parametrize("version", [1, 2])
def test_index_version(target: Target, version: int) -> None:
    target.git("config", "pack.indexVersion", str(version))
    assert target.run(STREAM).returncode == 0
    head = target.packs()[0].with_suffix(".idx").read_bytes()[:8]
    assert (head == struct.pack(">4sI", b"\xfftOc", 2)) == (version == 2)
    assert target.fsck() == ""


def test_configured_depth_and_threshold(target: Target) -> None:
    target.git("config", "pack.depth", "3")
    target.git("config", "core.bigFileThreshold", "20k")
    stream = streams.one_file(versions=20, size=9000)
    status, importer = target.here(stream + streams.blob(900, TEXT))
    assert (status, importer.sink.trees.depth) == (0, 3)
    assert importer.sink.counters[3].stored == 1


def test_case_of_odd_paths_and_messages(target: Target) -> None:
    odd = [b'"a\\"b"', b"\xff\xfe", b"with space", b'"tab\\there"']
    stream = streams.commit(1, *(streams.inline(path, b"x") for path in odd), message=b"\xff\0\xfe")
    assert target.run(stream).returncode == 0
    names = target.git("ls-tree", "-z", "--name-only", "main").split("\0")[:-1]
    assert [name.encode(errors="surrogateescape") for name in names] == sorted(
        [b'a"b', b"\xff\xfe", b"with space", b"tab\there"]
    )
