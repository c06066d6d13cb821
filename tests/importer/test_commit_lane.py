"""Plain commits by their own lane, or step by step: nobody can tell which it was."""

from __future__ import annotations

from hashlib import sha1
from pathlib import Path
from random import Random

import pytest

from fastio.errors import PackError
from fastio.importer import assembly, reading
from fastio.importer.executor import Executor
from fastio.stream.parser import StreamParser
from tests.importer import streams
from tests.importer.target import Target
from workers import codec

PATHS = (b"a", b"b", b"d/a", b"d/b", b"d/e/a", b"d-/a", b"d0", b"a/b", b"x/y/z", b".github/a")
BRANCHES = (b"refs/heads/main", b"refs/heads/side", b"refs/heads/other")
FIRST = b"first" * 30
FIRST_OID, ABSENT_OID, TREE_OID = (
    sha1(data).hexdigest().encode() for data in (b"blob 150\0" + FIRST, b"", b"tree 0\0")
)
SIGNATURE = b"gpgsig sha1 ssh\ndata 5\na\n\nb\n"
IDENTS = (streams.WHO, b"A <a@b> 1 +0000", b" <> 2 -1130", b"<a@b> 3 +0000")
OTHERS = (
    *(b"M 120000 :1 %(path)b\n", b'M 644 :1 "%(path)b"\n', b"# %(path)b\n"),
    *(b'M 644 :1 "\\303\\244%(path)b"\n', b'D "\\t%(path)b"\n', b"M 644 :1 \t%(path)b\n"),
    *(b"M 644 %(oid)b %(path)b\n", b"M 120000 %(oid)b %(path)b\n"),
    *(b"M 160000 " + ABSENT_OID + b" %(path)b\n", b"C a b/c\n"),
)


class Maker:
    """Makes streams of commits that are plain, or nearly; *faults* may be there as well."""

    def __init__(self, seed: int, *, faults: bool, count: int = 40, plain: bool = False) -> None:
        self.rng, self.faults = Random(seed), faults
        self.count, self.plain = count, plain
        self.blobs, self.commits, self.lines = [1], [], [streams.blob(1, FIRST)]
        self.next_mark = 2

    def stream(self) -> bytes:
        for _ in range(self.count):
            if self.rng.random() < 0.4:
                self.lines.append(streams.blob(self.take(), self.rng.randbytes(60)))
            else:
                self.lines.append(self.commit())
        return b"".join(self.lines)

    def take(self) -> int:
        """Declare a blob's mark, sometimes one that another object had."""
        mark = self.next_mark
        if self.rng.random() < 0.05:
            mark = self.rng.randrange(1, mark)
            self.blobs = [known for known in self.blobs if known != mark]
            self.commits = [known for known in self.commits if known != mark]
        self.next_mark = max(self.next_mark, mark + 1)
        self.blobs.append(mark)
        return mark

    def commit(self) -> bytes:
        rng = self.rng
        parts = [b"commit %b\n" % rng.choice(BRANCHES)]
        known = self.commits
        mark = self.next_mark
        self.next_mark += 1
        parts.append(b"mark :%d\n" % mark)
        if rng.random() < 0.3:
            parts.append(b"author %b\n" % rng.choice(IDENTS))
        parts.append(b"committer %b\n" % rng.choice(IDENTS))
        parts.append(rng.choice((b"", b"", SIGNATURE)) + rng.choice((b"", b"", b"encoding x\n")))
        parts.append(b"data 2\nhi%b" % rng.choice((b"", b"\n")))
        if known and rng.random() < 0.4:
            parts.append(b"from :%d\n" % rng.choice(known))
            parts += [b"merge :%d\n" % rng.choice(known) for _ in range(rng.choice((0, 0, 1, 2)))]
        if rng.random() < 0.15:
            parts.append(b"deleteall\n")
        change = rng.choice((self.change, self.change, self.inline))
        parts += [change() for _ in range(rng.choice((0, 1, 2, 3, 6)))]
        reset = b"" if self.plain else b"reset refs/tags/t\nfrom :%d\n" % mark
        parts.append(rng.choice((b"\n", b"", reset)))
        self.commits.append(mark)
        return b"".join(parts)

    def inline(self) -> bytes:
        rng = self.rng
        path = rng.choice(PATHS)
        if rng.random() < 0.2:
            return b"D %b\n" % path
        if rng.random() < 0.05:
            return self.change()
        data = rng.choice((FIRST, b"", rng.randbytes(70)))
        mode = rng.choice((b"100644", b"755", b"120000"))
        return b"M %b inline %b\ndata %d\n%b%b" % (
            *(mode, path, len(data), data),
            rng.choice((b"", b"\n", b"\n")),
        )

    def change(self) -> bytes:
        rng = self.rng
        path = rng.choice(PATHS)
        if rng.random() < 0.25:
            return b"D %b\n" % path
        if rng.random() < 0.3 and not self.plain:
            oid = FIRST_OID
            if self.faults and rng.random() < 0.1:
                oid = rng.choice((ABSENT_OID, TREE_OID, TREE_OID + ABSENT_OID[:24]))
            return rng.choice(OTHERS) % {b"path": path, b"oid": oid}
        mark = rng.choice(self.blobs)
        if self.faults and rng.random() < 0.03:
            mark = rng.choice((999, *self.commits))
            if rng.random() < 0.3:
                return b"M 160000 %b %b\n" % (FIRST_OID, path)
        mode = rng.choice((b"100644", b"644", b"755", b"100755"))
        return b"M %b :%d %b\n" % (mode, mark, path)


