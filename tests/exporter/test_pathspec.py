"""Path limits: what they stand for is what git says they do."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fastio.errors import FastioError
from fastio.exporter.path_limits import DIRECTORY, FILE, PERHAPS, SUBMODULE
from fastio.exporter.pathspec import limits_of, read_limits
from fastio.store.repository import Repository

FILES = b"""foo/x foo/y.c foo/sub/z.c fo[o]/q Foo/X a/b/c/f a/b/g.c a/h.c top.c x.d/in st*r stuar
a/foo/x a/a/a/b b/a aa ab a- a.c A/B/c foo.c -/- ]x ![ \xff/\xff a/b/.c .hidden/.c""".split()
SUBMODULES = [b"mod", b"a/mod", b"foo/mod.c"]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("limits")
    lines = [b"M 100644 inline %b\ndata 0\n" % name for name in FILES]
    lines += [b"M 160000 %b %b\n" % (b"1" * 40, name) for name in SUBMODULES]
    stream = b"commit refs/heads/main\ncommitter a <a> 0 +0000\ndata 0\n" + b"".join(lines)
    subprocess.run(["git", "init", "-q", "-b", "main", path], check=True)
    subprocess.run(["git", "fast-import", "--quiet"], input=stream, cwd=path, check=True)
    (path / "a" / "b").mkdir(parents=True)
    return path


def of_git(
    repository: Path, prefix: bytes, words: Sequence[bytes], **variables: str
) -> list[bytes]:
    """The paths that git finds."""
    finished = subprocess.run(
        ["git", "log", "--format=", "--name-only", "-z", "main", "--", *words],
        cwd=os.path.join(os.fsencode(repository), prefix),
        env=os.environ | variables,
        capture_output=True,
        check=False,
    )
    return None if finished.returncode else finished.stdout.split(b"\0")[:-1]


def of_ours(
    prefix: bytes, words: Sequence[bytes], top: Path = Path("/top"), **variables: str
) -> list[bytes] | None:
    """The paths that a walk finds which enters no directory in vain."""
    try:
        limits = read_limits(
            words, prefix=prefix, environment=variables, find_top=lambda: os.fsencode(top)
        )
    except FastioError:
        return None
    assert limits is not None

    def is_found(path: bytes, kind: int) -> bool:
        for at in range(len(path)):
            if path[at : at + 1] == b"/":
                wanted = limits.wants(path[:at], DIRECTORY)
                if wanted != PERHAPS:
                    return wanted != 0
        return limits.wants(path, kind) > PERHAPS

    kinds = dict.fromkeys(FILES, FILE) | dict.fromkeys(SUBMODULES, SUBMODULE)
    return sorted(path for path, kind in kinds.items() if is_found(path, kind))


pieces = st.sampled_from(
    b"a b c foo Foo fo x mod . .. / / / * * ** ? [ ] [a-f] [!a] [[:upper:]] \\ - .c \xff".split()
)
patterns = st.lists(pieces, max_size=6).map(b"".join)
magic = st.sampled_from(
    b", ,:(top),:(glob),:(icase),:(icase;glob),:(literal),:!,:^,:/,:(exclude;glob),"
    b":(exclude;icase),:/!".replace(b" ", b"").split(b",")
).map(lambda word: word.replace(b";", b","))
limits = st.builds(bytes.__add__, magic, patterns).filter(lambda word: word and word[:1] != b"/")


@pytest.mark.git
@given(st.lists(limits, min_size=1, max_size=3), st.sampled_from([b"", b"a/", b"a/b/"]))
@example([b":"], b"")
@example([b":(glob)a**/g.c"], b"")
@example([b":(glob)**"], b"a/")
@example([b"mod/", b"foo/", b"top.c/"], b"")
@example([b":!mod/", b":(exclude)fo[o]"], b"")
@example([b"./foo//x", b"a/../b", b"a/./b"], b"")
@example([b"../foo/x", b"..", b"../.", b"../../a"], b"a/b/")
@example([b"..", b":!../b/"], b"a/b/")
@example([b":!"], b"a/")
@example([b":(,top)", b":()a"], b"a/")
@example([b":/:!foo", b":!:foo"], b"")
def test_limits_are_gits(repository: Path, words: list[bytes], prefix: bytes) -> None:
    assert of_ours(prefix, words) == of_git(repository, prefix, words)


@pytest.mark.git
@pytest.mark.parametrize(
    "names", [["literal"], ["glob"], ["noglob"], ["icase"], ["noglob", "icase"]]
)
@pytest.mark.parametrize("word", [b"st*r", b"*.c", b":(glob)*.c", b"FOO", b":(top)foo", b":!foo"])
def test_variables_give_all_limits_magic(repository: Path, names: list[str], word: bytes) -> None:
    variables = {f"GIT_{name.upper()}_PATHSPECS": "1" for name in names}
    assert of_ours(b"", [word], **variables) == of_git(repository, b"", [word], **variables)


@pytest.mark.git
def test_absolute_paths_count_from_the_top(repository: Path) -> None:
    top = os.fsencode(repository.resolve())
    for words in ([top], [top + b"/a/b"], [top + b"/*.c"]):
        assert of_ours(b"a/", words, repository.resolve()) == of_git(repository, b"a/", words)


@pytest.mark.git
def test_limits_given_in_a_repository_count_from_there(repository: Path) -> None:
    found = Repository.discover(str(repository / "a"), os.environ | {"GIT_ICASE_PATHSPECS": "1"})
    filters = limits_of(found, [b"B/C", os.fsencode(repository.resolve()) + b"/top.c"])
    assert filters is not None
    wanted = [filters.wants(path, FILE) for path in (b"a/b/c", b"b/c", b"top.c", b"a/top.c")]
    assert wanted == [2, 0, 2, 0]
    assert limits_of(found, []) is None


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        (b"", "empty string is not a valid pathspec"),
        (b":(foo)x", "Invalid pathspec magic 'foo' in ':\\(foo\\)x'"),
        (b":(top", "Missing '\\)' at the end of pathspec magic"),
        (b":%x", "Unimplemented pathspec magic '%'"),
        (b":(glob,literal)x", "'literal' and 'glob' are incompatible"),
        (b":(attr:text)x", "pathspec magic 'attr:text' is not supported"),
        (b"../../x", "'../../x' is outside repository at '/top'"),
        (b"/topper/x", "'/topper/x' is outside repository"),
    ],
)
def test_limits_that_cannot_be_understood_are_refused(word: bytes, reason: str) -> None:
    with pytest.raises(FastioError, match=reason):
        read_limits([word], prefix=b"a/", environment={}, find_top=lambda: b"/top")


def test_variables_that_contradict_each_other_are_refused() -> None:
    for names in (("GLOB", "NOGLOB"), ("LITERAL", "ICASE")):
        variables = {f"GIT_{name}_PATHSPECS": "1" for name in names}
        with pytest.raises(FastioError, match="incompatible"):
            read_limits([b"x"], prefix=b"", environment=variables, find_top=os.getcwdb)
