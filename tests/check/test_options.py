"""Features and options of the stream: a check knows what an import knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from fastio.check.options import feature_error, option_error
from fastio.errors import StreamError, UsageError
from fastio.importer.options import ImportOptions, OptionReader

NAMES = (
    *("alias", "cat-blob", "cat-blob-fd", "get-mark", "ls", "notes", "done", "force", "quiet"),
    *("relative-marks", "no-relative-marks", "date-format", "export-marks", "import-marks"),
    *("import-marks-if-exists", "rewrite-submodules-from", "rewrite-submodules-to", "stats"),
    *("allow-unsafe-features", "depth", "active-branches", "big-file-threshold", "max-pack-size"),
    *("export-pack-edges", "signed-commits", "signed-tags", "nonsense", ""),
)
VALUES = (
    *(None, "", "raw", "rfc2822", "RAW", "5", "010", "0x10", "-1", "8191", "8192", "1k", "1q"),
    *("a:b", "strip", "warn-strip", "abort-if-invalid", "sign-if-invalid=x", "strip=x", "x\n"),
    "9" * 25,
)


@pytest.mark.parametrize("allowed", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_features_are_known_as_by_an_import(
    name: str, allowed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "b").touch()  # a marks file, for rewrite-submodules
    monkeypatch.chdir(tmp_path)
    options = ImportOptions()
    options.allow_unsafe_features = allowed
    for value in VALUES:
        argument = None if value is None else value.encode()
        found = feature_error(name.encode(), argument, allow_unsafe=allowed)
        reader = OptionReader(options, lambda: "/marks")
        if found is None:
            reader.feature(name.encode(), argument)
        else:
            with pytest.raises(StreamError) as caught:
                reader.feature(name.encode(), argument)
            assert caught.value.kind in (found.kind, "")


@pytest.mark.parametrize("name", NAMES)
def test_options_are_known_as_by_an_import(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # for the files of export-pack-edges
    for value in VALUES:
        text = (name if value is None else f"{name}={value}").encode()
        try:
            OptionReader(ImportOptions(), lambda: "/marks").stream_option(text)
        except (StreamError, UsageError):
            assert option_error(text) is not None or text == b"export-pack-edges=", text
        else:
            assert option_error(text) is None, text
