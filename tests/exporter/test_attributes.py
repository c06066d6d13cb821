"""The diff attribute: what git says of a path, once for each."""

from pathlib import Path

import pytest

from fastio.exporter.attributes import TextAttribute
from fastio.store.repository import Repository
from tests.conformance.side import in_child
from tests.store.work import Work

LINES = "*.text diff\n*.none -diff\n*.bin binary\n*.c diff=c\nlater.c !diff\nlater.c/* diff\n"


@pytest.mark.parametrize("folder", [".", "d/e"])
def test_what_is_text_by_its_path(tmp_path: Path, folder: str) -> None:
    work = Work(tmp_path / "work")
    (work.path / "d" / "e").mkdir(parents=True)
    (work.path / ".gitattributes").write_text(LINES)
    is_text = TextAttribute(Repository.discover(str(work.path / folder)))
    asked = (b"a.text", b"d/b.none", b"c.bin", b"d/\xff \n.c", b"later.c", b"other", b"a.text")
    expected = [True, False, False, None, None, None, True]
    assert [is_text(path) for path in asked] == expected
    is_text.close()


def test_a_forked_process_asks_a_git_of_its_own(tmp_path: Path) -> None:
    work = Work(tmp_path / "work")
    (work.path / ".gitattributes").write_text("a -diff\n")
    is_text = TextAttribute(Repository.discover(str(work.path)))
    assert is_text(b"a") is False

    def ask() -> int:
        answers = is_text(b"b"), is_text(b"d/a")
        is_text.close()
        return 0 if answers == (None, False) else 1

    assert in_child(b"", ask).returncode == 0
    assert is_text(b"c") is None
    is_text.close()


def test_attributes_of_the_index_alone_do_not_count(tmp_path: Path) -> None:
    """Those of a file that is not checked out; an export of git's does not read the index."""
    work = Work(tmp_path / "work")
    (work.path / ".gitattributes").write_text("* -diff\n")
    work("add", ".gitattributes")
    is_text = TextAttribute(Repository.discover(str(work.path)))
    assert is_text(b"a") is False
    is_text.close()
    (work.path / ".gitattributes").unlink()
    is_text = TextAttribute(Repository.discover(str(work.path)))
    assert is_text(b"a") is None
    is_text.close()
