"""Refs, reset and --force: items 201 to 213."""

from collections.abc import Callable

import pytest

from tests.conformance.side import Side
from tests.importer.streams import blob, commit, inline

ZERO = b"0" * 40
MAIN = commit(1, inline(b"file", b"one")) + commit(2, inline(b"file", b"two"))
OTHER = commit(5, ref=b"refs/heads/other", message=b"other")
UNRELATED = commit(9, message=b"unrelated")


def reset(name: str, start: bytes | None = None) -> bytes:
    return b"reset %b\n%b\n" % (name.encode(), b"" if start is None else b"from %b\n" % start)


@pytest.fixture
def filled(side: Side) -> Side:
    """Two commits on main, the first of them in a light tag."""
    assert side.feed(MAIN + reset("refs/tags/light", b":2")).returncode == 0
    return side


@pytest.mark.parametrize(
    ("name", "stream"),
    [("refs/heads/main", UNRELATED), ("refs/heads/main", reset("refs/heads/main", b"main~1")),
     ("refs/tags/light", reset("refs/tags/light", b"main~1")),
     ("refs/heads/main", reset("refs/heads/main", ZERO) + UNRELATED)],
    ids=["unrelated", "ancestor", "light tag", "deleted and made anew"],
)  # fmt: skip
def test_what_loses_commits_is_refused_and_the_others_go_on(
    filled: Side, name: str, stream: bytes
) -> None:
    before = filled.refs()
    done = filled.feed(stream + OTHER)
    assert (done.returncode, done.stderr[:9]) == (1, b"warning: ")
    assert before[name].encode() in done.stderr
    after = filled.refs()
    assert after.pop("refs/heads/other")
    assert after == before


@pytest.mark.parametrize(("words", "feature"), [(["--force"], b""), ([], b"feature force\n")])
def test_force_moves_it_and_the_reflog_has_the_old_value(
    new_side: Callable[..., Side], words: list[str], feature: bytes
) -> None:
    side = new_side()
    assert side.feed(MAIN).returncode == 0
    old = side.git("rev-parse", "main")
    assert side.feed(feature + UNRELATED, *words).returncode == 0
    assert side.git("log", "--format=%s", "main") == "unrelated"
    assert side.git("rev-parse", "main@{1}") == old


def test_the_zero_oid_deletes_a_ref_even_the_one_checked_out(new_side: Callable[..., Side]) -> None:
    side = new_side()
    assert side.feed(MAIN + OTHER).returncode == 0
    for name in ("refs/heads/other", "refs/heads/main", "refs/heads/never-there"):
        done = side.feed(reset(name, ZERO))
        assert (done.returncode, done.stderr) == (0, b"")
        assert name not in side.refs()
    assert side.git("symbolic-ref", "HEAD") == "refs/heads/main"


def test_a_reset_alone_leaves_the_ref(filled: Side) -> None:
    before = filled.refs()
    assert filled.feed(reset("refs/heads/main") + reset("refs/tags/light")).returncode == 0
    assert filled.refs() == before


@pytest.mark.parametrize("words", [(), ("--quiet",)])
def test_a_ref_that_would_replace_itself_is_dropped(side: Side, words: tuple[str, ...]) -> None:
    side.needs_git(2, 48)
    assert side.feed(MAIN).returncode == 0
    oid = side.git("rev-parse", "main")
    side.git("update-ref", f"refs/replace/{oid}", "main~1")
    done = side.feed(reset(f"refs/replace/{oid}", oid.encode()), *words, quiet=False)
    assert (done.returncode, list(side.refs())) == (0, ["refs/heads/main"])
    said = done.stderr.partition(b"\n")[0]
    assert said.startswith(b"warning: ") == (not words)
    assert (b"dropping" in said and b"since it would point to itself" in said) == (not words)


def test_a_locked_ref_fails_alone(side: Side) -> None:
    (side.git_dir / "refs/heads/main.lock").touch()
    done = side.feed(MAIN + OTHER)
    assert (done.returncode, done.stderr[:7]) == (1, b"error: ")
    assert list(side.refs()) == ["refs/heads/other"]


@pytest.mark.parametrize("names", [("x", "x/y"), ("x/y", "x")])
def test_of_two_names_that_exclude_each_other_one_fails(side: Side, names: tuple[str, ...]) -> None:
    resets = b"".join(reset(f"refs/heads/{name}", b":2") for name in names)
    done = side.feed(MAIN + resets)
    assert (done.returncode, b"error: " in done.stderr) == (1, True)
    assert list(side.refs()) == ["refs/heads/main", "refs/heads/x"]


def test_an_old_value_that_is_a_blob_needs_force(side: Side) -> None:
    assert side.feed(blob(1, b"x"), "--export-marks=marks").returncode == 0
    oid = (side.path / "marks").read_text().split()[1]
    side.git("update-ref", "refs/blobs/x", oid)
    stream = commit(1, ref=b"refs/blobs/x")
    done = side.feed(stream)
    assert (done.returncode, done.stderr[:7]) == (1, b"error: ")
    assert side.refs() == {"refs/blobs/x": oid}
    assert side.feed(stream, "--force").returncode == 0
    assert side.git("cat-file", "-t", "refs/blobs/x") == "commit"


def test_the_reflog_tells_who_moved_a_ref_and_only_that(
    new_side: Callable[..., Side], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_AUTHOR_EMAIL", "EMAIL"):
        monkeypatch.delenv(name, raising=False)
    side = new_side()
    assert side.feed(MAIN).returncode == 0
    assert side.feed(reset("refs/heads/main", b"main")).returncode == 0
    assert side.git("reflog", "--format=%gs", "main") == "fast-import"


def test_symbolic_refs_are_followed(new_side: Callable[..., Side]) -> None:
    side = new_side()
    side.git("symbolic-ref", "refs/heads/link", "refs/heads/target")
    stream = commit(1, ref=b"HEAD") + commit(2, ref=b"refs/heads/link")
    assert side.feed(stream).returncode == 0
    assert side.refs().keys() == {"refs/heads/main", "refs/heads/link", "refs/heads/target"}
    assert side.git("reflog", "--format=%gs", "HEAD") == "fast-import"
    assert side.feed(reset("refs/heads/link", ZERO)).returncode == 0
    assert list(side.refs()) == ["refs/heads/main"]
    assert side.git("symbolic-ref", "refs/heads/link") == "refs/heads/target"
