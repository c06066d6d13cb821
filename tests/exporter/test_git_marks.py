"""Files of marks: items 28 to 38 of the exporter's."""

import pytest

from tests.conformance.side import Side
from tests.exporter.records import LINE, MAIN, ZERO, blob, commit, reset, tag
from tests.exporter.source import Source

NEW = commit(
    1, b"from refs/heads/main^0", b"M 100644 inline c", b"data 4", b"new", message=b"new\n"
)


@pytest.fixture
def line(source: Source) -> Source:
    """Three commits."""
    source.load(LINE)
    return source


def marks(source: Side, name: str = "marks") -> dict[int, bytes]:
    lines = (source.path / name).read_bytes().splitlines()
    return {int(number[1:]): oid for number, oid in (line.split(b" ") for line in lines)}


def write(source: Source, text: bytes) -> None:
    (source.path / "marks").write_bytes(text)


def test_commits_are_written_and_nothing_else(line: Source) -> None:
    line.load(tag(b"v1", b"refs/heads/main"))
    line.stream("--all", "--export-marks=marks", "--mark-tags")
    expected = {2: line.oid("main~2"), 4: line.oid("main~1"), 6: line.oid("main")}
    assert marks(line) == expected
    assert (line.path / "marks").read_bytes().count(b"\n") == 3


def test_nothing_new_leaves_the_file_alone(line: Source) -> None:
    line.stream("main", "--export-marks=marks")
    before = (line.path / "marks").stat()
    words = ["--import-marks=marks", "--export-marks=marks"]
    assert line.stream(*words, "main") == reset(MAIN, b":6")
    after = (line.path / "marks").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    line.stream("--import-marks=marks", "--export-marks=other", "main")
    assert not (line.path / "other").exists()


def test_one_new_commit_adds_one_line(line: Source) -> None:
    line.stream("main", "--export-marks=marks")
    before = marks(line)
    line.load(NEW)
    stream = line.stream("--import-marks=marks", "--export-marks=marks", "main")
    assert stream == blob(7, b"new\n") + commit(8, b"from :6", b"M 100644 :7 c", message=b"new\n")
    assert marks(line) == before | {8: line.oid("main")}


def test_a_known_tip_is_reset_only(line: Source) -> None:
    line.stream("main", "--export-marks=marks")
    assert line.stream("--import-marks=marks", "main") == reset(MAIN, b":6")


def test_an_empty_file_is_accepted(line: Source) -> None:
    write(line, b"")
    assert line.stream("--import-marks=marks", "main") == LINE


def test_numbers_go_on_from_the_highest(line: Source) -> None:
    # That of a blob counts, too, though it is not taken.
    oids = line.oid("main~2"), line.oid("main~2:a")
    write(line, b":7 %b\n:40 %b trailing words\n" % oids)
    assert line.stream("--import-marks=marks", "main~1") == (
        blob(41, b"two\n")
        + commit(42, b"from :7", b"M 100644 :41 b", message=b"second\n", ref=b"main~1")
    )


def test_an_old_blob_is_written_again(line: Source) -> None:
    write(line, b":1 %b\n:2 %b\n" % (line.oid("main~2:a"), line.oid("main~2")))
    old = b"M 100644 %b again" % line.oid("main~2:a")
    line.load(commit(1, b"from refs/heads/main~2", old, ref=b"refs/heads/x"))
    expected = blob(3, b"one\n") + commit(4, b"from :2", b"M 100644 :3 again", ref=b"refs/heads/x")
    assert line.stream("--import-marks=marks", "x") == expected


def test_the_root_alone_does_not_hide_a_merge(line: Source) -> None:
    side = commit(1, b"from refs/heads/main~2", b"D a", ref=b"refs/heads/side", message=b"side\n")
    line.load(side + commit(2, b"from refs/heads/main^0", b"merge :1", message=b"merge\n"))
    write(line, b":1 %b\n" % line.oid("main~3"))
    stream = line.stream("--import-marks=marks", "main")
    assert stream.endswith(commit(7, b"from :5", b"merge :6", message=b"merge\n"))
    assert stream.count(b"commit refs/heads/main\n") == 4


