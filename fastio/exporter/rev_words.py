"""The second pass over an export's command line: revisions, options of the walk, paths.

Revisions are resolved as they come, globs are expanded in place, since both the names of commits
and the order of a walk go by the order of the command line. Options of the walk are not ours to
understand: they are kept for git, which also refuses what it does not know. We must only know which
of them take the next word as their value, and which ones stand for revisions.

Where git would end with an error about a revision or a path, it is asked to (``_doubt``): the same
words are given to it, and what it says is ours to say.

Source: git-rev-list(1), git-log(1); the corners are those of ``git fast-export`` 2.55 when run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from fastio.errors import FastioError, UsageError
from fastio.exporter import diff_options, text_options, walk_options
from fastio.exporter.diff_options import DiffOptions
from fastio.exporter.ref_list import Ref, RefList, UnclearError
from fastio.exporter.resolver import Resolver
from fastio.exporter.starts import Start
from fastio.exporter.wildcards import wildcard
from fastio.objects.kinds import COMMIT, Oid
from fastio.store.git import Finished
from fastio.store.repository import Repository

_OWN_STARTS = {b"--indexed-objects", b"--alternate-refs", b"--bisect", b"--merge"}
_REF_FOLDERS = {
    "--branches": b"refs/heads/",
    "--tags": b"refs/tags/",
    "--remotes": b"refs/remotes/",
}


class RevisionReader:
    """Reads the words that the first pass left.

    Args:
        repository: Whose revisions.
        words: What is left of the command line.
        stdin: Reads all of standard input, for ``--stdin``.

    Attributes:
        starts: All revisions, in order.
        walk_options: What git's walk is to be told, before it is told where to start.
        late_options: What it is to be told behind that.
        diff: The options of diffs.
        full_diff: Whether paths limit the walk only.
        paths: Path limits, as written.
        refs: The refs of the repository.
    """

    def __init__(
        self, repository: Repository, words: Sequence[str], stdin: Callable[[], bytes]
    ) -> None:
        self._repository, self._words, self._stdin = repository, list(words), stdin
        self._resolver = Resolver(repository)
        self.starts: list[Start] = []
        self.walk_options: list[bytes] = []
        self.late_options: list[bytes] = []
        self.paths: list[bytes] = []
        self.diff = DiffOptions()
        self.full_diff = False
        self.refs = RefList(repository, self._doubt)
        self._text: bytes = b""  # what standard input said
        self._has_input = False
        self._is_negative = False
        self._excluded: list[Callable[[bytes], bool]] = []
        self._hides = False  # behind --exclude-hidden, until refs were added
        self._has_dashes = False
        self._default: bytes | None = None
        self._unjudged: list[str] = []  # options of which only git can tell whether they are good
        self._foreign: list[str] = []  # those that may be unknown

    @property
    def walks_elsewhere(self) -> bool:
        """Whether an option stands for commits that only git finds."""
        return not _OWN_STARTS.isdisjoint(self.walk_options)

    def read(self) -> None:
        """Read all words.

        Raises:
            FastioError: git does not take them.
        """
        try:
            self._read()
            self._judge()
            self.diff.settle()
        except UnclearError as error:
            self._doubt()
            raise FastioError(str(error)) from None
        finally:
            self._resolver.close()

    def _read(self) -> None:
        words, end = self._words, len(self._words)
        only_revisions = False
        ends_at = words.index("--end-of-options") if "--end-of-options" in words else end
        if "--" in words:
            self._has_dashes, end = True, words.index("--")
            self.paths = [os.fsencode(word) for word in words[end + 1 :]]
        at = 0
        while at < end:
            word = words[at]
            if word.startswith("-") and not only_revisions:
                if at == ends_at:
                    only_revisions = True
                    at += 1
                else:
                    at += self._option(words[at:end])
            elif self._revision(os.fsencode(word)):
                at += 1
            else:
                self._take_paths(words[at:end])
                break
        if self._default is not None and not self.starts and not self._has_input:
            self._add_default(self._default)

    # --- revisions and paths ----------------------------------------------------------------------

    def _revision(self, text: bytes) -> bool:
        """Take a revision; False if it must be a path."""
        starts = self._resolver.resolve(text, is_negative=self._is_negative)
        may_miss = b"--ignore-missing" in self.walk_options and not text.startswith(b"^-")
        if starts is None and may_miss:
            return True
        if starts is None:
            if self._resolver.is_missing(text):  # there may well be a file of that name
                raise UnclearError(f"bad object {os.fsdecode(text)}")
            if self._has_dashes or text.startswith(b"^"):
                raise UnclearError(f"bad revision '{os.fsdecode(text)}'")
            return False
        if (
            not self._has_dashes
            and not self._repository.is_bare
            and self._is_file(text.removeprefix(b"^"))
        ):
            # git may see it otherwise, in a directory of its own for instance.
            self._doubt()
        self._add(starts)
        return True

    def _add(self, starts: Sequence[Start]) -> None:
        self.starts += starts
        if any(start.is_negative for start in starts):  # which sets git walking
            self.walk_options += self.late_options
            self.late_options.clear()

    def _take_paths(self, words: Sequence[str]) -> None:
        # Whether all of them can be paths, or the first one is a ref to a missing object.
        self._doubt()
        self.paths = [*map(os.fsencode, words), *self.paths]

    def _add_default(self, text: bytes) -> None:
        found = self._resolver.find(text)
        if found is None:
            raise UnclearError(f"bad default revision '{os.fsdecode(text)}'")
        self._add([Start(found[1], found[0], text)])

    def _is_file(self, path: bytes) -> bool:
        directory = self._repository.git.directory or b"."
        return os.path.lexists(os.path.join(directory, path))

    def _doubt(self) -> None:
        """Give git the same words; if it complains, so do we.

        Raises:
            FastioError: It does.
        """
        oldest = any(word.startswith("--max-count-oldest") for word in self._words)
        words = ("rev-list", *(() if oldest else ("--max-count=0",)), *self._words)
        said = self._repository.git.run(*words, text=self._text, capture_stderr=True)
        if said.status == 128:
            raise FastioError(complaint(said.stderr))

    def _judge(self) -> None:
        """Let git refuse options whose values it does not take."""
        if not self._unjudged:
            return
        said = self._judgement(self._unjudged)
        if not said.status:
            return
        if not said.stderr.startswith(b"usage:"):
            raise refusal(said)
        # That is said of what is unknown, but of formats of diffs as well.
        if self._foreign and self._judgement(self._foreign).status:
            raise UsageError(f"unknown option in: {' '.join(self._foreign)}")

    def _judgement(self, words: Sequence[str]) -> Finished:
        # Revisions are read from standard input, where there are none.
        return self._repository.git.run("rev-list", "--stdin", *words, capture_stderr=True)

    # --- options ----------------------------------------------------------------------------------

    def _option(self, words: list[str]) -> int:
        """Take an option; how many words it has."""
        name, equals, value = words[0].partition("=")
        if name == "--default" and not equals:
            if len(words) < 2:
                raise UnclearError("bad --default argument")
            self._default = os.fsencode(words[1])
            return 2
        if name in ("--glob", "--exclude", "--exclude-hidden"):
            used = 1 if equals else 2
            if len(words) < used:
                raise UnclearError(f"option '{name}' requires a value")
            self._choice(name, os.fsencode(value if equals else words[1]))
            return used
        if name in _REF_FOLDERS or words[0] in ("--all", "--not", "--stdin", "--reflog"):
            self._choice(name, os.fsencode(value) if equals else None)
            return 1
        if (
            name in walk_options.UNKNOWN
            or words[0] in ("--format", f"--default={value}")
            or name[:2] == "-L"
        ):
            raise UsageError(f"unknown option `{name.lstrip('-')}'")
        if words[0] == "--full-diff":
            self.full_diff = True
        if name not in walk_options.VALUES:
            if used := diff_options.take(self.diff, words):
                return used
            if used := text_options.take(words):
                self._unjudged += words[:used]
                return used
        used = 1 if equals or name not in walk_options.VALUES else 2
        if len(words) < used:
            raise UnclearError(f"option '{name}' requires a value")
        if name not in walk_options.GOOD or equals:
            self._unjudged += words[:used]
            self._foreign += [] if name in walk_options.NO_MATTER else words[:used]
        if name in ("--no-walk", "--do-walk"):
            self.late_options.append(os.fsencode(words[0]))
        elif name not in walk_options.NO_MATTER:
            joint = "=" if used == 2 and name.startswith("--") else ""
            self.walk_options.append(os.fsencode(joint.join(words[:used])))
        return used

    def _choice(self, name: str, value: bytes | None) -> None:
        """Take an option that stands for revisions, or bears on those behind it."""
        if name == "--not":
            self._is_negative = not self._is_negative
        elif name == "--exclude":
            self._excluded.append(wildcard(value or b""))
        elif name == "--exclude-hidden":
            self._exclude_hidden(os.fsdecode(value or b""))
        elif name == "--stdin":
            self._read_stdin()
        elif name == "--all":
            self._add_refs(self.refs.chosen(b"refs/", None))
            self._add_heads()
            self._excluded.clear()
            self._hides = False
        elif name == "--glob":
            self._add_refs(self.refs.chosen(b"", value))
            self._excluded.clear()
            self._hides = False
        elif name in _REF_FOLDERS:
            if self._hides:
                raise UsageError(f"options '--exclude-hidden' and '{name}' cannot be used together")
            folder = _REF_FOLDERS[name]
            self._add_refs(self.refs.chosen(folder, value), cut=len(folder))
            self._excluded.clear()
        else:
            self._add_reflogs()

    def _exclude_hidden(self, section: str) -> None:
        """Take ``--exclude-hidden``, which means nothing where no refs are hidden."""
        self._unjudged.append(f"--exclude-hidden={section}")
        config = self._repository.config
        if "transfer.hideRefs" in config or f"{section}.hideRefs" in config:
            raise FastioError("option '--exclude-hidden' is not known here to refs that are hidden")
        self._hides = True

    def _add_refs(self, refs: Iterable[Ref], cut: int = 0) -> None:
        for ref in refs:
            name = ref.name[cut:]
            if any(excludes(name) for excludes in self._excluded):
                continue
            known = self.refs.full_name(name) if not cut and self.refs.is_only_itself(name) else b""
            self._add([Start(ref.oid, ref.kind, name, name, self._is_negative, known)])

    def _add_heads(self) -> None:
        single = b"--single-worktree" in self.walk_options
        for name in (b"HEAD", *(() if single else self.refs.heads_elsewhere())):
            if any(excludes(name) for excludes in self._excluded):
                continue
            ref = self.refs.head if name == b"HEAD" and self.refs.is_only_itself(name) else None
            if ref is not None:
                self._add([Start(ref.oid, ref.kind, name, name, self._is_negative, ref.name)])
            elif found := self._resolver.find(name):
                self._add([Start(found[1], found[0], name, name, self._is_negative)])
            elif self._resolver.is_missing(name):  # its object, that is; one may well be unborn
                self._doubt()

    def _add_reflogs(self) -> None:
        """Add what reflogs have: commits without a name, as far as they are there still."""
        single = ["--single-worktree"] if b"--single-worktree" in self.walk_options else []
        said = self._repository.git.run("rev-list", "--no-walk=unsorted", "--reflog", *single)
        self._add(
            [
                Start(Oid(bytes.fromhex(oid.decode())), COMMIT, b"", is_negative=self._is_negative)
                for oid in said.stdout.split()
            ]
        )

    def _read_stdin(self) -> None:
        """Take revisions from standard input, up to a line ``--``; paths behind that."""
        self._text, self._has_input = self._stdin(), True
        lines = self._text.split(b"\n")
        was_negative, self._is_negative = self._is_negative, False
        had_dashes, self._has_dashes = self._has_dashes, True
        for number, line in enumerate(lines):
            if line == b"--":
                self.paths += [path for path in lines[number + 1 :] if path]
                break
            if line.startswith(b"-"):
                self._option([os.fsdecode(line)])
            elif line and not self._revision(line):
                raise UnclearError(f"bad revision '{os.fsdecode(line)}'")
            elif not line:
                break
        self._is_negative, self._has_dashes = was_negative, had_dashes


def refusal(said: Finished) -> FastioError:
    """Make an error of what git ended with."""
    text = complaint(said.stderr)
    unknown = text.startswith("unrecognized argument:")
    return (
        UsageError(text) if unknown or said.status == UsageError.exit_status else FastioError(text)
    )


def complaint(stderr: bytes) -> str:
    """What git died of, without the word that we put before it ourselves."""
    text = os.fsdecode(stderr).strip()
    before, _, last = text.rpartition("fatal: ")
    return f"{before}{last}".removeprefix("error: ") if last else "git ended without a word"
