"""Changes of files: items 56 to 64 of the exporter's."""

from collections.abc import Callable

import pytest

from tests.conformance.side import Side
from tests.exporter.records import blob, commit
from tests.exporter.source import Source

LINK = b"1" * 40
TEXT = b"".join(b"line %d\n" % number for number in range(40))
EDITED = TEXT.replace(b"line 7\n", b"seven\n")
FIRST = blob(1, TEXT) + commit(2, b"M 100644 :1 a", root=True)


def second(*changes: bytes, content: bytes = b"") -> bytes:
    """A second commit, with a blob of its own."""
    before = blob(3, content) if content else b""
    return before + commit(4 if content else 3, b"from :2", *changes)


@pytest.mark.parametrize("importer", ["git", "fastio"])
def test_submodules_are_named(source: Source, importer: str) -> None:
    stream = (
        commit(1, b"M 160000 %b sub" % LINK, root=True)
        + commit(2, b"from :1", b"M 160000 %b sub" % (b"2" * 40), b"M 160000 %b other" % LINK)
        + commit(3, b"from :2", b"D other")
    ).replace(b"M 160000 %b sub\nM 160000 %b other\n" % (b"2" * 40, LINK),
              b"M 160000 %b other\nM 160000 %b sub\n" % (LINK, b"2" * 40))  # fmt: skip
    source.load(stream)
    assert source.stream("main") == stream
    back = Side(importer, source.path.parent / "back", "--bare")
    assert back.feed(source.stream("main")).returncode == 0
    assert back.git("ls-tree", "-r", "main") == source.git("ls-tree", "-r", "main")


def test_submodules_that_configuration_ignores_are_missing(
    new_source: Callable[..., Source],
) -> None:
    source = new_source()
    modules = b'[submodule "s"]\n\tpath = sub\n\turl = x\n\tignore = all\n'
    stream = blob(1, modules) + commit(
        2, b"M 100644 :1 .gitmodules", b"M 160000 %b sub" % LINK, root=True
    )
    source.load(stream)
    source.git("checkout", "-q", "-f", "main")
    hidden = stream.replace(b"M 160000 %b sub\n" % LINK, b"")
    assert source.stream("main") == hidden
    assert source.stream("main", "--ignore-submodules=none") == stream
    assert source.stream("main", "--ignore-submodules") == hidden
    bare = new_source("--bare", name="bare")
    bare.load(stream)
    assert bare.stream("main") == stream
    assert bare.stream("main", "--ignore-submodules") == hidden


def test_an_exact_copy_beside_a_rename(source: Source) -> None:
    source.load(FIRST + second(b"C a copy", b"R a moved"))
    assert source.stream("main", "-C", "-C") == FIRST + second(b"C a copy", b"R a moved")
    assert source.stream("main", "-M") == FIRST + second(b"R a copy", b"M 100644 :1 moved")


@pytest.mark.parametrize("importer", ["git", "fastio"])
def test_a_copy_of_what_changes_as_well_is_written_whole(source: Source, importer: str) -> None:
    changes = b"M 100644 :3 a", b"M 100644 :1 b"
    source.load(FIRST + second(*changes, content=EDITED))
    stream = source.stream("main", "-C")
    assert stream == FIRST + second(*changes, content=EDITED)
    back = Side(importer, source.path.parent / "back", "--bare")
    assert back.feed(stream).returncode == 0
    assert back.refs() == source.refs()


@pytest.mark.parametrize("importer", ["git", "fastio"])
def test_renames_of_odd_names(source: Source, importer: str) -> None:
    names = [rb'"path with\nnewline"', rb'"path with \"quote\""', rb'"path with \\backslash"',
             rb'"path with space"']  # fmt: skip
    names.sort(key=lambda name: name.replace(rb"\n", b"\n").replace(rb"\"", b'"'))
    there = [b'"sub dir/' + name[1:] for name in names]
    blobs = b"".join(blob(number, b"%d" % number) for number in range(1, 5))
    adds = [b"M 100644 :%d %b" % pair for pair in enumerate(names, 1)]
    stream = (
        blobs
        + commit(5, *adds, root=True)
        + commit(6, b"from :5", *map(b"R %b %b".__mod__, zip(names, there, strict=True)))
        + commit(7, b"from :6", *map(b"D %b".__mod__, there))
    )
    source.load(stream)
    assert source.stream("main", "-M") == stream
    back = Side(importer, source.path.parent / "back", "--bare")
    assert back.feed(source.stream("main", "-M")).returncode == 0
    assert back.refs() == source.refs()


