import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAVY = {
    *("asyncio", "dataclasses", "inspect", "logging", "multiprocessing", "pathlib", "subprocess"),
    *("tempfile", "lz4", "msgpack", "tqdm", "workers.pool", "zlib_ng"),
}
SCRIPT = """
import sys
before = set(sys.modules)
import fastio.cli.import_, fastio.importer.importer
print(*(set(sys.modules) - before))
"""


def test_a_start_imports_nothing_heavy():
    listed = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not HEAVY & set(listed.stdout.split())