def test_marks_go_to_and_fro_between_export_and_import(source: Source) -> None:
    source.load(LINE)
    back = Side(source.program, source.path.parent / "back", "--bare")
    words = "--import-marks-if-exists=marks", "--export-marks=marks"
    for _ in range(2):
        assert back.feed(source.stream(*words, "main"), *words).returncode == 0
        source.load(NEW)
    assert back.git("rev-parse", "main") == source.git("rev-parse", "main~1")
    # The importer's file also knows blobs, which an exporter passes over.
    taken = {number: oid for number, oid in marks(back).items() if number in marks(source)}
    assert (taken, len(marks(back))) == (marks(source), 8)


@pytest.mark.parametrize(
    "text",
    [b":1 OID", b":x OID\n", b":0 OID\n", b"1 OID\n", b":1 abc\n", b":1OID\n", b"\n", b":1  OID\n",
     b":1 " + ZERO + b"\n", b": OID\n", b":1 OID\n\n", b":1\n", b"OID\n",
     b":1 OID\0\n", b":1 OID" + b" " * 600 + b"\n"],
)  # fmt: skip
def test_bad_lines_are_fatal(line: Source, text: bytes) -> None:
    write(line, text.replace(b"OID", line.oid("main")))
    assert line.fails("--import-marks=marks", "main").stdout == b""


def test_missing_files_are_fatal_unless_they_may_be_missing(line: Source) -> None:
    line.fails("--import-marks=marks", "main")
    for name in ("marks", "n" * 300):
        assert line.stream(f"--import-marks-if-exists={name}", "main") == LINE
    write(line, b"")
    line.fails("--import-marks=marks", "--import-marks-if-exists=marks", "main")
    line.fails("--export-marks=no/such/directory", "main")


def test_the_file_is_in_the_order_of_a_hash_table(source: Source) -> None:
    # So many that the table grows twice: from 0 to 1500 slots, and to 3750.
    commits = [
        commit(n, *([b"from :%d" % (n - 1)] * (n > 1)), message=b"%d" % n) for n in range(1, 1301)
    ]
    source.load(b"".join(commits))
    source.stream("main", "--export-marks=marks")
    lines = (source.path / "marks").read_bytes().splitlines()
    oids = source.git("rev-list", "--reverse", "main").split()
    assert lines == [b":%d %b" % (mark, oids[mark - 1].encode()) for mark in hashed(oids)]


def hashed(oids: list[str]) -> list[int]:
    """Marks in the order of a table with linear probing that has taken all oids."""
    size, slots = 0, {}
    for mark, oid in enumerate(oids, 1):
        if len(slots) + 1 > size * 2 // 3:
            size, old = (size + 1000) * 3 // 2, slots
            slots = {}
            for at in sorted(old):
                insert(slots, size, *old[at])
        insert(slots, size, oid, mark)
    return [slots[at][1] for at in sorted(slots)]


def insert(slots: dict[int, tuple[str, int]], size: int, oid: str, mark: int) -> None:
    at = int.from_bytes(bytes.fromhex(oid[:8]), "little") % size
    while at in slots:
        at = (at + 1) % size
    slots[at] = oid, mark


def test_marks_and_paths_list_all_files(line: Source) -> None:
    write(line, b":2 %b\n" % line.oid("main~2"))
    line.load(NEW)
    changed = commit(
        1, b"from refs/heads/main^0", b"M 100644 inline a", b"data 4", b"new", message=b"last\n"
    )
    line.load(changed)
    words = ["main", "--", "--", "a", "c"]
    assert line.stream("--import-marks=marks", *words) == (
        blob(3, b"three\n")
        + commit(4, b"from :2", b"deleteall", b"M 100644 :3 a", message=b"third\n")
        + blob(5, b"new\n")
        + commit(6, b"from :4", b"deleteall", b"M 100644 :3 a", b"M 100644 :5 c", message=b"new\n")
        + commit(7, b"from :6", b"deleteall", b"M 100644 :5 a", b"M 100644 :5 c", message=b"last\n")
    )
    assert b"deleteall" not in line.stream("--import-marks-if-exists=marks", *words)
