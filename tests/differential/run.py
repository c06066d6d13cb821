"""Set a case up in a directory of its own, and run a program on it."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.differential.outcome import Outcome, read_outcome
from tests.differential.world import ENVIRONMENT, World, remove

# Nothing here takes a second: what takes longer hangs.
TIME_LIMIT = 20
# Open for the program that is run, as a frontend's pipe would be.
REPLIES_FD = 9
# A descriptor, the file that it is to be, and how to open it.
Redirection = tuple[int, str, int]
_OUTPUTS = {1: "stdout", 2: "stderr", REPLIES_FD: "replies"}


@dataclass(slots=True)
class Case:
    """One run: the stream in chunks (lines and bodies), and what else there is.

    Attributes:
        chunks: The stream.
        options: Words of the command line.
        config: Settings, as ``name=value``.
        files: What lies beside the repository, by name.
        zone: The time zone, as in TZ.
        world: The name of the repository that it starts from.
    """

    chunks: list[bytes] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    config: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    zone: str = "XYZ-3:30"
    world: str = ""

    @property
    def stream(self) -> bytes:
        """All bytes of the stream."""
        return b"".join(self.chunks)

    @property
    def settings(self) -> list[str]:
        """The configuration as words of a command line."""
        return [word for setting in self.config for word in ("-c", setting)]

    @property
    def splits_packs(self) -> bool:
        """Whether packs may be cut by their size."""
        return any("packSizeLimit" in one for one in self.config) or (
            any("max-pack-size" in one for one in self.options) or b"max-pack-size" in self.stream
        )


class Place:
    """A directory in which cases are run, one after the other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.repository = str(path / "repository")

    def prepare(self, case: Case, world: World) -> None:
        """Copy the world and lay out the case's files."""
        remove(str(self.path))
        self.path.mkdir()
        world.copy(self.repository)
        for name, content in (("stream", case.stream), *case.files.items()):
            with open(self.path / name, "wb") as file:
                file.write(content)

    def stand(self, world: World) -> str:
        """The directory that the program is to start in."""
        return f"{self.repository}/{world.stand}"

    def redirections(self) -> list[Redirection]:
        """Which files the program is to have open."""
        flags, path = os.O_WRONLY | os.O_CREAT | os.O_APPEND, str(self.path)
        outputs = [(fd, f"{path}/{name}", flags) for fd, name in _OUTPUTS.items()]
        return [(0, f"{path}/stream", os.O_RDONLY), *outputs]

    def spawn(self, command: Sequence[str], environment: dict[str, str]) -> int:
        """Run a command to its end; returns its status."""
        actions = [(os.POSIX_SPAWN_OPEN, *where, 0o600) for where in self.redirections()]
        return wait(os.posix_spawn(command[0], command, environment, file_actions=actions))


def wait(child: int) -> int:
    """Wait for a child to end, or end it when it takes too long; returns its status."""
    pidfd = os.pidfd_open(child)
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    if not poll.poll(TIME_LIMIT * 1000):
        os.kill(child, signal.SIGALRM)
    os.close(pidfd)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def run_git(git: str, case: Case, world: World, place: Place) -> Outcome:
    """Run the real ``git fast-import``."""
    place.prepare(case, world)
    where = ("-C", place.stand(world))
    command = [git, *where, *case.settings, "fast-import", *case.options]
    status = place.spawn(command, ENVIRONMENT | {"TZ": case.zone})
    return read_outcome(git, world, place.path, status, split=case.splits_packs)
