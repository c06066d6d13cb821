"""Notes: items 167 to 185."""

import pytest

from tests.conformance.side import Side
from tests.importer.streams import blob, commit, inline
from tests.importer.target import blob_oid

NOTES = b"refs/notes/n"
ZERO = b"0" * 40
# Two commits to write about, a note's blob, and an annotated tag of the first commit.
BASE = (
    blob(1, b"a note")
    + commit(2, inline(b"file", b"one"))
    + commit(3, b"D file")
    + b"tag t\nmark :4\nfrom :2\ndata 0\n"
)


def note(text: bytes, what: bytes) -> bytes:
    return b"N inline %b\ndata %d\n%b" % (what, len(text), text)


def many(count: int) -> bytes:
    """Commits with the marks from 1001 on."""
    return b"".join(commit(1001 + number, message=b"%d" % number) for number in range(count))


def notes_of(first: int, end: int) -> list[bytes]:
    """N lines for some of the commits of `many`."""
    return [note(b"note %d" % number, b":%d" % (1001 + number)) for number in range(first, end)]


def tree(side: Side, ref: str = "refs/notes/n") -> dict[str, str]:
    """Each path of a ref's tree, with what ``git ls-tree`` says of its mode and oid."""
    lines = side.git("ls-tree", "-r", "--format=%(path) %(objectmode) %(objectname)", ref)
    return dict(line.split(" ", 1) for line in lines.splitlines())


def layouts(side: Side, ref: str = "refs/notes/n") -> dict[int, int]:
    """How many paths there are of each length."""
    lengths = [len(path) for path in tree(side, ref)]
    return {length: lengths.count(length) for length in set(lengths)}


def commits(side: Side, ref: str = "main") -> list[str]:
    return side.git("rev-list", "--reverse", ref).split()


def plain(text: bytes) -> str:
    return f"100644 {blob_oid(text)}"


def test_notes_by_mark_and_inline_stand_at_their_commits_oid(side: Side) -> None:
    stream = BASE + commit(9, b"N :1 :2", note(b"other", b":3"), ref=NOTES)
    assert side.feed(stream).returncode == 0
    first, second = commits(side)
    assert tree(side) == {first: plain(b"a note"), second: plain(b"other")}
    assert side.git("notes", "--ref=n", "show", second) == "other"


def test_a_note_is_replaced_in_the_same_commit_and_in_later_ones(side: Side) -> None:
    stream = BASE + commit(9, b"N :1 :2", note(b"second", b":2"), ref=NOTES)
    stream += commit(10, note(b"third", b":2"), ref=NOTES)
    assert side.feed(stream).returncode == 0
    first = commits(side)[0]
    assert tree(side, "refs/notes/n^") == {first: plain(b"second")}
    assert tree(side) == {first: plain(b"third")}


def test_a_note_written_by_m_is_read_and_overridden_at_its_path(side: Side) -> None:
    assert side.feed(BASE).returncode == 0
    first = commits(side)[0]
    written = commit(9, inline(first.encode(), b"by M"), ref=NOTES)
    assert side.feed(written).returncode == 0
    assert side.git("notes", "--ref=n", "show", first) == "by M"
    stream = commit(10, note(b"by N", first.encode()), ref=NOTES, start=NOTES + b"^0")
    assert side.feed(stream).returncode == 0
    assert tree(side) == {first: plain(b"by N")}


def test_a_note_written_by_m_at_another_layout_stays(side: Side) -> None:
    assert side.feed(BASE).returncode == 0
    first = commits(side)[0]
    others = [f"{first[:2]}/{first[2:]}", f"{first[:2]}/{first[2:4]}/{first[4:]}"]
    lines = [inline(path.encode(), b"by M") for path in others]
    stream = commit(9, *lines, note(b"by N", first.encode()), ref=NOTES)
    assert side.feed(stream).returncode == 0
    assert tree(side) == {first: plain(b"by N"), **dict.fromkeys(others, plain(b"by M"))}


