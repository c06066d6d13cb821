"""Items 156 to 166: how paths are written."""

import pytest

from tests.conformance.trial import Trial
from tests.conformance.words import BLOBS, TWO, commit

pytestmark = pytest.mark.git

START = BLOBS + commit(b"M 644 :1 a", b"M 644 :2 a b", mark=3, ref=b"refs/heads/y")
SINCE = (2, 45)

# A spelling as the last field, and the name that it stands for.
SPELLINGS = {
    "blanks around": (b"  a b ", "  a b "),
    "quoted blanks": (b'" a  b "', " a  b "),
    "octal": (rb'"\141\040\303\251"', "a \xc3\xa9"),
    "named escapes": (rb'"\a\b\f\n\r\t\v\\\""', '\a\b\f\n\r\t\v\\"'),
    "quote within": (b'a"b"', 'a"b"'),
    "backslash": (rb"a\tb\101", r"a\tb\101"),
    "high bytes": (b"caf\xe9 \xff\xfe", "caf\xe9 \xff\xfe"),
    "quoted high bytes": (b'"caf\xe9 \xff\xfe"', "caf\xe9 \xff\xfe"),
    "hash": (b"# a", "# a"),
    "CR": (b"a\r", "a\r"),
}


@pytest.mark.parametrize(("spelled", "name"), SPELLINGS.values(), ids=SPELLINGS)
def test_last_fields(both: Trial, spelled: bytes, name: str) -> None:
    stream = START + commit(b"from :3", b"M 644 :2 " + spelled, mark=4, ref=b"refs/heads/made")
    for letter, start in ((b"D ", b":4"), (b"C a ", b":3"), (b"R a ", b":3")):
        stream += commit(b"from " + start, letter + spelled, ref=b"refs/heads/" + letter[:1])
    result = both(stream + b"ls :4 " + spelled + b"\n", since=SINCE)
    assert result.files(":4") == {"a": "one", "a b": "two", name: "two"}
    assert result.files("refs/heads/D") == {"a": "one", "a b": "two"}
    assert result.files("refs/heads/C") == {"a": "one", "a b": "two", name: "one"}
    assert result.files("refs/heads/R") == {"a b": "two", name: "one"}
    assert result.stdout.startswith(f"100644 blob {TWO.decode()}\t")


@pytest.mark.parametrize("letter", [b"C", b"R"], ids=["C", "R"])
def test_quoted_sources(both: Trial, letter: bytes) -> None:
    quoted = {name: spelled for spelled, name in SPELLINGS.values() if spelled.startswith(b'"')}
    made = [b"M 644 :2 " + spelled for spelled in quoted.values()]
    moved = [b"%b %b new%d" % (letter, spelled, n) for n, spelled in enumerate(quoted.values())]
    files = both(START + commit(*made) + commit(*moved)).files()
    assert [files.get(f"new{n}") for n in range(4)] == ["two"] * 4
    assert [name in files for name in quoted] == [letter == b"C"] * 4


@pytest.mark.parametrize("letter", [b"C", b"R"], ids=["C", "R"])
def test_unquoted_source_ends_at_the_first_blank(both: Trial, letter: bytes) -> None:
    files = both(START + commit(b"from :3", letter + b" a b c")).files()
    assert files["b c"] == "one"
    files = both(START + commit(b"from :3", letter + b" a  b")).files()
    assert files[" b"] == "one"


def test_second_blank_behind_a_dataref_belongs_to_the_path(both: Trial) -> None:
    assert list(both(BLOBS + commit(b"M 644 :1  a", b"M 644 :1   b")).files()) == ["  b", " a"]


# Every place for a path: the line, the word for it, and whether it is the last field.
PLACES = {
    "M": (b"M 644 :1 %b", "path", True),
    "M inline": (b"M 644 inline %b\ndata 0", "path", True),
    "D": (b"D %b", "path", True),
    "R source": (b"R %b new", "source", False),
    "R destination": (b"R a %b", "dest", True),
    "C source": (b"C %b new", "source", False),
    "C destination": (b"C a %b", "dest", True),
    "ls of a commit": (b"ls :3 %b", "path", True),
    "ls": (b"ls %b", "path", True),
}
BAD_QUOTING = {
    "unclosed": b'"a',
    "unclosed escape": b'"a\\"',
    "hexadecimal": rb'"\x41"',
    "e": rb'"\e"',
    "single quote": rb'''"\'"''',
    "slash": rb'"\/"',
    "two digits": rb'"\12"',
    "two digits and more": rb'"\12a"',
    "above a byte": rb'"\400"',
    "eight": rb'"\181"',
}


@pytest.mark.parametrize("spelled", BAD_QUOTING.values(), ids=BAD_QUOTING)
def test_bad_quoting(both: Trial, spelled: bytes) -> None:
    both.fatal(START + commit(b"from :3", b"M 644 :1 " + spelled), "invalid path", since=SINCE)


@pytest.mark.parametrize(("line", "field", "last"), PLACES.values(), ids=PLACES)
def test_bad_quoting_anywhere(both: Trial, line: bytes, field: str, last: bool) -> None:
    start = START + commit(b"from :3")
    for spelled in (b'"a', rb'"\x41"'):
        both.fatal(start + line % spelled + b"\n", f"invalid {field}", since=SINCE)
    both.fatal(start + line % rb'"a\000"' + b"\n", f"nul in {field}", since=SINCE)
    for behind in (b"x", b" ") if last else (b"x",):
        reason = f"garbage after {field}" if last else "missing space after source"
        both.fatal(start + line % (b'"a"' + behind) + b"\n", reason, since=SINCE)


@pytest.mark.parametrize("letter", [b"C", b"R"], ids=["C", "R"])
@pytest.mark.parametrize("rest", [b"a", b'"a"', b'"a"x b', b'"a"\tb'])
def test_source_needs_a_blank_behind_it(both: Trial, letter: bytes, rest: bytes) -> None:
    line = b"%b %b" % (letter, rest)
    both.fatal(START + commit(b"from :3", line), "missing space after source", since=SINCE)
