"""Where a command runs under ``fastio exec`` and as it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shlex import quote

from tests.importer.target import COMMAND, Done, Target, environment


def write_program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


class Field:
    """A repository, programs of our own first on PATH, and a list of what was handed over."""

    def __init__(self, target: Target, directory: Path) -> None:
        self.target, self.programs, self._log = target, directory / "programs", directory / "log"
        self._python = self.program(
            "python", f'printf "%s\\n" "$*" >>{self._log}\nexec {quote(sys.executable)} "$@"\n'
        )

    def program(self, name: str, text: str) -> Path:
        return write_program(self.programs / name, f"#!/bin/sh\n{text}\n")

    def plain(self, *command: str, stream: bytes = b"", **keywords: object) -> Done:
        """Run a command as it is."""
        env = environment({"PATH": f"{self.programs}:{os.environ['PATH']}"})
        env.update(keywords.pop("env", {}))  # type: ignore[call-overload]
        return subprocess.run(
            list(command),
            **{"cwd": self.target.path, "check": False, "timeout": 60, **keywords},  # type: ignore[call-overload]
            env=env,
            input=stream,
            capture_output=True,
        )

    def exec(self, *command: str, **keywords: object) -> Done:
        """Run it under ``fastio exec``, with an interpreter that writes down how it is called."""
        words = ("env", f"FASTIO_PYTHON={self._python}", *command)
        return self.plain(*COMMAND, "exec", "--", *words, **keywords)  # type: ignore[arg-type]

    def handed_over(self) -> list[str]:
        """What was run in the place of git: the words of each call."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return [line.removeprefix("-P -m fastio ") for line in lines]

    def content(self) -> str:
        return self.target.git("show", "main:file")
