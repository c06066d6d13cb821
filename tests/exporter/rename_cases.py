"""Trees between which files were renamed, copied and rewritten, and what git says of them."""

import os
import random
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

from fastio.exporter.changes import ChangeTable, changes_of
from fastio.exporter.diff_options import DiffOptions, take
from fastio.exporter.renames import finish_changes
from fastio.exporter.similarity import Side, Similarity
from fastio.objects.kinds import BLOB, SHA1, Oid
from fastio.store.object_reader import ObjectReader
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository
from tests.store.work import Work

Files = dict[bytes, tuple[int, bytes]]  # mode and content, of a submodule its oid in hex
Told = list[tuple[str, bytes, bytes]]  # status, old path, new path
REGULAR, EXECUTABLE, LINK, SUBMODULE = 0o100644, 0o100755, 0o120000, 0o160000
NAMES = (b"a", b"b", b"c", b"readme", b"x.c", b"y.c")
CHANGES = ("put", "move", "move", "move", "copy", "edit", "drop", "rewrite", "swap")
LINE = re.compile(rb"[^\n]*\n|[^\n]+")
DIRECTORIES = (b"", b"", b"d/", b"e/", b"d/f/", b"d.x/", b"lib/")


@dataclass
class Case:
    """Two trees, and the second one's commit once there is a repository."""

    old: Files
    new: Files
    commit: bytes = b""


def counts_last_line() -> bool:
    """Tell whether this git counts what is behind the last LF; those before 2.44 do not."""
    done = subprocess.run(["git", "version"], stdout=subprocess.PIPE, check=True)
    return tuple(map(int, done.stdout.split()[2].split(b".")[:2])) >= (2, 44)


class CaseMaker:
    """Makes random cases; those of one seed are always the same."""

    def __init__(self, seed: int, *, cut_lines: bool) -> None:
        self._rng, self._cut_lines = random.Random(seed), cut_lines
        # Few lines, so that files have some in common by chance.
        self._lines = [self._line() for _ in range(60)]

    def make(self) -> Case:
        rng = self._rng
        old: Files = {}
        for _ in range(rng.choice((1, 3, 6, 12, 25))):
            self._put(old, rng.choice(list(old.values())) if old and rng.random() < 0.2 else None)
        new = dict(old)
        for _ in range(rng.choice((1, 2, 4, 8, 16))):
            self._change(old, new)
        return Case(old, new)

    def _line(self) -> bytes:
        rng = self._rng
        end = rng.choice((b"\n",) * 6 + (b"\r\n", b"\r\n", b"\0\n", b"\r\r\n"))
        size = rng.choice((0, 1, 8, 20, 40, 62, 63, 64, 65, 150))
        return bytes(rng.choice(b"ab \xff") for _ in range(size)) + end

    def _content(self) -> bytes:
        rng = self._rng
        lines = rng.choices(self._lines, k=rng.choice((0, 1, 3, 10, 20, 40)))
        return b"".join(lines) + (rng.choice((b"", b"end")) if self._cut_lines else b"")

    def _entry(self) -> tuple[int, bytes]:
        mode = self._rng.choice((REGULAR,) * 8 + (EXECUTABLE, LINK, SUBMODULE))
        if mode == SUBMODULE:
            return mode, b"%040x" % self._rng.randrange(1, 3)
        return mode, (self._content() or b"x\n") if mode == LINK else self._content()

    def _path(self) -> bytes:
        return self._rng.choice(DIRECTORIES) + self._rng.choice(NAMES)

    def _put(self, files: Files, entry: tuple[int, bytes] | None = None) -> None:
        """Put a file somewhere, unless its path is a directory's or goes through a file."""
        path = self._path()
        if path not in files and not any(
            other.startswith(path + b"/") or path.startswith(other + b"/") for other in files
        ):
            files[path] = entry or self._entry()

    def _change(self, old: Files, new: Files) -> None:
        rng = self._rng
        if not new:
            self._put(new)
            return
        path = rng.choice(sorted(new))
        match rng.choice(
            ("put", "move", "move", "move", "copy", "edit", "drop", "rewrite", "swap")
        ):
            case "put":
                self._put(new)
            case "move":
                self._put(new, self._edited(new.pop(path)))
            case "copy":
                self._put(new, self._edited(rng.choice([*old.values(), new[path]])))
            case "edit":
                new[path] = self._edited(new[path])
            case "drop":
                del new[path]
            case "rewrite":
                new[path] = self._entry()
            case "swap":
                other = rng.choice(sorted(new))
                new[path], new[other] = self._edited(new[other]), self._edited(new[path])

    def _edited(self, entry: tuple[int, bytes]) -> tuple[int, bytes]:
        """Change some lines, or the mode, or nothing."""
        rng = self._rng
        mode, content = entry
        if mode == SUBMODULE or rng.random() < 0.3:
            return entry
        if mode != LINK and rng.random() < 0.1:
            return rng.choice((REGULAR, EXECUTABLE, LINK)), content or b"x\n"
        lines = LINE.findall(content)
        for _ in range(rng.choice((1, 2, 5, 10, 20))):
            at = rng.randrange(len(lines) + 1)
            lines[at : at + rng.randrange(3)] = rng.choices(self._lines, k=rng.randrange(3))
        return mode, b"".join(lines) or b"x\n"