def test_four_hundred_notes_have_no_full_oid_at_the_top(side: Side) -> None:
    stream = many(400) + commit(9, *notes_of(0, 400), ref=NOTES)
    assert side.feed(stream).returncode == 0
    assert layouts(side) == {41: 400}
    assert tree(side).keys() == {f"{oid[:2]}/{oid[2:]}" for oid in commits(side)}
    assert side.git("notes", "--ref=n", "show", "main") == "note 399"


def test_a_notes_tree_taken_over_as_the_root_keeps_its_fan_out(side: Side) -> None:
    assert side.feed(many(401) + commit(9, *notes_of(0, 400), ref=NOTES)).returncode == 0
    root = side.git("rev-parse", "refs/notes/n^{tree}").encode()
    stream = commit(1, b'M 040000 %b ""' % root, note(b"one more", b"main"), ref=b"refs/notes/m")
    assert side.feed(stream).returncode == 0
    assert layouts(side, "refs/notes/m") == {41: 401}
    assert side.git("notes", "--ref=m", "show", "main") == "one more"


def test_a_later_process_keeps_the_fan_out(side: Side) -> None:
    stream = many(300) + commit(9, *notes_of(0, 300), ref=NOTES)
    assert side.feed(stream, "--export-marks=marks").returncode == 0
    changed = [note(b"new", b":%d" % mark) for mark in (1001, 1050, 1300)]
    more = commit(10, *changed, ref=NOTES, start=NOTES + b"^0")
    assert side.feed(more, "--import-marks=marks").returncode == 0
    assert layouts(side) == {41: 300}
    assert list(tree(side).values()).count(plain(b"new")) == 3


def test_few_notes_left_are_at_the_top_again(side: Side) -> None:
    removals = [b"N %b :%d" % (ZERO, 1001 + number) for number in range(10, 300)]
    stream = many(300) + commit(9, *notes_of(0, 300), ref=NOTES)
    assert side.feed(stream + commit(10, *removals, ref=NOTES)).returncode == 0
    assert tree(side).keys() == set(commits(side)[:10])


def test_what_is_no_note_never_moves(side: Side) -> None:
    others = ("deadbeef", "de/adbeef", "foobar/x")
    lines = [inline(path.encode(), b"no note") for path in others]
    removals = [b"N %b :%d" % (ZERO, 1001 + number) for number in range(1, 260)]
    stream = many(260) + commit(9, *lines, *notes_of(0, 260), ref=NOTES)
    assert side.feed(stream + commit(10, *removals, ref=NOTES)).returncode == 0
    split, flat = tree(side, "refs/notes/n^"), tree(side)
    expected = dict.fromkeys(others, plain(b"no note"))
    assert {path: split[path] for path in split if len(path) < 40} == expected
    assert len(split) == 263
    assert flat == {commits(side)[0]: plain(b"note 0"), **expected}


def test_the_256th_note_splits_and_its_removal_flattens(side: Side) -> None:
    stream = many(256) + commit(9, *notes_of(0, 255), ref=NOTES)
    stream += commit(10, *notes_of(255, 256), ref=NOTES)
    assert side.feed(stream + commit(11, b"N %b :1001" % ZERO, ref=NOTES)).returncode == 0
    assert [layouts(side, f"refs/notes/n{name}") for name in ("~2", "~1", "")] == [
        {40: 255}, {41: 256}, {40: 255},
    ]  # fmt: skip


def test_ten_notes_refs_in_turn_with_few_active_branches(side: Side) -> None:
    stream = many(20)
    for turn in range(20):
        for ref in range(10):
            lines = note(b"%d %d" % (ref, turn), b":%d" % (1001 + turn))
            stream += commit(2000, lines, ref=b"refs/notes/r%d" % ref)
    assert side.feed(stream, "--active-branches=5").returncode == 0
    oids = commits(side)
    for ref in range(10):
        expected = {oid: plain(b"%d %d" % (ref, turn)) for turn, oid in enumerate(oids)}
        assert tree(side, f"refs/notes/r{ref}") == expected


