"""Where we differ from git on purpose, each with its reason; and where old versions differ."""

from __future__ import annotations

import re
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tests.differential.outcome import Outcome
from tests.differential.run import Case
from tests.differential.words import EMPTY_TREES


@dataclass(frozen=True, slots=True)
class Known:
    """A difference that is not a fault.

    Attributes:
        reason: Why it is there.
        applies: Tells from the case and both outcomes (git's first) whether this is it.
        before: The first version of git that does not differ, if some do.
    """

    reason: str
    applies: Callable[[Case, Outcome, Outcome], bool]
    before: tuple[int, ...] | None = None


def _redeclared(case: Case, git: Outcome, ours: Outcome) -> bool:
    """Tell whether all that differs are marks that are declared more than once."""
    if git.status != 128 or not set(git.differences(ours)) <= {"marks", "report", "said"}:
        return False
    numbers = map(int, re.findall(rb"mark :\s*([+-]?[0-9]+)", case.stream))
    declared = Counter(b"%d" % (n % 2**64 if n < 0 else min(n, 2**64 - 1)) for n in numbers)
    differing = set((git.marks or b"").split(b"\n")) ^ set((ours.marks or b"").split(b"\n"))
    differing |= {line for line in set(git.report) ^ set(ours.report) if line.startswith(b":")}
    return bool(differing) and all(declared[line[1 : line.find(b" ")]] > 1 for line in differing)


def _read_on(_case: Case, git: Outcome, ours: Outcome) -> bool:
    """Tell whether all that differs is that another line of the same command is told."""
    if git.status != 128 or not set(git.differences(ours)) <= {"report", "said"}:
        return False
    if git.report == ours.report:
        return True  # git had warned already
    both = (git.report, ours.report), (ours.report, git.report)
    return any(b"  " + line[2:] in other for one, other in both for line in one if line[:1] == b"*")


def _miscounted(case: Case, git: Outcome, ours: Outcome) -> bool:
    """Tell whether there are notes that are removed, or about to move, and both have others."""
    removed = re.search(rb"\nN 0{40}", case.stream) is not None
    notes = removed or case.world.endswith("-notes") or b"refs/notes/many" in case.stream
    others = bool(git.objects - ours.objects) and bool(ours.objects - git.objects)
    return notes and others and git.status == ours.status and b"\nN " in case.stream


def _empty_tree_seen(_case: Case, git: Outcome, ours: Outcome) -> bool:
    """Tell whether all that differs is that we have the empty tree as well."""
    names, more = set(git.differences(ours)), ours.objects - git.objects
    trees = {bytes.fromhex(oid.decode()) for oid in EMPTY_TREES.values()}
    return names <= {"objects", "packed", "loose"} and bool(more) and more <= trees


def _tagged_twice_and_deleted(case: Case, _git: Outcome, _ours: Outcome) -> bool:
    """Tell whether a tag is deleted of which there are more than one."""
    names = Counter(re.findall(rb"tag (.*)\n", case.stream))
    deleted = set(re.findall(rb"reset refs/tags/(.*)\n(?:#.*\n)*from 0+\n", case.stream))
    return any(names[name] > 1 for name in deleted)


def _stream_has(pattern: bytes) -> Callable[[Case, Outcome, Outcome], bool]:
    search = re.compile(pattern, re.MULTILINE).search
    return lambda case, _git, _ours: search(case.stream) is not None


