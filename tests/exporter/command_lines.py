"""Random command lines for ``fast-export``: each option, revisions of each kind, paths, marks."""

from __future__ import annotations

import os
import random

from tests.exporter.histories import History

MODES = ("verbatim", "warn-verbatim", "warn", "ignore", "strip", "warn-strip", "abort")
# Options, with how often each is there. {} is filled in.
OPTIONS: tuple[tuple[float, tuple[str, ...]], ...] = (
    (0.75, tuple(f"--signed-tags={mode}" for mode in MODES[:-1])),
    (0.05, ("--signed-tags=abort", "--no-signed-tags", "--signed-tags=sign-if-invalid")),
    (0.3, tuple(f"--signed-commits={mode}" for mode in MODES)),
    (0.75, ("--tag-of-filtered-object=drop", "--tag-of-filtered-object=rewrite")),
    (0.05, ("--tag-of-filtered-object=abort", "--no-tag-of-filtered-object")),
    (0.75, ("--reencode=yes", "--reencode=no", "--reencode=TRUE", "--reencode=0")),
    (0.05, ("--reencode=abort", "--no-reencode", "--reencode=", "--reencode=utf8")),
    (0.3, ("--mark-tags",)),
    (0.1, ("--fake-missing-tagger",)),
    (0.1, ("--use-done-feature",)),
    (0.3, ("--no-data",)),
    (0.15, ("--full-tree",)),
    (0.25, ("--reference-excluded-parents",)),
    (0.2, ("--show-original-ids",)),
    (0.1, ("--progress=1", "--progress=3", "--progress=-2", "--progress=0", "--progress=1k")),
    (0.12, ("--refspec=refs/heads/main:refs/heads/other", "--refspec=refs/heads/*:refs/x/*",
            "--refspec=:refs/heads/gone", "--refspec=refs/tags/*:refs/heads/*", "--refspec=main:m",
            "--refspec=+refs/*:refs/all/*", "--refspec=refs/heads/side:",
            "--refspec=^refs/heads/main --refspec=refs/heads/*:refs/x/*",
            "--refspec=refs/heads/*:refs/x/* --refspec=^refs/x/*")),
    (0.12, ("--anonymize",)),
    (0.3, ("-M", "-C", "-C -C", "-M30%", "-C90%", "--find-copies-harder", "-M100%", "-M5", "-B -M",
           "-l1 -M", "-l2 -C -C", "-M01", "-C0")),
    (0.05, ("--first-parent",)),
    (0.03, ("--full-history", "--sparse", "--simplify-merges", "--simplify-by-decoration",
            "--ancestry-path", "--remove-empty", "--show-pulls")),
    (0.1, ("-n 3", "-2", "--max-count=5", "--skip=1", "--no-merges", "--merges", "--boundary",
           "--topo-order", "--date-order", "--author-date-order", "--reverse", "--no-walk",
           "--grep=1", "--author=Thor", "--since=2004-11-09T11:33:30", "--min-parents=1",
           "--ignore-missing", "--left-only", "--max-parents=0")),
    (0.15, ("--since=2004-11-09T11:34:00", "--until=2004-11-09T11:35:00", "--max-age=1100000040",
            "--min-age=1100000060", "--since-as-filter=2004-11-09T11:34:00", "--after=1.1.2004",
            "--before=2004-11-09T11:34:20", "--author=Jane", "-i --author=jane", "--committer=C.O",
            "--author=a@ --committer=jane", "--grep=1 --invert-grep", "-F --grep=1",
            "--all-match --grep=1 --grep=2", "-E --grep=1|2", "-P --grep=[13]", "--no-min-parents",
            "--max-parents=1", "--no-max-parents --merges", "--right-only", "--left-right",
            "--cherry-pick", "--cherry", "--cherry-mark", "--exclude-first-parent-only",
            "--no-walk=unsorted", "--no-walk=sorted", "--do-walk", "--no-walk --do-walk",
            "--ancestry-path=main", "--ancestry-path=HEAD~1", "--in-commit-order", "--count",
            "--reverse -n1", "--skip 2 -n 2", "--full-history --parents", "--dense",
            "--full-history --simplify-merges", "--sparse --first-parent", "--full-diff",
            "--show-pulls --full-history", "--boundary --first-parent", "--single-worktree")),
    (0.02, ("--reflog", "--indexed-objects", "--alternate-refs", "--merge", "--bisect", "--objects",
            "--max-count-oldest=2", "--filter=blob:none", "--default main", "--date=iso",
            "--no-filter", "--simplify-merges", "--exclude-hidden=receive", "--no-renames")),
    (0.02, ("--diff-filter=AM", "--diff-filter=d", "-R", "--ignore-submodules")),
    (0.02, ("--no-such-option", "--children", "--progress=x", "--anonymize-map=x", "--refspec=a*:b",
            "-signed-tags", "--no-dat")),
)  # fmt: skip
MAGIC = (b":/%b", b":(top)%b", b":!%b", b":^%b", b":(literal)%b", b":(glob)%b/*", b":(glob)%b/**",
         b":(icase,glob)**/%b", b":(exclude,icase)%b", b":(exclude,glob)*/%b", b"%b?", b"%b*",
         b"[a-d%b]*", b"*/%b", b":(icase)*%b*", b"./%b", b":(bad)%b", b"%b/../a",
         b"%b//")  # fmt: skip

