"""Tags: items 39 to 50 of the exporter's."""

import pytest

from tests.exporter.records import LINE, MAIN, ZERO, blob, commit, reset, tag, tag_body
from tests.exporter.source import Source

SIGNATURES = {
    "openpgp": b"-----BEGIN PGP SIGNATURE-----\n\niQEz\n-----END PGP SIGNATURE-----\n",
    "message": b"-----BEGIN PGP MESSAGE-----\n\nowGb\n-----END PGP MESSAGE-----\n",
    "x509": b"-----BEGIN SIGNED MESSAGE-----\nMIIB\n-----END SIGNED MESSAGE-----\n",
    "ssh": b"-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----\n",
}
FAKE = b"Unspecified Tagger <unspecified-tagger> 0 +0000"
T = b"refs/tags/t"


@pytest.fixture
def line(source: Source) -> Source:
    """Three commits."""
    source.load(LINE)
    return source


def knows(source: Source, kind: str, mode: str = "strip") -> None:
    """Older versions know signatures of OpenPGP only, and had fewer modes."""
    if kind != "openpgp" or mode == "warn-verbatim":
        source.needs_git(2, 52)


# --- signed ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", SIGNATURES)
def test_signed_tags_are_fatal_by_default(line: Source, kind: str) -> None:
    knows(line, kind)
    line.load(tag(b"t", MAIN, b"text\n" + SIGNATURES[kind]))
    for words in ([], ["--signed-tags=abort"]):
        done = line.fails("main", "t", *words)
        assert done.stdout == LINE


@pytest.mark.parametrize("kind", SIGNATURES)
@pytest.mark.parametrize(
    ("mode", "kept", "warned"),
    [("verbatim", True, False), ("ignore", True, False), ("warn-verbatim", True, True),
     ("warn", True, True), ("strip", False, False), ("warn-strip", False, True)],
)  # fmt: skip
def test_modes_keep_or_cut_signatures(
    line: Source, kind: str, mode: str, kept: bool, warned: bool
) -> None:
    knows(line, kind, mode)
    line.load(tag(b"t", MAIN, b"text\n" + SIGNATURES[kind]))
    done = line.export("main", "t", f"--signed-tags={mode}")
    expected = tag(b"t", b":6", b"text\n" + SIGNATURES[kind] * kept)
    assert (done.returncode, done.stdout) == (0, LINE + expected)
    assert [text[:9] for text in done.stderr.splitlines()] == [b"warning: "] * warned


def test_only_the_last_signature_is_cut(line: Source) -> None:
    before = b"text\n" + SIGNATURES["ssh"]
    line.load(tag(b"t", MAIN, before + SIGNATURES["openpgp"]))
    assert line.stream("main", "t", "--signed-tags=strip") == LINE + tag(b"t", b":6", before)


# --- which, and how -------------------------------------------------------------------------------


def test_each_annotated_tag_comes_once_the_last_name_first(line: Source) -> None:
    line.load(b"".join(tag(name, MAIN) for name in (b"a", b"b", b"c/d")))
    ends = b"".join(tag(name, b":6") for name in (b"c/d", b"b", b"a"))
    assert line.stream("--all") == LINE + ends
    line.git("update-ref", "refs/other/x", "refs/tags/a")
    stream = line.stream("main", "refs/other/x")
    assert stream == LINE + tag(b"refs/other/x", b":6")


@pytest.mark.parametrize("message", [b"", b"no end", b"end\n", b"two\n\n", b"\n\nlead"])
def test_a_line_end_follows_each_message(line: Source, message: bytes) -> None:
    line.load(tag(b"t", MAIN, message))
    assert line.stream("main", "t") == LINE + tag(b"t", b":6", message)


def test_a_message_ends_at_a_nul(line: Source) -> None:
    line.load(tag(b"t", MAIN, b"text\0more\n"))
    assert line.stream("main", "t") == LINE + tag(b"t", b":6", b"text")


def test_a_missing_tagger_is_missing_or_made_up(line: Source) -> None:
    line.load(tag(b"t", MAIN, tagger=b""))
    assert line.stream("main", "t") == LINE + tag(b"t", b":6", tagger=b"")
    fake = line.stream("main", "t", "--fake-missing-tagger")
    assert fake == LINE + tag(b"t", b":6", tagger=FAKE)


# --- of what is not exported ----------------------------------------------------------------------


