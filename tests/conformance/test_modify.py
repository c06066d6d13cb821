"""Items 098 to 117 and 124: the M command, its modes and what it names."""

import hashlib
from pathlib import Path

import pytest

from tests.conformance.trial import Outcome, Trial
from tests.conformance.words import ABSENT, BLOBS, EMPTY_TREE, ONE, TWO, ZERO, blob, commit, inline

pytestmark = pytest.mark.git

A = commit(b"M 644 :1 a", ref=b"refs/heads/a", mark=3)
A_OID = b"d5ef22cb375070a3e27d72636f09e608c7178f93"
# Files a, d/e and d/f; the last one is d's only other.
START = BLOBS + commit(b"M 644 :1 a", b"M 644 :1 d/e", b"M 644 :2 d/f", mark=3)


def tree_of(result: Outcome, path: bytes = b"") -> bytes:
    """Return the oid of a directory on refs/heads/x."""
    return result.repository.git("rev-parse", f"refs/heads/x:{path.decode()}").encode()


def test_datarefs(both: Trial) -> None:
    stream = blob(2, b"two") + blob(4, b"old")
    changes = [b"M 644 :2 mark", b"M 644 %b disk" % ONE, b"M 644 %b run" % TWO,
               inline(b"counted", b"three"), b"M 644 inline delimited\ndata <<E\nfour\nE",
    ]  # fmt: skip
    assert both(stream + commit(*changes), before=BLOBS).files() == {
        "counted": "three", "delimited": "four\n", "disk": "one", "mark": "two", "run": "two"
    }  # fmt: skip


REPLACED = {
    "file by a directory": ([b"M 644 :2 a/x", b"M 755 :1 a/y"],
                            {"a/x": "two", "a/y": "one", "d/e": "one", "d/f": "two"}),
    "directory by a file": ([b"M 644 :2 d"], {"a": "one", "d": "two"}),
    "gitlink by a directory": ([b"M 160000 %b g" % ABSENT, b"M 644 :1 g/h/i", b"D d"],
                               {"a": "one", "g/h/i": "one"}),
    "symlink by a directory": ([b"M 120000 :1 l", b"M 644 :2 l/m", b"D d"],
                               {"a": "one", "l/m": "two"}),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "files"), REPLACED.values(), ids=REPLACED)
def test_entries_are_replaced(both: Trial, changes: list[bytes], files: dict[str, str]) -> None:
    assert both(START + commit(*changes)).files() == files


def test_spellings_of_modes(both: Trial) -> None:
    tree = tree_of(both(START), b"d")
    changes = [b"M %b :1 %b" % (mode, mode) for mode in (b"644", b"100644", b"0644", b"755",
               b"00000100644", b"100755", b"120000")]  # fmt: skip
    changes += [b"M 160000 %b 160000" % ABSENT, b"M 40000 %b 40000" % tree]
    changes += [b"M 040000 %b 040000" % tree]
    modes = both(START + commit(b"deleteall", *changes)).modes()
    assert modes == {
        "00000100644": "100644", "040000/e": "100644", "040000/f": "100644", "0644": "100644",
        "100644": "100644", "100755": "100755", "120000": "120000", "160000": "160000",
        "40000/e": "100644", "40000/f": "100644", "644": "100644", "755": "100755",
    }  # fmt: skip


NO_MODES = [b"664", b"777", b"600", b"100664", b"0", b"", b"8", b"0x1a4", b" 644", b"+644", b"644,"]


@pytest.mark.parametrize("mode", NO_MODES)
def test_other_modes(both: Trial, mode: bytes) -> None:
    both.fatal(BLOBS + commit(b"M %b :1 file" % mode), "invalid mode")


# --- trees ----------------------------------------------------------------------------------------


def test_graft_is_a_tree_of_its_own(both: Trial) -> None:
    tree = tree_of(both(START), b"d")
    result = both(START + commit(b"M 040000 %b g" % tree, b"M 644 :1 g/f", b"D g/e"))
    assert result.files() == {"a": "one", "d/e": "one", "d/f": "two", "g/f": "one"}


@pytest.mark.parametrize("root", [b'""', b""], ids=["quoted", "unquoted"])
def test_tree_as_the_root(both: Trial, root: bytes) -> None:
    tree = tree_of(both(START), b"d")
    result = both(START + commit(b"M 040000 %b %b" % (tree, root), b"M 644 :1 f", b"M 644 :2 g/h"))
    assert result.files() == {"e": "one", "f": "one", "g/h": "two"}
    empty = commit(b"M 040000 %b %b" % (EMPTY_TREE, root), b"M 644 :1 f")
    assert both(START + empty).files() == {"f": "one"}


