"""cat-blob, get-mark and ls: items 227 to 243."""

from collections.abc import Callable

import pytest

from tests.conformance.side import Side
from tests.importer.streams import WHO, blob, commit, inline
from tests.importer.target import blob_oid

ABSENT = b"1" * 40
OLD, NEW = blob_oid(b"old").encode(), blob_oid(b"new").encode()
BASE = blob(1, b"new") + commit(2, b"M 100644 :1 dir/sub/file", inline(b"top", b"old"))
OPEN = b"commit refs/heads/main\nmark :3\ncommitter %b\ndata 0\n" % WHO


@pytest.fixture
def disk(side: Side) -> Side:
    """A repository that holds a commit with one file."""
    assert side.feed(commit(1, inline(b"dir/f", b"old"), ref=b"refs/heads/disk")).returncode == 0
    return side


def reply(side: Side, stream: bytes, *words: str) -> bytes:
    """What an import that ends well says on stdout."""
    done = side.feed(stream, *words)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def oid_of(side: Side, name: str) -> bytes:
    return side.git("rev-parse", name).encode()


# --- cat-blob -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "expected"),
    [(OLD, OLD + b" blob 3\nold\n"), (b":1", NEW + b" blob 3\nnew\n"),
     (NEW, NEW + b" blob 3\nnew\n"), (NEW.upper(), NEW + b" blob 3\nnew\n"),
     (ABSENT, ABSENT + b" missing\n")],
    ids=["old by oid", "new by mark", "new by oid", "upper case", "absent"],
)  # fmt: skip
def test_a_blob_is_shown_with_its_oid_and_size(disk: Side, what: bytes, expected: bytes) -> None:
    assert reply(disk, BASE + b"cat-blob %b\n" % what) == expected
    assert reply(disk, BASE + OPEN + b"cat-blob %b\n" % what) == expected


@pytest.mark.parametrize("what", [b":2", b":4", b"COMMIT", b"TREE"])
def test_what_is_no_blob_cannot_be_shown(disk: Side, what: bytes) -> None:
    named = {b"COMMIT": oid_of(disk, "disk"), b"TREE": oid_of(disk, "disk^{tree}")}.get(what, what)
    done = disk.feed(BASE + b"tag t\nmark :4\nfrom :2\ndata 0\ncat-blob %b\n" % named)
    assert (done.returncode, done.stdout, done.stderr[:7]) == (128, b"", b"fatal: ")


def test_two_large_replies_in_a_row(side: Side) -> None:
    contents = [bytes([digit]) * 3_000_000 for digit in b"ab"]
    stream = blob(1, contents[0]) + blob(2, contents[1]) + b"cat-blob :1\ncat-blob :2\n"
    expected = [b"%b blob 3000000\n%b\n" % (blob_oid(data).encode(), data) for data in contents]
    assert reply(side, stream) == b"".join(expected)


def test_a_blob_staged_in_the_commit_is_shown(side: Side) -> None:
    stream = BASE + OPEN + b"M 644 inline f\ndata 3\nold\ncat-blob %b\nM 644 :1 g\n" % OLD
    assert reply(side, stream) == OLD + b" blob 3\nold\n"
    assert side.git("ls-tree", "--name-only", "main").split() == ["dir", "f", "g", "top"]


# --- where replies go -----------------------------------------------------------------------------


def test_replies_go_to_the_descriptor_asked_for(side: Side) -> None:
    done = side.feed(BASE + b"cat-blob :1\nget-mark :1\nprogress x\n", "--cat-blob-fd=2")
    assert (done.returncode, done.stdout) == (0, b"progress x\n")
    assert done.stderr == NEW + b" blob 3\nnew\n" + NEW + b"\n"


@pytest.mark.parametrize("line", [b"feature cat-blob-fd=2\n", b"option git cat-blob-fd=2\n"])
def test_the_stream_cannot_say_where_replies_go(side: Side, line: bytes) -> None:
    done = side.feed(line + BASE + b"get-mark :1\n")
    assert (done.returncode, done.stdout, done.stderr[:7]) == (128, b"", b"fatal: ")


def test_an_option_for_others_does_not_say_it_either(side: Side) -> None:
    assert reply(side, b"option cat-blob-fd=2\n" + BASE + b"get-mark :1\n") == NEW + b"\n"


