"""Refused refs: each with its reason, each cure once, and what the last line of all says."""

from pathlib import Path

import pytest

from fastio.importer.refusals import MAX_TOLD
from tests.importer import streams
from tests.importer.target import Target

MAIN = streams.commit(1, streams.inline(b"file", b"one"))
ZERO = b"0" * 40
CHECKPOINT = b"checkpoint\n\n"


def resets(*names: bytes, value: bytes = b":1") -> bytes:
    return b"".join(b"reset %b\nfrom %b\n\n" % (name, value) for name in names)


def errors(target: Target, stream: bytes, *words: str, status: int = 1) -> list[str]:
    done = target.run(stream, *words)
    assert done.returncode == status
    return done.stderr.decode().splitlines()


def test_each_cure_is_told_once(target: Target) -> None:
    assert target.run(MAIN + resets(b"refs/heads/x", b"refs/heads/y")).returncode == 0
    stream = streams.commit(1, message=b"new") + resets(
        b"refs/heads/x", b"refs/heads/y", b"refs/heads/x/z", b"refs/heads/y/z"
    )
    lines = errors(target, stream)
    assert sum(line.startswith("warning: not updating refs/heads/") for line in lines) == 3
    assert sum(line.startswith("error: cannot create refs/heads/") for line in lines) == 2
    assert sum("--force" in line for line in lines) == 1
    assert sum("git update-ref -d" in line for line in lines) == 1
    assert lines[-1] == "fastio: import failed: no ref was changed, 5 refused"


def test_of_thousands_the_first_ones_are_told(target: Target) -> None:
    names = [b"refs/heads/main/%d" % number for number in range(MAX_TOLD + 50)]
    lines = errors(target, MAIN + CHECKPOINT + resets(*names))
    assert sum(line.startswith("error: cannot create ") for line in lines) == MAX_TOLD
    assert "  ... and 50 more" in lines
    assert lines[-1] == "fastio: import failed: 1 ref updated, 150 refused"


def test_tags_are_refused_together(target: Target) -> None:
    tags = b"".join(b"tag %b\nfrom :1\ndata 0\n" % name for name in (b"a", b"b", b"a"))
    lines = errors(target, MAIN + tags)
    assert any("refs/tags/a" in line and line.startswith("error: ") for line in lines)
    assert "  hint:  annotated tags are set all together or not at all" in lines
    assert lines[-1] == "fastio: import failed: 1 ref updated, 2 refused"


def test_lock_of_a_dead_git_is_told(target: Target) -> None:
    (target.git_dir / "refs/heads/main.lock").touch()
    lines = errors(target, MAIN)
    assert "main.lock" in lines[0]
    assert ".lock file" in "".join(line for line in lines if line.startswith("  hint:"))


@pytest.mark.parametrize(
    ("stream", "line"),
    [
        (b"", "no ref was changed"),
        (MAIN, "1 ref updated"),
        (MAIN + resets(b"refs/heads/x") + b"tag t\nfrom :1\ndata 0\n", "3 refs updated"),
        (MAIN + CHECKPOINT + resets(b"refs/heads/main", value=ZERO), "1 ref deleted"),
        (MAIN + resets(b"refs/heads/x") + CHECKPOINT + resets(b"refs/heads/main", value=ZERO),
         "1 ref updated, 1 deleted"),
        (MAIN + CHECKPOINT * 3, "1 ref updated"),
    ],
)  # fmt: skip
def test_last_line_after_a_success(target: Target, stream: bytes, line: str) -> None:
    done = target.fastio("import", stream=stream)
    assert done.returncode == 0
    assert done.stderr.decode().splitlines()[-1] == f"fastio: {line}"


def test_importing_the_same_again_changes_nothing(target: Target) -> None:
    stream = MAIN + b"tag t\nfrom :1\ndata 0\n"
    assert target.run(stream).returncode == 0
    done = target.fastio("import", stream=stream)
    assert done.stderr.endswith(b"\nfastio: no ref was changed\n")


@pytest.mark.parametrize(
    ("stream", "line"),
    [
        (b"bad\n", "no ref was changed"),
        (MAIN + b"bad\n", "no ref was changed"),
        (MAIN + CHECKPOINT + b"bad\n", "1 ref updated by checkpoints before"),
        (MAIN + CHECKPOINT + streams.commit(2, message=b"new").replace(b"mark", b"#mark")
         + b"reset refs/heads/main\nfrom :1\n\n" + resets(b"refs/heads/main/x")
         + CHECKPOINT + b"bad\n", "1 ref updated by checkpoints before, 1 refused"),
    ],
)  # fmt: skip
def test_last_line_after_a_fatal_error_tells_the_truth(
    target: Target, stream: bytes, line: str
) -> None:
    assert errors(target, stream, status=128)[-1] == f"fastio: import failed: {line}"
    assert len(target.refs()) == line.startswith("1 ref")


def test_last_line_tells_of_marks_that_were_not_written(target: Target) -> None:
    lines = errors(target, MAIN, "--export-marks=/dev/full/marks")
    assert lines[-1] == "fastio: import failed: 1 ref updated, the marks were not written"


def test_last_line_tells_of_a_ref_that_stays(target: Target) -> None:
    assert target.run(MAIN).returncode == 0
    (target.git_dir / "refs/heads/main.lock").touch()
    done = target.fastio("import", stream=resets(b"refs/heads/main", value=ZERO))
    assert done.returncode == 0
    assert done.stderr.endswith(b"\nfastio: no ref was changed, 1 not deleted\n")


@pytest.mark.parametrize("words", [["nowhere"], ["--workers=many"], ["--signed-tags=maybe"]])
def test_last_line_when_nothing_was_begun(target: Target, words: list[str]) -> None:
    done = target.fastio("import", *words, stream=MAIN)
    assert done.stderr.endswith(b"\nfastio: import failed: no ref was changed\n")


def test_last_line_outside_of_a_repository(target: Target, tmp_path: Path) -> None:
    done = target.fastio("import", stream=MAIN, cwd=tmp_path, GIT_CEILING_DIRECTORIES="/")
    assert done.returncode == 128
    assert done.stderr.endswith(b"\nfastio: import failed: no ref was changed\n")


def test_names_do_not_command_the_terminal(target: Target) -> None:
    name = "refs/heads/\x9b31m\u202e".encode()
    (target.git_dir / "file\x1b").touch()
    marks = f"--export-marks={target.git_dir}/file\x1b/marks"
    text = target.run(MAIN + resets(name, name + b"/below"), marks).stderr.decode()
    assert "cannot create refs/heads/\\x9b31m\\u202e" in text
    assert "cannot write marks file" in text
    assert all(character.isprintable() for character in text.replace("\n", ""))
