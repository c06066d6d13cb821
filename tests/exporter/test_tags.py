"""Records of tags and refs at a stream's end, beside git's: these streams have no others."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from fastio.errors import FastioError
from fastio.exporter.anonymize import Anonymizer
from fastio.exporter.final_records import deletion_records, ref_records
from fastio.exporter.marks import MarkTable, import_marks
from fastio.exporter.options import parse_options
from fastio.exporter.tags import TagWriter
from fastio.exporter.walk import Walk
from fastio.objects.kinds import COMMIT, TAG, Oid
from fastio.objects.tags import parse_tag
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository
from tests.exporter.odd import SIGNATURES
from tests.exporter.records import EMPTY_TREE, commit_body, tag_body
from tests.exporter.source import Source

TAGGER = b"tagger T <t> 1 +0000\n"
# What follows object, type and tag lines.
BODIES = (
    *(TAGGER + b"\nmessage\n", b"\nmessage\n", b"\nmessage", TAGGER + b"\n", TAGGER, TAGGER[:-1]),
    *(b"", b"\n", b"\n\n", b"\n\n\nx", b"x y\n" + TAGGER + b"z\n\nmessage\n"),
    *(b"\nmessage\n" + TAGGER, TAGGER + b"\nmess\0age\n", b"tagger T\0 <t> 1 +0000\n\nmess\0age\n"),
    *(b"x\0" + TAGGER + b"\nmessage\n", b"tagger \n\nmessage\n", b"tagger\n\nmessage\n"),
)
SIGNED = (
    *(TAGGER + b"\nmessage\n" + text + b"\n" for text in SIGNATURES),
    *(TAGGER + b"\n" + SIGNATURES[0], b"\nmessage\n " + SIGNATURES[0]),
    TAGGER + b"\nmessage\n" + SIGNATURES[0] + b"\nx\n" + SIGNATURES[1] + b"\nmore\n",
    TAGGER + b"\nm\0\n" + SIGNATURES[0],
    TAGGER + b"gpgsig " + SIGNATURES[0].replace(b"\n", b"\n ") + b"\n\nmessage\n",
    TAGGER + b"\nmessage -----BEGIN PGP SIGNATURE-----\n",
)


class Listed(NamedTuple):
    name: bytes
    oid: Oid


class Ending:
    """A repository whose commits are excluded, so that only its end is exported."""

    def __init__(self, source: Source) -> None:
        self.source = source
        source.add_tree({})
        self.commit = source.add("commit", commit_body())
        source.add_ref("refs/heads/main", self.commit)

    def tag(self, name: str, target: str, kind: bytes = b"commit", rest: bytes = BODIES[0]) -> str:
        body = b"object %b\ntype %b\ntag other\n" % (target.encode(), kind) + rest
        oid = self.source.add("tag", body)
        self.source.add_ref(name, oid)
        return oid

    def git(self, *words: str) -> tuple[bytes, int]:
        """What git writes for all refs, and how often it warns."""
        done = self.source.export("--all", "^main", *words)
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr.count(b"warning: ")

    def ours(self, *words: str) -> tuple[bytes, int]:
        """The same by ours."""
        options, _ = parse_options(words)
        warnings: list[str] = []
        repository = Repository.discover(self.source.path)
        listed = self.source.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        with ObjectStore(repository) as store:
            marks = import_marks(options, repository, store, warnings.append)
            refs, tags = list[tuple[bytes, Oid]](), list[Listed]()
            for line in listed:
                name, _, text = line.encode().partition(b" ")
                oid = Oid(bytes.fromhex(text.decode()))
                while store.kind(oid) == TAG:
                    tags.append(Listed(name, oid))
                    oid, _ = parse_tag(store.read(oid)[1])
                if store.kind(oid) == COMMIT and text.decode() == oid.hex():
                    refs.append((name, oid))
            anonymizer = Anonymizer(options.anonymize_map or {}) if options.anonymize else None
            writer = TagWriter(store, options, marks, lambda oid: oid, warnings.append, anonymizer)
            text = b"".join(
                ref_records(
                    refs,
                    walk=Walk(marks.oid_size),
                    options=options,
                    marks=marks,
                    settle=lambda oid: oid,
                    count=lambda: b"",
                    anonymizer=anonymizer,
                )
            )
            return text + b"".join(writer.write(tag) for tag in reversed(tags)), len(warnings)


@pytest.fixture
def ending(tmp_path: Path) -> Ending:
    return Ending(Source("git", tmp_path / "repository", "--bare"))


REWRITE = "--tag-of-filtered-object=rewrite"


@pytest.mark.git
@pytest.mark.parametrize(
    "words",
    [
        REWRITE,
        f"{REWRITE} --fake-missing-tagger --show-original-ids",
        f"{REWRITE} --mark-tags --reference-excluded-parents",
        "--import-marks=marks --mark-tags",
        "--tag-of-filtered-object=drop",
        f"{REWRITE} --anonymize --anonymize-map=v3:x --fake-missing-tagger",
    ],
)
def test_plain_and_odd_tags(ending: Ending, words: str) -> None:
    for number, rest in enumerate(BODIES):
        ending.tag(f"refs/tags/v{number}", ending.commit, rest=rest)
    ending.tag("refs/tags/a/b", ending.commit)
    ending.tag("refs/other/tag", ending.commit)
    ending.source.add_ref("refs/heads/z", ending.commit)
    (ending.source.path / "marks").write_text(f":7 {ending.commit}\n")
    assert ending.ours(*words.split()) == ending.git(*words.split())


@pytest.mark.git
def test_tags_that_are_left_out_take_names_all_the_same(ending: Ending) -> None:
    other = ending.source.add("commit", commit_body(message=b"other"))
    (ending.source.path / "marks").write_text(f":7 {ending.commit}\n")
    for number in range(4):
        rest = b"tagger T%d <t> 1 +0\n\n%d\n" % (number, number)
        ending.tag(f"refs/tags/v{number}", other if number % 2 else ending.commit, rest=rest)
    ending.tag("refs/tags/v4", EMPTY_TREE.decode(), b"tree", b"tagger T4 <t> 1 +0\n\n4\n")
    words = ["--import-marks=marks", "--anonymize", "--tag-of-filtered-object=drop"]
    assert ending.ours(*words)[0] == ending.git(f"^{other}", *words)[0]


@pytest.mark.git
@pytest.mark.parametrize("mode", ["verbatim", "warn-verbatim", "strip", "warn-strip", "warn"])
def test_signed_tags(ending: Ending, mode: str) -> None:
    ending.source.needs_git(2, 52)  # older ones know signatures of OpenPGP only
    for number, rest in enumerate(SIGNED):
        ending.tag(f"refs/tags/v{number}", ending.commit, rest=rest)
    words = [REWRITE, f"--signed-tags={mode}"]
    assert ending.ours(*words) == ending.git(*words)


@pytest.mark.git
def test_a_signed_tag_ends_the_export(ending: Ending) -> None:
    ending.tag("refs/tags/a", ending.commit, rest=SIGNED[0])
    for words in ([], ["--tag-of-filtered-object=drop"]):
        assert ending.source.fails("--all", "^main", *words).stdout == reset_of(ending)
        with pytest.raises(FastioError, match="signed"):
            ending.ours("--signed-tags=abort", *words)


def reset_of(ending: Ending) -> bytes:
    return b"reset refs/heads/main\nfrom %b\n\n" % (b"0" * len(ending.commit))


@pytest.mark.git
@pytest.mark.parametrize(
    "words", [f"{REWRITE} --mark-tags", "--import-marks=marks --mark-tags --show-original-ids"]
)
def test_tags_of_tags_of_blobs_and_of_trees(ending: Ending, words: str) -> None:
    inner = ending.tag("refs/tags/inner", ending.commit, rest=BODIES[1])
    middle = ending.tag("refs/tags/middle", inner, b"tag", BODIES[2])
    ending.tag("refs/tags/outer", middle, b"tag", BODIES[3])
    tree = ending.tag("refs/tags/tree", EMPTY_TREE.decode(), b"tree")
    ending.tag("refs/tags/tree2", tree, b"tag")
    if words.startswith(REWRITE):
        blob = ending.source.add("blob", b"content")
        ending.tag("refs/tags/blob", blob, b"blob")
    (ending.source.path / "marks").write_text(f":7 {ending.commit}\n")
    stream, warnings = ending.git(*words.split(), "--no-data")
    # Each ref to a tag of a tree is told of before the walk as well.
    assert ending.ours(*words.split()) == (stream, warnings - 2)


@pytest.mark.git
@pytest.mark.parametrize("words", ["--data", REWRITE])
def test_a_tag_of_a_tag_without_mark_ends_the_export(ending: Ending, words: str) -> None:
    inner = ending.tag("refs/tags/inner", ending.commit)
    ending.tag("refs/tags/outer", inner, b"tag")
    ending.source.fails("--all", "^main", words)
    with pytest.raises(FastioError, match=r"outer|is not exported"):
        ending.ours(words)


@pytest.mark.parametrize("settled", [True, False])
def test_a_tag_goes_where_its_commit_was_settled(
    ending: Ending, monkeypatch: pytest.MonkeyPatch, settled: bool
) -> None:
    monkeypatch.chdir(ending.source.path)
    oid = Oid(bytes.fromhex(ending.tag("refs/tags/v1", ending.commit)))
    options, _ = parse_options([REWRITE])
    marks, other = MarkTable(), Oid(b"x" * 20)
    marks.add(other, True)
    with ObjectStore(Repository.discover()) as store:
        writer = TagWriter(store, options, marks, lambda _: other if settled else None, print)
        text = writer.write(Listed(b"refs/tags/v1", oid))
    if settled:
        assert text.startswith(b"tag v1\nfrom :1\ntagger ")
    else:
        assert text == b"reset refs/tags/v1\nfrom %b\n\n" % (b"0" * 40)


def test_a_malformed_tag_ends_the_export(ending: Ending, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ending.source.path)
    marks, options = MarkTable(), parse_options([REWRITE])[0]
    with ObjectStore(Repository.discover()) as store:
        writer = TagWriter(store, options, marks, lambda oid: oid, print)
        for body in (b"", tag_body(b"0" * 39), tag_body(b"0" * 40, b"tag")):
            oid = Oid(bytes.fromhex(ending.source.add("tag", body)))
            with pytest.raises(FastioError):
                writer.write(Listed(b"refs/tags/v1", oid))


def test_refs_that_are_left_over() -> None:
    walk, marks, options = Walk(20, [b"unused"]), MarkTable(), parse_options(["--data"])[0]
    names = [b"a", b"b", b"c", b"unused", b"used"]
    oids = [Oid(name[:1] * 20) for name in names]
    walk.add(oids[4], oids[4], b"used")
    marks.add(oids[0], True)
    marks.add(oids[4], True)

    def end() -> bytes:
        return b"".join(
            ref_records(
                zip(names, oids, strict=True),
                walk=walk,
                options=options,
                marks=marks,
                settle=lambda oid: None if oid == oids[2] else oids[0] if oid == oids[3] else oid,
                count=lambda: b"progress\n",
            )
        )

    zero = b"0" * 40
    reset = b"reset %b\nfrom %b\n\n"
    assert end() == (
        reset % (b"unused", b":1") + b"progress\n" + reset % (b"c", zero) + reset % (b"b", zero)
        + reset % (b"a", b":1") + b"progress\n"
    )  # fmt: skip
    options.reference_excluded_parents = True
    assert reset % (b"c", zero) + reset % (b"b", b"62" * 20) in end()


def test_refs_to_delete() -> None:
    text = b"".join(deletion_records([b"b", b""], 32))
    zero = b"0" * 64
    assert text == b"reset b\nfrom %b\n\nreset \nfrom %b\n\n" % (zero, zero)