KNOWN = (
    Known(
        "we read ahead: after a fatal error a mark may be missing that is declared anew behind it",
        _redeclared,
    ),
    Known(
        "git loses the line behind alias's 'to' if it is not blank; we run it",
        _stream_has(rb"^alias\n(#.*\n|\n|mark .*\n)*to .*\n(?!\n)"),
    ),
    Known(
        "git exports marks when one of several imports has failed; we keep what there was",
        lambda case, git, ours: (
            len([word for word in case.options if word.startswith("--import-marks")]) > 1
            and set(git.differences(ours)) <= {"marks", "files", "report"}
            and re.search(rb"marks file|cannot read|object of mark", ours.stderr) is not None
            and ours.marks == case.files.get("out")
        ),
    ),
    Known(
        "when a tag is deleted, git forgets only the first of several that have its name",
        _tagged_twice_and_deleted,
    ),
    Known(
        "git does not see replacements that the stream itself has made when it looks for ancestors",
        lambda case, git, ours: (
            b" refs/replace/" in case.stream
            and set(git.differences(ours)) <= {"files", "logs", "status"}
        ),
    ),
    Known(
        "we read a command whole before carrying it out: of two mistakes we may tell the other",
        _read_on,
    ),
    Known(
        "the parser takes oids of either length: what is too long for SHA-1 has garbage behind it",
        lambda _case, git, ours: (
            git.differences(ours) == ["said"] and b"garbage after SHA1" in ours.stderr
        ),
    ),
    Known(
        "git deletes a detached HEAD, after which there is no repository; we keep it",
        lambda _case, _git, ours: b"cannot delete HEAD" in ours.stderr,
    ),
    Known(
        "git does not store the empty tree once it was looked at, as it reads it from nowhere",
        _empty_tree_seen,
    ),
    Known(
        "git writes a loose tree again that a commit leaves as it was: then they may be too many",
        lambda case, git, ours: (
            set(git.differences(ours)) <= {"loose", "packed", "edges"}
            and not case.world.endswith(("-empty", "-notes"))  # which have no loose objects
        ),
    ),
    Known(
        "git leaves a temporary pack after a usage error",
        lambda _case, git, ours: git.status == 129 and git.differences(ours) == ["files"],
    ),
    Known(
        "git crashes",
        lambda _case, git, _ours: git.status in (-signal.SIGABRT, -signal.SIGSEGV),
    ),
    Known(
        "git does not come to an end over an abbreviated oid of a SHA-256 repository",
        lambda _case, git, _ours: git.status == -signal.SIGALRM,
    ),
    Known(
        "old versions let paths pass that a checkout refuses",
        lambda _case, _git, ours: b"invalid path '" in ours.stderr,
        before=(2, 48),
    ),
    Known(
        "old versions read more dates, some with numbers that are too large for them",
        lambda _case, _git, ours: b"invalid rfc2822 date" in ours.stderr,
        before=(2, 55),
    ),
    Known(
        "old versions mind less how a path is quoted",
        lambda _case, _git, ours: (
            re.search(rb"(invalid|after|NUL in) (path|source|dest)", ours.stderr) is not None
        ),
        before=(2, 55),
    ),
    Known(
        "old versions take the last of several marks of a submodule's commit",
        lambda case, _git, _ours: b"rewrite-submodules" in case.stream or "from" in case.files,
        before=(2, 55),
    ),
    Known(
        "git stores an arbitrary oid when the input ends behind 'M ... inline'",
        _stream_has(rb"M \S+ inline [^\n]*\n?(#.*\n?)*\Z"),
    ),
    Known(
        "git takes a signature's 'data' for that of the message when the input ends behind it",
        lambda case, _git, ours: (
            b"expected 'data n' command, found the end of input" in ours.stderr
            and re.search(rb"gpgsig .*\n(#.*\n)*data ", case.stream[-1000:]) is not None
        ),
    ),
    Known(
        "git gives a commit the zero oid as parent when it merges an unborn branch; we refuse",
        lambda _case, _git, ours: b"cannot merge a branch without commits" in ours.stderr,
    ),
    Known(
        "git does not see a required 'done' that lacks its LF",
        lambda case, git, ours: (
            case.stream.endswith(b"done") and (git.status, ours.status >> 1) == (128, 0)
        ),
    ),
    Known(
        "git cuts modes to 16 bits; we refuse them",
        lambda case, _git, ours: (
            ours.status == 128 and re.search(rb"M 0*[1-7][0-7]{6,} ", case.stream) is not None
        ),
    ),
    Known(
        "git cuts a command line at a NUL; we refuse it",
        lambda _case, _git, ours: b"NUL in command line" in ours.stderr,
    ),
    Known(
        "git overwrites files of its own that a branch is named after; we refuse such a name",
        lambda _case, _git, ours: b"a ref would write over git's own" in ours.stderr,
    ),
    Known("git miscounts notes that are removed and set again in one commit", _miscounted),
)


def known_difference(
    case: Case, git: Outcome, ours: Outcome, version: tuple[int, ...]
) -> str | None:
    """Return the reason for a difference, None if there is none in the table."""
    for entry in KNOWN:
        if (entry.before is None or version < entry.before) and entry.applies(case, git, ours):
            return entry.reason
    return None
