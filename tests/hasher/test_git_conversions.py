"""What gitattributes and configuration do to content (H16 to H24)."""

from pathlib import Path

import pytest

from fastio.objects.kinds import BLOB, SHA1
from tests.conformance.side import git_version
from tests.hasher.place import Place

CRLF, LF = b"one\r\ntwo\r\n", b"one\ntwo\n"
ATTRIBUTES = b"""\
raw -crlf
text crlf
"""


def raw_oid(content: bytes) -> str:
    return SHA1.hash_object(BLOB, content).hex()


CRLF_OID, LF_OID = raw_oid(CRLF), raw_oid(LF)


@pytest.fixture
def filled(place: Place) -> Place:
    place.write(".gitattributes", ATTRIBUTES)
    place.write("raw", CRLF)
    place.write("text", CRLF)
    place.git("config", "core.autocrlf", "true")
    place.git("config", "core.safecrlf", "false")
    return place


def test_attributes_decide(filled: Place) -> None:
    assert filled.hash("raw", "text") == [CRLF_OID, LF_OID]
    assert filled.hash("--stdin-paths", text=b"text\nraw\n") == [LF_OID, CRLF_OID]
    assert filled.hash("-w", "text", "raw") == [LF_OID, CRLF_OID]
    assert filled.git("cat-file", "-s", LF_OID) == str(len(LF))


@pytest.mark.parametrize("source", [["raw"], ["text"], ["--stdin"]], ids=str)
def test_a_path_decides_in_place_of_the_name(filled: Place, source: list[str]) -> None:
    assert filled.hash("--path=raw", *source, text=CRLF) == [CRLF_OID]
    assert filled.hash("--path", "text", *source, text=CRLF) == [LF_OID]
    assert filled.hash("--path", "sub/text", *source, text=CRLF) == [LF_OID]


def test_in_a_subdirectory(filled: Place) -> None:
    filled.write("sub/.gitattributes", b"raw crlf\n")
    filled.write("sub/raw", CRLF)
    sub = filled.path / "sub"
    assert filled.hash("../raw", "../text", "raw", cwd=sub) == [CRLF_OID, LF_OID, LF_OID]
    assert filled.hash("--path=../raw", "../text", cwd=sub) == [CRLF_OID]
    assert filled.hash("--path=raw", "../raw", cwd=sub) == [LF_OID]
    assert filled.hash("--stdin-paths", text=b"raw\nsub/raw\n", cwd=sub) == [CRLF_OID, LF_OID]


