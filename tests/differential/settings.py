"""What may stand around a stream: words of the command line, settings, marks files, features.

``{up}`` stands for the way to the directory in which a case lies.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.differential.run import REPLIES_FD, Case
from tests.differential.world import World

OPTIONS = {
    "--force": 0.1,
    "--done": 0.05,
    "--date-format=raw-permissive": 0.02,
    "--date-format=now": 0.01,
    "--date-format=rfc2822": 0.03,
    "--depth=0": 0.05,
    "--depth=1": 0.1,
    "--depth=0x10": 0.01,
    "--active-branches=0": 0.01,
    "--active-branches=1": 0.05,
    "--big-file-threshold=20": 0.1,
    "--big-file-threshold=0": 0.01,
    "--big-file-threshold=1K": 0.02,
    "--max-pack-size=1": 0.01,
    "--max-pack-size=9000": 0.01,
    f"--cat-blob-fd={REPLIES_FD}": 0.1,
    "--export-pack-edges={up}edges": 0.05,
    "--relative-marks": 0.01,
    "--no-relative-marks": 0.01,
    "--stats": 0.01,
}
ODD_OPTIONS = {
    "--nonsense": 0.01,
    "--depth=x": 0.01,
    "--depth=8192": 0.01,
    "--depth=": 0.01,
    "--depth": 0.01,
    "--force=1": 0.01,
    "--date-format=RAW": 0.01,
    "--active-branches=-5": 0.01,
    "--big-file-threshold=1q": 0.01,
    "--max-pack-size=": 0.01,
    "--cat-blob-fd=-1": 0.01,
    "--cat-blob-fd=77": 0.02,
    "--cat-blob-fd=x": 0.01,
    "--import-marks={up}nowhere": 0.02,
    "--export-marks={up}no/where/out": 0.02,
    "--export-marks=": 0.01,
    "--export-pack-edges={up}no/where": 0.02,
    "--rewrite-submodules-from=sub:{up}from": 0.02,
    "--rewrite-submodules-from=nocolon": 0.01,
    "--rewrite-submodules-to=sub:{up}nowhere": 0.02,
    "-x": 0.01,
}
# For versions of git that know them.
SIGNATURE_OPTIONS = {
    "--signed-commits=strip": 0.02,
    "--signed-commits=warn-strip": 0.02,
    "--signed-commits=warn": 0.02,
    "--signed-commits=verbatim": 0.01,
    "--signed-commits=strip-if-invalid": 0.01,
    "--signed-tags=strip-if-invalid": 0.01,
    "--signed-tags=strip": 0.03,
    "--signed-tags=warn-strip": 0.03,
    "--signed-tags=warn-verbatim": 0.02,
    "--signed-tags=ignore": 0.01,
}
ODD_SIGNATURE_OPTIONS = {
    "--signed-commits=abort": 0.03,
    "--signed-tags=abort": 0.05,
    "--signed-commits=abort-if-invalid": 0.01,
    "--signed-tags=abort-if-invalid": 0.01,
    "--signed-commits=sign-if-invalid": 0.01,
    "--signed-tags=sign-if-invalid=nobody": 0.01,
    "--signed-tags=x": 0.01,
    "--signed-commits=": 0.01,
}
HEADERS = (
    *(b"feature ls\n", b"feature cat-blob\n", b"feature notes\n", b"feature done\n"),
    *(b"feature force\n", b"option git quiet\n", b"option git depth=5\n", b"option x y\n"),
    *(b"feature date-format=raw\n", b"feature date-format=rfc2822\n", b"feature get-mark\n"),
    *(b"feature date-format=raw-permissive\n", b"option git active-branches=2\n"),
    *(b"feature alias\n", b"feature relative-marks\n", b"feature no-relative-marks\n"),
    *(b"option git stats\n", b"option git max-pack-size=1m\n", b"option git depth=010\n"),
    *(b"option git big-file-threshold=20\n", b"option git allow-unsafe-features\n"),
    *(b"feature export-marks={up}out\n", b"feature import-marks-if-exists={up}in\n"),
    *(b"option git export-pack-edges={up}edges\n",),
    *(b"feature date-format=rfc2822\n", b"feature export-marks=rel/out\n"),
)
ODD_HEADERS = (
    *(b"feature x\n", b"feature done=1\n", b"option git x\n", b"option git depth=-1\n", b"\n"),
    *(b"option git force\n", b"feature quiet\n", b"feature date-format=x\n", b"option git\n"),
    *(b"feature export-marks=nowhere/m\n", b"feature import-marks=nowhere\n", b"option quiet\n"),
    *(b"feature import-marks-if-exists=nowhere\n", b"option git depth=8192\n", b"# comment\n"),
    *(b"option git big-file-threshold=1q\n", b"feature \n", b"feature date-format=now\n"),
    *(b"feature signed-tags=strip\n", b"feature cat-blob-fd=3\n", b"feature DONE\n"),
    *(b"option git \n", b"feature import-marks={up}in\n"),
    *(b"option git --quiet\n", b"option git signed-tags\n", b"feature force=\n", b"feature ls=\n"),
    *(b"feature rewrite-submodules-from=sub:{up}from\n", b"option git export-pack-edges=\n"),
)
SETTINGS = (
    *("core.protectNTFS=false", "core.quotePath=false", "core.protectHFS=true"),
    *("pack.packSizeLimit=500", "pack.packSizeLimit=3000", "pack.indexVersion=1"),
    *("pack.depth=3", "core.compression=9", "core.looseCompression=0", "pack.compression=0"),
    *("core.bigFileThreshold=30", "transfer.unpackLimit=3", "core.logAllRefUpdates=always"),
)
ODD_SETTINGS = (
    *("pack.indexVersion=3", "core.compression=10", "pack.depth=x", "fastimport.unpackLimit=x"),
    *("core.protectNTFS=maybe", "pack.packSizeLimit=-1", "pack.depth"),
)
ZONES = ("XYZ-3:30", "UTC0", "EST5EDT,M3.2.0,M11.1.0", "CET-1CEST,M3.5.0,M10.5.0/3")
ODD_MARK_LINES = (
    *(b":5\n", b"x\n", b":0 " + b"1" * 40 + b"\n", b":5 " + b"e" * 40 + b"\n", b"\n", b"# x\n"),
    *(b":5  " + b"1" * 40 + b"\n", b":5 " + b"1" * 39 + b"\n", b": " + b"1" * 40 + b"\n"),
)


@dataclass(slots=True)
class Surroundings:
    """Fills in everything of a case but its stream, and the features at the stream's start.

    Attributes:
        marks: Marks that an imported file declares, by type; the maker goes on from there.
        rewritten: Oids that a rewritten submodule's old commits have.
    """

    rng: random.Random
    world: World
    case: Case
    chance: Callable[[float], bool]
    odd: Callable[[float], bool]
    marks: dict[str, list[int]]
    rewritten: list[bytes]
    recent: bool

    def choose(self) -> None:
        """Choose all of it."""
        case, rng = self.case, self.rng
        case.options.append("--quiet" if self.chance(0.97) else "--stats")
        self._choose(OPTIONS, self.chance)
        self._choose(ODD_OPTIONS, self.odd)
        if self.recent:
            self._choose(SIGNATURE_OPTIONS, self.chance)
            self._choose(ODD_SIGNATURE_OPTIONS, self.odd)
        case.zone = rng.choice(ZONES)
        if self.chance(0.95):
            case.config.append("fastimport.unpackLimit=" + rng.choice("00000000011259"))
        case.config += [setting for setting in SETTINGS if self.chance(0.03)]
        case.config += [setting for setting in ODD_SETTINGS if self.odd(0.01)]
        self._marks()
        if self.chance(0.03):
            self._submodules()
        unsafe = [b"marks" in chunk for chunk in self._header()]
        if self.chance(0.9 if any(unsafe) else 0.1):
            case.options.insert(rng.randint(0, 1), "--allow-unsafe-features")
        case.options = [word.replace("{up}", self.world.up) for word in case.options]

    def _choose(self, table: dict[str, float], chance: Callable[[float], bool]) -> None:
        self.case.options += [option for option, share in table.items() if chance(share)]

    def _marks(self) -> None:
        case, rng = self.case, self.rng
        if self.world.oids and self.chance(0.2):
            case.files["in"] = self._marks_file()
            case.options.append(
                rng.choice(("--import-marks={up}in", "--import-marks-if-exists={up}in"))
            )
            if self.chance(0.1):
                case.files["in2"] = self._marks_file()
                case.options.append("--import-marks={up}in2")
        elif self.chance(0.03):
            case.options.append("--import-marks-if-exists={up}nowhere")
        if self.chance(0.9):
            case.options.append("--export-marks={up}out")
        elif self.chance(0.2):
            case.options.append("--export-marks=rel/out")
        if self.odd(0.05):
            case.files["out"] = b"old\n"
        if self.odd(0.02):
            case.files["out.lock"] = b""

    def _marks_file(self) -> bytes:
        lines = []
        kinds = sorted(self.world.oids)
        for kind in self.rng.sample(kinds, self.rng.randint(1, len(kinds))):
            number = self.rng.randint(61, 99)
            lines.append(b":%d %b\n" % (number, self.rng.choice(self.world.oids[kind])))
            for known in self.marks.values():
                if number in known:
                    known.remove(number)
            self.marks[kind].append(number)
        if self.odd(0.1):
            lines.append(self.rng.choice(ODD_MARK_LINES))
        return b"".join(lines)[: -1 if self.odd(0.03) else None]

    def _submodules(self) -> None:
        """Let oids of a submodule be replaced by others, of either object format."""
        rng, digits = self.rng, self.world.digits
        old = [b"%x" % rng.randint(1, 15) * rng.choice((40, 40, 64)) for _ in range(3)]
        new = [b"%x" % rng.randint(1, 15) * digits for _ in range(3)]
        kinds = self.world.oids.get("blob", []) + self.world.oids.get("commit", [])
        if kinds:
            new[0] = rng.choice(kinds)
        self.case.files["from"] = b"".join(b":%d %b\n" % pair for pair in enumerate(old, 1))
        self.case.files["to"] = b"".join(b":%d %b\n" % pair for pair in enumerate(new, 1))
        words = ["rewrite-submodules-from=sub:{up}from", "rewrite-submodules-to=sub:{up}to"]
        if self.chance(0.8):
            self.case.options += ["--" + word for word in words]
        else:
            self.case.chunks += [b"feature %b\n" % self._fill(word.encode()) for word in words]
        self.rewritten += old

    def _header(self) -> list[bytes]:
        while self.chance(0.25):
            header = self.rng.choice(HEADERS if not self.odd(0.3) else ODD_HEADERS)
            self.case.chunks.append(self._fill(header))
        return self.case.chunks

    def _fill(self, text: bytes) -> bytes:
        return text.replace(b"{up}", self.world.up.encode())
