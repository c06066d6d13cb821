import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = {
    *("asyncio", "dataclasses", "inspect", "logging", "multiprocessing", "pathlib", "subprocess"),
    *("tempfile", "lz4", "msgpack", "tqdm", "workers.pool", "zlib_ng"),
}
SCRIPT = """
import sys
before = set(sys.modules)
import fastio.cli.{0}, fastio.{1}
print(*(set(sys.modules) - before))
"""


@pytest.mark.parametrize(
    "modules", [("import_", "importer.importer"), ("export", "exporter.exporter")]
)
def test_a_start_imports_nothing_heavy(modules):
    listed = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(*modules)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not HEAVY & set(listed.stdout.split())
