"""Run ours on a case: mostly in a process that has it loaded, now and then from scratch."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.differential.outcome import Outcome, read_outcome
from tests.differential.run import Case, Place
from tests.differential.server import Run, Server
from tests.differential.world import ENVIRONMENT, World

ROOT = Path(__file__).resolve().parents[2]
# One run of so many is a command of its own.
FROM_SCRATCH = 100


class Ours:
    """Runs ours in a place, with one git."""

    def __init__(self, git: str, place: Place) -> None:
        self._git, self._place = git, place
        path = f"{os.path.dirname(git)}:{ENVIRONMENT['PATH']}"
        self._environment = ENVIRONMENT | {"PATH": path}
        self._server = Server(self._environment)

    def warm_up(self, case: Case, world: World) -> None:
        """Let a case be run in the server itself, so that it has loaded what is needed."""
        self._place.prepare(case, world)
        self._server.run(self._describe(case, world, 0), here=True)

    def run(self, case: Case, world: World, seed: int) -> Outcome:
        """Run one case; *seed* decides how the input comes, how memory is cut, and the like."""
        place = self._place
        place.prepare(case, world)
        run = self._describe(case, world, seed)
        if seed % FROM_SCRATCH == 0:
            command = [sys.executable, "-m", "fastio", "-C", run.stand, *case.settings, *run.words]
            root = {"PYTHONPATH": str(ROOT), "TZ": case.zone}
            status = place.spawn(command, self._environment | root)
        else:
            status = self._server.run(run)
        return read_outcome(self._git, world, place.path, status, split=case.splits_packs)

    def close(self) -> None:
        """End the server."""
        self._server.close()

    def _describe(self, case: Case, world: World, seed: int) -> Run:
        place = self._place
        words = ["import", "--no-progress", "--workers=0", *case.options]
        where = place.stand(world), place.redirections()
        return Run(*where, case.config, words, case.zone, world.name, seed)
