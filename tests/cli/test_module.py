import subprocess
import sys

import fastio


def test_package_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "fastio", "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said == f"fastio {fastio.__version__}\n"
