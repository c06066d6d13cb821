"""Objects that lead back to themselves, or further than anybody goes: an export of them ends, soon.

Oids cannot do that, but replacements can, and an idx may say of any object that it has any oid.
"""

from __future__ import annotations

import pytest

from tests.exporter import crafted
from tests.exporter.crafted import COMMIT, REF_DELTA, TREE, Entry
from tests.exporter.records import LINE, MAIN, commit_body, tag_body
from tests.exporter.source import Source
from tests.importer.target import Done

TAG = 4
SELF, OTHER = "9" * 40, "8" * 40


def fill(source: Source, *entries: Entry) -> None:
    source.load(LINE)
    crafted.write_pack(source.git_dir / "objects/pack", list(entries))


def export(source: Source, *words: str) -> Done:
    """Export, if that is not to be done by git, which goes round for ever."""
    if source.is_git:
        pytest.skip("git goes round until it has no memory left, or for ever")
    return source.fails(*words)


def tree_of(oid: str) -> bytes:
    return b"40000 d\0" + bytes.fromhex(oid)


@pytest.mark.parametrize("depth", [2, 3])
def test_only_so_deep_directories_are_told(source: Source, depth: int) -> None:
    source.needs_git(2, 43)
    tree = source.add_tree({b"f": (b"100644", source.add("blob", b"text").encode())})
    for _ in range(depth):
        tree = source.add("tree", tree_of(tree))
    source.add_ref("refs/heads/main", source.add("commit", commit_body(tree.encode())))
    source.stream("main", config=[f"core.maxTreeDepth={depth}"])
    assert source.fails("main", config=[f"core.maxTreeDepth={depth - 1}"]).stdout == b""


@pytest.mark.parametrize("first", [SELF, OTHER])
def test_a_tree_in_itself(source: Source, first: str) -> None:
    fill(source, Entry(SELF, TREE, tree_of(OTHER)), Entry(OTHER, TREE, tree_of(SELF)))
    source.needs_git(2, 43)
    source.add_ref("refs/heads/main", source.add("commit", commit_body(first.encode())))
    assert source.fails("main", "--no-data").stdout == b""


@pytest.mark.parametrize("target", [SELF, OTHER])
def test_a_tag_of_itself(source: Source, target: str) -> None:
    fill(
        source,
        Entry(SELF, TAG, tag_body(target.encode(), b"tag")),
        Entry(OTHER, TAG, tag_body(SELF.encode(), b"tag")),
    )
    source.add_ref("refs/tags/v1", SELF)
    for words in (["--all"], ["v1"], ["main", "v1", "--no-data"]):
        assert SELF.encode() in export(source, *words).stderr


@pytest.mark.parametrize(
    "body", [commit_body(SELF.encode()), tag_body(SELF.encode(), b"tag")], ids=["commit", "tag"]
)
def test_what_stands_for_a_tree_stands_for_itself(source: Source, body: bytes) -> None:
    fill(source, Entry(SELF, COMMIT if body.startswith(b"tree") else TAG, body))
    source.add_ref("refs/heads/main", source.add("commit", commit_body(SELF.encode())))
    assert SELF.encode() in export(source, "main").stderr


def test_tags_of_tags_of_tags(source: Source) -> None:
    source.load(LINE)
    tag = source.git("rev-parse", "main")
    for kind in [b"commit"] + [b"tag"] * 299:
        tag = source.add("tag", tag_body(tag.encode(), kind))
    source.add_ref("refs/tags/v1", tag)
    assert source.stream("main", "v1", "--mark-tags").count(b"\ntag v1\n") == 300
    assert source.stream("v1", "--tag-of-filtered-object=drop").count(b"\ntag v1\n") == 1


def test_a_commit_in_a_circle_of_deltas(source: Source) -> None:
    delta = crafted.number(9) + crafted.number(9) + b"\x90\x09"
    fill(
        source,
        Entry(SELF, REF_DELTA, delta, bytes.fromhex(OTHER)),
        Entry(OTHER, REF_DELTA, delta, bytes.fromhex(SELF)),
    )
    body = commit_body(source.oid("main^{tree}"), SELF.encode())
    source.add_ref("refs/heads/main", source.add("commit", body))
    done = export(source, "--all")
    assert b"circular" in done.stderr
    assert SELF.encode() in done.stderr


# --- history --------------------------------------------------------------------------------------


def is_circular(source: Source, *words: str) -> None:
    """See that ours refuses it; git leaves out what has no order, and says nothing."""
    if source.is_git:
        assert source.stream(*words, "--no-data").count(b"\ncommit ") < 3
        return
    done = source.fails(*words)
    assert done.stdout == b""
    assert b"circular" in done.stderr


@pytest.mark.parametrize("parent", ["main", "main~1"])
def test_replacements_make_commits_their_own_ancestors(source: Source, parent: str) -> None:
    source.load(LINE)
    root = source.git("rev-parse", "main~2")
    body = commit_body(source.oid("main~2^{tree}"), source.oid(parent))
    source.add_ref(f"refs/replace/{root}", source.add("commit", body))
    is_circular(source, "main")
    assert source.stream("main", GIT_NO_REPLACE_OBJECTS="1") == LINE


@pytest.mark.parametrize("parent", [SELF, OTHER])
def test_a_pack_makes_a_commit_its_own_ancestor(source: Source, parent: str) -> None:
    source.load(LINE)
    tree = source.oid("main^{tree}")
    entries = [Entry(SELF, COMMIT, commit_body(tree, parent.encode()))]
    entries.append(Entry(OTHER, COMMIT, commit_body(tree, SELF.encode())))
    crafted.write_pack(source.git_dir / "objects/pack", entries)
    source.add_ref(MAIN.decode(), SELF)
    is_circular(source, "main")


def test_a_commit_graph_makes_a_commit_its_own_ancestor(source: Source) -> None:
    source.load(LINE)
    source.git("commit-graph", "write", "--reachable")
    path = source.git_dir / "objects/info/commit-graph"
    content = bytearray(path.read_bytes())
    names = sorted(source.git("rev-list", "main").split())
    at = content.index(bytes.fromhex(source.git("rev-parse", "main~2^{tree}")), 8 + 256 * 4)
    content[at + 20 : at + 24] = names.index(source.git("rev-parse", "main")).to_bytes(4, "big")
    path.chmod(0o600)
    path.write_bytes(content)
    is_circular(source, "main")
