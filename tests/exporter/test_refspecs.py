"""Refspecs of an export, side by side with git."""

import subprocess

import pytest

from fastio.errors import FastioError
from fastio.exporter.refspecs import Refspecs
from tests.store.work import Work


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Work:
    work = Work(tmp_path_factory.mktemp("refspecs") / "work")
    work("commit", "-q", "--allow-empty", "-m", "a")
    return work


MAIN = b"refs/heads/main"


@pytest.mark.parametrize(
    "words",
    [
        "refs/heads/main:foo",
        "+refs/heads/main:foo",
        "main:foo",
        "refs/heads/main:",
        "refs/heads/main",
        "refs/heads/main refs/heads/main:foo",
        "refs/heads/main: refs/heads/main:foo",
        "refs/heads/*:x/*",
        "refs/heads/ma*:x/*/y",
        "refs/heads/m*in:x/a*b",
        "refs/heads/mai*ain:x/*",
        "refs/heads/main*:x/a*b",
        "*:*",
        "^refs/heads/main refs/heads/*:x/*",
        "^refs/heads/main refs/heads/main:x/main",
        "refs/heads/main:x/main ^refs/heads/m*",
        "^x/main refs/heads/main:x/main",
        "refs/heads/*:x/* q/*:refs/heads/* ^q/m*",
        "refs/heads/*:x/* q/*:refs/heads/* ^refs/heads/m*",
        "refs/heads/*:x/* refs/heads/main ^refs/heads/main",
        "q:refs/heads/main ^q refs/heads/main:z",
        ":foo refs/heads/main:bar :baz",
        ":",
        "@:a ^@ ^HEAD HEAD:b",
        ":+x -x:y a:-y ^+a",
    ],
)
def test_names_and_deletions_are_those_of_git(work: Work, words: str) -> None:
    specs = Refspecs(words.split())
    stream = work("fast-export", "main", *(f"--refspec={word}" for word in words.split())) + "\n"
    assert b"commit %b\n" % specs.map(MAIN) in stream.encode()
    deletions = b"".join(b"reset %b\nfrom %b\n\n" % (n, b"0" * 40) for n in specs.deletions())
    # The newline that the last command ends with was taken by the runner.
    assert stream.encode().endswith(deletions[:-1])
    assert stream.count("from 000") == len(specs.deletions())


def test_neither_a_source_nor_a_colon() -> None:
    assert Refspecs([""]).deletions() == [b"(null)"]
    assert Refspecs(["+"]).deletions() == [b"(null)"]


INVALID = [
    *("a*b*:c", "bad*:x", "bad*", "a*:b", ":b*", "^x:y", "a..b:c", "a:c..d", "^", "^:", "+^a"),
    *(":a/b..c", "a:@", "a:b:c", "^a*b*", "^" + "0" * 40, ":/x", "x.lock:y"),
]


@pytest.mark.parametrize("word", INVALID)
def test_what_is_no_refspec(work: Work, word: str) -> None:
    with pytest.raises(FastioError, match="invalid refspec"):
        Refspecs([word])
    done = subprocess.run(
        ["git", "fast-export", f"--refspec={word}"], cwd=work.path, capture_output=True, check=False
    )
    assert done.returncode == 128