def imported(
    path: Path, stream: bytes, capfd: pytest.CaptureFixture[str], workers: int = 0
) -> tuple[int, str, dict[str, str], bytes, str, list[bytes]]:
    target = Target(path, "--bare")
    target.git("config", "fastimport.unpackLimit", "0")
    marks = path / "marks"
    status, _ = target.here(stream, "--force", f"--export-marks={marks}", workers=workers)
    said = capfd.readouterr().err.split("fast-import: dumping")[0]
    reports = [file.read_bytes() for file in path.glob("fast_import_crash_*")]
    reports = [
        report[report.index(b"Most Recent") :].replace(bytes(path), b"") for report in reports
    ]
    return status, target.digest(), target.refs(), marks.read_bytes(), said, reports


@pytest.mark.parametrize("faults", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_nobody_can_tell_the_lane(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    seed: int,
    faults: bool,
) -> None:
    check_nobody_can_tell(tmp_path, monkeypatch, capfd, seed, Maker(seed, faults=faults))


@pytest.mark.parametrize("faults", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_nor_where_turns_end(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    seed: int,
    faults: bool,
) -> None:
    maker = Maker(seed, faults=faults, count=400, plain=True)
    check_nobody_can_tell(tmp_path, monkeypatch, capfd, 20 * seed, maker)


def check_nobody_can_tell(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    seed: int,
    maker: Maker,
) -> None:
    stream = maker.stream()
    fast = imported(tmp_path / "fast", stream, capfd)
    monkeypatch.setattr(assembly, "FEW_BATCHES", 0)
    monkeypatch.setattr(assembly, "cores", lambda: 3)
    assert imported(tmp_path / "with a thread", stream, capfd, workers=1) == fast
    monkeypatch.setattr(reading, "READ_SIZE", 1 + seed * 7)
    assert imported(tmp_path / "in small pieces", stream, capfd) == fast
    monkeypatch.setattr(StreamParser, "take_run", lambda _parser: None)
    monkeypatch.setattr(StreamParser, "take_commit", lambda _parser: None)
    assert imported(tmp_path / "step by step", stream, capfd) == fast


@pytest.mark.parametrize("behind", [b"", b"nonsense\n", b"M 644 :9 f\n"])
def test_nobody_can_tell_the_lane_by_a_large_commit(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    behind: bytes,
) -> None:
    head = streams.blob(1, FIRST) + b"commit refs/heads/main\ncommitter %b\n" % streams.WHO
    lines = (b"M 644 :1 %d/%d\n" % (number % 700, number) for number in range(6000))
    stream = head + b"data 0\n" + b"".join(lines) + behind
    fast = imported(tmp_path / "fast", stream, capfd)
    assert fast[0] == (128 if behind else 0)
    monkeypatch.setattr(reading, "READ_SIZE", 5000)
    assert imported(tmp_path / "in small pieces", stream, capfd) == fast
    monkeypatch.setattr(StreamParser, "take_run", lambda _parser: None)
    monkeypatch.setattr(StreamParser, "take_commit", lambda _parser: None)
    assert imported(tmp_path / "step by step", stream, capfd) == fast


def test_the_first_commit_of_a_branch_is_not_edited_step_by_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Executor, "modify", None)
    stream = streams.history(files=20, size=500, commits=10)
    assert Target(tmp_path / "target", "--bare").here(stream, workers=0)[0] == 0


def test_most_commits_take_the_lane(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = []
    begin = Executor.begin_commit
    monkeypatch.setattr(
        Executor, "begin_commit", lambda self, header: (steps.append(header), begin(self, header))
    )
    stream = streams.history(files=20, size=500, commits=100)
    status, _ = Target(tmp_path / "target", "--bare").here(stream, workers=0)
    assert status == 0
    assert len(steps) <= 2  # the first of the branch, the last of the stream


def test_what_could_not_be_stored_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    deflate = codec.deflate

    def deflate_small(content: memoryview, level: int) -> bytes:
        if len(content) > 2000:
            raise PackError("the disk is full")
        return deflate(content, level)

    monkeypatch.setattr(codec, "deflate", deflate_small)
    files = b"".join(b"M 644 :1 d/%d\n" % number for number in range(100))
    commit = b"commit refs/heads/main\nmark :%d\ncommitter %b\ndata 0\n"
    stream = streams.blob(1, FIRST) + b"".join(
        commit % (mark, streams.WHO) + b"M 644 :1 f%d\n" % number + (files if mark == 5 else b"")
        for number, mark in enumerate((2, 3, 4, 3, 5, 2, 6))
    )
    status, _, refs, marks, said, [report] = imported(tmp_path / "target", stream, capfd)
    assert (status, refs) == (128, {})
    assert "the disk is full" in said
    [blob, first] = marks.splitlines()
    assert (blob[:3], first[:3]) == (b":1 ", b":2 ")
    assert b"tip commit  : " + first[3:] in report


@pytest.mark.parametrize(
    "path", ["\u200c.git/x", ".\u200cgit", ".g\u200cit", "a/\ufeff\u206f.git", ".git\ufeff"]
)
def test_paths_refused_for_hfs_do_not_take_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], path: str
) -> None:
    target = Target(tmp_path / "target", "--bare")
    target.git("config", "core.protectHFS", "true")
    first = streams.history(files=10, size=50, commits=2)  # so the branch is there
    change = b"M 644 :1 %b\n\n" % path.encode()
    commit = b"commit refs/heads/main\ncommitter %b\ndata 0\n" % streams.WHO
    assert target.here(first + commit + change + commit, workers=0)[0] == 128
    assert "invalid path" in capfd.readouterr().err
