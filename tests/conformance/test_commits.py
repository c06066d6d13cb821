"""Items 066 to 073 and 087 to 097: what a commit holds, and which branch it is on."""

import pytest

from tests.conformance.trial import Outcome, Trial
from tests.conformance.words import BLOBS, ONE, TWO, WHO, ZERO, blob, commit, inline

pytestmark = pytest.mark.git

ON_DISK = (
    BLOBS
    + commit(b"M 644 :1 a", ref=b"refs/heads/disk", mark=3)
    + commit(b"M 644 :2 b", ref=b"refs/heads/disk", mark=4, message=b"tip")
)


def parents(result: Outcome, name: str = "refs/heads/x") -> list[str]:
    return result.header("parent", name)


def test_whole_commit(both: Trial) -> None:
    stream = BLOBS + b"commit refs/heads/x\nmark :3\nauthor %b\n" % WHO.replace(b"1 +", b"0 +")
    stream += b"committer %b\ndata <<E\nA message\nE\n" % WHO
    result = both(stream + b"M 644 :1 file\nM 755 :2 program\n")
    tree = f"100644 file\0{bytes.fromhex(ONE.decode()).decode('latin-1')}"
    tree += f"100755 program\0{bytes.fromhex(TWO.decode()).decode('latin-1')}"
    [name] = result.header("tree")
    assert result.text(name) == tree
    assert result.text() == (
        f"tree {name}\nauthor A U Thor <a@b> 0 +0000\ncommitter A U Thor <a@b> 1 +0000\n"
        "\nA message\n"
    )


def test_from_a_ref_on_disk(both: Trial) -> None:
    result = both(commit(b"from refs/heads/disk", b"D a"), before=ON_DISK)
    assert parents(result) == [result.oid("refs/heads/disk")]
    assert result.files() == {"b": "two"}


def test_from_its_own_tip_on_disk(both: Trial) -> None:
    stream = commit(b"from refs/heads/disk^0", b"D a", ref=b"refs/heads/disk")
    result = both(stream, before=ON_DISK)
    [parent] = parents(result, "refs/heads/disk")
    assert result.message(parent) == "tip"
    assert result.files("refs/heads/disk") == {"b": "two"}


def test_branch_on_disk_is_not_continued_by_itself(both: Trial) -> None:
    stream = BLOBS + commit(b"M 644 :1 new", ref=b"refs/heads/disk", mark=3)
    result = both(stream, before=ON_DISK, status=1)
    assert "refs/heads/disk" in result.stderr
    assert result.message("refs/heads/disk") == "tip"
    assert (parents(result, ":3"), result.files(":3")) == ([], {"new": "one"})


def test_branch_of_this_run_is_continued(both: Trial) -> None:
    stream = BLOBS + commit(b"M 644 :1 a", mark=3) + commit(b"M 644 :2 b")
    result = both(stream)
    assert parents(result) == [result.oid(":3")]
    assert result.files() == {"a": "one", "b": "two"}


def test_from_moves_a_branch_of_this_run(both: Trial) -> None:
    stream = BLOBS + commit(b"M 644 :1 a", mark=3) + commit(b"M 644 :2 b", mark=4)
    result = both(stream + commit(b"from :3", b"M 644 :2 c"))
    assert parents(result) == [result.oid(":3")]
    assert result.files() == {"a": "one", "c": "two"}


def test_reset_and_commit_is_a_root(both: Trial) -> None:
    stream = BLOBS + commit(b"M 644 :1 a") + b"reset refs/heads/x\n" + commit(b"M 644 :2 b")
    result = both(stream, before=BLOBS)
    assert (parents(result), result.files()) == ([], {"b": "two"})


def test_reset_from_and_commit_is_a_child(both: Trial) -> None:
    stream = BLOBS + commit(b"M 644 :1 a", mark=3, ref=b"refs/heads/y")
    result = both(stream + b"reset refs/heads/x\nfrom :3\n" + commit(b"M 644 :2 b"))
    assert parents(result) == [result.oid(":3")]
    assert result.files() == {"a": "one", "b": "two"}


# --- header and message ---------------------------------------------------------------------------


def test_encoding_is_a_header_and_nothing_is_converted(both: Trial) -> None:
    stream = b"commit refs/heads/x\ncommitter %b\nencoding iso-8859-1\ndata 3\n\xe9t\xe9\n" % WHO
    result = both(stream)
    assert (result.header("encoding"), result.message()) == (["iso-8859-1"], "\xe9t\xe9")


