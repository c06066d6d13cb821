"""Which words go together (H01 to H06)."""

import pytest

from tests.hasher.place import Place

OWN_SPELLINGS = {
    "bundled": ["-wt", "blob", "file"],
    "attached": ["-w", "-tblob", "file"],
    "abbreviated": ["--lit", "--no-filt", "file"],
    "taken back": ["--stdin", "--no-stdin", "--stdin-paths", "--no-stdin-paths", "file"],
    "path taken back": ["--path=x", "--no-path", "--no-filters", "--filters", "file"],
    "the end of options": ["--literally", "--end-of-options", "file"],
    "behind the file": ["file", "-t", "blob", "--literally", "--no-literally"],
}


@pytest.mark.parametrize(
    "words",
    [
        ["--stdin", "--stdin"],
        ["--stdin", "--stdin-paths"],
        ["--stdin-paths", "--stdin"],
        ["--stdin-paths", "file"],
        ["--stdin-paths", "--path=file"],
        ["--path", "file", "--no-filters"],
        ["--stdi"],
        ["--no-"],
        ["--nothing"],
        ["-x"],
        ["-t"],
        ["--path"],
        ["--stdin=yes"],
    ],
    ids=" ".join,
)
def test_words_that_exclude_each_other(place: Place, words: list[str]) -> None:
    place.write("file", b"content")
    place.fails(*words, status=129)
    assert place.loose() == []


@pytest.mark.parametrize("words", OWN_SPELLINGS.values(), ids=OWN_SPELLINGS)
def test_spellings(place: Place, words: list[str]) -> None:
    place.write("file", b"content")
    assert place.hash(*words) == ["6b584e8ece562ebffc15d38808cd6b98fc3d97ea"]


@pytest.mark.parametrize("words", [[], ["-t", "bogus"], ["-w"], ["--no-filters"]], ids=" ".join)
def test_no_input(place: Place, words: list[str]) -> None:
    assert place.hash(*words) == []


def test_a_file_that_looks_like_an_option(place: Place) -> None:
    place.write("-w", b"content")
    assert place.hash("--", "-w") == place.hash("./-w")
    assert place.loose() == []
