"""Large files, many files, and odd names of files (H33 to H38)."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fastio.objects.kinds import BLOB, SHA1
from tests.hasher.place import Place
from tests.importer.target import environment

MIB = 1 << 20
LINES = b"".join(b"line %d\n" % number for number in range(200_000))  # 2 MiB
CRLF_LINES = LINES.replace(b"\n", b"\r\n")
SMALL_THRESHOLD = ["core.bigFileThreshold=1m"]


def oid_of(content: bytes) -> str:
    return SHA1.hash_object(BLOB, content).hex()


def test_more_than_four_gigabytes(ours: Place) -> None:
    """By ours alone, as git takes its time; what is not in a memory file takes no memory."""
    with open(os.memfd_create("zeros"), "wb") as file:
        file.truncate(5 << 30)
        name = f"/proc/self/fd/{file.fileno()}"
        assert ours.hash(name) == ["0be2be10a4c8764f32c4bf372a98edc731a4b204"]


@pytest.mark.parametrize("words", [["file"], ["--stdin"], ["--literally", "file"]], ids=" ".join)
def test_large_files_any_way(place: Place, words: list[str]) -> None:
    place.write("file", LINES)
    with open(place.path / "file", "rb") as stdin:
        command = [*place.words[:-1], "-c", *SMALL_THRESHOLD, "hash-object", *words]
        done = subprocess.run(
            command,
            cwd=place.path,
            stdin=stdin,
            capture_output=True,
            env=environment({}),
            check=True,
        )
    assert done.stdout.decode().strip() == oid_of(LINES)


def test_large_files_through_a_filter(place: Place) -> None:
    place.write("file", LINES)
    place.write(".gitattributes", b"file filter=same\n")
    for key, value in (("clean", "cat"), ("required", "true")):
        place.git("config", f"filter.same.{key}", value)
    assert place.hash("file", config=SMALL_THRESHOLD) == [oid_of(LINES)]


def test_memory_stays_small_without_storing(ours: Place) -> None:
    with open(ours.path / "zeros", "wb") as file:
        file.truncate(400 * MIB)
    script = (
        f"import resource as r, subprocess; subprocess.run({[*ours.words, 'zeros']!r}, check=True)"
    )
    script += "; print(r.getrusage(r.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ours.path, capture_output=True, check=True, env=environment({}),
    )  # fmt: skip
    assert int(done.stdout.split()[-1]) < 100 * 1024


def test_what_is_above_the_threshold_is_packed(place: Place) -> None:
    place.write("file", LINES)
    for _ in range(2):
        assert place.hash("-w", "file", config=SMALL_THRESHOLD) == [oid_of(LINES)]
        assert (len(place.packs()), place.loose()) == (1, [])
    place.check()
    with open(place.path / "file", "rb") as stdin:
        command = [*place.words[:-1], "-c", *SMALL_THRESHOLD, "hash-object", "-w", "--stdin"]
        subprocess.run(
            command,
            cwd=place.path,
            stdin=stdin,
            capture_output=True,
            env=environment({}),
            check=True,
        )
    assert (len(place.packs()), place.loose()) == (1, [])


def test_below_the_threshold_it_is_loose(place: Place) -> None:
    place.write("file", LINES)
    assert place.hash("-w", "file", "file") == [oid_of(LINES)] * 2
    assert (place.packs(), len(place.loose())) == ([], 1)
    place.check()


@pytest.mark.parametrize("content", [LINES, CRLF_LINES], ids=["lf", "crlf"])
def test_what_may_be_converted_is_loose(place: Place, content: bytes) -> None:
    place.write("file", content)
    config = [*SMALL_THRESHOLD, "core.autocrlf=input", "core.safecrlf=false"]
    assert place.hash("-w", "file", config=config) == [oid_of(LINES)]
    assert (place.packs(), len(place.loose())) == ([], 1)


@pytest.mark.parametrize("content", [b"small", LINES], ids=["small", "large"])
def test_what_is_there_looks_new(place: Place, content: bytes) -> None:
    place.write("file", content)
    place.hash("-w", "file")
    [path] = place.loose()
    assert path.stat().st_mode & 0o777 == 0o444
    os.utime(path, (1, 1))
    inode = path.stat().st_ino
    place.hash("-w", "file")
    assert path.stat().st_mtime > 1
    assert path.stat().st_ino == inode
    place.git("update-ref", "refs/blob", oid_of(content))
    place.git("repack", "-qad")
    [pack] = place.packs()
    os.utime(pack, (1, 1))
    place.hash("-w", "--stdin-paths", text=b"file\n")
    assert pack.stat().st_mtime > 1
    assert place.loose() == []


def test_what_an_alternate_has(new_place: Callable[..., Place], tmp_path: Path) -> None:
    place = new_place()
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "other.git"], check=True)
    other = tmp_path / "other.git/objects"
    (place.git_dir / "objects/info/alternates").write_text(f"{other}\n")
    subprocess.run(
        ["git", "--git-dir", tmp_path / "other.git", "hash-object", "-w", "--stdin"],
        input=b"content", check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    place.write("file", b"content")
    place.hash("-w", "file")
    assert place.loose() == []


@pytest.mark.parametrize("words", [[], ["--literally"], ["-w"]], ids=["", "--literally", "-w"])
def test_thousands_of_names_take_no_descriptors(place: Place, words: list[str]) -> None:
    if "--literally" in words:
        place.needs_git(2, 50)  # before, it did not close them
    place.write("file", b"content")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        oids = place.hash("--stdin-paths", *words, text=b"file\n" * 3000)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert oids == [oid_of(b"content")] * 3000


NAMES = {
    "quoted": (b'"a\\tb\\303\\251"\n', b"a\tb\xc3\xa9"),
    "quoted, more behind": (b'"file" and more\n', b"file"),
    "a CR before the line end": (b"file\r\n", b"file"),
    "a CR at the very end": (b"file\r", b"file\r"),
    "a quote inside": (b'a"b\n', b'a"b'),
}


@pytest.mark.parametrize("case", NAMES)
def test_names_of_many_spellings(place: Place, case: str) -> None:
    line, name = NAMES[case]
    place.write("sub/x", b"")
    (place.path / os.fsdecode(name)).write_bytes(b"content")
    cwd = place.path / "sub"  # names are told from the top all the same
    assert place.hash("--stdin-paths", text=line, cwd=cwd) == [oid_of(b"content")]


@pytest.mark.parametrize("line", [b'"file', b'"\\x"', b'"\\400"', b'"', b"", b'"\\"'])
def test_bad_names(place: Place, line: bytes) -> None:
    place.write("file", b"content")
    done = place.fails("--stdin-paths", text=b"file\n" + line + b"\n" + b"file\n")
    assert done.stdout.decode().split() == [oid_of(b"content")]