def test_order_of_headers(both: Trial) -> None:
    stream = commit(mark=1, ref=b"refs/heads/y", message=b"y") + commit(mark=2, message=b"x")
    stream += b"commit refs/heads/x\ncommitter %b\n" % WHO
    stream += b"gpgsig sha256 openpgp\ndata 4\nlong\ngpgsig sha1 openpgp\ndata 5\nshort\n"
    result = both(stream + b"encoding x\ndata 2\nhi\nmerge :1\n", since=(2, 51))
    words = [line.split()[0] for line in result.text().splitlines()[:-2]]
    assert words == ["tree", "parent", "parent", "author", "committer", "encoding", "gpgsig",
                     "gpgsig-sha256"]  # fmt: skip
    assert parents(result) == [result.oid(":2"), result.oid(":1")]


def test_commit_that_is_there_already_moves_its_branch(both: Trial) -> None:
    stream = commit(ref=b"refs/heads/other", mark=1) + commit(mark=2)
    result = both(stream, before=commit())
    assert len(result.objects) == 2
    assert result.oid() == result.oid("refs/heads/other") == result.oid(":2")


@pytest.mark.parametrize("message", ["", "no LF", "LF\n", "\n\n two \n\n"])
def test_messages_are_stored_as_given(both: Trial, message: str) -> None:
    assert both(commit(message=message.encode())).message() == message


# --- branches -------------------------------------------------------------------------------------


def test_branch_outside_of_refs(both: Trial) -> None:
    result = both(BLOBS + commit(b"M 644 :1 a", ref=b"TEMP_TAG"))
    assert result.files("TEMP_TAG") == {"a": "one"}


def test_head_is_followed(both: Trial) -> None:
    result = both(commit(ref=b"HEAD"), config=["core.logAllRefUpdates=always"])
    oid = result.oid("refs/heads/main")
    assert result.refs == {"HEAD": "ref: refs/heads/main", "refs/heads/main": oid}
    for name in ("HEAD", "refs/heads/main"):
        log = (result.repository.git_dir / "logs" / name).read_text().splitlines()
        [(old, new)] = [line.split()[:2] for line in log]
        assert (old, new, log[0].split("\t")[1]) == (ZERO.decode(), oid, "fast-import")


BAD_NAMES = (b"a b", b"a..b", b".a", b"a/.b", b"a.lock", b"a:b", b"a~1", b"a^", b"a?", b"a*",
             b"a[b", b"a\\b", b"a@{b", b"@", b"a/", b"/a", b"a//b", b"a.", b"a\x7f",
             b"")  # fmt: skip


@pytest.mark.parametrize("name", BAD_NAMES)
def test_malformed_names(both: Trial, name: bytes) -> None:
    result = both.fatal(b"progress before\nreset %b\nprogress behind\n" % name, "branch name")
    assert result.stdout == "progress before\n"
    if name in (b"a..b", b""):
        assert both.fatal(BLOBS + commit(ref=name, mark=3), "branch name").marks == {
            ":1": ONE.decode(),
            ":2": TWO.decode(),
        }


@pytest.mark.parametrize("limit", [1, 5])
def test_more_branches_than_are_active(both: Trial, limit: int) -> None:
    stream = b""
    for turn in range(3):
        for number in range(8):
            path = b"dir%d/file%d" % (turn % 2, turn)
            content = b"%d of %d" % (turn, number)
            stream += commit(inline(path, content), ref=b"refs/heads/%d" % number)
    result = both(stream, f"--active-branches={limit}")
    for number in range(8):
        files = result.files(f"refs/heads/{number}")
        assert files == {f"dir{turn % 2}/file{turn}": f"{turn} of {number}" for turn in range(3)}


def test_order_in_trees(both: Trial) -> None:
    changes = [b"M 644 :1 " + path for path in (b"ba", b"b/c", b"b.", b"b0", b"b", b"b/d", b"B")]
    result = both(BLOBS + commit(*changes))
    assert list(result.files()) == ["B", "b.", "b/d", "b0", "ba"]


def test_done_ends_a_commit(both: Trial) -> None:
    stream = b"feature done\n" + BLOBS + commit(b"M 644 :1 a") + b"done\nnonsense"
    assert both(stream).files() == {"a": "one"}


@pytest.mark.parametrize("end", [b"M 644 :1 a", b"M 644 :1 a\n", b"M 644 :1 a\nD b\n"])
def test_end_of_input_ends_a_commit(both: Trial, end: bytes) -> None:
    assert both(blob(1, b"one") + commit() + end).files() == {"a": "one"}
