"""Would the comparison notice, if something were wrong?"""

import subprocess

import pytest

from tests.differential.audit import Audit
from tests.differential.run import Case
from tests.differential.world import World

pytestmark = pytest.mark.git
COMMIT = (
    b"commit refs/heads/%b\nmark :1\ncommitter A <a@b> 0 +0000\ndata 0\n"
    b"M 644 inline %b\ndata 2\nx\n"
)
CASE = Case([COMMIT % (b"x", b"a")], ["--export-marks=../out"], ["fastimport.unpackLimit=0"])


@pytest.mark.parametrize(
    ("other", "differing"),
    [
        (Case([COMMIT % (b"y", b"a")], CASE.options, CASE.config), {"files"}),
        (
            Case([COMMIT % (b"x", b"b")], CASE.options, CASE.config),
            {"files", "objects", "packed", "marks"},
        ),
        (Case(CASE.chunks, [], CASE.config), {"marks"}),
        (Case(CASE.chunks, CASE.options, []), {"loose", "packed"}),
        (Case([*CASE.chunks, b"progress x\n"], CASE.options, CASE.config), {"stdout"}),
        (
            Case([*CASE.chunks, b"M 644 :x a\n"], CASE.options, CASE.config),
            {"status", "files", "objects", "packed", "marks", "report"},
        ),
    ],
    ids=["ref", "path", "no marks", "loose objects", "progress", "error"],
)
def test_what_differs_is_named(other, differing, comparer, world):
    _, one = comparer.run_both(world, CASE)
    _, two = comparer.run_both(world, other)
    assert set(one.differences(two)) == differing


@pytest.mark.parametrize("damaged", [False, True])
def test_a_damaged_pack_is_noticed(damaged, comparer, tmp_path):
    repository = tmp_path / "repository"
    git = [comparer.git, "-C", str(repository), *CASE.settings]
    subprocess.run([*git[:1], "init", "-q", "--bare", repository], check=True)
    subprocess.run([*git, "fast-import", "--quiet"], input=CASE.stream, check=True)
    if damaged:
        [pack] = repository.glob("objects/pack/*.pack")
        content = bytearray(pack.read_bytes())
        content[20] ^= 1
        pack.chmod(0o600)
        pack.write_bytes(content)
    audit = Audit(comparer.git, tmp_path / "audit")
    audit.take(World(repository), str(repository))
    assert bool(audit.complaints()) == damaged
