"""Submodule rewriting and hash algorithms: items 290 to 292."""

from collections.abc import Callable

import pytest

from tests.conformance.side import Side
from tests.importer.streams import blob, commit
from tests.importer.target import blob_oid

DIGITS = {"sha1": 40, "sha256": 64}
FROM, TO = "--rewrite-submodules-from", "--rewrite-submodules-to"
LARGEST = 2**64 - 1


def write(side: Side, old: str, new: str) -> None:
    (side.path / "old").write_text(old)
    (side.path / "new").write_text(new)


@pytest.mark.parametrize("mark", [1, 123456789123, LARGEST])
@pytest.mark.parametrize("foreign", ["sha1", "sha256"])
@pytest.mark.parametrize("own", ["sha1", "sha256"])
def test_gitlinks_are_rewritten_from_and_to_either_algorithm(
    new_side: Callable[..., Side], own: str, foreign: str, mark: int
) -> None:
    side = new_side("--bare", f"--object-format={own}")
    old, new, other = ("1" * DIGITS[foreign], "2" * DIGITS[own], "3" * DIGITS[own])
    write(side, f":{mark} {old}\n", f":{mark} {new}\n:7 {other}\n")
    stream = commit(1, f"M 160000 {old} sub".encode(), f"M 160000 {other} unmapped".encode())
    done = side.feed(stream, f"{FROM}=sub:old", f"{TO}=sub:new")
    assert (done.returncode, done.stderr) == (0, b"")
    assert side.git("ls-tree", "--format=%(path) %(objectname)", "main").splitlines() == [
        f"sub {new}", f"unmapped {other}",
    ]  # fmt: skip


def test_all_datarefs_are_rewritten_and_the_stream_may_ask_for_it(side: Side) -> None:
    content = blob_oid(b"x")
    write(side, f":1 {'1' * 64}\n", f":1 {content}\n")
    header = b"feature rewrite-submodules-from=s:old\nfeature rewrite-submodules-to=s:new\n"
    name = b"1" * 64
    lines = (b"M 644 %b f" % name, b"cat-blob %b" % name, b"N %b refs/heads/base" % name)
    stream = blob(1, b"x") + commit(2, ref=b"refs/heads/base") + commit(3, *lines)
    done = side.feed(header + stream)
    assert (done.returncode, done.stdout) == (0, b"%b blob 1\nx\n" % content.encode())
    names = {side.git("rev-parse", "base"), "f"}
    assert set(side.git("ls-tree", "--name-only", "main").split()) == names


def test_paths_of_the_files_start_where_the_user_is(new_side: Callable[..., Side]) -> None:
    side = new_side()
    side.needs_git(2, 55)  # old versions start at the top of the work tree
    below = side.path / "below"
    below.mkdir()
    (below / "old").write_text(f":1 {'1' * 40}\n")
    (below / "new").write_text(f":1 {'2' * 40}\n")
    stream = commit(1, b"M 160000 %b sub" % (b"1" * 40))
    assert side.feed(stream, f"{FROM}=s:old", f"{TO}=s:new", cwd=below).returncode == 0
    assert side.git("rev-parse", "main:sub") == "2" * 40


@pytest.mark.parametrize(
    "words",
    [(f"{FROM}=s:old",), (f"{FROM}=s:old", f"{TO}=t:new"), (f"{FROM}=old", f"{TO}=s:new"),
     (f"{FROM}=s:old", f"{TO}=new"), (f"{FROM}=s:none", f"{TO}=s:new"),
     (f"{FROM}=s:old", f"{TO}=s:none"), (f"{FROM}=s:old", f"{TO}=s:fewer"),
     (f"{FROM}=s:bad", f"{TO}=s:new"), (f"{TO}=s:none",)],
)  # fmt: skip
def test_files_that_do_not_fit(side: Side, words: tuple[str, ...]) -> None:
    write(side, f":1 {'1' * 40}\n:2 {'3' * 40}\n", f":1 {'2' * 40}\n:2 {'2' * 40}\n")
    (side.path / "fewer").write_text(f":1 {'2' * 40}\n")
    (side.path / "bad").write_text(f":1 {'2' * 39}\n")
    done = side.feed(commit(1), *words)
    assert (done.returncode, done.stderr[:7], side.refs()) == (128, b"fatal: ", {})


