"""``--anonymize``: items 78 to 81 of the exporter's."""

import re

import pytest

from tests.conformance.side import Side
from tests.exporter.records import LINE, MAIN, blob, commit, reset, tag, tag_body
from tests.exporter.source import Source

LINK, OTHER_LINK = b"1" * 40, b"2" * 40
SIDE = b"refs/heads/side"
SECRETS = (
    blob(1, b"secret content")
    + blob(2, b"more of it")
    + commit(
        3, b"M 100644 :1 hidden/a", b"M 100755 :2 hidden/b", b"M 120000 :1 a",
        b"M 160000 %b sub" % LINK, b"M 160000 %b hidden/sub" % LINK, root=True,
        message=b"classified\n",
    )
    + commit(4, b"from :3", b"M 160000 %b sub" % OTHER_LINK, ref=SIDE, message=b"covert\n")
    + commit(5, b"from :3", b"D a", message=b"furtive\n")
    + commit(6, b"from :5", b"merge :4", message=b"private\n")
    + tag(b"v1", b":6", b"confidential\n")
    + tag(b"hidden/v2", b":6", b"confidential\n")
)  # fmt: skip


@pytest.fixture
def secret(source: Source) -> Source:
    """Some history that nobody may see."""
    source.load(SECRETS)
    return source


def test_what_is_written_instead(source: Source) -> None:
    source.load(
        LINE.replace(b"committer A U Thor <author", b"committer C O Mitter <c") + tag(b"v1", b":6")
    )

    def anonymous(mark: int, *lines: bytes, number: int, root: bool = False) -> bytes:
        message = b"subject %d\n\nbody\n" % number
        text = commit(mark, *lines, ref=b"refs/heads/ref0", root=root, message=message)
        idents = (b"author", 1), (b"committer", 0)
        for word, user in idents:
            ident = b"%b User %d <user%d@example.com>" % (word, user, user)
            text = text.replace(word + b" A U Thor <author@example.com>", ident)
        return text

    assert source.stream("main", "v1", "--anonymize") == (
        blob(1, b"anonymous blob 0")
        + anonymous(2, b"M 100644 :1 path0", root=True, number=0)
        + blob(3, b"anonymous blob 1")
        + anonymous(4, b"from :2", b"M 100644 :3 path1", number=1)
        + blob(5, b"anonymous blob 2")
        + anonymous(6, b"from :4", b"M 100644 :5 path0", b"D path1", number=2)
        + tag(b"ref1", b":6", b"tag message 0").replace(
            b"tagger A U Thor <author@example.com>", b"tagger User 1 <user1@example.com>"
        )
    )


def test_nothing_of_it_is_to_be_seen(secret: Source) -> None:
    stream = secret.stream("--all", "--anonymize")
    words = b"secret more hidden classified covert furtive private confidential A.U.Thor author@"
    for word in [*words.split(b" "), b"main", b"side", b"v1", b"v2", LINK, OTHER_LINK, b"sub\n"]:
        assert not re.search(word, stream), word
    assert stream.count(b"\nauthor User 0 <user0@example.com> 1112911993 -0700\n") == 4


def test_a_map_keeps_and_replaces(secret: Source) -> None:
    secret.needs_git(2, 52)  # in older versions the first of two entries wins
    words = ["a", "hidden:shown", "main", "side:x", "side:other", "sub:sub x", "v1:v1"]
    maps = [f"--anonymize-map={word}" for word in words]
    stream = secret.stream("--all", "--anonymize", *maps)
    for text in (b"commit refs/heads/main\n", b"commit refs/heads/other\n", b" shown/a\n", b" a\n",
                 b'"sub x"\n', b'"shown/sub x"\n', b"tag v1\n", b"tag shown/"):  # fmt: skip
        assert text in stream
    assert b"hidden" not in stream
    for order in ([*maps, "--anonymize"], [*maps[:3], "--anonymize", *maps[3:]]):
        assert secret.stream("--all", *order) == stream


