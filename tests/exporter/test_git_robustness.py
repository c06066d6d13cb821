"""Repositories that are broken, cut short or unusual: items 82 to 87 of the exporter's."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.side import Side
from tests.exporter.records import LINE, MAIN, ZERO, blob, commit, commit_body, reset, tag
from tests.exporter.source import Source

SIDE = b"refs/heads/side"


@pytest.fixture
def line(source: Source) -> Source:
    """Three commits, each object in a file of its own."""
    source.git("config", "fastimport.unpackLimit", "100")
    source.load(LINE)
    return source


def file_of(source: Source, name: str) -> Path:
    oid = source.git("rev-parse", name)
    return source.git_dir / "objects" / oid[:2] / oid[2:]


@pytest.mark.parametrize("name", ["main~1:b", "main:a"])
@pytest.mark.parametrize("damage", ["missing", "cut", "garbage", "other"])
def test_a_bad_blob_is_fatal(line: Source, name: str, damage: str) -> None:
    path = file_of(line, name)
    content = path.read_bytes()
    os.chmod(path, 0o600)
    if damage == "missing":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif damage == "garbage":
        path.write_bytes(b"garbage")
    else:
        path.write_bytes(file_of(line, "main~2:a").read_bytes())
    done = line.fails("main", *(["--verify"] if not line.is_git else []))
    assert LINE.startswith(done.stdout)
    assert line.oid(name) in done.stderr


@pytest.mark.parametrize("name", ["main", "main~1", "main^{tree}", "main~1^{tree}"])
def test_a_missing_commit_or_tree_is_fatal(line: Source, name: str) -> None:
    file_of(line, name).unlink()
    assert LINE.startswith(line.fails("refs/heads/main").stdout)
    assert LINE.startswith(line.fails("--all").stdout)


def test_a_head_without_its_object_is_fatal(line: Source) -> None:
    assert line.stream("--all") == LINE
    head = line.git_dir / "HEAD"
    head.write_text("ref: refs/heads/unborn\n")
    assert line.stream("--all") == LINE
    head.write_text("1" * 40 + "\n")
    assert line.fails("--all").stdout == b""
    assert line.stream("--branches") == LINE


def test_a_file_in_the_place_of_work_trees_is_no_harm(line: Source) -> None:
    (line.git_dir / "worktrees").write_text("")
    assert line.stream("--all") == LINE


def test_a_shallow_boundary_is_a_root(new_source: Callable[..., Source]) -> None:
    source, clone = new_source("--bare"), new_source("--bare", name="clone")
    source.load(LINE)
    clone.git("fetch", "-q", "--depth=2", str(source.path), "main:main")
    expected = (
        blob(1, b"one\n")
        + blob(2, b"two\n")
        + commit(3, b"M 100644 :1 a", b"M 100644 :2 b", message=b"second\n", root=True)
        + blob(4, b"three\n")
        + commit(5, b"from :3", b"M 100644 :4 a", b"D b", message=b"third\n")
    )
    assert clone.stream("--all") == expected


def test_a_replaced_commit_is_exported_under_its_own_id(line: Source) -> None:
    old = line.oid("main~1")
    body = commit_body(line.oid("main~2^{tree}"), line.oid("main~2"), message=b"replaced\n")
    new = line.add("commit", body)
    line.add_ref(f"refs/replace/{old.decode()}", new)
    assert line.stream("main", "--show-original-ids", "--no-data") == (
        commit(
            1, b"M 100644 %b a" % line.oid("main~2:a"), root=True, message=b"first\n",
            oid=line.oid("main~2"),
        )
        + commit(2, b"from :1", message=b"replaced\n", oid=old)
        + commit(
            3, b"from :2", b"M 100644 %b a" % line.oid("main:a"), message=b"third\n",
            oid=line.oid("main"),
        )
    )  # fmt: skip
    assert line.stream("main", GIT_NO_REPLACE_OBJECTS="1") == LINE
    assert line.stream("main", config=["core.useReplaceRefs=false"]) == LINE
    # A replaced blob is not what its id says.
    line.add_ref(
        f"refs/replace/{line.git('rev-parse', 'main:a')}", line.git("rev-parse", "main~2:a")
    )
    line.fails("main")


def test_a_graft_is_honoured(line: Source) -> None:
    (line.git_dir / "info").mkdir(exist_ok=True)
    (line.git_dir / "info/grafts").write_bytes(line.oid("main") + b" " + line.oid("main~2") + b"\n")
    done = line.export("main")
    assert done.returncode == 0
    assert done.stdout == (
        blob(1, b"one\n")
        + commit(2, b"M 100644 :1 a", root=True, message=b"first\n")
        + blob(3, b"three\n")
        + commit(4, b"from :2", b"M 100644 :3 a", message=b"third\n")
    )


@pytest.mark.parametrize("importer", ["git", "fastio"])
def test_sha256(new_source: Callable[..., Source], importer: str) -> None:
    source = new_source("--bare", "--object-format=sha256")
    link = b"3" * 64
    stream = (
        LINE
        + commit(7, b"from :6", b"M 160000 %b sub" % link, message=b"sub\n")
        + tag(b"v1", b":7")
    )
    source.load(stream)
    assert source.stream("--all") == stream
    assert source.stream("main", "^main") == reset(MAIN, ZERO + b"0" * 24)
    assert len(source.oid("main~3:a")) == 64
    assert b"M 100644 %b a\n" % source.oid("main~3:a") in source.stream("main", "--no-data")
    source.stream("main", "--export-marks=marks")
    assert source.stream("main", "--import-marks=marks") == reset(MAIN, b":7")
    back = Side(importer, source.path.parent / "back", "--bare", "--object-format=sha256")
    assert back.feed(source.stream("--all", "--show-original-ids")).returncode == 0
    assert back.refs() == source.refs()


def test_an_empty_repository(source: Source) -> None:
    assert source.stream("--all") == b""
    assert source.stream("--branches", "--tags", "--use-done-feature") == b"feature done\ndone\n"
    for name in ("main", "refs/heads/main", "1" * 40, "no-such-ref"):
        assert source.fails(name).stdout == b""


def test_outside_of_a_repository(source: Source) -> None:
    outside = source.path.parent
    assert (
        source.fails("--all", cwd=outside, GIT_CEILING_DIRECTORIES=str(outside.parent)).stdout
        == b""
    )


@pytest.mark.parametrize("size", [0, 1, 100])
@pytest.mark.parametrize("name", ["info/commit-graph", "pack/multi-pack-index"])
def test_of_a_file_that_only_helps_little_is_left(source: Source, name: str, size: int) -> None:
    source.git("config", "fastimport.unpackLimit", "1")
    source.load(LINE)
    source.load(blob(1, b"in a pack of its own"))
    source.git("commit-graph", "write", "--reachable")
    source.git("multi-pack-index", "write")
    path = source.git_dir / "objects" / name
    content = path.read_bytes()
    path.chmod(0o600)
    path.write_bytes(content[:size])
    done = source.export("main")
    assert (done.returncode, done.stdout) == (0, LINE)
    assert b"Traceback" not in done.stderr


def test_a_commit_graph_changes_names_only(source: Source) -> None:
    stream = LINE + commit(7, b"from :4", b"D a", ref=SIDE, message=b"side\n")
    stream += commit(8, b"from :6", b"merge :7", message=b"merge\n") + reset(b"refs/heads/x", b":4")
    source.load(stream)
    words = (
        ["--all"],
        ["main"],
        ["main", "--first-parent"],
        ["main", "^main~2"],
        ["main", "--", "--", "a"],
    )
    before = [source.stream(*some) for some in words]
    source.git("commit-graph", "write", "--reachable")
    for some, expected in zip(words, before, strict=True):
        told = source.stream(*some)
        assert [line for line in told.splitlines() if b"refs/heads/" not in line] == [
            line for line in expected.splitlines() if b"refs/heads/" not in line
        ]
        assert source.stream(*some, config=["core.commitGraph=false"]) == expected
