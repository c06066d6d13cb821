"""Options that shape a stream: items 75 to 77 of the exporter's."""

import pytest

from tests.exporter.records import LINE, MAIN, ZERO, blob, commit, commit_body, reset, tag
from tests.exporter.source import Source


@pytest.fixture
def line(source: Source) -> Source:
    """Three commits."""
    source.load(LINE)
    return source


def test_done_is_announced_and_said(line: Source) -> None:
    words = ["main", "--use-done-feature", "--refspec=:refs/heads/gone"]
    ends = reset(b"refs/heads/gone", ZERO) + b"done\n"
    assert line.stream(*words) == b"feature done\n" + LINE + ends


def test_done_is_not_said_after_a_failure(source: Source) -> None:
    tree = source.add_tree({}).encode()
    first = source.add("commit", commit_body(tree)).encode()
    bad = source.add("commit", commit_body(tree, first, headers=[b"encoding x"]))
    source.add_ref("refs/heads/main", bad)
    done = source.fails("main", "--use-done-feature")
    assert done.stdout == b"feature done\n" + commit(1, root=True)
    done = source.fails("main", "--use-done-feature", "--import-marks=missing")
    assert done.stdout == b"feature done\n"


def test_without_data_there_are_ids(line: Source) -> None:
    one, two, three = (line.oid(name) for name in ("main~2:a", "main~1:b", "main:a"))
    expected = (
        commit(1, b"M 100644 %b a" % one, root=True, message=b"first\n")
        + commit(2, b"from :1", b"M 100644 %b b" % two, message=b"second\n")
        + commit(3, b"from :2", b"M 100644 %b a" % three, b"D b", message=b"third\n")
    )
    assert line.stream("main", "--no-data") == expected
    assert line.stream("main", "--data") == line.stream("main", "--no-no-data") == LINE
    remove(line, one.decode())
    assert line.stream("main", "--no-data") == expected
    line.fails("main")


def remove(source: Source, oid: str) -> None:
    """Take one object out of the packs."""
    [pack] = source.packs()
    text = pack.read_bytes()
    for path in (source.git_dir / "objects/pack").iterdir():
        path.unlink()
    source.git("unpack-objects", "-q", text=text)
    (source.git_dir / "objects" / oid[:2] / oid[2:]).unlink()


def progress(count: int) -> bytes:
    return b"progress %d objects\n" % count


@pytest.mark.parametrize(
    ("word", "every"), [("1", 1), ("2", 2), ("-2", 2), ("3", 3), ("0", 99), ("1k", 99)]
)
def test_progress_counts_blobs_commits_and_resets(line: Source, word: str, every: int) -> None:
    if word == "1k":
        line.needs_git(2, 52)
    line.load(reset(b"refs/heads/z", MAIN) + reset(b"refs/heads/y", MAIN) + tag(b"t", MAIN))
    records = [
        blob(1, b"one\n"),
        commit(2, b"M 100644 :1 a", root=True, message=b"first\n"),
        blob(3, b"two\n"),
        commit(4, b"from :2", b"M 100644 :3 b", message=b"second\n"),
        blob(5, b"three\n"),
        commit(6, b"from :4", b"M 100644 :5 a", b"D b", message=b"third\n"),
        reset(b"refs/heads/z", b":6"),
        reset(b"refs/heads/y", b":6"),
    ]
    expected = b"".join(
        record + progress(count) * (count % every == 0) for count, record in enumerate(records, 1)
    )
    stream = line.stream("--all", f"--progress={word}", "--refspec=:refs/heads/gone")
    assert stream == expected + tag(b"t", b":6") + reset(b"refs/heads/gone", ZERO)
    assert b"progress" not in line.stream("main", "--progress=1", "--no-progress")


@pytest.mark.parametrize("word", ["--progress=x", "--progress=", "--progress=1t", "--progress"])
def test_progress_takes_a_number(line: Source, word: str) -> None:
    assert line.fails("main", word, status=129).stdout == b""