@pytest.mark.parametrize("value", ["-1", "x", "1x", "2147483648", "99999999999999999999", ""])
def test_what_is_no_descriptor(side: Side, value: str) -> None:
    done = side.feed(BASE, f"--cat-blob-fd={value}")
    assert (done.returncode, done.stderr[:7], side.refs()) == (128, b"fatal: ", {})


@pytest.mark.parametrize(("line", "status"), [(b"get-mark :1\n", 128), (b"progress x\n", 0)])
def test_a_closed_descriptor_is_noticed_at_the_first_reply(
    side: Side, line: bytes, status: int
) -> None:
    done = side.feed(BASE + line, "--cat-blob-fd=987")
    assert (done.returncode, bool(side.refs())) == (status, status == 0)
    assert done.stderr.startswith(b"fatal: ") == (status == 128)


@pytest.mark.parametrize("number", [3, 4, 5, 6, 9])
def test_replies_to_a_closed_descriptor_reach_no_file(side: Side, number: int) -> None:
    if side.is_git and number == 3:
        pytest.skip("git writes into its own pack")
    with side.running(f"--cat-blob-fd={number}") as process:
        output, errors = process.communicate(BASE + b"cat-blob :1\n" * 3)
    assert (process.returncode, output, errors[:7]) == (128, b"", b"fatal: ")
    assert (side.refs(), side.fsck()) == ({}, "")


# --- get-mark -------------------------------------------------------------------------------------


def test_a_mark_is_answered_also_right_behind_a_commit(side: Side) -> None:
    stream = blob(1, b"new") + b"get-mark :1\n" + OPEN + b"M 644 :1 f\nget-mark :3\n"
    assert reply(side, stream) == NEW + b"\n" + oid_of(side, "main") + b"\n"


@pytest.mark.parametrize("what", [b" 1", b" main", b" " + NEW, b"", b" ", b" :9", b" :1x", b" :"])
def test_what_is_no_mark(side: Side, what: bytes) -> None:
    done = side.feed(BASE + b"get-mark%b\n" % what)
    assert (done.returncode, done.stdout, done.stderr[:7]) == (128, b"", b"fatal: ")


# --- ls -------------------------------------------------------------------------------------------

KINDS = (
    BASE
    + OPEN
    + b"M 755 :1 run\nM 120000 :1 link\nM 160000 %b mod\n" % ABSENT
    + b'M 644 :1 "a\\tb\\"\\303\\244"\n\n'
    + b"tag t\nmark :4\nfrom :3\ndata 0\ntag u\nmark :5\nfrom :4\ndata 0\n"
    + b"tag b\nmark :6\nfrom :1\ndata 0\n"
)


@pytest.mark.parametrize("spelling", [b"", b'""'])
@pytest.mark.parametrize("what", [b"COMMIT", b"TREE", b":1"])
def test_the_root_of_what_is_named_by_oid_or_mark(disk: Side, spelling: bytes, what: bytes) -> None:
    tree = oid_of(disk, "disk^{tree}")
    oid = {b"COMMIT": oid_of(disk, "disk"), b"TREE": tree}.get(what, what)
    stream = commit(1, inline(b"dir/f", b"old")) + b"ls %b %b\n" % (oid, spelling)
    assert reply(disk, stream) == b"040000 tree %b\t\n" % tree


@pytest.mark.parametrize(
    ("path", "expected"),
    [(b"top", b"100644 blob %b\ttop\n" % OLD), (b"run", b"100755 blob %b\trun\n" % NEW),
     (b"link", b"120000 blob %b\tlink\n" % NEW), (b"mod", b"160000 commit %b\tmod\n" % ABSENT),
     (b"dir/sub", b"040000 tree TREE\tdir/sub\n"), (b"dir/none", b"missing dir/none\n"),
     (b"top/below", b"missing top/below\n"), (b"mod/below", b"missing mod/below\n"),
     (b'"dir"x', None), (b"dir/", None)],
)  # fmt: skip
@pytest.mark.parametrize("what", [b":3", b":5", b""], ids=["commit", "tag of a tag", "open commit"])
def test_mode_type_and_oid_of_each_kind(
    side: Side, what: bytes, path: bytes, expected: bytes | None
) -> None:
    quoted = path if path.startswith(b'"') or what else b'"%b"' % path
    before = b"" if what else OPEN
    done = side.feed(KINDS + before + b"ls %b%b%b\n" % (what, b" " if what else b"", quoted))
    if expected is None:
        assert (done.returncode, done.stdout) == (128, b"")
    else:
        tree = oid_of(side, "main:dir/sub")
        assert (done.returncode, done.stdout) == (0, expected.replace(b"TREE", tree))