def test_a_tag_of_a_commit_that_paths_leave_out(line: Source) -> None:
    line.load(tag(b"t", MAIN + b"~1"))  # "second" touches only b
    only_a = (
        blob(1, b"one\n")
        + commit(2, b"M 100644 :1 a", root=True, message=b"first\n", ref=T)
        + blob(3, b"three\n")
        + commit(4, b"from :2", b"M 100644 :3 a", message=b"third\n")
    )
    words = ["main", "t", "--tag-of-filtered-object=%", "--", "--", "a"]
    assert line.fails(*_mode(words, "abort")).stdout == only_a
    assert line.fails("main", "t", "--", "--", "a").stdout == only_a
    assert line.stream(*_mode(words, "drop")) == only_a
    assert line.stream(*_mode(words, "rewrite")) == only_a + tag(b"t", b":2")


def _mode(words: list[str], mode: str) -> list[str]:
    return [word.replace("%", mode) for word in words]


def test_a_tag_whose_history_is_left_out_is_reset_to_nothing(line: Source) -> None:
    line.load(tag(b"t", MAIN))
    words = ["t", "--tag-of-filtered-object=rewrite", "--", "--", "no-such-path"]
    assert line.stream(*words) == reset(T, ZERO)


# --- of trees, blobs and tags ---------------------------------------------------------------------


def test_a_tag_of_a_tree_is_warned_of_and_left_out(line: Source) -> None:
    tree = line.oid("main^{tree}")
    line.add_ref("refs/tags/t", inner := line.add("tag", tag_body(tree, b"tree", b"t")))
    line.add_ref("refs/tags/n", line.add("tag", tag_body(inner.encode(), b"tag", b"n")))
    for name in ("t", "n"):
        done = line.export(name, "--mark-tags")
        assert (done.returncode, done.stdout) == (0, b"")
        assert done.stderr.startswith(b"warning: ")


def test_a_tag_of_a_blob_comes_with_the_blob_first(line: Source) -> None:
    line.load(blob(1, b"tagged") + tag(b"t", b":1"))
    assert line.stream("t") == blob(1, b"tagged") + tag(b"t", b":1")
    stream = line.stream("main", "t")
    assert stream.startswith(blob(1, b"tagged") + blob(2, b"one\n"))
    assert stream.endswith(tag(b"t", b":1"))


def test_without_data_a_blob_is_no_target(line: Source) -> None:
    line.load(blob(1, b"tagged") + tag(b"t", b":1"))
    line.fails("t", "--no-data")
    stream = line.stream("t", "--no-data", "--tag-of-filtered-object=rewrite")
    assert stream == tag(b"t", line.oid("t^{}"))


@pytest.fixture
def nested(line: Source) -> Source:
    """A tag, ``inner``, and a tag of it, ``t``."""
    inner = line.add("tag", tag_body(line.oid("main"), name=b"inner"))
    line.add_ref("refs/tags/t", line.add("tag", tag_body(inner.encode(), b"tag", b"t", b"outer\n")))
    return line


def test_a_tag_of_a_tag_with_marks(nested: Source) -> None:
    stream = nested.stream("main", "t", "--mark-tags")
    inner, outer = tag(b"t", b":6", mark=7), tag(b"t", b":7", b"outer\n", mark=8)
    assert stream == LINE + inner + reset(T, ZERO) + outer


def test_a_tag_of_a_tag_without_marks(nested: Source) -> None:
    for words in ([], ["--tag-of-filtered-object=rewrite"]):
        assert nested.fails("main", "t", *words).stdout == LINE + tag(b"t", b":6")
    stream = nested.stream("main", "t", "--tag-of-filtered-object=drop")
    assert stream == LINE + tag(b"t", b":6")


@pytest.mark.parametrize("name", ["main^{tree}", "main:a"])
def test_a_ref_to_a_tree_or_blob_is_warned_of_and_left_out(line: Source, name: str) -> None:
    line.git("update-ref", "refs/tags/t", name)
    for words, expected in ((["--all"], LINE), (["t"], b""), (["main", "refs/tags/t"], LINE)):
        done = line.export(*words)
        assert (done.returncode, done.stdout) == (0, expected)
        assert [text[:9] for text in done.stderr.splitlines()] == [b"warning: "]


@pytest.mark.parametrize(
    "body",
    [
        lambda oid: tag_body(oid, b"blob"),
        lambda oid: tag_body(oid, b"tree"),
        lambda oid: tag_body(oid, b"tag"),
        lambda oid: tag_body(oid, b"thing"),
        lambda oid: tag_body(oid).partition(b"\n")[2],
        lambda _: tag_body(b"1" * 40),
        lambda oid: b"object " + oid + b"\n",
        lambda _: b"",
    ],
    ids=["blob", "tree", "tag", "no type", "no object line", "missing", "cut", "empty"],
)
def test_malformed_tags_are_fatal(line: Source, body) -> None:
    line.add_ref("refs/tags/t", line.add("tag", body(line.oid("main"))))
    for words in (["--all"], ["t"], ["main", "t"]):
        assert line.fails(*words).stdout == b""
