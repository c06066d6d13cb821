"""Options of the walk, by what an export has to know of them.

They are git's to understand. Here stands which of them take the next word as their value, which
change nothing about an export, which need not be judged by git, and which an export does not know.

Source: git-rev-list(1), git-log(1); the corners are those of ``git fast-export`` 2.55 when run.
"""

from __future__ import annotations

# Options of the walk whose value may be the next word.
VALUES = (
    *("-n", "--max-count", "--skip", "--max-age", "--min-age", "--since", "--after", "--until"),
    *("--before", "--since-as-filter", "--author", "--committer", "--grep", "--grep-reflog"),
    *("--encoding", "--date"),
)
# Options that only shape the text of a log, or that say what is so anyway.
NO_MATTER = (
    *("--pretty", "--format", "--oneline", "--graph", "--no-graph", "--reverse", "--parents"),
    *("--left-right", "--abbrev-commit", "--no-abbrev-commit", "--count", "--show-notes"),
    *("--notes", "--no-notes", "--standard-notes", "--no-standard-notes", "--show-signature"),
    *("--no-show-signature", "--relative-date", "--log-size", "--expand-tabs", "--no-expand-tabs"),
    *("--objects", "--objects-edge", "--objects-edge-aggressive", "--show-linear-break", "--cc"),
    *("--encode-email-headers", "--no-encode-email-headers", "--always", "--root"),
    *("--show-notes-by-default", "--encoding", "--date", "--verify-objects", "--filter"),
    *("--no-filter",),
)
# Options that git need not judge: it takes them, or they have been refused already.
GOOD = (
    *("--first-parent", "--topo-order", "--date-order", "--author-date-order", "--dense"),
    *("--ancestry-path", "--full-diff"),  # the first wants revisions
    *("--sparse", "--full-history", "--simplify-merges", "--simplify-by-decoration", "--merges"),
    *("--no-merges", "--remove-empty", "--show-pulls", "--boundary", "--ignore-missing"),
    *("--no-walk", "--do-walk", "--left-only", "--right-only", "--parents"),
    # Of these git's rev-list will hear nothing.
    *("--notes", "--no-notes", "--show-notes", "--standard-notes", "--no-standard-notes"),
    *("--show-notes-by-default",),
)
# What log knows and an export does not, then what rev-list knows.
UNKNOWN = (
    *("--source", "--use-mailmap", "--no-use-mailmap", "--mailmap", "--no-mailmap", "--decorate"),
    *("--no-decorate", "--clear-decorations", "--decorate-refs", "--decorate-refs-exclude", "-L"),
    *("-q", "--no-source", "--no-quiet", "-h", "--help"),
    *("--timestamp", "--header", "--bisect-vars", "--bisect-all", "--use-bitmap-index"),
    *("--test-bitmap", "--disk-usage", "--commit-header", "--no-commit-header", "--missing"),
    *("--object-names", "--no-object-names", "--filter-print-omitted", "--unsorted-input"),
    *("--filter-provided-objects", "--exclude-promisor-objects"),
)
