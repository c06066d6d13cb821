"""``--export-pack-edges``: which branch tips and tags each pack holds."""

from pathlib import Path

from tests.importer.target import Target

COMMIT = b"commit refs/heads/%b\ncommitter A <a@b> 0 +0000\ndata 1\n%b\n"
TAG = b"tag v1\nfrom refs/heads/x\ndata 0\n"


def edges(target: Target, stream: bytes) -> list[list[str]]:
    """Import, and return the words of each line of the file."""
    assert target.run(stream, "--export-pack-edges=edges").returncode == 0
    return [line.split() for line in (target.path / "edges").read_text().splitlines()]


def test_each_pack_has_a_line_with_the_tips_in_it(target: Target) -> None:
    stream = COMMIT % (b"x", b"x") + b"checkpoint\n" + COMMIT % (b"y", b"y") + TAG
    first, second = edges(target, stream)
    assert first[1:] == [target.git("rev-parse", "x")]
    assert second[1:] == target.git("rev-parse", "y", "v1").split()
    paths = sorted(target.path / line[0].removesuffix(":") for line in (first, second))
    assert paths == target.packs()


def test_a_branch_is_in_the_line_of_the_pack_that_it_grew_in(target: Target) -> None:
    """As in git even when it was reset to something else; one that only was reset is in none."""
    stream = COMMIT % (b"x", b"x") + b"checkpoint\n" + COMMIT % (b"y", b"y")
    stream += b"reset refs/heads/%b\nfrom refs/heads/x\n\n" * 2 % (b"y", b"z")
    stream += b"checkpoint\n" + COMMIT % (b"z", b"z")
    first, second, third = edges(target, stream)
    assert first[1:] == second[1:] == [target.git("rev-parse", "x")]
    assert third[1:] == [target.git("rev-parse", "z")]


def test_lines_are_added_to_those_of_earlier_runs(target: Target) -> None:
    assert len(edges(target, COMMIT % (b"x", b"x"))) == 1
    assert len(edges(target, COMMIT % (b"y", b"y"))) == 2


def test_a_pack_without_tips_has_a_line_without_oids(target: Target) -> None:
    [line] = edges(target, b"blob\ndata 1\nx\n")
    assert line == [f"./objects/pack/{target.packs()[0].name}:"]


def test_paths_start_at_the_top_of_the_work_tree(tmp_path: Path) -> None:
    target = Target(tmp_path / "target")
    target.git("config", "fastimport.unpackLimit", "0")
    [line] = edges(target, COMMIT % (b"x", b"x"))
    assert line[0] == f".git/objects/pack/{target.packs()[0].name}:"


def test_loose_objects_have_no_line(target: Target) -> None:
    target.git("config", "fastimport.unpackLimit", "100")
    assert edges(target, COMMIT % (b"x", b"x")) == []


def test_a_file_that_cannot_be_written_is_noticed_at_once(target: Target) -> None:
    done = target.run(COMMIT % (b"x", b"x"), "--export-pack-edges=no/where")
    assert done.returncode == 128
    assert b"cannot open 'no/where'" in done.stderr
    assert target.refs() == {}