def write_cases(work: Work, cases: list[Case]) -> None:
    """Write the trees of all cases to a repository, as commits without refs."""
    stream = bytearray()
    for number, case in enumerate(cases):
        for mark, files in ((2 * number + 1, case.old), (2 * number + 2, case.new)):
            stream += b"commit refs/heads/main\nmark :%d\ncommitter c <c> 1 +0000\ndata 0\n" % mark
            stream += b"from :%d\n" % (mark - 1) if mark > 1 else b""
            stream += b"deleteall\n"
            for path, (mode, content) in files.items():
                if mode == SUBMODULE:
                    stream += b"M %o %b %b\n" % (mode, content, path)
                else:
                    stream += b"M %o inline %b\ndata %d\n%b\n" % (mode, path, len(content), content)
    work("fast-import", "--quiet", "--export-marks=marks", text=bytes(stream))
    marks = dict(line.split() for line in (work.path / "marks").read_bytes().splitlines())
    for number, case in enumerate(cases):
        case.commit = marks[b":%d" % (2 * number + 2)]


def ask_git(work: Work, cases: list[Case], *options: str) -> list[Told]:
    """What git tells of each case, with the percentage behind R and C."""
    asked = b"".join(case.commit + b"\n" for case in cases)
    command = ["git", "diff-tree", "--stdin", "-r", "--raw", "-z", "--always", *options]
    said = subprocess.run(command, cwd=work.path, input=asked, stdout=subprocess.PIPE, check=True)
    answers: list[Told] = []
    fields = iter(said.stdout.split(b"\0")[:-1])
    for field in fields:
        if not field.startswith(b":"):
            answers.append([])
            continue
        status, path = field.split()[4].decode(), next(fields)
        if status[0] in "RC":
            answers[-1].append((status, path, next(fields)))
        else:
            answers[-1].append((status[0], path, path))
    return answers


def without_scores(told: Told) -> Told:
    return [(status[0], old, new) for status, old, new in told]


def similarity_in(
    work: Work, *, memory: int = 1 << 20, is_text: Callable[[bytes], bool | None] | None = None
) -> Similarity:
    store = ObjectStore(Repository.discover(os.fsdecode(work.path)))
    return Similarity(ObjectReader(store, memory=1 << 20), memory=memory, is_text=is_text)


def tell(case: Case, options: DiffOptions, similarity: Similarity) -> Told:
    """What we tell of a case."""
    table = table_of(case, harder=options.harder)
    finish_changes(table, options, similarity)
    return [(change.status, change.source, change.path) for change in changes_of(table)]


def side(files: Files, path: bytes) -> Side:
    return Side(0, path, Oid(_oid(files[path]) or b""), files[path][0])


def table_of(case: Case, *, harder: bool) -> ChangeTable:
    table = ChangeTable(20)
    for path in sorted(case.old | case.new):
        old, new = case.old.get(path, (0, b"")), case.new.get(path, (0, b""))
        if old != new or harder:
            table.add(_status(old, new), path, old[0], _oid(old), new[0], _oid(new))
    return table


def _status(old: tuple[int, bytes], new: tuple[int, bytes]) -> str:
    if not old[0]:
        return "A"
    if not new[0]:
        return "D"
    if old == new:
        return "U"
    return "M" if old[0] & 0o170000 == new[0] & 0o170000 else "T"


def _oid(entry: tuple[int, bytes]) -> bytes | None:
    mode, content = entry
    if mode == SUBMODULE:
        return bytes.fromhex(content.decode())
    return SHA1.hash_object(BLOB, content) if mode else None


def taken(words: list[str]) -> tuple[DiffOptions, list[str]]:
    """Take all options of diffs; return the words between them as well."""
    options, left = DiffOptions(), []
    while words:
        used = take(options, words)
        left += [] if used else words[:1]
        words = words[used or 1 :]
    options.settle()
    return options, left
