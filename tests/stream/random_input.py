"""``python -m tests.stream.random_input``: whatever bytes come, the parser takes or refuses them.

It must never raise anything but StreamError, never go on without end, never need more memory with
time, and say the same however the input is cut; and a check must find what it refuses.
"""

from __future__ import annotations

import argparse
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from fastio.check.options import CheckOptions
from fastio.errors import StreamError
from fastio.stream import commands as c
from fastio.stream.parser import StreamParser
from tests.check.checking import check
from tests.differential.generate import StreamMaker
from tests.differential.mutate import mutate
from tests.differential.world import World
from tests.stream.feeding import available, with_runs

KIB, MIB = 1 << 10, 1 << 20
# A thousand times longer than any input needs.
TIME_LIMIT = 10
LONGEST_CHUNK = 10_000
MEMORY_LIMIT = 8 * MIB
TOKENS = (
    *(b"blob", b"commit", b"tag", b"reset", b"alias", b"checkpoint", b"progress", b"done"),
    *(b"feature", b"option", b"get-mark", b"cat-blob", b"ls", b"mark", b"original-oid", b"data"),
    *(b"author", b"committer", b"tagger", b"gpgsig", b"encoding", b"from", b"merge", b"to"),
    *(b"M", b"D", b"C", b"R", b"N", b"deleteall", b"inline", b"git", b"sha1", b"openpgp"),
    *(b"100644", b"644", b"755", b"120000", b"160000", b"40000", b"040000", b"refs/heads/x"),
    *(b":1", b":2", b":", b":18446744073709551615", b":99999999999999999999", b"0", b"1", b"3"),
    *(b"-1", b"4294967296", b"18446744073709551616", b"<<END", b"<<", b"END", b"A <a@b>", b"<>"),
    *(b"1234567890 +0000", b"0 -0730", b"now", b"+1400", b"Sat, 5 Mar 2011 17:04:05 -0800"),
    *(b'"', b'"a b"', b'"\\303\\244"', b'"\\', b"\\", b"a/b", b"..", b".git", b"", b"\0", b"\xff"),
    *(b"0" * 40, b"1" * 40, b"f" * 64, b"#", b"\r", b"\t", b"date-format=rfc2822", b"=", b"x"),
)
SEPARATORS = (b" ", b" ", b" ", b" ", b"\n", b"\n", b"\n", b"", b"  ", b"\n\n", b"\r\n", b"\t")
LETTERS = b'\n\n\n  :"\\#<>/MDCRN0123456789abdefilmnoprstu\0\xff'
DATE_FORMATS = ("raw", "raw", "raw", "raw", "raw-permissive", "rfc2822", "now")


class HangError(BaseException):
    """An input took too long."""


