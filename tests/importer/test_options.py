"""Options from the stream and the command line."""

import pytest

from fastio.errors import StreamError, UsageError
from fastio.importer.options import ImportOptions, OptionReader


@pytest.fixture
def reader() -> OptionReader:
    return OptionReader(ImportOptions(), lambda: "/git/info/fast-import")


@pytest.mark.parametrize(
    ("word", "name", "value"),
    [
        ("--force", "force", True),
        ("--quiet", "quiet", True),
        ("--stats", "quiet", False),
        ("--done", "done", True),
        ("--depth=8191", "depth", 8191),
        ("--depth=0x10", "depth", 16),
        ("--active-branches=0", "active_branches", 0),
        ("--big-file-threshold=1k", "big_file_threshold", 1024),
        ("--big-file-threshold=0", "big_file_threshold", None),
        ("--date-format=now", "date_format", "now"),
        ("--cat-blob-fd=3", "cat_blob_fd", 3),
        ("--export-marks=/a/b", "export_marks", "/a/b"),
        ("--signed-commits=ignore", "signed_commits", "verbatim"),
        ("--signed-tags=warn", "signed_tags", "warn-verbatim"),
        ("--relative-marks", "relative_marks", True),
        ("--no-relative-marks", "relative_marks", False),
    ],
)
def test_words_of_the_command_line(
    reader: OptionReader, word: str, name: str, value: object
) -> None:
    reader.command_line(word)
    assert getattr(reader.options, name) == value


@pytest.mark.parametrize(
    "word",
    ["--depth", "--depth=", "--depth=8192", "--depth=-1", "--active-branches=-5", "--no-force",
     "--cat-blob-fd=-1", "--cat-blob-fd=2147483648", "--force=1", "--done=yes", "--dep=5",
     "--date-format=RAW", "--date-format", "--import-marks", "--import-marks-x=a", "-quiet",
     "--big-file-threshold=x", "--notes=1"],
)  # fmt: skip
def test_words_that_are_refused(reader: OptionReader, word: str) -> None:
    with pytest.raises(StreamError):
        reader.command_line(word)


@pytest.mark.parametrize("name", ["signed-commits", "signed-tags"])
@pytest.mark.parametrize(
    "mode", ["maybe", "", "STRIP", "sign-if-invalidx", "strip-if-invalid=key", "verbatim="]
)
def test_unknown_signature_mode_is_a_usage_error(
    reader: OptionReader, name: str, mode: str
) -> None:
    with pytest.raises(UsageError, match=f"unknown --{name} mode '{mode}'"):
        reader.command_line(f"--{name}={mode}")


@pytest.mark.parametrize("name", ["signed-commits", "signed-tags"])
def test_a_key_belongs_to_its_mode(reader: OptionReader, name: str) -> None:
    attribute = name.replace("-", "_")
    for word, key in (("sign-if-invalid=a=b", "a=b"), ("sign-if-invalid", "")):
        reader.command_line(f"--{name}={word}")
        mode = getattr(reader.options, attribute), getattr(reader.options, f"{attribute}_key")
        assert mode == ("sign-if-invalid", key)


@pytest.mark.parametrize(
    "name", [b"done", b"force", b"ls", b"cat-blob", b"get-mark", b"alias", b"notes"]
)
def test_features_without_a_value(reader: OptionReader, name: bytes) -> None:
    reader.feature(name, None)
    with pytest.raises(StreamError, match="support feature"):
        reader.feature(name, b"1")


@pytest.mark.parametrize("name", [b"quiet", b"NOTES", b"cat-blob-fd", b"signed-commits", b""])
def test_what_is_no_feature(reader: OptionReader, name: bytes) -> None:
    with pytest.raises(StreamError, match="does not support feature"):
        reader.feature(name, b"3")


@pytest.mark.parametrize("text", [b"force", b"done", b"date-format=raw", b"--quiet", b"x=1"])
def test_what_is_no_option_of_the_stream(reader: OptionReader, text: bytes) -> None:
    with pytest.raises(StreamError, match="support option"):
        reader.stream_option(text)


@pytest.mark.parametrize("name", [b"import-marks", b"import-marks-if-exists", b"export-marks"])
def test_unsafe_features(reader: OptionReader, name: bytes) -> None:
    with pytest.raises(StreamError, match="forbidden"):
        reader.feature(name, b"/a")
    reader.stream_option(b"allow-unsafe-features")  # accepted, without effect
    with pytest.raises(StreamError, match="forbidden"):
        reader.feature(name, b"/a")
    reader.options.allow_unsafe_features = True
    reader.feature(name, b"/a")


def test_second_import_of_the_stream_is_refused(reader: OptionReader) -> None:
    reader.options.allow_unsafe_features = True
    reader.feature(b"import-marks", b"/a")
    with pytest.raises(StreamError, match="only one import-marks"):
        reader.feature(b"import-marks-if-exists", b"/b")


def test_imports_of_the_command_line_replace_that_of_the_stream(reader: OptionReader) -> None:
    reader.options.allow_unsafe_features = True
    reader.feature(b"import-marks", b"/a")
    reader.command_line("--import-marks=/b")
    reader.command_line("--import-marks-if-exists=/c")
    imports = [(marks.path, marks.if_exists) for marks in reader.options.import_marks]
    assert imports == [("/b", False), ("/c", True)]


def test_relative_marks_hold_for_what_follows(reader: OptionReader) -> None:
    reader.feature(b"relative-marks", None)
    reader.command_line("--import-marks=in")
    reader.command_line("--import-marks=/absolute")
    reader.command_line("--no-relative-marks")
    reader.command_line("--export-marks=/out")
    paths = [marks.path for marks in reader.options.import_marks]
    assert paths == ["/git/info/fast-import/in", "/absolute"]
    assert reader.options.export_marks == "/out"
