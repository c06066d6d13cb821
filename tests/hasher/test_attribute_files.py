"""What files of attributes could do to content, held against what git says of names."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fastio.hasher.attribute_files import AttributeFiles, Extent, strong_ends
from tests.hasher.place import Place

FEW = settings(
    max_examples=25,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
WORDS = ["text", "-text", "!text", "text=auto", "eol=lf", "eol=crlf", "crlf", "-crlf", "diff=a"]
WORDS += ["filter=a", "-filter", "ident", "!ident", "working-tree-encoding=UTF-16", "binary", "x y"]
NAMES = ["a", "b.txt", "B.TXT", "c.bat", "dir", "no-end"]
PATTERNS = ["*", "*.txt", "b.*", "?.bat", "/a", "[ab]*", "dir", "**/no-end", "*.[tx]*", "!a", '"a"']
PATTERNS += ["[attr]mine", "#", "\\#a", "a/"]
lines = st.builds(
    " ".join, st.lists(st.sampled_from(WORDS), max_size=3).map(lambda words: ["{}", *words])
)
files = st.lists(st.builds(str.format, lines, st.sampled_from(PATTERNS)), max_size=4)
STRONG = {"filter", "ident", "working-tree-encoding", "crlf"}


@pytest.mark.git
@FEW
@given(files)
def test_git_says_no_more_of_other_names(ours: Place, written: list[str]) -> None:
    text = "\n".join(written)
    ours.write(".gitattributes", text.encode())
    ends = tuple(strong_ends(text.encode()))
    weak = [name for name in NAMES if not name.lower().encode().endswith(ends)] if ends else NAMES
    said = ours.git("check-attr", "-z", *STRONG, "eol", "--", *weak).split("\0") if weak else []
    for name, value in zip(said[1::3], said[2::3], strict=False):
        assert value == "unspecified" if name in STRONG else value != "crlf"


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        (b"*.sh text eol=lf", set()),
        (b"* whitespace=!indent,trail", set()),
        (b"# filter", set()),
        (b"*.bat\teol=crlf", {b".bat"}),
        (b"/po/*.PO filter=x", {b".po"}),
        (b"[Mm]akefile ident", {b"akefile"}),
        (b"* -text\r", set()),
        (b"*.c filter\\\r", {b".c"}),
        (b"!a text", {b""}),
        (b"[attr]a text", {b""}),
        (b'"a b" text', {b""}),
        (b"a b/c", {b"a"}),
        (b"a builtin_x", {b"a"}),
        (b"a\x0bfilter=x", {b""}),
        (b"a " + b"x" * 2048, {b""}),
    ],
)
def test_how_much_lines_say(line: bytes, ends: set[bytes]) -> None:
    assert strong_ends(line) == ends
    assert strong_ends(b"# nothing\n\n" + line + b"\n") == ends


def test_all_files_on_the_way_count(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    files = AttributeFiles(bytes(tmp_path) + b"/")
    (tmp_path / "a/.gitattributes").write_text("*.x ident\n")
    (tmp_path / "a/b/.gitattributes").write_text("*.y ident\n* text\n")
    assert files.extent(b"a/b/") == Extent(has_file=True, strong=(b".x", b".y"))
    assert files.extent(b"a/") == Extent(has_file=True, strong=(b".x",))
    assert files.extent(b"b/") == files.extent(b"") == Extent(has_file=False, strong=())


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("x", path)])
def test_what_is_no_file_could_be_anything(tmp_path: Path, make: object) -> None:
    assert callable(make)
    make(tmp_path / ".gitattributes")
    files = AttributeFiles(bytes(tmp_path) + b"/")
    assert files.extent(b"") == Extent(has_file=True, strong=(b"",))
