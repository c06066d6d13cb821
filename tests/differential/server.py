"""A process that has all of fastio loaded, and forks for each run.

A run in it differs from ``python -m fastio`` in two ways: nothing has to be imported or compiled
(regular expressions), and what git says of the repository and its configuration is not asked again
where it was asked before for the same world and settings. Everything else is what users run, in a
process of its own.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, Pipe
from typing import NoReturn

from fastio.cli import import_
from fastio.cli.main import main
from fastio.errors import FastioError
from fastio.importer import budget, encoder, importer, reading, source
from fastio.store.repository import Repository, Search
from fastio.stream.parser import StreamParser
from tests.differential.run import Redirection, wait

CRASHED = 77


@dataclass(slots=True)
class Run:
    """What is to be run.

    Attributes:
        stand: The directory to start in.
        redirections: Files to have open.
        config: Settings, as ``name=value``.
        words: The subcommand and what follows it.
        zone: TZ.
        world: A name for what the repository was copied from.
        seed: Decides how the input comes, how memory is cut, and the like.
    """

    stand: str
    redirections: list[Redirection]
    config: list[str]
    words: list[str]
    zone: str
    world: str
    seed: int


class Server:
    """The job's side: starts the process, asks it, ends it.

    Args:
        environment: Of all runs.
    """

    def __init__(self, environment: dict[str, str]) -> None:
        self._connection, theirs = Pipe()
        self._child = os.fork()
        if self._child == 0:
            self._connection.close()
            _serve(theirs, environment)
        theirs.close()

    def run(self, run: Run, *, here: bool = False) -> int:
        """Run something to its end and return its status.

        Args:
            run: What.
            here: Whether to run it in the server itself, so that later runs find loaded what this
                one needed.
        """
        self._connection.send((run, here))
        return int(self._connection.recv())

    def close(self) -> None:
        """End the process."""
        self._connection.close()
        os.waitpid(self._child, 0)


def _serve(connection: Connection, environment: dict[str, str]) -> NoReturn:
    """Do what is asked, until nobody is there to ask."""
    _read_by(1 << 16)
    os.environ.clear()
    os.environ.update(environment)
    repositories = _Repositories(environment)
    try:
        while True:
            run, here = connection.recv()
            os.chdir(run.stand)
            repository = repositories.find(run)
            if here:
                connection.send(_run(run, repository))
                gc.collect()
                gc.freeze()
                continue
            child = os.fork()
            if child == 0:
                _strain(run)
                os._exit(_run(run, repository))
            connection.send(wait(child))
    except (EOFError, ConnectionError):
        os._exit(0)


class _Repositories:
    """What git says of repositories, for each world and each configuration asked once."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._environment = environment
        self._found: dict[tuple[str, ...], Repository | None] = {}

    def find(self, run: Run) -> Repository | None:
        """Answer for the current directory; None where each run has to find out for itself."""
        key = run.world, *run.config
        if key not in self._found:
            numbered = {"GIT_CONFIG_COUNT": str(len(run.config))}
            for number, setting in enumerate(run.config):
                name, equals, value = setting.partition("=")
                numbered[f"GIT_CONFIG_KEY_{number}"] = name
                numbered[f"GIT_CONFIG_VALUE_{number}"] = value if equals else "true"
            try:
                self._found[key] = Search(environment=self._environment | numbered).result()
            except FastioError:
                self._found[key] = None
        return self._found[key]


class _Found:
    """A search that is over."""

    def __init__(self, repository: Repository) -> None:
        self.result: Callable[[], Repository] = lambda: repository


def _run(run: Run, repository: Repository | None) -> int:
    """Run the command line in this process."""
    for fd, path, flags in run.redirections:
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, fd)
        os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(fd, "w" if fd else "r", closefd=False) for fd in (0, 1, 2)
    )
    os.environ["TZ"] = run.zone
    time.tzset()
    assert hasattr(import_, "Search")
    import_.Search = Search if repository is None else lambda: _Found(repository)
    settings = [word for setting in run.config for word in ("-c", setting)]
    try:
        status = main([*settings, *run.words])
    except BaseException:  # noqa: BLE001 - it is what we look for
        traceback.print_exc()
        status = CRASHED
    sys.stdout.flush()
    sys.stderr.flush()
    for name in [name for name in os.environ if name.startswith("GIT_CONFIG_")]:
        if name.removeprefix("GIT_CONFIG_").startswith(("COUNT", "KEY", "VALUE")):
            del os.environ[name]
    return status


def _read_by(size: int) -> None:
    """Let the parser's buffer be small: zeroing the usual one is half of a small run's work."""
    reading.READ_SIZE = size
    importer.StreamParser = partial(StreamParser, capacity=size)


def _strain(run: Run) -> None:
    """Make reads short, memory scarce or workers busy now and then."""
    rng = random.Random(run.seed)
    size = os.path.getsize(run.redirections[0][1])
    _read_by(rng.choice((1 + size // 100, 100 + size // 100, 5000, 1 << 16)))
    if rng.random() < 0.3:
        read_into, piece = source.Source.read_into, rng.choice((1, 7, 64)) + size // 100
        source.Source.read_into = lambda self, buffer: read_into(self, buffer[:piece])
    if rng.random() < 0.3:
        make, hold = budget.Budget.__init__, rng.choice((0, 1, 50))

        def scarce(self: budget.Budget, memory: int | None) -> None:
            make(self, memory)
            self.hold, self.hold_count, self.bases = 20 * hold, hold, 3000 * hold
            self.trees, self.in_flight = 200 * hold, 2000

        budget.Budget.__init__ = scarce
    if rng.random() < 0.03:
        encoder.POOL_PAYS_TASKS = 0
        run.words.append("--workers=2")
