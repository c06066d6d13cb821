"""Names that cannot all be had are told when the second one appears."""

import pytest

from fastio.importer.clashes import MAX_WARNINGS
from tests.importer import streams
from tests.importer.target import Target

FIRST = streams.commit(1, ref=b"refs/heads/a")
ZERO = b"0" * 40


def reset(name: bytes, value: bytes | None = b":1") -> bytes:
    return b"reset %b\n" % name + (b"" if value is None else b"from %b\n" % value) + b"\n"


def tag(name: bytes) -> bytes:
    return b"tag %b\nfrom :1\ndata 0\n" % name


def warnings(target: Target, stream: bytes) -> list[str]:
    lines = target.run(stream).stderr.decode().splitlines()
    return [line for line in lines if line.startswith("warning: ")]


@pytest.mark.parametrize(
    ("more", "name", "rival"),
    [
        (reset(b"refs/heads/a/b"), "refs/heads/a/b", "refs/heads/a"),
        (reset(b"refs/heads/x/y/z") + reset(b"refs/heads/x"), "refs/heads/x", "refs/heads/x/y/z"),
        (streams.commit(2, ref=b"refs/heads/a/b"), "refs/heads/a/b", "refs/heads/a"),
        (tag(b"t") + tag(b"t/u"), "refs/tags/t/u", "refs/tags/t"),
        (reset(b"refs/tags/t/u") + tag(b"t"), "refs/tags/t", "refs/tags/t/u"),
        (reset(b"refs/heads/x", None) + reset(b"refs/heads/x/y")
         + streams.commit(3, ref=b"refs/heads/x"), "refs/heads/x", "refs/heads/x/y"),
    ],
)  # fmt: skip
def test_second_name_is_told(target: Target, more: bytes, name: str, rival: str) -> None:
    [warning] = warnings(target, FIRST + more)
    assert warning.startswith(f"warning: {name} cannot stand beside {rival}: ")
    assert "(byte " in warning


@pytest.mark.parametrize(
    "more",
    [
        reset(b"refs/heads/ab") + reset(b"refs/heads/a-b/c"),
        reset(b"refs/tags/a/b"),
        reset(b"refs/heads/a", ZERO) + reset(b"refs/heads/a/b"),
        reset(b"refs/heads/a/b", None),
        tag(b"t") + reset(b"refs/tags/t", ZERO) + tag(b"t/u"),
        tag(b"t") + reset(b"refs/tags/t"),
        streams.commit(2, ref=b"refs/heads/a") * 3,
    ],
)
def test_what_is_no_clash_is_not_told(target: Target, more: bytes) -> None:
    done = target.run(FIRST + more)
    assert (done.returncode, done.stderr) == (0, b"")


def test_tags_that_no_other_tag_survives_are_told(target: Target) -> None:
    twice, bad = warnings(target, FIRST + tag(b"t") + tag(b"t") + tag(b"x..y"))
    assert twice.startswith("warning: refs/tags/t comes a second time: no tag ")
    assert bad.startswith("warning: refs/tags/x..y is no name for a ref: no tag ")
    assert list(target.refs()) == ["refs/heads/a"]


def test_warning_comes_before_the_stream_is_over(target: Target) -> None:
    with target.running() as process:
        process.stdin.write(FIRST + reset(b"refs/heads/a/b") + b"progress on\n")
        process.stdin.flush()
        line = process.stderr.readline()
        assert line.startswith(b"warning: refs/heads/a/b cannot stand beside refs/heads/a: ")
        assert line.endswith(f" (byte {len(FIRST)}, command 2)\n".encode())


@pytest.mark.parametrize("pack", [False, True])
@pytest.mark.parametrize(
    ("there", "name"), [("refs/heads/x", b"refs/heads/x/y"), ("refs/heads/x/y/z", b"refs/heads/x")]
)
def test_ref_of_the_repository_is_told_while_the_stream_goes_on(
    target: Target, pack: bool, there: str, name: bytes
) -> None:
    assert target.run(streams.commit(1, ref=there.encode())).returncode == 0
    if pack:
        target.git("pack-refs", "--all")
    with target.running() as process:
        process.stdin.write(FIRST + reset(name) + b"progress on\n")
        process.stdin.flush()
        line = process.stderr.readline().decode()
    assert line.startswith(f"warning: {name.decode()} cannot stand beside {there}, which the repo")
    assert line.endswith(f" (byte {len(FIRST)}, command 2)\n")


def test_ref_of_the_repository_that_the_stream_deletes_is_not_told(target: Target) -> None:
    assert target.run(streams.commit(1, ref=b"refs/heads/x")).returncode == 0
    deletion = reset(b"refs/heads/x", ZERO) + b"checkpoint\n\n"
    large = streams.blob(9, bytes(3 << 20))
    done = target.run(FIRST + deletion + reset(b"refs/heads/x/y") + large + b"progress on\n")
    assert (done.returncode, done.stderr) == (0, b"")


def test_refs_are_read_anew_a_few_times_only(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fastio.importer import clashes  # noqa: PLC0415

    asked, read_refs = [], clashes.read_refs
    monkeypatch.setattr(
        clashes, "read_refs", lambda git, names: asked.append(names) or read_refs(git, names)
    )
    padding = streams.blob(0, bytes(1 << 20)).replace(b"mark :0\n", b"")
    many = b"".join(reset(b"refs/heads/n%d" % at) + padding for at in range(20))
    assert target.here(FIRST + many)[0] == 0
    assert 2 < len(asked) < 12
    assert asked[-1] is None
    assert None not in asked[:-1]


def test_short_stream_asks_nobody(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastio.importer.clashes.read_refs", None)
    assert target.here(FIRST)[0] == 0


def test_warnings_come_to_an_end(target: Target) -> None:
    many = b"".join(reset(b"refs/heads/a/%d" % at) for at in range(50))
    told = warnings(target, FIRST + many)
    assert len(told) == MAX_WARNINGS + 1
    assert "there may be more" in told[-1]
