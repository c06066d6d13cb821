"""The mark table against a model, and marks files against git's."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastio.errors import FastioError, MarksError
from fastio.exporter.marks import MarkTable, export_marks, import_marks
from fastio.exporter.options import parse_options
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository
from tests.store.work import Work


class ModelTable:
    """Git's table, slowly."""

    def __init__(self) -> None:
        self.slots: list[tuple[bytes, int, bool] | None] = []
        self.used = 0

    def set(self, oid: bytes, mark: int, is_commit: bool) -> None:
        if self.used + 1 > len(self.slots) * 2 // 3:
            used = [slot for slot in self.slots if slot is not None]
            self.slots, self.used = [None] * ((len(self.slots) + 1000) * 3 // 2), 0
            for slot in used:
                self._put(slot)
        self._put((oid, mark, is_commit))

    def _put(self, slot: tuple[bytes, int, bool]) -> None:
        at = int.from_bytes(slot[0][:4], "little") % len(self.slots)
        while (there := self.slots[at]) is not None and there[0] != slot[0]:
            at = (at + 1) % len(self.slots)
        self.used += there is None
        self.slots[at] = slot

    def lines(self) -> bytes:
        slots = [slot for slot in self.slots if slot is not None]
        return b"".join(b":%d %s\n" % (m, o.hex().encode()) for o, m, commit in slots if commit)


# Few heads, so that they share slots; among them the last slots of a table.
few_oids = st.builds(
    lambda head, tail, size: head.to_bytes(4, "little") + bytes([tail]) * (size - 4),
    st.sampled_from([0, 1, 1498, 1499, 1500, 2999]),
    st.integers(0, 3),
    st.just(20),
)


@given(st.lists(st.tuples(few_oids, st.booleans(), st.none() | st.integers(1, 2**63 - 100))))
@settings(max_examples=100)
def test_the_table_agrees_with_its_model(
    steps: list[tuple[bytes, bool, int | None]],
) -> None:
    table, model, marks, last = MarkTable(), ModelTable(), dict[bytes, int](), 0
    for oid, is_commit, mark in steps:
        if mark is None:
            mark = last + 1
            assert table.add(oid, is_commit) == mark
        else:
            table.set(oid, mark, is_commit)
        model.set(oid, mark, is_commit)
        marks[oid], last = mark, max(last, mark)
    assert b"".join(table.lines()) == model.lines()
    assert table.last == last
    assert len(table) == len(marks)
    assert {oid: table.find(oid) for oid in marks} == marks
    assert table.find(bytes(20)) == marks.get(bytes(20), 0)


@pytest.mark.parametrize("oid_size", [20, 32])
@pytest.mark.parametrize("count", [999, 1000, 1001, 2500, 20_000])
def test_the_order_stays_that_of_git_while_it_grows(oid_size: int, count: int) -> None:
    table, model = MarkTable(oid_size), ModelTable()
    for number in range(count):
        oid = hashlib.sha256(b"%d" % number).digest()[:oid_size]
        is_commit = number % 3 > 0
        model.set(oid, table.add(oid, is_commit), is_commit)
    oid = hashlib.sha256(b"7").digest()[:oid_size]
    model.set(oid, table.add(oid, True), True)
    assert b"".join(table.lines()) == model.lines()


def test_an_object_costs_at_most_65_bytes() -> None:
    table = MarkTable()
    for number in range(100_000):
        table.add(hashlib.sha1(b"%d" % number).digest())
        if number >= 50_000:
            assert table.nbytes <= 65 * len(table)


def test_what_is_new() -> None:
    table = MarkTable()
    assert not table.has_new
    table.set(b"a" * 20, 7, True)
    table.skip(9)
    table.skip(3)
    assert not table.has_new
    assert table.add(b"b" * 20) == 10
    assert table.has_new


def test_numbers_and_oids_that_do_not_fit() -> None:
    table = MarkTable()
    for mark in (0, -1, 2**63):
        with pytest.raises(MarksError):
            table.set(b"a" * 20, mark, True)
        with pytest.raises(MarksError):
            table.skip(mark)
    table.set(b"a" * 20, 2**63 - 1, True)
    with pytest.raises(MarksError):
        table.add(b"b" * 20)
    for oid in (b"", b"x" * 32, "x" * 20):
        with pytest.raises(MarksError):
            table.find(oid)  # type: ignore[arg-type]


# --- files ----------------------------------------------------------------------------------------


@pytest.fixture
def work(tmp_path: Path) -> Work:
    work = Work(tmp_path / "work")
    for text in ("one", "two", "three"):
        work("commit", "-q", "--allow-empty", "-m", text)
    work("tag", "-a", "-m", "a tag", "v1")
    return work


class Marks:
    """Import and export of marks in a repository."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(directory)
        self.repository = Repository.discover()
        self.warnings: list[str] = []

    def read(self, *words: str) -> MarkTable:
        options, _ = parse_options(words)
        with ObjectStore(self.repository) as store:
            return import_marks(options, self.repository, store, self.warnings.append)

    def write(self, table: MarkTable, *words: str) -> None:
        options, _ = parse_options(words)
        export_marks(options, self.repository, table, self.warnings.append)


@pytest.fixture
def marks(work: Work, monkeypatch: pytest.MonkeyPatch) -> Marks:
    return Marks(work.path, monkeypatch)


def oids(work: Work) -> list[bytes]:
    return [bytes.fromhex(word) for word in work("rev-list", "main").split()]


@pytest.mark.parametrize("ending", ["\n", " odd\n"])
def test_marks_of_commits_are_read(marks: Marks, work: Work, ending: str) -> None:
    three, two, one = work("rev-list", "main").split()
    tree, tag = work("rev-parse", "main^{tree}", "v1").split()
    lines = [f":7 {one}", f":3 {two.upper()}", f":50 {tree}", f":9 {tag}", f":007 {three}"]
    Path("m").write_text("".join(line + ending for line in lines))
    table = marks.read("--import-marks=m")
    assert [table.find(oid) for oid in oids(work)] == [7, 3, 7]
    assert (table.last, len(table), table.has_new) == (50, 3, False)
    assert marks.warnings == []


def test_only_the_digit_itself_is_read_as_it(marks: Marks, work: Work) -> None:
    [last, *_] = oids(work)
    line = b":1 %b\n" % last.hex().encode()
    with ObjectStore(marks.repository) as store:
        for at in (3, 42):
            others = {bytes([byte]) for byte in range(256)} - {line[at : at + 1]}
            for other in others:
                odd = line[:at] + other + line[at + 1 :]
                assert MarkTable(20).take_lines(odd, store.search) == 0
        assert MarkTable(20).take_lines(line, store.search) == len(line)


def test_a_commit_with_two_marks(marks: Marks, work: Work) -> None:
    oid = work("rev-parse", "main")
    Path("m").write_text(f":7 {oid}\n:5 {oid}\n")
    assert marks.read("--import-marks=m").find(bytes.fromhex(oid)) == 5
    assert marks.warnings == [f"object {oid} already has a mark"]


@pytest.mark.parametrize(
    "text",
    [
        ":1 OID",
        ":0 OID\n",
        ": OID\n",
        ":1\tOID\n",
        ":1  OID\n",
        ":1 OI\n",
        "1 OID\n",
        ":x OID\n",
        ":1 OID\n\n",
        ":1 OID" + " " * 600 + "\n",
        ":1 " + "0" * 40 + "\n",
        "\n",
    ],
)
def test_bad_lines(marks: Marks, work: Work, text: str) -> None:
    oid = work("rev-parse", "main")
    Path("m").write_text(text.replace("OID", oid).replace("OI", oid[:39]))
    with pytest.raises(MarksError, match=r"malformed line|object not found"):
        marks.read("--import-marks=m")
    done = subprocess.run(
        ["git", "fast-export", "--import-marks=m", "main"],
        cwd=work.path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 128


def test_many_lines(marks: Marks, work: Work) -> None:
    """More than are read at once, and so large a number that the next is wide as well."""
    three, two, one = work("rev-list", "main").split()
    tree = work("rev-parse", "main^{tree}")
    lines = [f":{number} {tree}\n" for number in range(1, 30_000)]
    Path("m").write_text("".join([f":30000 {one}\n", *lines, f":40000 {two}\n"]))
    table = marks.read("--import-marks=m")
    assert [table.find(oid) for oid in oids(work)] == [0, 40_000, 30_000]
    Path("m").write_text("".join([*lines, f":40000 {two}x\n", f":40001 {three}\n", "bad\n"]))
    with pytest.raises(MarksError, match="malformed line 30002 in"):
        marks.read("--import-marks=m")
    odd = [f":40000 {two}x\n", *lines, f":40001 {three}\n"]
    Path("m").write_text("".join(odd))
    table = marks.read("--import-marks=m")
    assert [table.find(oid) for oid in oids(work)] == [40_001, 40_000, 0]
    Path("m").write_text("".join([*odd, "bad\n"]))
    with pytest.raises(MarksError, match="malformed line 30002 in"):
        marks.read("--import-marks=m")


def test_which_files_may_be_missing(marks: Marks) -> None:
    Path("file").touch()
    for name in ("none", "none/none", "file/none", "", "n" * 300):
        assert marks.read(f"--import-marks-if-exists={name}").last == 0
        with pytest.raises(MarksError, match="could not open"):
            marks.read(f"--import-marks={name}")
    Path("directory").mkdir()
    with pytest.raises(MarksError):
        marks.read("--import-marks-if-exists=directory")
    with pytest.raises(FastioError, match="cannot be used together"):
        marks.read("--import-marks=file", "--import-marks-if-exists=file")


def test_a_file_is_the_same_as_gits(marks: Marks, work: Work) -> None:
    stream = work("fast-export", "--export-marks=git", "main")
    table = MarkTable()
    for word in stream.splitlines():
        if word.startswith("mark"):
            table.add(oids(work)[-1 - table.last], True)
    marks.write(table, "--export-marks=ours")
    assert Path("ours").read_bytes() == Path("git").read_bytes()


def added() -> MarkTable:
    table = MarkTable()
    table.add(b"a" * 20, True)
    return table


LINE = b":1 " + b"61" * 20 + b"\n"


def test_a_file_is_replaced_but_not_its_mode(marks: Marks) -> None:
    Path("real").write_text("old")
    Path("real").chmod(0o640)
    Path("link").symlink_to("real")
    marks.write(added(), "--export-marks=link")
    assert Path("real").read_bytes() == LINE
    assert Path("real").stat().st_mode & 0o777 == 0o640
    assert Path("link").is_symlink()
    assert sorted(os.listdir()) == [".git", "link", "real"]


def test_nothing_new_leaves_the_file_alone(marks: Marks) -> None:
    table = MarkTable()
    table.set(b"a" * 20, 1, True)
    marks.write(table, "--export-marks=none/none")
    marks.write(added(), "--data")
    assert os.listdir() == [".git"]


@pytest.mark.parametrize("name", ["", "none/none", ".git"])
def test_a_file_that_cannot_be_opened(marks: Marks, name: str) -> None:
    with pytest.raises(MarksError, match="for writing"):
        marks.write(added(), f"--export-marks={name}")
    assert os.listdir() == [".git"]


def test_devices_and_pipes_are_written_to(marks: Marks) -> None:
    marks.write(added(), "--export-marks=/dev/null")
    assert not Path("/dev/null").is_file()
    marks.write(added(), "--export-marks=/dev/full")
    assert [text.partition(": ")[0] for text in marks.warnings] == [
        "unable to write marks file /dev/full"
    ]
    reader, writer = os.pipe()
    marks.write(added(), f"--export-marks=/dev/fd/{writer}")
    os.close(writer)
    with open(reader, "rb") as pipe:
        assert pipe.read() == LINE


def test_a_failed_write_keeps_the_old_file(marks: Marks, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_old: bytes, _new: bytes) -> None:
        raise OSError(28, "No space left on device")

    Path("m").write_text("old")
    monkeypatch.setattr(os, "replace", fail)
    marks.write(added(), "--export-marks=m")
    assert marks.warnings == ["unable to write marks file m: No space left on device"]
    assert Path("m").read_text() == "old"
    assert sorted(os.listdir()) == [".git", "m"]


def test_names_go_by_the_top_of_the_work_tree(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    below = work.path / "a" / "b"
    below.mkdir(parents=True)
    marks = Marks(below, monkeypatch)
    marks.write(added(), "--export-marks=ours")
    work("-C", "a/b", "fast-export", "--export-marks=git", "main")
    assert sorted(os.listdir(work.path)) == [".git", "a", "git", "ours"]


def test_names_in_a_bare_repository(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    work("clone", "-q", "--bare", ".", "bare.git")
    marks = Marks(work.path / "bare.git" / "refs", monkeypatch)
    marks.write(added(), "--export-marks=ours")
    work("-C", "bare.git/refs", "fast-export", "--export-marks=git", "main")
    assert {"git", "ours"} <= set(os.listdir())


@pytest.mark.git
def test_a_table_that_grows_is_in_gits_order_too(marks: Marks, work: Work) -> None:
    """Exactly full before the tag is marked again, which lets the table grow."""
    commits = "".join(
        f"commit refs/heads/many\ncommitter a <b> {number} +0000\ndata 0\n" for number in range(999)
    )
    work("fast-import", "--quiet", text=commits)
    work("tag", "-a", "-m", "a tag", "many/1", "many")
    work("update-ref", "refs/tags/many/2", "refs/tags/many/1")
    work("fast-export", "--mark-tags", "--export-marks=git", "many", "many/1", "many/2")
    table = MarkTable()
    for oid in work("rev-list", "--reverse", "refs/heads/many").split():
        table.add(bytes.fromhex(oid), True)
    for _ in range(2):
        table.add(bytes.fromhex(work("rev-parse", "many/1")))
    marks.write(table, "--export-marks=ours")
    assert Path("ours").read_bytes() == Path("git").read_bytes()
