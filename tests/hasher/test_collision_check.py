"""``--sha1-collision-check``: the same oids, and an end where something was found.

No known collision is one of git objects, as their headers would have to be part of it. So here a
process is told that there was one; ``tests/workers/test_collisions.py`` finds the known ones.
"""

import os

import pytest

from fastio.cli.main import main
from fastio.objects.kinds import BLOB, SHA1
from tests.conformance.side import in_child
from tests.hasher.place import Place
from tests.importer import streams
from workers import collisions

CHECK = "--sha1-collision-check"
OID = bytes(range(20))
STREAM = streams.commit(1, streams.inline(b"file", b"content"))


def run_told(place: Place, words: list[str], text: bytes = b"", *, oid: bytes = OID) -> str:
    """Run a command that hears of a collision; returns what it says."""

    def run() -> int:
        os.chdir(place.path)
        collisions.start_looking()
        page = collisions._page
        assert page is not None
        page[:21] = b"\1" + oid
        return main(words)

    done = in_child(text, run)
    assert (done.returncode, done.stdout) == (128, b"")
    return done.stderr.decode()


@pytest.mark.parametrize("size", [7, 3 << 20])
@pytest.mark.parametrize("words", [[], ["-w"]], ids=["", "-w"])
def test_oids_are_the_same(ours: Place, words: list[str], size: int) -> None:
    content = bytes(size)
    ours.write("file", content)
    oid = SHA1.hash_object(BLOB, content).hex()
    assert ours.hash(CHECK, *words, "file") == [oid]
    assert ours.hash(CHECK, *words, "--stdin", text=content) == [oid]


@pytest.mark.parametrize("size", [7, 3 << 20])
@pytest.mark.parametrize("words", [["-w", "file"], ["-w", "--stdin"], ["file"]], ids=" ".join)
def test_nothing_is_stored_or_answered(ours: Place, words: list[str], size: int) -> None:
    ours.write("file", bytes(size))
    said = run_told(ours, ["hash-object", CHECK, *words], text=bytes(size))
    assert said == f"fatal: object {OID.hex()} is part of a SHA-1 collision attack\n"
    assert (ours.loose(), ours.packs()) == ([], [])


def test_an_import_changes_nothing(ours: Place) -> None:
    blob = b"other content"
    oid = SHA1.hash_object(BLOB, blob)
    for told, named in ((OID, OID.hex()), (oid, f"{oid.hex()} (mark :7)")):
        words = ["import", "--no-progress", CHECK]
        said = run_told(ours, words, text=STREAM + streams.blob(7, blob), oid=told)
        assert f"fatal: object {named} is part of a SHA-1 collision attack" in said
    assert (ours.refs(), ours.loose(), ours.packs()) == ({}, [], [])


@pytest.mark.parametrize("workers", [0, 2])
def test_an_import_of_anything_else_is_as_ever(ours: Place, workers: int) -> None:
    done = ours.fastio("import", CHECK, f"--workers={workers}", stream=STREAM)
    assert done.returncode == 0
    assert ours.git("show", "main:file") == "content"
    ours.check()