@dataclass(slots=True)
class Findings:
    """What came of many inputs."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    growth: int = 0
    peak: int = 0


class Inputs:
    """Makes inputs: of random bytes, words and lines, and streams that are damaged."""

    def __init__(self, rng: random.Random, pool_size: int) -> None:
        self._rng = rng
        oids = {kind: [b"%x" % n * 40] for n, kind in enumerate(("blob", "tree", "commit", "tag"))}
        world = World(Path(), refs=[b"refs/heads/old", b"refs/heads/other"], oids=oids)
        streams = (StreamMaker(rng, world, recent=True).make() for _ in range(pool_size))
        self._pool = [[x for x in one.chunks if len(x) < LONGEST_CHUNK] for one in streams]
        self._lines = [chunk for chunks in self._pool for chunk in chunks]

    def next(self) -> tuple[str, bytes]:
        """Return a kind and an input."""
        rng, kind = self._rng, self._rng.random()
        if kind < 0.1:
            return "bytes", rng.randbytes(rng.randint(0, 300))
        if kind < 0.2:
            return "letters", bytes(rng.choices(LETTERS, k=rng.randint(0, 300)))
        if kind < 0.3:
            return "lines", b"".join(rng.choices(self._lines, k=rng.randint(1, 12)))
        if kind < 0.5:
            pairs = zip(rng.choices(TOKENS, k=30), rng.choices(SEPARATORS, k=30), strict=True)
            words = [part for pair in pairs for part in pair]
            return "words", b"".join(words[: rng.randint(0, 60)])
        chunks = rng.choice(self._pool)
        start = rng.choice((0, 0, 0, rng.randrange(len(chunks) or 1)))
        part = chunks[start : start + rng.choice((10, 40))]
        return "damaged", b"".join(mutate(part, rng, rng.choice(self._pool)))


def pieces(data: bytes, rng: random.Random) -> Iterator[bytes]:
    """Cut an input."""
    at, size = 0, rng.choice((1, 3, 17, 100, 5000))
    while at < len(data):
        length = rng.randint(1, 2 * size)
        yield data[at : at + length]
        at += length


def parse(
    parser: StreamParser, parts: Iterable[bytes], rng: random.Random
) -> tuple[list[Any], StreamError | None]:
    """Feed a parser; returns what it said, in a form that outlives its buffer, and its error.

    Half of the time by the parser's fast paths, which must say the same.
    """
    said: list[Any] = []
    runs = rng.random() < 0.5
    error = None
    try:
        for part in (*parts, None):
            parser.feed_eof() if part is None else parser.feed(part)
            quick = (command for command, _ in with_runs(parser, rng.randint(1, 5)))
            for command in quick if runs else available(parser):
                if isinstance(command, c.Feature) and command.name == b"date-format":
                    name = (command.value or b"").decode("latin-1")
                    parser.date_format = name if name in DATE_FORMATS else "raw"
                _keep(command, said)
    except StreamError as refusal:
        error = refusal
        assert 0 <= error.offset <= parser.bytes_read
    assert len(parser.recent_lines) <= 100
    assert 0 <= parser.offset <= parser.bytes_read
    return said, error


def _keep(command: Any, said: list[Any]) -> None:
    """Add a command, and behind it its data, whether it came in pieces or not."""
    if isinstance(command, c.DataPiece):
        said[-1] += command.data
        return
    data = getattr(command, "data", None)
    if data is None:
        said.append(command)
        return
    fields = [getattr(command, name) for name in command.__slots__]
    said.append([type(command), *(None if isinstance(one, bytes) else one for one in fields[:-1])])
    said.append(bytearray(b"" if isinstance(data, c.LargeData) else data))


def run(count: int, seed: int = 0, *, pool_size: int = 300, seconds: float = 1e9) -> Findings:
    """Give the parser many inputs.

    Args:
        count: How many.
        seed: Decides which.
        pool_size: How many streams there are to be damaged.
        seconds: Stop after that long.
    """
    rng, findings = random.Random(seed), Findings()
    inputs = Inputs(rng, pool_size)
    before = signal.signal(signal.SIGALRM, _hang)
    end = time.monotonic() + seconds
    settled = 0
    try:
        for number in range(count):
            kind, data = inputs.next()
            _try(kind, data, rng, findings)
            if number == count // 5:
                settled = _resident()
            if time.monotonic() > end:
                break
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    findings.growth = _resident() - settled
    findings.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * KIB
    if findings.growth > MEMORY_LIMIT:
        findings.wrong.append(f"memory has grown by {findings.growth} bytes")
    return findings


def _try(kind: str, data: bytes, rng: random.Random, findings: Findings) -> None:
    """Let one input be parsed, whole and cut."""
    settings: dict[str, Any] = {
        "max_line": 5000,
        "max_data": 20_000,
        "piece_size": rng.choice((7, 100, 10_000)),
        "capacity": rng.choice((1, 50, 4096)),
        "require_done": rng.random() < 0.1,
        "date_format": rng.choice(DATE_FORMATS),
    }
    signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT)
    try:
        said, error = parse(StreamParser(**settings), pieces(data, rng), rng)
        if rng.random() < 0.2:
            whole, same = parse(StreamParser(**settings | {"capacity": len(data) + 1}), [data], rng)
            if (whole, same and same.args) != (said, error and error.args):
                findings.wrong.append(f"cuts matter: {data!r} {settings}")
        if rng.random() < 0.05:
            _check(data, error, settings)
    except (Exception, HangError) as failure:  # noqa: BLE001 - they are what is looked for
        findings.wrong.append(f"{failure!r}: {data!r} {settings}")
        return
    findings.counts[f"{kind}: {'taken' if error is None else 'refused'}"] += 1
    findings.counts["commands"] += len(said)


def _check(data: bytes, error: StreamError | None, settings: dict[str, Any]) -> None:
    """Let ``fastio check`` read an input: what the parser has refused must be an error there."""
    told = None if b"feature date-format=" in data else settings["date_format"]
    options = CheckOptions(date_format=told, done=settings["require_done"])
    checker = check(data, piece=1 + len(data) // 3, options=options)
    limited = error is not None and "longer than" in error.reason
    assert error is None or limited or checker.findings.count(), "a check finds nothing wrong"


def _hang(_number: int, _frame: FrameType | None) -> None:
    raise HangError


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after that long")
    arguments = parser.parse_args()
    start = time.monotonic()
    findings = run(arguments.count, arguments.seed, seconds=arguments.seconds)
    for text in findings.wrong:
        sys.stdout.write(text + "\n")
    for what, number in sorted(findings.counts.items()):
        sys.stdout.write(f"{number:10} {what}\n")
    sys.stdout.write(
        f"{time.monotonic() - start:.0f} seconds, memory grew by {findings.growth // KIB} KiB"
        f" to {findings.peak // MIB} MiB at most, {len(findings.wrong)} findings\n"
    )
    return 1 if findings.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
