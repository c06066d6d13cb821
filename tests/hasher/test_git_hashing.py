"""Hashing, from wherever, with and without storing (H07 to H15)."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hasher.place import Place
from tests.importer.target import environment

HELLO, EXAMPLE = b"Hello World", b"This is an example"
OIDS = {
    "sha1": (
        "5e1c309dae7f45e0f39b1bf3ac3cd9db12e7d689",
        "ddd3f836d3e3fbb7ae289aa9ae83536f76956399",
    ),
    "sha256": (
        "1e3b6c04d2eeb2b3e45c8a330445404c0b7cc7b257e2b097167d26f5230090c4",
        "b44fe1fe65589848253737db859bd490453510719d7424daab03daf0767b85ae",
    ),
}
FROM = {
    "a file": (["hello"], b""),
    "stdin": (["--stdin"], HELLO),
    "names": (["--stdin-paths"], b"hello"),
}


@pytest.fixture
def filled(place: Place) -> Place:
    place.write("hello", HELLO)
    place.write("example", EXAMPLE)
    return place


@pytest.mark.parametrize("name", OIDS)
def test_both_algorithms(new_place: Callable[..., Place], name: str) -> None:
    place = new_place(f"--object-format={name}")
    place.write("hello", HELLO)
    place.write("example", EXAMPLE)
    assert place.hash("hello", "example") == list(OIDS[name])
    assert place.hash("--stdin", text=HELLO) == [OIDS[name][0]]
    assert place.hash("-w", "--stdin-paths", text=b"example\nhello\n") == list(OIDS[name][::-1])
    place.check()


@pytest.mark.parametrize("where", FROM)
@pytest.mark.parametrize("order", [1, -1])
def test_only_what_is_to_be_stored_is(filled: Place, where: str, order: int) -> None:
    words, text = FROM[where]
    oid = OIDS["sha1"][0]
    assert filled.hash(*words, text=text) == [oid]
    assert not filled.has(oid)
    assert filled.hash(*["-w", *words][::order], text=text) == [oid]
    assert filled.git("cat-file", "blob", oid) == HELLO.decode()
    assert len(filled.loose()) == 1


@pytest.mark.parametrize("words", [["--stdin", "hello"], ["hello", "--stdin"]], ids=" ".join)
def test_stdin_comes_first(filled: Place, words: list[str]) -> None:
    assert filled.hash(*words, text=EXAMPLE) == list(OIDS["sha1"][::-1])


@pytest.mark.parametrize(
    "text", [b"hello\nexample", b"hello\nexample\n", b"hello\0e\nexample\0\0\n"]
)
def test_names_on_stdin(filled: Place, text: bytes) -> None:
    assert filled.hash("--stdin-paths", text=text) == list(OIDS["sha1"])
    assert filled.hash("hello", "example", "hello") == [*OIDS["sha1"], OIDS["sha1"][0]]


@pytest.mark.parametrize("words", [[], ["-w"]], ids=["", "-w"])
def test_each_answer_comes_before_the_next_question(filled: Place, words: list[str]) -> None:
    command = [*filled.words, "--stdin-paths", *words]
    with subprocess.Popen(
        command, cwd=filled.path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment({})
    ) as process:
        assert process.stdin
        assert process.stdout
        for name, oid in zip([b"hello", b"example"] * 3, OIDS["sha1"] * 3, strict=True):
            process.stdin.write(name + b"\n")
            process.stdin.flush()
            assert process.stdout.readline().decode().strip() == oid
            assert filled.has(oid) is bool(words)
        process.stdin.close()
        assert process.wait() == 0


def test_outside_of_a_repository(filled: Place, tmp_path: Path) -> None:
    outside = {"cwd": tmp_path, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    oid = OIDS["sha1"][0]
    assert filled.hash("--stdin", text=HELLO, GIT_DEFAULT_HASH="sha256", **outside) == [oid]
    assert filled.hash("place/hello", **outside) == [oid]
    assert filled.hash("--stdin-paths", text=b"place/hello\n", **outside) == [oid]
    for words in (["-w", "place/hello"], ["-w"]):
        assert filled.fails(*words, **outside).stdout == b""


def test_nothing_at_all(place: Place) -> None:
    place.write("empty", b"")
    assert place.hash("empty", "--stdin") == ["e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"] * 2
    tree = place.hash("-t", "tree", "--stdin")
    assert tree == ["4b825dc642cb6eb9a060e54bf8d69288fbee4904"]


@pytest.mark.parametrize("words", [[], ["-w"]], ids=["", "-w"])
@pytest.mark.parametrize("bad", ["missing", "place", "", "hello/x"])
def test_what_comes_before_a_failure_stays(
    filled: Place, tmp_path: Path, bad: str, words: list[str]
) -> None:
    (filled.path / "place").mkdir()
    done = filled.fails(*words, "hello", bad, "example")
    assert done.stdout.decode().split() == [OIDS["sha1"][0]]
    assert filled.has(OIDS["sha1"][0]) is bool(words)
    assert bad.encode() in done.stderr
    done = filled.fails(*words, "--stdin-paths", text=f"example\n{bad}\n".encode())
    assert done.stdout.decode().split() == [OIDS["sha1"][1]]


def test_what_is_no_regular_file(filled: Place) -> None:
    os.mkfifo(filled.path / "fifo")
    with subprocess.Popen(["cp", "hello", "fifo"], cwd=filled.path):
        assert filled.hash("-w", "fifo") == [OIDS["sha1"][0]]
    os.symlink("example", filled.path / "link")
    assert filled.hash("link", "/dev/null") == [
        OIDS["sha1"][1],
        "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    ]
