"""What is told of files without opening them."""

import os
from pathlib import Path

from fastio.hasher.files import is_there


def test_what_is_there(tmp_path: Path) -> None:
    os.symlink("nowhere", tmp_path / "link")
    (tmp_path / "file").write_bytes(b"")
    for name in ("link", "file", ".", "nowhere", "file/x", "x" * 300):
        path = tmp_path / name
        assert is_there(bytes(path)) == os.path.lexists(path)
