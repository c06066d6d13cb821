"""The kinds of things that are found in a stream, and how much they matter."""

from __future__ import annotations

from typing import Final

from fastio.records import record

ERROR: Final = "error"
"""An import ends with an exit status other than 0."""

WARNING: Final = "warning"
"""An import goes through, but hardly with the result that was meant."""

NOTE: Final = "note"
"""Nothing is wrong as far as the stream alone can tell."""

SEVERITIES: Final = (ERROR, WARNING, NOTE)


@record
class Kind:
    """A kind of findings.

    Attributes:
        severity: One of `SEVERITIES`.
        title: What all of them have in common, in words.
        cure: What to do about all of them, where `fastio.stream.cures` has nothing to say.
    """

    severity: str
    title: str
    cure: str = ""


KINDS: Final[dict[str, Kind]] = {
    "ident": Kind(ERROR, "malformed idents"),
    "date": Kind(ERROR, "dates that cannot be read"),
    "mark": Kind(ERROR, "malformed marks"),
    "dataref": Kind(ERROR, "objects named in a way that git does not know"),
    "mode": Kind(ERROR, "unknown modes"),
    "path": Kind(ERROR, "paths that are misspelled"),
    "refused-path": Kind(ERROR, "paths that git refuses"),
    "empty-component": Kind(ERROR, "sources of copies and renames that cannot exist"),
    "root": Kind(ERROR, "files in the place of the whole tree"),
    "command": Kind(ERROR, "lines that are no command"),
    "expected": Kind(ERROR, "lines that are missing or out of place"),
    "carriage-return": Kind(ERROR, "lines that end in CR LF"),
    "nul": Kind(ERROR, "NULs in command lines"),
    "line": Kind(ERROR, "lines that are too long"),
    "data-length": Kind(ERROR, "data of another length than declared"),
    "data": Kind(ERROR, "data that is too long"),
    "truncated": Kind(ERROR, "an end in the middle of a command"),
    "done": Kind(ERROR, "no 'done' at the end, which was promised"),
    "header": Kind(ERROR, "features and options that come too late"),
    "feature": Kind(ERROR, "unknown features and options"),
    "unsafe-feature": Kind(ERROR, "features that need --allow-unsafe-features"),
    "date-format": Kind(ERROR, "unknown date formats"),
    "marks-file": Kind(ERROR, "marks files that cannot be read"),
    "signature": Kind(
        ERROR,
        "malformed signatures of commits",
        "the line is 'gpgsig <sha1|sha256> <openpgp|x509|ssh|unknown>';"
        " --signed-commits=strip leaves signatures out",
    ),
    "undeclared-mark": Kind(ERROR, "marks that are not declared when they are used"),
    "mark-type": Kind(ERROR, "marks of another type of object than is needed"),
    "committish": Kind(ERROR, "names that cannot be a commit's"),
    "self-parent": Kind(ERROR, "branches that start from themselves"),
    "empty-branch": Kind(ERROR, "branches without commits, used as if they had some"),
    "ref-name": Kind(ERROR, "names that no ref can have"),
    "reserved-name": Kind(ERROR, "names of refs that git needs for itself"),
    "ref-clash": Kind(ERROR, "refs that exclude each other"),
    "tag-again": Kind(
        ERROR, "tags of a name that was given before", "a tag is set once: rename the second one"
    ),
    "redeclared-mark": Kind(
        WARNING,
        "marks that are declared again",
        "from there on the mark means the second object only; is it meant to?",
    ),
    "number": Kind(
        WARNING, "numbers that are read in part, or as 0", "write decimal digits and nothing else"
    ),
    "path-cr": Kind(
        WARNING,
        "paths that end in a CR",
        "the CR becomes a part of the file's name: write lines that end in LF alone",
    ),
    "order": Kind(
        WARNING,
        "changes that undo others of their commit",
        "changes are made in the order of their lines: removals and renames go first (git"
        " fast-export has that wrong where a directory takes a file's place)",
    ),
    "behind-done": Kind(WARNING, "input behind 'done'", "nothing reads it"),
    "elsewhere": Kind(
        NOTE,
        "commits and objects that have to be in the repository already",
        "'fastio import' finds out whether they are; marks of earlier runs come with"
        " --import-marks=<file>",
    ),
    "case": Kind(
        NOTE,
        "names that differ in upper and lower case only",
        "they share a file where the file system folds case, as on macOS and Windows",
    ),
}
"""All kinds by their stable name, in the order in which they are shown."""
