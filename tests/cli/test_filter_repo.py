"""The real git-filter-repo, unchanged, under ``fastio exec``."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.field import Field
from tests.importer import streams
from tests.importer.target import Target


@pytest.fixture(autouse=True)
def _filter_repo_is_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")


@pytest.fixture
def history(tmp_path: Path) -> Target:
    """A repository with two branches, a merge, a tag, and a name that must be quoted."""
    repository = Target(tmp_path / "history.git", "--bare")
    repository.git("fast-import", "--quiet", text=streams.history(files=14, size=4000, commits=30))
    odd = b'M 100755 inline "dir1/\\303\\244 \\"b\\".sh"\ndata 2\nb\n'
    side = streams.commit(1, odd, ref=b"refs/heads/side", start=b"refs/heads/main~9")
    new = streams.inline(b"dir2/new", b"a secret")
    merge = streams.commit(2, b"merge :1", new, start=b"refs/heads/main^0", message=b"Merge")
    tag = b"tag v1\nfrom :2\ntagger %b\ndata 3\nold" % streams.WHO
    repository.git("fast-import", "--quiet", text=side + merge + tag)
    return repository


CALLBACK = """
contents = value.get_contents_by_identifier(blob_id)
return (filename, mode, value.insert_file_with_contents(contents + b"more"))
"""


@pytest.mark.parametrize(
    "words",
    [
        ["git", "filter-repo", "--path", "dir1", "--path-rename", "dir1:moved"],
        ["git", "-c", "core.quotePath=no", "filter-repo", "--invert-paths", "--path", "dir2/new"],
        ["git-filter-repo", "--message-callback", "return message.upper()", "--tag-rename", ":x-"],
        ["git", "filter-repo", "--replace-text", "expressions", "--prune-empty", "always"],
        ["git", "filter-repo", "--file-info-callback", CALLBACK],
    ],
)
def test_same_refs_as_without_us(field: Field, history: Target, words: list[str]) -> None:
    copies = [Target(field.target.path / side, "--bare") for side in ("plain", "ours")]
    for copy in copies:
        shutil.copytree(history.path, copy.path, dirs_exist_ok=True)
        (copy.path / "expressions").write_text("secret==>public\nregex:[0-9a-f]{48}\n==>line\n")
    plain, ours = copies
    done = field.plain(*words, "--force", "--quiet", cwd=plain.path)
    assert (done.returncode, done.stderr) == (0, b"")
    done = field.exec(*words, "--force", "--quiet", cwd=ours.path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert ours.refs() == plain.refs() != history.refs()
    maps = [(copy.path / "filter-repo/commit-map").read_bytes() for copy in copies]
    assert maps[0] == maps[1]
    assert ours.fsck() == ""
    ours_did = [name for line in field.handed_over() for name in line.split() if "fast-" in name]
    assert sorted(ours_did) == ["fast-export", "fast-export", "fast-import"]  # one asks for help