TAKE_VALUES = ("-n", "--skip", "--default")
SETTINGS = (
    ("core.quotePath", "false"), ("core.commitGraph", "false"), ("core.warnAmbiguousRefs", "no"),
    ("diff.renames", "copies"), ("log.follow", "true"), ("log.excludeDecoration", "x"),
    ("core.useReplaceRefs", "false"), ("diff.renameLimit", "1"), ("log.showRoot", "false"),
    ("core.multiPackIndex", "false"), ("log.date", "iso"), ("diff.ignoreSubmodules", "all"),
    ("i18n.logOutputEncoding", "latin1"), ("core.precomposeUnicode", "true"),
    ("GIT_LITERAL_PATHSPECS", "1"), ("GIT_GLOB_PATHSPECS", "1"), ("GIT_NOGLOB_PATHSPECS", "1"),
    ("GIT_ICASE_PATHSPECS", "1"), ("GIT_NO_REPLACE_OBJECTS", "1"),
)  # fmt: skip


class LineMaker:
    """Makes command lines for one history."""

    def __init__(self, rng: random.Random, history: History) -> None:
        self.rng, self.history = rng, history
        self.text: bytes = b""  # for standard input
        self.variables: dict[str, str] = {}  # of the environment
        self._names = [os.fsdecode(name) for name in sorted(history.refs)]

    def make(self) -> list[str]:
        """Make one; marks files come from elsewhere."""
        rng = self.rng
        words: list[str] = []
        for rate, choices in OPTIONS:
            if rng.random() < rate:
                words += rng.choice(choices).split(" ")
        if "--anonymize" in words and rng.random() < 0.4:
            words += [f"--anonymize-map={rng.choice(('main', 'a:keep', 'refs', 'd', 'a:x y'))}"]
        revisions = self._revisions()
        rng.shuffle(revisions)
        at = rng.randint(0, len(words))
        words[at:at] = [] if at and words[at - 1] in TAKE_VALUES else revisions
        if words[at : at + len(revisions)] != revisions:
            words += revisions
        if rng.random() < 0.35:
            words += self._paths()
        self.text, self.variables = b"", {}
        if rng.random() < 0.1:
            lines = [self._revision() for _ in range(rng.choice((1, 2)))]
            paths = self._paths()[-1:] if rng.random() < 0.3 else []
            self.text = os.fsencode("\n".join([*lines, *["--"] * len(paths), *paths]) + "\n")
            words.insert(0, "--stdin")
        if rng.random() < 0.1:
            name, value = rng.choice(SETTINGS)
            self.variables = {name: value}
            if "." in name:
                names = "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0"
                self.variables = dict(zip(names, ("1", name, value), strict=True))
        return words

    def _revisions(self) -> list[str]:
        rng = self.rng
        if rng.random() < 0.5:
            words = ["--all"]
        else:
            words = [self._revision() for _ in range(rng.choice((1, 1, 2, 3)))]
        while rng.random() < 0.35:
            words.append(f"^{self._revision()}" if rng.random() < 0.6 else self._revision())
        return words

    def _name(self) -> str:
        rng = self.rng
        name = rng.choice([*self._names, "HEAD"])
        if rng.random() < 0.6:
            for prefix in ("refs/heads/", "refs/tags/", "refs/remotes/", "refs/"):
                if name.startswith(prefix):
                    return name.removeprefix(prefix)
        return name

    def _revision(self) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.55:
            return self._name()
        if kind < 0.65:
            return rng.choice(self.history.commits).decode()
        if kind < 0.75:
            return self._name() + rng.choice(("~1", "^0", "^{}", "^1", "~2", "^2", "^{commit}"))
        if kind < 0.85:
            return self._name() + rng.choice(("..", "...")) + rng.choice((self._name(), ""))
        if kind < 0.92:
            return self._name() + rng.choice(("^@", "^!", "^-", "^-1"))
        return rng.choice(
            ("--branches", "HEAD^{/1}", ":/edit", f"{self._name()}^{{tree}}", f"{self._name()}:",
             f"{self._name()}:a", rng.choice(sorted(self.history.database.objects)).decode(),
             "--exclude=*a --branches", "--remotes=o", "@^{commit}", f"{self._name()}^-2",
              "--tags", "--remotes", "--branches=m*", "--glob=heads/*", "--glob=*",
             "--exclude=refs/heads/m* --all", "--not", "@", "--tags=v*", "main", "--all")
        ).split(" ")[-1]  # fmt: skip

    def _paths(self) -> list[str]:
        rng = self.rng
        paths = sorted(self.history.paths) or [b"a"]
        chosen = []
        for _ in range(rng.choice((1, 1, 2))):
            path = rng.choice(paths)
            kind = rng.random()
            if kind < 0.4:
                path = path.partition(b"/")[0]
            elif kind < 0.5:
                path = path[:1] + b"*"
            elif kind < 0.55:
                path = b":(icase)" + path.upper()
            elif kind < 0.6:
                path = b":(exclude)" + path
            elif kind < 0.65:
                path = b":(glob)**/" + path.rpartition(b"/")[2]
            elif kind < 0.7:
                path = b"no-such-path"
            elif kind < 0.8:
                path = rng.choice(MAGIC) % path
            elif kind < 0.82:
                path += b"/"
            chosen.append(os.fsdecode(path))
        return [*rng.choice((["--", "--"], ["--", "--"], ["--"])), *chosen]

    def marks(self) -> bytes:
        """Make a marks file that could come from an earlier run."""
        rng, history = self.rng, self.history
        oids = list(history.commits) if rng.random() < 0.6 else sorted(history.database.objects)
        if rng.random() < 0.6:  # an earlier run knew the beginning
            oids = oids[: rng.randint(0, len(oids))]
        else:
            oids = [oid for oid in oids if rng.random() < 0.5]
        numbers = rng.sample(range(1, 3 * len(oids) + 2), len(oids))
        lines = [b":%d %b\n" % pair for pair in zip(numbers, oids, strict=True)]
        if rng.random() < 0.05:
            missing = b":9 %b\n" % (b"0" * history.database.digits)
            lines.append(rng.choice((b":x\n", b"\n", b":0\n", missing, b":7")))
        return b"".join(lines)