def test_files_elsewhere(filled: Place, tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(CRLF)
    (tmp_path / "text").write_bytes(CRLF)
    assert filled.hash("../raw", "../text", f"{tmp_path}/text") == [CRLF_OID, LF_OID, LF_OID]


def test_no_conversion(filled: Place) -> None:
    assert filled.hash("--no-filters", "text") == [CRLF_OID]
    assert filled.hash("--stdin", text=CRLF) == [CRLF_OID]
    assert filled.hash("--stdin-paths", "--no-filters", text=b"text") == [CRLF_OID]


@pytest.mark.parametrize("words", [[], ["-w"]], ids=["", "-w"])
def test_all_conversions_in_order(place: Place, words: list[str]) -> None:
    place.write(".gitattributes", b"* text ident working-tree-encoding=UTF-16 filter=upper\n")
    place.git("config", "filter.upper.clean", r"tr '\000x' '\000X'")
    place.git("config", "core.safecrlf", "false")
    place.write("file", "x $Id: 1 $\r\n".encode("utf-16"))
    assert place.hash(*words, "file", "file") == [raw_oid(b"X $Id$\n")] * 2


@pytest.mark.parametrize("attribute", ["ident", "filter=f", "working-tree-encoding=latin1"])
def test_each_conversion_alone(place: Place, attribute: str) -> None:
    content = b"a $Id: 1 $ \xe9\n"
    expected = {
        "ident": b"a $Id$ \xe9\n",
        "filter=f": b"A $Id: 1 $ \xe9\n",
        "working-tree-encoding=latin1": "a $Id: 1 $ \xe9\n".encode(),
    }
    place.write(".gitattributes", f"converted {attribute}\n".encode())
    place.git("config", "filter.f.clean", "tr a A")
    place.write("converted", content)
    place.write("plain", content)
    oids = [raw_oid(expected[attribute]), raw_oid(content)]
    assert place.hash("converted", "plain") == oids
    assert place.hash("--stdin-paths", text=b"converted\nplain\n") == oids


@pytest.mark.parametrize("text", ["text=x crlf", "text=x eol=lf", "text=auto -crlf", "crlf=input"])
def test_another_name_and_other_values_of_text(place: Place, text: str) -> None:
    place.write(".gitattributes", f"file {text}\n".encode())
    place.git("config", "core.safecrlf", "false")
    place.write("file", CRLF)
    assert place.hash("file") == place.hash("--stdin-paths", text=b"file\n") == [LF_OID]


def test_a_filter_that_fails(place: Place) -> None:
    place.write(".gitattributes", b"a filter=f\nb filter=nobody\n")
    place.git("config", "filter.f.clean", "false")
    place.write("a", LF)
    place.write("b", LF)
    done = place.run("a", "b")
    assert (done.returncode, done.stdout.decode().split()) == (0, [LF_OID] * 2)
    assert b"error: " in done.stderr
    place.git("config", "filter.f.required", "true")
    assert place.fails("b", "a", "b").stdout.decode().split() == [LF_OID]


@pytest.mark.parametrize("content", [b"a\0\r\n", b"a\rb\r\n"])
def test_what_looks_binary(place: Place, content: bytes) -> None:
    place.write(".gitattributes", b"* text=auto\n")
    place.write("file", content)
    place.write("text", CRLF)
    assert place.hash("file", "text") == [raw_oid(content), LF_OID]


def test_the_index_has_no_say(place: Place) -> None:
    place.write(".gitattributes", b"* text\n")
    place.write("file", CRLF)
    place.git("add", ".gitattributes")
    (place.path / ".gitattributes").unlink()
    assert place.hash("file") == [CRLF_OID]
    place.git("-c", "core.autocrlf=false", "add", "file")
    assert place.hash("file", config=["core.autocrlf=input"]) == [LF_OID]
    place.write("sub/.gitattributes", b"x text\n")
    place.git("add", "sub")
    (place.path / "sub/.gitattributes").write_bytes(b"x -text\n")
    place.write("sub/x", CRLF)
    assert place.hash("sub/x", config=["core.autocrlf=input"]) == [CRLF_OID]


def test_other_files_of_attributes(place: Place, tmp_path: Path) -> None:
    place.write("one", CRLF)
    place.write("two", CRLF)
    (place.git_dir / "info").mkdir(exist_ok=True)
    (place.git_dir / "info/attributes").write_bytes(b"one text\n")
    (tmp_path / "mine").write_bytes(b"two text\n")
    assert place.hash("one", "two") == [LF_OID, CRLF_OID]
    assert place.hash("two", config=[f"core.attributesFile={tmp_path}/mine"]) == [LF_OID]
    (tmp_path / "git").mkdir()
    (tmp_path / "git/attributes").write_bytes(b"two text\n")
    assert place.hash("two", XDG_CONFIG_HOME=str(tmp_path)) == [LF_OID]


def test_only_blobs_are_converted(place: Place) -> None:
    place.write(".gitattributes", b"* text\n")
    body = b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a> 1 +0000\n"
    body += b"committer A <a> 1 +0000\n\nx\r\n"
    place.write("commit", body)
    [oid] = place.hash("-w", "-t", "commit", "commit")
    assert place.git("cat-file", "-s", oid) == str(len(body))


@pytest.mark.parametrize("content", [CRLF, LF], ids=["crlf", "lf"])
def test_conversions_that_a_checkout_does_not_undo(place: Place, content: bytes) -> None:
    safe = {
        "config": ["core.safecrlf=true", f"core.autocrlf={'true' if content == LF else 'input'}"]
    }
    place.write("file", content)
    assert place.hash("file", **safe) == [LF_OID]
    assert place.fails("-w", "file", **safe).stdout == b""
    warned = place.run("-w", "file", config=safe["config"][1:])
    assert (warned.returncode, warned.stdout.decode().split()) == (0, [LF_OID])
    assert warned.stderr.startswith(b"warning: ")


def test_outside_of_a_repository(place: Place, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(CRLF)
    (tmp_path / ".gitattributes").write_bytes(b"file -text\n")
    outside = {"cwd": tmp_path, "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    assert place.hash("file", config=["core.autocrlf=input"], **outside) == [LF_OID]


@pytest.mark.parametrize(
    ("attributes", "oid"),
    [
        ("* text", LF_OID),
        ("/file text", CRLF_OID),
        ("/other/file text", LF_OID),
        ("other/file text", LF_OID),
        ("fil? text", LF_OID),
        ("file -text", CRLF_OID),
        ("no text", CRLF_OID),
    ],
)
@pytest.mark.parametrize("top", [None, "* text"])
def test_a_file_of_another_work_tree(
    place: Place, tmp_path: Path, attributes: str, oid: str, top: str | None
) -> None:
    other = tmp_path / "above/other"
    other.mkdir(parents=True)
    (other.parent / ".gitattributes").write_text(attributes + "\n")
    (other / "file").write_bytes(CRLF)
    if top is not None:
        place.write(".gitattributes", f"{top}\n".encode())
        oid = CRLF_OID if attributes == "file -text" else LF_OID
    place.write("sub/x", b"")
    name = str(other / "file")
    assert place.hash(name) == [oid]
    assert place.hash("--stdin-paths", text=f"{name}\n".encode()) == [oid]
    assert place.hash(name, cwd=place.path / "sub") == [oid]


@pytest.mark.parametrize(
    "setting", ["core.safecrlf=maybe", "core.autocrlf=maybe", "core.bigFileThreshold=many"]
)
def test_values_that_mean_nothing(place: Place, setting: str) -> None:
    place.write("text", LF)
    done = place.fails("text", config=[setting])
    assert done.stdout == b""
    assert setting.partition("=")[0].lower() in done.stderr.decode().lower()


def test_beside_the_work_tree(place: Place) -> None:
    (place.git_dir / ".gitattributes").write_text("* text\n")
    (place.git_dir / "text").write_bytes(CRLF)
    inside = place.git_dir
    assert place.hash("text", cwd=inside) == [LF_OID]
    assert place.hash("--stdin-paths", text=b"text\n", cwd=inside) == [LF_OID]


@pytest.mark.skipif(git_version() < (2, 43), reason="this git looks for no such source")
def test_a_source_of_attributes_that_is_none(place: Place) -> None:
    place.write("text", LF)
    done = place.fails("text", GIT_ATTR_SOURCE="none")
    assert done.stderr.count(b"fatal") == 1


@pytest.mark.parametrize("words", [[], ["-w"]], ids=str)
def test_many_files_of_which_some_have_a_cr(place: Place, words: list[str]) -> None:
    place.write(
        ".gitattributes", b"*.txt text eol=lf\n*.BAT text eol=crlf\nraw* -text\n*.id ident\n"
    )
    place.git("config", "core.safecrlf", "false")
    names, expected = list[str](), list[str]()
    kinds = [("%d.c", CRLF, CRLF), ("%d.txt", CRLF, LF), ("raw%d", CRLF, CRLF), ("%d.BAT", LF, LF)]
    kinds += [("%d.txt", LF, LF), ("%d.id", b"$Id$\n", b"$Id$\n"), ("%d.c", LF, LF)]
    for number in range(60):
        for at, (name, content, hashed) in enumerate(kinds):
            names.append(name % (number * len(kinds) + at))
            mark = b"%d" % number
            place.write(names[-1], content + mark)
            expected.append(raw_oid(hashed + mark))
    assert place.hash(*words, "--stdin-paths", text="\n".join(names).encode()) == expected
    if words:
        place.check()
