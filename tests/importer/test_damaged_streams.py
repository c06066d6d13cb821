"""Streams that were cut or changed anywhere: never a traceback, never a damaged repository."""

from pathlib import Path
from random import Random

import pytest

from tests.importer import streams
from tests.importer.target import ROOT, Target

SAMPLES = [path.read_bytes() for path in sorted((ROOT / "samples").glob("*.fe"))]
LARGE = streams.history(files=30, size=60_000, commits=30)


def damaged(seed: int) -> bytes:
    """A stream with something cut off, left out, doubled, overwritten, or put elsewhere."""
    rng = Random(seed)
    stream = rng.choice([*SAMPLES, LARGE])
    for _ in range(rng.choice((1, 1, 1, 3))):
        lines = stream.splitlines(keepends=True)
        one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        place, length = rng.randrange(len(stream)), rng.randrange(1, 30)
        match rng.randrange(6):
            case 0:
                stream = stream[:place]
            case 1:
                stream = stream[:place] + stream[place + length :]
            case 2:
                stream = stream[:place] + rng.randbytes(length) + stream[place + length :]
            case 3:
                stream = b"".join(lines[:one] + lines[one + 1 :])
            case 4:
                stream = b"".join([*lines[:one], lines[other], *lines[one:]])
            case 5:
                flipped = stream[place] ^ 1 << rng.randrange(8)
                stream = stream[:place] + bytes([flipped]) + stream[place + 1 :]
    return stream


@pytest.mark.parametrize("seed", range(30))
def test_damaged_stream(
    target: Target, capfd: pytest.CaptureFixture[str], tmp_path: Path, seed: int
) -> None:
    marks = tmp_path / "marks"
    status, _ = target.here(damaged(seed), f"--export-marks={marks}", workers=seed % 3)
    errors = capfd.readouterr().err
    assert status in (0, 1, 128)
    assert ("fatal: " in errors) == (status == 128)
    assert target.refs() == {} or status != 128 or b"checkpoint" in damaged(seed)
    assert target.files() == []
    target.git("fsck", "--connectivity-only")  # fails when anything is missing or damaged
    assert all(target.has(line.split()[1]) for line in marks.read_text().splitlines()[-3:])
