"""Lines of a commit read in plain Python, and what an importer makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cmp_to_key

from fastio.exporter.change_lines import ChangeLines
from fastio.exporter.changes import Change, ChangeTable
from fastio.exporter.records import OF, RecordWriter
from fastio.objects.kinds import Oid
from fastio.stream.quoting import unquote
from tests.exporter.record_model import read_records
from tests.objects.models import FlatTree


def table_of(changes: Sequence[Change]) -> ChangeTable:
    """Make a table of rows whose source is their path."""
    table = ChangeTable()
    for change in changes:
        old = change.old_oid if change.old_mode else None
        new = change.new_oid if change.new_mode else None
        table.add(change.status, change.path, change.old_mode, old, change.new_mode, new)
    return table


def text_of(table: ChangeTable, **options: bool) -> bytes:
    """The lines of a table, with ``:OID`` for the marks of blobs."""
    writer = RecordWriter()
    lines = ChangeLines(writer, **options)
    writer.begin()
    lines.write_lines(table)
    writer.end()
    (record,) = read_records(writer.take(), 20)
    return b"".join(
        part.text + (part.argument.hex().encode() if part.hole == OF else b"")
        for part in record.parts
    )


def parse(text: bytes) -> list[tuple[bytes, ...]]:
    """Letter, mode and oid if it is an M, path or paths."""
    parsed = []
    while text:
        letter, text = text[:1], text[2:]
        words: list[bytes] = []
        if letter == b"M":
            mode, oid, text = text.split(b" ", 2)
            words = [mode, oid.lstrip(b":")]
        while True:
            end = b"\n" if letter in b"MD" or len(words) == 1 else b" "
            if text.startswith(b'"'):
                word, at = unquote(text)
                assert text[at : at + 1] == end
                text = text[at + 1 :]
            else:
                word, _, text = text.partition(end)
            words.append(word)
            if end == b"\n":
                break
        parsed.append((letter, *words))
    return parsed


def imported(files: FlatTree, text: bytes) -> FlatTree:
    """Apply lines to files one by one, as fast-import does."""
    files = FlatTree(files)
    for letter, *words in parse(text):
        if letter == b"M":
            mode, oid, path = words
            files.put(path, {b"": (int(mode, 8), Oid(bytes.fromhex(oid.decode())))})
        elif letter == b"D":
            files.remove(words[0])
        else:
            source, path = words
            content = files.below(source)
            assert content, f"{source!r} is not there"
            if letter == b"R":
                files.remove(source)
            files.put(path, content)
    return files


def git_lines(changes: Sequence[Change]) -> list[tuple[str, int]]:
    """The lines that git writes, in its order: section by section what it is known to do."""

    def compare(left: int, right: int) -> int:
        one, other = changes[left], changes[right]
        common = min(len(one.source), len(other.source))
        if one.source[:common] != other.source[:common]:
            return -1 if one.source[:common] < other.source[:common] else 1
        if len(one.source) != len(other.source):
            return len(other.source) - len(one.source)
        return (one.status == "R") - (other.status == "R")

    lines, told = [], set()
    for number in sorted(range(len(changes)), key=cmp_to_key(compare)):
        change = changes[number]
        same = (change.old_mode, change.old_oid) == (change.new_mode, change.new_oid)
        moved = change.status in "RC" and change.source not in told
        if moved:
            lines.append((change.status, number))
        if change.status == "D":
            lines.append(("D", number))
        elif not (moved and same):
            lines.append(("M", number))
        told.add(change.path)
    return lines