def test_a_directory_becomes_a_link(source: Source) -> None:
    start = (
        blob(1, b"f")
        + blob(2, b"other")
        + commit(3, b"M 100644 :1 foo/bar", b"M 100644 :1 foo/baz", b"M 100644 :2 other", root=True)
    )
    end = blob(4, b"baz") + commit(
        5, b"from :3", b"D foo/bar", b"D foo/baz", b"M 120000 :4 foo", b"D other"
    )
    source.load(start + end)
    assert source.stream("main") == start + end
    limited = (start + end).replace(blob(2, b"other"), b"").replace(b"M 100644 :2 other\n", b"")
    limited = limited.replace(b"D other\n", b"")
    for old, new in ((b":3", b":2"), (b":4", b":3"), (b"mark :5", b"mark :4")):
        limited = limited.replace(old, new)
    assert source.stream("main", "--", "--", "foo") == limited


@pytest.mark.parametrize("importer", ["git", "fastio"])
@pytest.mark.parametrize("mode", [b"100644", b"120000", b"160000"])
def test_a_file_becomes_a_directory(source: Source, mode: bytes, importer: str) -> None:
    # git puts the deletion last, and importers then delete the directory: ours puts it first.
    old = LINK if mode == b"160000" else b":1"
    start = blob(1, b"x") + commit(2, b"M %b %b x" % (mode, old), b"M 100644 :1 y", root=True)
    ours = commit(3, b"from :2", b"D x", b"M 100644 :1 a", b"M 100644 :1 x/a", message=b"m")
    theirs = commit(3, b"from :2", b"M 100644 :1 a", b"M 100644 :1 x/a", b"D x", message=b"m")
    source.load(start + ours)
    stream = source.stream("main")
    assert sorted(stream.splitlines()) == sorted((start + ours).splitlines())
    assert stream.index(b"D x\n") < stream.index(b"M 100644 :1 x/a\n") or source.is_git
    if source.is_git:
        assert stream == start + theirs
    back = Side(importer, source.path.parent / "back", "--bare")
    assert back.feed(stream).returncode == 0
    assert (back.refs() == source.refs()) == (not source.is_git)


def test_full_trees_list_what_stays(source: Source) -> None:
    last = commit(4, b"from :2", b"M 100644 :3 b")
    source.load(FIRST + blob(3, b"b") + last)
    lines = b"deleteall", b"M 100644 :1 a"
    assert source.stream("main", "--full-tree") == (
        blob(1, TEXT)
        + commit(2, *lines, root=True)
        + blob(3, b"b")
        + commit(4, b"from :2", *lines, b"M 100644 :3 b")
    )


@pytest.mark.parametrize(
    ("change", "content"),
    [
        ([b"R a b"], b""),
        ([b"R a b", b"M 100644 :3 b"], EDITED),
        ([b"R a b", b"M 100755 :1 b"], b""),
        ([b"R a b", b"M 100755 :3 b"], EDITED),
        ([b"R a d/a"], b""),
        ([b'R a "a b"'], b""),
    ],
)
def test_renames(source: Source, change: list[bytes], content: bytes) -> None:
    stream = FIRST + second(*change, content=content)
    source.load(stream)
    assert source.stream("main", "-M") == stream
    assert b"\nR " not in source.stream("main")


@pytest.mark.parametrize(
    ("quoted", "plain"),
    [
        (b'"a b"', b'"a b"'),
        (rb'"caf\303\251"', b"caf\xc3\xa9"),
        (rb'"\303\251 \377"', b'"\xc3\xa9 \xff"'),
        (rb'"\a\b\t\n\v\f\r\"\\"', rb'"\a\b\t\n\v\f\r\"\\"'),
        (rb'"\001\177"', rb'"\001\177"'),
        (b"'a'", b"'a'"),
        (b"d/:1*[?]", b"d/:1*[?]"),
    ],
)
def test_quoting(source: Source, quoted: bytes, plain: bytes) -> None:
    stream = blob(1, b"x") + commit(2, b"M 100644 :1 " + quoted, root=True)
    source.load(stream)
    assert source.stream("main") == stream
    unquoted = blob(1, b"x") + commit(2, b"M 100644 :1 " + plain, root=True)
    assert source.stream("main", config=["core.quotePath=false"]) == unquoted


def test_what_is_longer_comes_before_what_it_begins_with(source: Source) -> None:
    names = [b"abc", b"ab", b"a", b"d.x", b"d/x/y", b"d/x.y", b"d/z", b"d0"]
    added = [b"M 100644 :1 " + name for name in names if name != b"d/x/y"]
    stream = blob(1, b"x") + commit(2, *added, root=True)
    order = [b"abc", b"ab", b"a", b"d.x", b"d/x.y", b"d/z", b"d0"]
    source.load(stream)
    listed = [
        line.split(b" ")[-1] for line in source.stream("main").splitlines() if line[:2] == b"M "
    ]
    assert listed == order
    # A directory becomes a file.
    gone = commit(
        3, b"from refs/heads/main^0", b"D d/x.y", b"D d/z", b"M 100644 %b d" % source.oid("main:a")
    )
    source.load(gone)
    end = source.stream("main").rpartition(b"from :2\n")[2]
    assert end == b"D d/x.y\nD d/z\nM 100644 :1 d\n\n"