def test_a_note_is_a_plain_file_whatever_it_replaces(side: Side) -> None:
    assert side.feed(BASE).returncode == 0
    first = commits(side)[0]
    executable = inline(first.encode(), b"x").replace(b"100644", b"100755")
    assert side.feed(commit(9, executable, note(b"y", b"main^"), ref=NOTES)).returncode == 0
    assert tree(side) == {first: plain(b"y")}


@pytest.mark.parametrize(
    "what", [b":2", b"refs/heads/main", b"refs/heads/disk~1", b"on-disk", b"disk^{/first}"]
)
def test_commits_are_named_by_mark_branch_or_expression(side: Side, what: bytes) -> None:
    disk = commit(1, message=b"first", ref=b"refs/heads/disk") + commit(2, ref=b"refs/heads/disk")
    assert side.feed(disk + b"tag on-disk\nfrom :1\ndata 0\n").returncode == 0
    assert side.feed(BASE + commit(9, note(b"x", what), ref=NOTES)).returncode == 0
    name = {b":2": "main^", b"refs/heads/main": "main"}.get(what, "disk^")
    assert tree(side) == {side.git("rev-parse", name): plain(b"x")}


@pytest.mark.parametrize(
    "line",
    [b"N :1 disk^{tree}", b"N :1 disk:file", b"N :1 :1", b"N :1 :4", b"N :1 nowhere", b"N :1 :99",
     b"N :1 " + ZERO, b"N :2 :3", b"N %b :2" % (b"1" * 40), b"N :1", b"N :99 :2"],
)  # fmt: skip
def test_what_cannot_be_a_note(side: Side, line: bytes) -> None:
    assert side.feed(commit(1, inline(b"file", b"x"), ref=b"refs/heads/disk")).returncode == 0
    done = side.feed(BASE + commit(9, line, ref=NOTES))
    assert (done.returncode, done.stderr[:7]) == (128, b"fatal: ")
    assert list(side.refs()) == ["refs/heads/disk"]


def test_no_note_on_a_branch_without_commits(side: Side) -> None:
    done = side.feed(BASE + b"reset refs/heads/x\n" + commit(9, b"N :1 refs/heads/x", ref=NOTES))
    assert (done.returncode, done.stderr[:7], side.refs()) == (128, b"fatal: ", {})


def test_removing_a_note_that_is_not_there_has_no_effect(side: Side) -> None:
    stream = BASE + commit(9, b"N :1 :2", ref=NOTES) + commit(10, b"N %b :3" % ZERO, ref=NOTES)
    assert side.feed(stream).returncode == 0
    assert tree(side) == tree(side, "refs/notes/n^") == {commits(side)[0]: plain(b"a note")}


@pytest.mark.parametrize(("line", "status"), [(b"cat-blob :1", 128), (b"# a comment", 0)])
def test_a_comment_may_stand_before_a_notes_data_and_no_question(
    side: Side, line: bytes, status: int
) -> None:
    lines = b"N inline :2\n%b\ndata 1\nx" % line
    done = side.feed(BASE + commit(9, lines, ref=NOTES))
    assert (done.returncode, done.stdout, bool(side.refs())) == (status, b"", status == 0)


def test_notes_stand_beside_files_of_any_branch(side: Side) -> None:
    stream = BASE + commit(9, inline(b"file", b"x"), b"N :1 :2", ref=b"refs/heads/side")
    assert side.feed(stream).returncode == 0
    assert tree(side, "side") == {"file": plain(b"x"), commits(side)[0]: plain(b"a note")}


def test_files_that_look_like_notes_move_nothing_by_themselves(side: Side) -> None:
    stream = many(256) + commit(9, *notes_of(0, 255), ref=NOTES)
    assert side.feed(stream).returncode == 0
    last = side.git("rev-parse", "main").encode()
    by_m = commit(10, inline(last, b"by M"), ref=NOTES, start=NOTES + b"^0")
    assert side.feed(by_m).returncode == 0
    assert layouts(side) == {40: 256}
