"""Messages in other encodings: items 22 to 27 of the exporter's."""

import pytest

from tests.exporter.records import commit, commit_body
from tests.exporter.source import Source

LATIN = b"caf\xe9\n"
UTF_8 = b"caf\xc3\xa9\n"


def add(source: Source, message: bytes, *headers: bytes) -> None:
    oid = source.add(
        "commit", commit_body(source.add_tree({}).encode(), headers=headers, message=message)
    )
    source.add_ref("refs/heads/main", oid)


@pytest.mark.parametrize(
    ("name", "message", "expected"),
    [
        (b"ISO-8859-1", LATIN, UTF_8),
        (b"iso8859-1", LATIN, UTF_8),
        (b"latin-1", LATIN, UTF_8),
        (b"UTF-8", UTF_8, UTF_8),
        (b"utf8", UTF_8, UTF_8),
        (b"KOI8-R", b"\xc1\n", b"\xd0\xb0\n"),
        (b"windows-1252", b"\x80\n", b"\xe2\x82\xac\n"),
        (b"Shift_JIS", b"\x93\xfa\x96{\n", b"\xe6\x97\xa5\xe6\x9c\xac\n"),
        (b"EUC-JP", b"\xc6\xfc\n", b"\xe6\x97\xa5\n"),
        (b"ISO-2022-JP", b"\x1b$BF|\x1b(B\n", b"\xe6\x97\xa5\n"),
    ],
)
def test_reencoded_messages_lose_the_header(
    source: Source, name: bytes, message: bytes, expected: bytes
) -> None:
    add(source, message, b"encoding " + name)
    stream = source.stream("main", "--reencode=yes")
    assert stream == commit(1, root=True, message=expected)


@pytest.mark.parametrize("name", [b"ISO-8859-1", b"UTF-8", b"bogus", b""])
@pytest.mark.parametrize("words", [[], ["--reencode=abort"], ["--reencode=yes", "--no-reencode"]])
def test_any_encoding_header_is_fatal_by_default(
    source: Source, name: bytes, words: list[str]
) -> None:
    add(source, b"text\n", b"encoding " + name)
    assert source.fails("main", *words).stdout == b""


@pytest.mark.parametrize("name", [b"ISO-8859-1", b"UTF-8", b"bogus", b""])
def test_without_reencoding_header_and_bytes_are_kept(source: Source, name: bytes) -> None:
    add(source, LATIN, b"encoding " + name)
    expected = commit(1, root=True, message=LATIN, headers=[b"encoding " + name])
    assert source.stream("main", "--reencode=no") == expected


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (b"UTF-8", LATIN),
        (b"bogus", LATIN),
        (b"", LATIN),
        (b"EUC-JP", b"good, then \xff\xff\n"),
        (b"US-ASCII", UTF_8),
    ],
)
def test_what_cannot_be_reencoded_is_kept(source: Source, name: bytes, message: bytes) -> None:
    add(source, message, b"encoding " + name)
    expected = commit(1, root=True, message=message, headers=[b"encoding " + name])
    assert source.stream("main", "--reencode=yes") == expected


@pytest.mark.parametrize("mode", ["yes", "no", "abort"])
def test_without_header_bytes_are_bytes(source: Source, mode: str) -> None:
    add(source, LATIN)
    assert source.stream("main", f"--reencode={mode}") == commit(1, root=True, message=LATIN)


@pytest.mark.parametrize(
    ("words", "expected"),
    [(words, UTF_8) for words in ("yes", "true", "on", "1", "YES", "True")]
    + [(words, LATIN) for words in ("no", "false", "off", "0", "", "No")],
)
def test_spellings_of_yes_and_no(source: Source, words: str, expected: bytes) -> None:
    add(source, LATIN, b"encoding ISO-8859-1")
    headers = [] if expected == UTF_8 else [b"encoding ISO-8859-1"]
    stream = source.stream("main", f"--reencode={words}")
    assert stream == commit(1, root=True, message=expected, headers=headers)


@pytest.mark.parametrize("word", ["maybe", "utf8", "yes please", "abort!"])
def test_other_words_are_usage_errors(source: Source, word: str) -> None:
    assert source.fails("main", f"--reencode={word}", status=129).stdout == b""
