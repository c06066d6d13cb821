"""The tables of a document are renewed, and nothing else in it."""

import pytest

from bench.rows import BEGIN, END, renew


def test_tables_take_the_place_of_those_between_the_marks(tmp_path):
    document = tmp_path / "document.md"
    document.write_text(f"before\n\n{BEGIN}\nold\n{END}\n\nbehind\n")
    for _ in range(2):
        renew(document, "new")
        assert document.read_text() == f"before\n\n{BEGIN}\n\nnew\n{END}\n\nbehind\n"


def test_a_document_without_marks_is_left_alone(tmp_path):
    document = tmp_path / "document.md"
    document.write_text(f"text {BEGIN}\n")
    with pytest.raises(SystemExit):
        renew(document, "new")
    assert document.read_text() == f"text {BEGIN}\n"