@pytest.mark.parametrize("importer", ["git", "fastio"])
def test_the_shape_stays(secret: Source, importer: str) -> None:
    stream = secret.stream("--all", "--anonymize", "--anonymize-map=main")
    back = Side(importer, secret.path.parent / "back", "--bare")
    assert back.feed(stream).returncode == 0
    assert len(back.refs()) == len(secret.refs())
    for form in ("%ad %cd", "%an = %ae"):
        ours, theirs = (
            one.git("log", "--topo-order", f"--format={form}", "main").splitlines()
            for one in (back, secret)
        )
        assert len(set(ours)) == len(set(theirs))
        if "ad" in form:
            assert ours == theirs
    assert shape(back) == shape(secret)
    kinds = [
        sorted(line[:12] for line in one.git("ls-tree", "-r", "-t", "main").splitlines())
        for one in (back, secret)
    ]
    assert kinds[0] == kinds[1]
    tags = {name: oid for name, oid in back.refs().items() if "tags" in name}
    assert len({back.git("rev-parse", f"{name}^{{commit}}") for name in tags}) == 1
    links = re.findall(r"160000 commit (\w+)", back.git("ls-tree", "-r", "main"))
    side = [
        name for name in back.refs() if name.startswith("refs/heads/") and name != MAIN.decode()
    ]
    assert links[0] == links[1] != "0" * 40
    assert re.findall(r"160000 commit (\w+)", back.git("ls-tree", side[0]))[0] != links[0]


def shape(side: Side) -> list[list[int]]:
    """The parents of each commit, by their places in a list of all."""
    lines = [
        line.split()
        for line in side.git("rev-list", "--topo-order", "--parents", "main").splitlines()
    ]
    places = {line[0]: number for number, line in enumerate(lines)}
    return [[places[oid] for oid in line] for line in lines]


def test_what_is_told_all_the_same(secret: Source) -> None:
    oid = secret.oid("main")
    secret.load(reset(b"refs/heads/z", MAIN))
    stream = secret.stream("main", "--anonymize", "--show-original-ids")
    assert b"original-oid %b\n" % oid in stream
    end = secret.stream("main", "^main", "--anonymize", "--reference-excluded-parents")
    assert end == reset(b"refs/heads/ref0", oid)


def test_numbers_go_by_gits_order_where_lines_do_not(source: Source) -> None:
    change = b"R d e", b"M 100644 :2 d/x", b"M 160000 %b d/y" % LINK, b"M 160000 %b f" % OTHER_LINK
    source.load(
        blob(1, b"one\n") + blob(2, b"other\n")
        + commit(3, b"M 100644 :1 d", root=True) + commit(4, *change)
    )  # fmt: skip
    lines = source.stream("main~1..main", "--anonymize", "-M", "--reference-excluded-parents")
    moved = b"R path0 path3\n"
    assert moved in lines
    assert lines.replace(moved, b"").endswith(
        b"M 100644 :1 path0/path1\nM 160000 %040d path0/path2\nM 160000 %040d path4\n\n" % (2, 3)
    )


def test_a_map_needs_anonymizing(secret: Source) -> None:
    assert secret.fails("main", "--anonymize-map=a:b").stdout == b""


@pytest.mark.parametrize("word", ["", ":b", "a:"])
def test_parts_of_a_map_may_not_be_empty(secret: Source, word: str) -> None:
    assert secret.fails("main", "--anonymize", f"--anonymize-map={word}", status=129).stdout == b""
    secret.fails("main", "--anonymize", "--no-anonymize-map", status=129)


def test_a_tagged_blob_comes_first(source: Source) -> None:
    source.load(LINE)
    oid = source.add("tag", tag_body(source.oid("main:a"), b"blob"))
    source.add_ref("refs/tags/v1", oid)
    stream = source.stream("refs/tags/v1", "--anonymize", "--signed-tags=strip")
    assert stream.startswith(b"blob\nmark :1\ndata 16\nanonymous blob 0\ntag ref0\nfrom :1\n")