def test_a_partner_alone_is_ignored_and_the_last_file_of_a_name_counts(side: Side) -> None:
    write(side, f":1 {'1' * 40}\n", f":1 {'2' * 40}\n")
    (side.path / "other").write_text(f":1 {'4' * 40}\n")
    stream = commit(1, b"M 160000 %b sub" % (b"1" * 40))
    words = (f"{TO}=alone:new", f"{FROM}=s:old", f"{TO}=s:new", f"{TO}=s:other")
    assert side.feed(stream, *words).returncode == 0
    assert side.git("rev-parse", "main:sub") == "4" * 40


# --- SHA-256 --------------------------------------------------------------------------------------

ZERO = b"0" * 64
X = blob_oid(b"x", "sha256").encode()
BASE = blob(1, b"x") + commit(2, b"M 644 :1 dir/file")


@pytest.fixture
def sha256(new_side: Callable[..., Side]) -> Side:
    return new_side("--bare", "--object-format=sha256")


def test_replies_and_marks_have_64_digits(sha256: Side) -> None:
    questions = b"get-mark :1\nget-mark :2\ncat-blob %b\nls :2 dir/file\nls :2 dir\n" % X
    done = sha256.feed(BASE + questions, "--export-marks=marks")
    main, tree = sha256.git("rev-parse", "main", "main:dir").encode().split()
    assert done.stdout.splitlines() == [
        X, main, b"%b blob 1" % X, b"x", b"100644 blob %b\tdir/file" % X,
        b"040000 tree %b\tdir" % tree,
    ]  # fmt: skip
    assert (sha256.path / "marks").read_bytes() == b":1 %b\n:2 %b\n" % (X, main)
    assert len(main) == 64
    done = sha256.feed(b"cat-blob %b\nget-mark :2\n" % (b"1" * 64), "--import-marks=marks")
    assert done.stdout == b"1" * 64 + b" missing\n" + main + b"\n"


def test_notes_and_zero_oids_have_64_digits(sha256: Side) -> None:
    stream = BASE + commit(3, message=b"two")
    stream += commit(4, b"N :1 :2", b"N %b :3" % X, ref=b"refs/notes/n")
    stream += commit(5, b"N %b :3" % ZERO, ref=b"refs/notes/n")
    stream += b"reset refs/heads/gone\nfrom :2\n\nreset refs/heads/gone\nfrom %b\n\n" % ZERO
    assert sha256.feed(stream).returncode == 0
    first, second = sha256.git("rev-list", "--reverse", "main").split()
    both, one = (sha256.git("ls-tree", "--name-only", f"refs/notes/n{at}") for at in ("^", ""))
    assert (set(both.split()), one) == ({first, second}, first)
    assert (len(first), list(sha256.refs())) == (64, ["refs/heads/main", "refs/notes/n"])
    assert sha256.fsck() == ""


@pytest.mark.parametrize(
    "line",
    [b"M 644 %b f", b"M 160000 %b f", b"N %b :2", b"cat-blob %b", b"ls %b f", b"from %b",
     b"merge %b"],
)  # fmt: skip
@pytest.mark.parametrize("oid", [b"0" * 40, b"1" * 40], ids=["zero", "absent"])
def test_40_digits_name_nothing(sha256: Side, line: bytes, oid: bytes) -> None:
    done = sha256.feed(BASE + commit(3, line % oid, ref=b"refs/heads/other"))
    assert (done.returncode, done.stderr[:7], sha256.refs()) == (128, b"fatal: ", {})


@pytest.mark.parametrize("oid", [b"1" * 64, b"0" * 64])
def test_64_digits_name_nothing_in_sha1(side: Side, oid: bytes) -> None:
    done = side.feed(commit(1, b"M 160000 %b f" % oid))
    assert (done.returncode, done.stderr[:7], side.refs()) == (128, b"fatal: ", {})
