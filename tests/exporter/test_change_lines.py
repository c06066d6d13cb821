"""Lines of changes: what they say, and that no file is lost whichever the order."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from fastio.exporter import line_order
from fastio.exporter.change_lines import ChangeLines
from fastio.exporter.changes import Change, ChangeTable, changes_of
from fastio.exporter.line_order import order_lines
from fastio.exporter.records import RecordWriter
from fastio.objects.kinds import Oid
from fastio.stream.quoting import quote
from tests.exporter.line_model import git_lines, imported, parse, table_of, text_of
from tests.exporter.record_model import read_records
from tests.exporter.trees import model_changes
from tests.objects.models import Entry, FlatTree

A, B, ZERO = Oid(b"a" * 20), Oid(b"b" * 20), Oid(bytes(20))
FILE, LINK, MODULE = 0o100644, 0o120000, 0o160000
Pairs = list[tuple[str, int, int]]

# Few and short, so that a file of one tree often stands where the other has a directory.
paths = st.lists(st.sampled_from([b"a", b"a.", b"b", b"c"]), min_size=1, max_size=3).map(b"/".join)
entries = st.tuples(st.sampled_from([FILE, LINK]), st.sampled_from([A, B]))


def without_clashes(files: dict[bytes, Entry]) -> FlatTree:
    directories = {path[:at] for path in files for at in range(len(path)) if path[at] == 47}
    return FlatTree({path: entry for path, entry in files.items() if path not in directories})


trees = st.dictionaries(paths, entries, max_size=8).map(without_clashes)


def pairs_of(changes: list[Change], data: st.DataObject) -> Pairs:
    """Any renames and copies that there can be."""
    sources = [number for number, change in enumerate(changes) if change.old_mode]
    chosen = {
        number: data.draw(st.none() | st.sampled_from(sources))
        for number, change in enumerate(changes)
        if change.status == "A" and sources
    }
    pairs: Pairs = []
    uses = Counter(source for source in chosen.values() if source is not None)
    for number, source in chosen.items():
        if source is not None:
            uses[source] -= 1
            is_last = changes[source].status == "D" and not uses[source]
            pairs.append(("R" if is_last else "C", source, number))
    return pairs


def paired_table(old: FlatTree, new: FlatTree, data: st.DataObject) -> ChangeTable:
    changes = model_changes(old, new, unchanged=True)
    table = table_of(changes)
    table.pair(pairs_of(changes, data))
    return table


@given(trees, trees)
def test_lines_make_the_new_tree_of_the_old_one(old: FlatTree, new: FlatTree) -> None:
    assert imported(old, text_of(table_of(model_changes(old, new)))) == new


@given(trees, trees, st.data())
def test_so_they_do_with_any_renames_and_copies(
    old: FlatTree, new: FlatTree, data: st.DataObject
) -> None:
    assert imported(old, text_of(paired_table(old, new, data))) == new


def displaces(one: bytes, other: bytes) -> bool:
    return one.startswith(other + b"/") or other.startswith(one + b"/")


@given(trees, trees, st.data())
def test_the_order_is_gits_where_no_file_and_directory_displace_each_other(
    old: FlatTree, new: FlatTree, data: st.DataObject
) -> None:
    table = paired_table(old, new, data)
    changes = changes_of(table)
    assume(not any(displaces(path, other) for path in old for other in new))
    assert order_lines(changes) == git_lines(changes)


@given(trees, trees, st.data())
def test_the_order_is_gits_where_that_loses_nothing(
    old: FlatTree, new: FlatTree, data: st.DataObject
) -> None:
    changes = changes_of(paired_table(old, new, data))
    lines, expected = order_lines(changes), git_lines(changes)
    if lines != expected:
        with pytest.raises(AssertionError):
            assert imported(old, as_text(changes, expected)) == new


def as_text(changes: list[Change], lines: list[tuple[str, int]]) -> bytes:
    text = b""
    for letter, number in lines:
        change = changes[number]
        words = [change.source] if letter in "DRC" else []
        if letter == "M":
            words = [b"%o" % change.new_mode, change.new_oid.hex().encode(), change.path]
        elif letter != "D":
            words.append(change.path)
        text += b" ".join([letter.encode(), *words]) + b"\n"
    return text


@given(trees, trees, st.data())
def test_kernel_and_model_write_the_same(old: FlatTree, new: FlatTree, data: st.DataObject) -> None:
    table = paired_table(old, new, data)
    changes = changes_of(table)
    expected = as_text(changes, order_lines(changes))
    assert text_of(table).replace(b":", b"") == expected.replace(b":", b"")


def lines_of(old: FlatTree, new: FlatTree, *pairs: tuple[str, bytes, bytes]) -> list[bytes]:
    """Lines without modes and oids."""
    table = table_of(changes := model_changes(old, new))
    rows = {change.path: number for number, change in enumerate(changes)}
    table.pair([(status, rows[source], rows[path]) for status, source, path in pairs])
    text = text_of(table)
    assert imported(old, text) == new
    return [
        b" ".join([letter, *words[-2 if letter in b"RC" else -1 :]])
        for letter, *words in parse(text)
    ]


def files(*names: bytes) -> FlatTree:
    return FlatTree(dict.fromkeys(names, (FILE, A)))


def test_a_file_is_deleted_before_a_directory_takes_its_place() -> None:
    old, new = files(b"a", b"d", b"z"), files(b"b", b"d/x", b"d/y")
    assert lines_of(old, new) == [b"D a", b"M b", b"D d", b"M d/x", b"M d/y", b"D z"]


def test_a_file_is_moved_away_before_a_directory_takes_its_place() -> None:
    old, new = files(b"foo"), files(b"bar", b"foo/world")
    assert lines_of(old, new, ("R", b"foo", b"bar")) == [b"R foo bar", b"M foo/world"]


def test_a_directory_is_moved_away_before_a_renamed_file_takes_its_place() -> None:
    old, new = files(b"a", b"d/x", b"d/y"), files(b"d", b"e")
    pairs = [("R", b"a", b"d"), ("R", b"d/x", b"e")]
    assert lines_of(old, new, *pairs) == [b"R d/x e", b"R a d", b"D d/y"]


def test_a_file_may_move_into_the_directory_that_takes_its_place() -> None:
    assert lines_of(files(b"d"), files(b"d/x"), ("R", b"d", b"d/x")) == [b"R d d/x"]
    assert lines_of(files(b"d/x"), files(b"d"), ("R", b"d/x", b"d")) == [b"R d/x d"]


def test_a_circle_is_cut_by_deleting_a_source() -> None:
    old, new = files(b"a", b"d"), files(b"a/y", b"d/x")
    pairs = [("R", b"a", b"d/x"), ("R", b"d", b"a/y")]
    assert lines_of(old, new, *pairs) == [b"D a", b"R d a/y", b"M d/x"]


def test_a_copy_below_its_own_source_is_told_as_modified_if_others_need_that() -> None:
    old, new = files(b"d"), files(b"d/x", b"e", b"f")
    pairs = [("C", b"d", b"d/x"), ("C", b"d", b"e"), ("R", b"d", b"f")]
    assert lines_of(old, new, *pairs) == [b"C d e", b"R d f", b"M d/x"]


def test_a_long_chain_of_displaced_files_needs_no_recursion() -> None:
    count = 3000
    old = files(*(b"%05d" % number for number in range(count)))
    new = files(*(b"%05d/x" % number for number in range(1, count)), b"end")
    pairs = [("R", b"%05d" % number, b"%05d/x" % (number + 1)) for number in range(count - 1)]
    table = table_of(changes := model_changes(old, new))
    rows = {change.path: number for number, change in enumerate(changes)}
    pairs.append(("R", b"%05d" % (count - 1), b"end"))
    table.pair([(status, rows[source], rows[path]) for status, source, path in pairs])
    changes = changes_of(table)
    lines = [(letter, changes[number].source) for letter, number in order_lines(changes)]
    assert lines == [("R", b"%05d" % number) for number in range(count - 1, -1, -1)]


def test_what_is_a_target_before_it_is_a_source_is_told_as_modified() -> None:
    old, new = files(b"a", b"b"), FlatTree({b"b": (FILE, B), b"c": (FILE, A)})
    changes = [
        Change("R", b"b", b"a", FILE, FILE, A, B),
        Change("R", b"c", b"b", FILE, FILE, A, A),
    ]
    lines = order_lines(changes)
    assert lines == git_lines(changes) == [("R", 0), ("M", 0), ("M", 1)]
    assert imported(old, as_text(changes, lines)) == new


@given(trees, trees, st.data())
def test_gits_own_order_is_known_too(old: FlatTree, new: FlatTree, data: st.DataObject) -> None:
    changes = changes_of(paired_table(old, new, data))
    told = [change for change in changes if change.status != "U"]
    assert line_order.git_lines(told) == git_lines(told)


@given(trees, trees, st.data(), st.booleans())
def test_names_come_first_in_gits_order_where_lines_do_not(
    old: FlatTree, new: FlatTree, data: st.DataObject, with_data: bool
) -> None:
    table = paired_table(old, new, data)
    changes = changes_of(table)
    expected = b""
    if (lines := line_order.git_lines(changes)) != order_lines(changes):
        for letter, number in lines:
            change = changes[number]
            words = [(b"name", change.source)] if letter in "DRC" else []
            if letter == "M" and not with_data:
                words.append((b"name-oid", change.new_oid.hex().encode()))
            words += [(b"name", change.path)] if letter != "D" else []
            expected += b"".join(b"%b %b\n" % word for word in words)
    plain = text_of(table, with_data=with_data)
    assert text_of(table, with_data=with_data, names_first=True) == expected + plain


@given(st.lists(st.binary(min_size=1, max_size=12), max_size=4), st.booleans())
@example([bytes(range(1, 128))], False)
@example([bytes(range(128, 256)), b"with space", b'"'], True)
def test_paths_are_quoted_as_in_the_stream(names: list[bytes], quote_high: bool) -> None:
    for name in names:
        table = ChangeTable()
        table.add("D", name, FILE, A, 0, None)
        quoted = quote(name, quote_high=quote_high)
        if quoted == name and b" " in name:
            quoted = b'"%b"' % name
        assert text_of(table, quote_high=quote_high) == b"D %b\n" % quoted


CHANGES = [
    Change("M", b"a", b"a", FILE, 0o100755, A, B),
    Change("T", b"b", b"b", FILE, MODULE, A, B),
    Change("D", b"c", b"c", FILE, 0, A, ZERO),
    Change("A", b"d", b"d", 0, LINK, ZERO, A),
]


def record_of(**options: object) -> tuple[list[bytes], bytes]:
    writer = RecordWriter()
    lines = ChangeLines(writer, **options)  # type: ignore[arg-type]
    table = table_of(CHANGES)
    writer.begin()
    lines.write_blobs(table)
    lines.write_lines(table)
    writer.end()
    (record,) = read_records(writer.take(), 20)
    return record.blobs, b"".join(part.text + part.argument for part in record.parts)


def test_files_are_named_by_mark_and_submodules_by_oid() -> None:
    text = b"M 100755 :%b a\nM 160000 %b b\nD c\nM 120000 :%b d\n"
    assert record_of() == ([B, A], text % (B, B.hex().encode(), A))


def test_without_data_all_are_named_by_oid() -> None:
    a, b = A.hex().encode(), B.hex().encode()
    text = b"M 100755 %b a\nM 160000 %b b\nD c\nM 120000 %b d\n" % (b, b, a)
    assert record_of(with_data=False) == ([], text)


def test_a_full_tree_begins_with_deleteall() -> None:
    assert record_of(full_tree=True)[1].startswith(b"deleteall\nM 100755 :")