@pytest.mark.parametrize(
    ("path", "files"),
    [(b"a", ["d/e", "d/f"]), (b"d", ["a"]), (b"d/e", ["a", "d/f"]), (b"none", ["a", "d/e", "d/f"]),
     (b"no/ne", ["a", "d/e", "d/f"])],
    ids=["file", "directory", "file in a directory", "missing", "missing directory"],
)  # fmt: skip
def test_empty_tree_removes_the_path(both: Trial, path: bytes, files: list[str]) -> None:
    assert list(both(START + commit(b"M 040000 %b %b" % (EMPTY_TREE, path))).files()) == files


def test_tree_by_the_mark_of_a_file(both: Trial, tmp_path: Path) -> None:
    tree = tree_of(both(START), b"d")
    marks = tmp_path / "marks"
    marks.write_bytes(b":7 %b\n" % tree)
    stream = BLOBS + commit(b"M 040000 :7 g", b"M 644 :2 g/e", ref=b"refs/heads/y")
    result = both(stream, f"--import-marks={marks}", before=START)
    assert result.files("refs/heads/y") == {"g/e": "two", "g/f": "two"}
    assert result.marks is not None
    assert result.marks[":7"] == tree.decode()


NO_OBJECTS = {
    "absent": (b"M 644 %b f" % ABSENT, "not found"),
    "zero oid": (b"M 644 %b f" % ZERO, "not found"),
    "commit as a file": (b"M 644 :3 f", "not a blob"),
    "commit as a directory": (b"M 040000 :3 f", "not a tree"),
    "blob as a directory": (b"M 040000 :1 f", "not a tree"),
    "oid of a blob as a directory": (b"M 040000 %b f" % ONE, "not a tree"),
    "absent directory": (b"M 040000 %b f" % ABSENT, "not found"),
    "oid of a commit as a directory": (b"M 040000 %b f" % A_OID, "not a tree"),
    "expression as a directory": (b"M 040000 refs/heads/a^{tree} f", "invalid dataref"),
    "inline directory": (b"M 040000 inline f\ndata 0", "inline"),
    "inline gitlink": (b"M 160000 inline f\ndata 0", "inline"),
    "blob as a gitlink": (b"M 160000 :1 f", "not a commit"),
    "oid of a blob as a gitlink": (b"M 160000 %b f" % ONE, "not a commit"),
    "file as the root": (b'M 644 :1 ""', "root"),
    "file as the unquoted root": (b"M 644 :1 ", "root"),
    "words glued to inline": (b"M 644 inlineX f\ndata 0", "nvalid dataref"),
    "byte behind an oid": (b"M 644 %bx f" % ONE, "space after sha1"),
    "abbreviated oid": (b"M 644 %b f" % ONE[:12], "nvalid dataref"),
    "ref": (b"M 644 refs/heads/a f", "nvalid dataref"),
    "ls behind inline": (b'M 644 inline f\nls ""\ndata 0', "expected 'data n'"),
    "blank line behind inline": (b"M 644 inline f\n\ndata 0", "expected 'data n'"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "reason"), NO_OBJECTS.values(), ids=NO_OBJECTS)
def test_what_cannot_be_an_entry(both: Trial, change: bytes, reason: str) -> None:
    both.fatal(BLOBS + A + commit(change), reason)


def test_gitlinks(both: Trial) -> None:
    changes = (b"M 160000 :3 mark", b"M 160000 %b nowhere" % ABSENT, b"M 160000 %b zero" % ZERO)
    result = both(BLOBS + A + commit(*changes))
    assert result.files() == {
        "mark": result.oid("refs/heads/a"), "nowhere": ABSENT.decode(), "zero": ZERO.decode()
    }  # fmt: skip
    assert set(result.modes().values()) == {"160000"}


def test_questions_between_inline_and_data(both: Trial) -> None:
    lines = (b"M 644 inline f", b"cat-blob :1", b"# x", b"cat-blob %b" % TWO, b"data 3\nabc")
    result = both(BLOBS + commit(*lines))
    assert result.stdout == f"{ONE.decode()} blob 3\none\n{TWO.decode()} blob 3\ntwo\n"
    assert result.files() == {"f": "abc"}


def test_upper_case_oid(both: Trial) -> None:
    assert both(BLOBS + commit(b"M 644 %b f" % ONE.upper())).files() == {"f": "one"}


def test_odd_modes_stay_where_nothing_changes(both: Trial) -> None:
    body = b"".join(b"100664 %b\0%b" % (name, bytes.fromhex(ONE.decode())) for name in (b"a", b"b"))
    oid = hashlib.sha1(b"tree %d\0%b" % (len(body), body)).hexdigest().encode()
    changes = (b"M 040000 %b d" % oid, b"M 644 :1 d/b", b"C d/a c", b"R d e", b"M 644 :1 e/f")
    modes = both(BLOBS + commit(*changes), trees=[body]).modes()
    assert modes == {"c": "100664", "e/a": "100664", "e/b": "100644", "e/f": "100644"}