@pytest.mark.parametrize(
    ("line", "said"),
    [(b'ls "x"', b""), (b"ls :1 f", b""), (b"ls :6 f", b""), (ABSENT.join((b"ls ", b" f")), b""),
     (b"ls refs/heads/main f", b"nvalid dataref"), (b"ls :3", b"space after mark"),
     (b"ls :3x f", b"space after mark"), (b"ls %bx f" % ABSENT, b"space after tree-ish"),
     (b'ls :3 "x', b"invalid path"), (b'ls :3 "x"y', b"garbage after path"), (b"ls", b"")],
)  # fmt: skip
def test_questions_that_cannot_be_answered(side: Side, line: bytes, said: bytes) -> None:
    done = side.feed(KINDS + line + b"\n")
    assert (done.returncode, done.stdout, done.stderr[:7]) == (128, b"", b"fatal: ")
    # Old versions begin these words with a capital letter.
    assert said in (done.stderr.lower() if side.is_git else done.stderr)


def test_without_quotes_a_path_in_a_commit_is_taken_for_a_dataref(side: Side) -> None:
    done = side.feed(BASE + OPEN + b"ls top\n")
    assert (done.returncode, done.stdout, done.stderr[:7]) == (128, b"", b"fatal: ")


def test_a_tree_that_ls_named_can_be_set(side: Side) -> None:
    with side.running() as process:
        process.stdin.write(BASE + OPEN + b'R top dir/moved\nls "dir"\n')
        process.stdin.flush()
        mode, kind, oid, path = process.stdout.readline().split()
        process.stdin.write(b"M 040000 %b copy\n" % oid)
        process.stdin.close()
        assert process.wait() == 0
    assert (mode, kind, path) == (b"040000", b"tree", b"dir")
    assert side.git("rev-parse", "main:copy", "main:dir").split() == [oid.decode()] * 2
    assert side.git("ls-tree", "--name-only", "main:copy").split() == ["moved", "sub"]


def test_ls_shows_the_changes_so_far_and_disturbs_nothing(side: Side) -> None:
    changes = (b'ls "dir"', b"D dir/sub/file", b'ls "dir"', b'ls "dir/sub/file"', b"M 644 :1 dir/g",
               b'ls "dir/g"', b"C top dir/h", b'ls "dir/h"', b"R top up", b'ls "top"')  # fmt: skip
    lines = reply(side, BASE + OPEN + b"\n".join(changes) + b"\n").splitlines()
    assert lines == [
        b"040000 tree %b\tdir" % oid_of(side, "main^:dir"), b"missing dir",
        b"missing dir/sub/file", b"100644 blob %b\tdir/g" % NEW, b"100644 blob %b\tdir/h" % OLD,
        b"missing top",
    ]  # fmt: skip
    assert side.git("ls-tree", "-r", "--name-only", "main").split() == ["dir/g", "dir/h", "up"]
    assert side.fsck() == ""


@pytest.mark.parametrize(
    ("config", "shown"),
    [((), rb'"a\tb\"\303\244"'), (("core.quotePath=false",), rb'"a\tb\"' + b"\xc3\xa4" + b'"')],
)
def test_paths_are_quoted_in_replies(
    new_side: Callable[..., Side], config: tuple[str, ...], shown: bytes
) -> None:
    side = new_side("--bare")
    line = b'ls :3 "a\\tb\\"\\303\\244"\nls :3 "\\303\\244"\n'
    done = side.feed(KINDS + line, config=config)
    other = b"\xc3\xa4" if config else rb'"\303\244"'
    expected = b"100644 blob %b\t%b\nmissing %b\n" % (NEW, shown, other)
    assert (done.returncode, done.stdout) == (0, expected)
