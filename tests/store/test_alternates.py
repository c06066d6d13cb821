import os

from fastio.store.alternates import find_alternates
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository


def directory(path, *alternates):
    (path / "info").mkdir(parents=True)
    (path / "info/alternates").write_bytes(b"".join(line + b"\n" for line in alternates))
    return bytes(path)


def test_relative_absolute_quoted_missing_and_commented_lines(tmp_path):
    first, second = directory(tmp_path / "a"), directory(tmp_path / "b c\t")
    own = directory(
        tmp_path / "own", b"# note", b"", b"../a", b"/nowhere", b'"' + bytes(tmp_path) + b'/b c\\t"'
    )
    found = find_alternates(own, {})
    assert list(map(os.path.realpath, found)) == [first, second]


def test_a_nul_ends_the_list(tmp_path):
    """As in git, which reads it as a string."""
    own = directory(tmp_path / "own", b"../a\0", b"../b")
    first, _ = directory(tmp_path / "a"), directory(tmp_path / "b")
    assert list(map(os.path.realpath, find_alternates(own, {}))) == [first]


def test_a_circle_ends(tmp_path):
    own = directory(tmp_path / "own", b"../a")
    other = directory(tmp_path / "a", b"../own", b"../a")
    assert list(map(os.path.realpath, find_alternates(own, {}))) == [other]


def test_chains_have_a_limit(tmp_path):
    for number in range(10):
        directory(tmp_path / str(number), b"../%d" % (number + 1))
    assert len(find_alternates(bytes(tmp_path / "0"), {})) == 6


def test_the_environment(tmp_path):
    own = directory(tmp_path / "own")
    for name in ("a", "b:c", "d"):
        directory(tmp_path / name)
    paths = f'{tmp_path}/a:"{tmp_path}/b:c":d:/nowhere'
    found = find_alternates(own, {"GIT_ALTERNATE_OBJECT_DIRECTORIES": paths}, bytes(tmp_path))
    assert [os.path.basename(path) for path in found] == [b"a", b"b:c", b"d"]


def test_objects_of_a_shared_clone_and_of_its_own_clone(work):
    work.fill(4)
    work("repack", "-adq")
    work("clone", "-qs", ".", "../second")
    work("clone", "-qs", "../second", "../third")
    with ObjectStore(Repository.discover(str(work.path.parent / "third"))) as store:
        for oid, _, size in work.objects():
            assert store.find_packed(oid)
            assert len(store.read(oid)[1]) == size
