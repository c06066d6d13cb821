"""Random histories: a seed stands for the same repository every time.

What may be odd in one is drawn first (``Traits``), since an export ends at the first thing that it
refuses: a history with all oddities would be left after its first commit.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.exporter import odd
from tests.exporter.database import Database
from tests.exporter.file_changes import FileChanger, Files

# What a history can have more of, and how often it has.
TRAITS = {
    "odd_paths": 0.4, "odd_messages": 0.3, "nul": 0.05, "odd_idents": 0.1, "encodings": 0.2,
    "signatures": 0.2, "headers": 0.2, "skewed": 0.3, "equal_dates": 0.3, "odd_refs": 0.3,
    "nested_tags": 0.25, "odd_tags": 0.15, "signed_tags": 0.2, "ref_to_blob": 0.1, "replace": 0.08,
    "grafts": 0.04, "shallow": 0.06, "detached": 0.15, "symbolic": 0.2, "clashes": 0.6,
    "submodules": 0.4, "odd_modes": 0.1, "renames": 0.7, "broken": 0.02, "many_merges": 0.4,
}  # fmt: skip
# Those that lose something in a stream, or that importers refuse.
LOSSY = ("nul", "odd_idents", "headers", "odd_tags", "nested_tags", "ref_to_blob", "replace",
         "grafts", "shallow", "odd_modes", "broken", "detached", "odd_refs")  # fmt: skip


@dataclass(slots=True)
class History:
    """What a repository is to hold.

    Attributes:
        refs: An oid for each name; for a symbolic ref ``ref: `` and a name.
        commits: In the order in which they were made.
        grafts: Lines of ``info/grafts``.
        shallow: Commits whose parents are cut.
    """

    database: Database
    refs: dict[bytes, bytes] = field(default_factory=dict)
    head: bytes = b"ref: refs/heads/main"
    commits: list[bytes] = field(default_factory=list)
    tags: list[bytes] = field(default_factory=list)
    paths: set[bytes] = field(default_factory=set)
    grafts: list[bytes] = field(default_factory=list)
    shallow: list[bytes] = field(default_factory=list)


class HistoryMaker:
    """Makes one history.

    Args:
        rng: Decides everything.
        faithful: Make only what survives an export and an import.
        algorithm: Of the oids.
        most: How many commits at most.
    """

    def __init__(
        self, rng: random.Random, *, faithful: bool = False, algorithm: str = "sha1", most: int = 25
    ) -> None:
        self.rng, self.faithful, self.most = rng, faithful, most
        self.traits = {name for name, rate in TRAITS.items() if rng.random() < rate}
        if faithful:
            self.traits -= set(LOSSY)
        self.database = Database(algorithm)
        self.history = History(self.database)
        self._files: dict[bytes, Files] = {}
        self._date = 1_100_000_000
        self._changer = FileChanger(rng, self.traits, self.database, self.history.paths)

    def make(self) -> History:
        """Make it."""
        rng = self.rng
        for _ in range(rng.randint(1, self.most)):
            self._commit()
        for _ in range(rng.randint(1, 5)):
            self._ref(
                b"refs/heads/" + rng.choice(odd.BRANCHES), rng.choice(self.history.commits[-6:])
            )
        for _ in range(rng.choice((0, 0, 1, 2, 4))):
            self._tag()
        self._other_refs()
        return self.history

    def _may(self, trait: str, rate: float) -> bool:
        return trait in self.traits and self.rng.random() < rate

    # --- commits --------------------------------------------------------------------------------

    def _commit(self) -> None:
        rng, commits = self.rng, self.history.commits
        rate = 3 if "many_merges" in self.traits else 1
        count = rng.choices((0, 1, 2, 3, 5), (1, 12, rate, rate / 4, rate / 8))[0] if commits else 0
        parents = [
            rng.choice(commits[-5:] if rng.random() < 0.8 else commits) for _ in range(count)
        ]
        if not self._may("odd_messages", 0.02):  # rarely, the same parent twice
            parents = list(dict.fromkeys(parents))
        files = dict(self._files[parents[0]]) if parents else {}
        for parent in parents[1:]:
            for path, entry in sorted(self._files[parent].items()):
                if rng.random() < 0.5:
                    self._changer.put(files, path, entry)
        for _ in range(rng.choice((0, 1, 1, 2, 3, 5))):
            self._changer.change(files)
        if rng.random() < 0.02:
            files.clear()
        oid = self.database.add("commit", self._commit_body(self.database.files(files), parents))
        self._files[oid] = files
        if oid not in commits:
            commits.append(oid)

    def _commit_body(self, tree: bytes, parents: list[bytes]) -> bytes:
        rng = self.rng
        lines = [b"tree " + tree, *(b"parent " + parent for parent in parents)]
        if self._may("headers", 0.1):
            lines.append(rng.choice(odd.EXTRA_HEADERS))
        lines += [b"author " + self._ident(), b"committer " + self._ident(move=True)]
        if self._may("broken", 0.2):
            del lines[rng.randrange(len(lines) - 2, len(lines))]
        body = b"\n".join([*lines, *self._extra_headers()]) + b"\n\n"
        if self._may("odd_messages", 0.03) and not self.faithful:
            return body[:-1]
        return body + self._message()

    def _extra_headers(self) -> list[bytes]:
        rng = self.rng
        extras = []
        if self._may("encodings", 0.3):
            extras.append(b"encoding " + rng.choice(odd.ENCODINGS))
        if self._may("signatures", 0.4):
            names = rng.choice((b"gpgsig", b"gpgsig", b"gpgsig-sha256", b"gpgsig gpgsig-sha256"))
            extras += map(self._signature, names.split(b" "))
        if self._may("headers", 0.4):
            extras += rng.choices(odd.EXTRA_HEADERS, k=rng.randint(1, 2))
        if not self.faithful:  # git's own order is the above
            rng.shuffle(extras)
        return extras

    def _signature(self, name: bytes) -> bytes:
        return name + b" " + self.rng.choice(odd.SIGNATURES).replace(b"\n", b"\n ")

    def _ident(self, *, move: bool = False) -> bytes:
        rng = self.rng
        if self._may("odd_idents", 0.15):
            return rng.choice(odd.ODD_IDENTS)
        if move:
            self._date += (
                0 if "equal_dates" in self.traits and rng.random() < 0.7 else rng.randint(1, 9)
            )
        date = self._date
        if self._may("skewed", 0.3):
            date += rng.choice((-1000, -50, -5, 50, 1000))
        name = rng.choice(odd.NAMES)
        return b"%b <%b> %d %b" % (
            name + b" " * bool(name),
            rng.choice(odd.MAILS),
            date,
            rng.choice(odd.ZONES),
        )

    def _message(self) -> bytes:
        rng = self.rng
        if self._may("nul", 0.3):
            return rng.choice(odd.NUL_MESSAGES)
        if self._may("odd_messages", 0.4):
            return rng.choice(odd.ODD_MESSAGES)
        return rng.choice(odd.MESSAGES) if rng.random() < 0.3 else b"%d\n" % rng.randrange(10**6)

    # --- tags and refs --------------------------------------------------------------------------

    def _tag(self) -> None:
        rng, history = self.rng, self.history
        target = rng.choice(history.commits[-8:])
        if "nested_tags" in self.traits:
            if history.tags and rng.random() < 0.5:
                target = rng.choice(history.tags)
            elif rng.random() < 0.3:
                target = rng.choice(sorted(self.database.objects))
        name = rng.choice(odd.TAGS)
        oid = self.database.add("tag", self._tag_body(target, name))
        history.tags.append(oid)
        place = b"refs/tags/"
        if self._may("odd_tags", 0.4):
            name, place = rng.choice(odd.TAGS), rng.choice((place, b"refs/heads/", b"refs/other/"))
        self._ref(place + name, oid)

    def _tag_body(self, target: bytes, name: bytes) -> bytes:
        rng = self.rng
        kind = self.database.objects[target][0].encode()
        if self._may("broken", 0.2):
            kind = rng.choice((b"blob", b"tree", b"commit", b"tag"))
        lines = [b"object " + target, b"type " + kind, b"tag " + name]
        if not self._may("odd_tags", 0.3):
            lines.append(b"tagger " + self._ident())
        if self._may("odd_tags", 0.2):
            lines.append(rng.choice(odd.EXTRA_HEADERS))
        if self._may("odd_tags", 0.1):
            return b"\n".join(lines) + b"\n"
        # Of a tag's message an importer that does not get one LF at its end makes another.
        message = self._message()
        if self._may("signed_tags", 0.5):
            message += rng.choice((b"", b"\n")) * (not message.endswith(b"\n"))
            message += rng.choice(odd.SIGNATURES) + b"\n"
        return b"\n".join(lines) + b"\n\n" + message

    def _ref(self, name: bytes, value: bytes) -> None:
        """Set a ref, unless it is a directory of others, or below another."""
        taken = self.history.refs
        if any(one.startswith(name + b"/") or name.startswith(one + b"/") for one in taken):
            return
        taken[name] = value

    def _other_refs(self) -> None:
        rng, history = self.rng, self.history
        commits = history.commits
        if "odd_refs" in self.traits:
            for _ in range(rng.randint(1, 4)):
                self._ref(rng.choice(odd.ODD_REFS), rng.choice(commits))
        for _ in range(rng.choice((0, 0, 1, 2))):
            self._ref(b"refs/tags/" + rng.choice(odd.TAGS), rng.choice(commits))
        if "ref_to_blob" in self.traits:
            others = [oid for oid, (kind, _) in self.database.objects.items() if kind != "commit"]
            self._ref(b"refs/tags/thing", rng.choice(sorted(others)))
        if "symbolic" in self.traits:
            # One of a tag would be exported as another tag of the same name.
            start = b"refs/heads/" if self.faithful else b"refs/"
            target = rng.choice([name for name in sorted(history.refs) if name.startswith(start)])
            self._ref(rng.choice((b"refs/heads/sym", b"refs/remotes/o/HEAD")), b"ref: " + target)
        history.head = b"ref: refs/heads/" + rng.choice(odd.BRANCHES)
        if "detached" in self.traits:
            history.head = rng.choice(commits)
        if "replace" in self.traits:
            self._replace()
        if "grafts" in self.traits:
            child, *parents = rng.choices(commits, k=rng.randint(1, 3))
            if all(commits.index(parent) < commits.index(child) for parent in parents):
                history.grafts.append(b" ".join((child, *parents)))
        if "shallow" in self.traits:
            history.shallow = sorted(set(rng.choices(commits, k=2)))

    def _replace(self) -> None:
        """Let one object be read for another of its kind; a commit only for a younger one."""
        rng, objects = self.rng, self.database.objects
        kind = rng.choice(("commit", "commit", "commit", "tree", "blob"))
        some = [oid for oid, (one, _) in objects.items() if one == kind]
        if len(some) > 1:
            new, old = sorted(rng.sample(range(len(some)), 2))
            self.history.refs[b"refs/replace/" + some[old]] = some[new]
