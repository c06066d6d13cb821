"""Where a ref points after path limits have dropped its commit."""

from __future__ import annotations

from collections.abc import Sequence

from fastio.exporter.merge_settling import MergeSettler
from fastio.exporter.walk import Walk
from fastio.objects.kinds import Oid
from fastio.store.repository import Repository

_SIMPLIFY = b"--simplify-merges"
# Options that shape a history under path limits; all others choose among its commits.
_SHAPING = {
    *(b"--first-parent", b"--full-history", b"--simplify-merges", b"--simplify-by-decoration"),
    *(b"--remove-empty", b"--show-pulls", b"--exclude-first-parent-only", b"--ancestry-path"),
    *(b"--since", b"--after", b"--max-age"),
}


class Settler:
    """Follows commits that path limits have dropped to the ones that stand for them.

    What git knows of each commit at the end of a walk is put together from the walk, which has the
    parents of what is exported as they were rewritten, and two more: one that drops nothing
    (``--sparse``), for the parents of all others, and one that drops all that is unchanged, as it
    does where nobody asks for parents. They are done when first asked for.
    """

    def __init__(
        self,
        repository: Repository,
        walk: Walk,
        lines: Sequence[bytes],
        options: Sequence[bytes],
        late_options: Sequence[bytes],
        paths: Sequence[bytes],
    ) -> None:
        self._repository, self._walk, self._lines, self._paths = repository, walk, lines, paths
        self._late_options = late_options
        self._options = [option for option in options if option.partition(b"=")[0] in _SHAPING]
        self._is_sparse = b"--sparse" in options
        self._merges: MergeSettler | None = None
        self._parents: dict[Oid, list[Oid]] = {}
        self._changed: set[Oid] = set()

    def settle(self, oid: Oid) -> Oid | None:
        """Return the commit that stands for another, None if nothing is left of it."""
        if not self._paths:
            return oid
        if _SIMPLIFY in self._options:
            if self._merges is None:
                self._merges = self._simplified()
            return self._merges.settle(oid)
        if not self._parents:
            self._parents = self._list(self._options, b"--sparse", b"--parents")
            self._changed = set(self._list(self._options))
        while oid in self._parents and oid not in self._changed:
            row = self._walk.find(oid)
            parents = self._parents[oid]
            if row is not None:
                parents = [parent for parent, _ in self._walk.parents(row)]
            if len(parents) > 1 or (self._is_sparse and parents and not self._is_merge(oid)):
                break
            if not parents:
                return None
            [oid] = parents
        return oid

    def _simplified(self) -> MergeSettler:
        """Walk twice: what ``--simplify-merges`` leaves, and all that it began with."""
        sparse = [b"--sparse"] if self._is_sparse else []
        kept = self._list(self._options, *sparse, b"--parents")
        others = [option for option in self._options if option != _SIMPLIFY]
        everything = self._list(others, b"--full-history", b"--sparse", b"--parents")
        first_parents = b"--first-parent" in others
        return MergeSettler(kept, everything, self._heads_of, first_parents=first_parents)

    def _heads_of(self, oids: Sequence[Oid]) -> list[Oid]:
        """Those of some commits that no others of them lead to."""
        words = (oid.hex() for oid in oids)
        said = self._repository.git.run("merge-base", "--independent", *words)
        return [Oid(bytes.fromhex(oid.decode())) for oid in said.stdout.split()]

    def _is_merge(self, oid: Oid) -> bool:
        """Tell whether a commit has a second parent before any simplification."""
        # With --sparse, what has one parent counts as changed, whatever it changes.
        said = self._repository.git.run(
            "rev-parse", "--quiet", "--verify", f"{oid.hex()}^2", capture_stderr=True
        )
        return said.status == 0

    def _list(self, shape: Sequence[bytes], *options: bytes) -> dict[Oid, list[Oid]]:
        """Walk; the parents of each commit."""
        from fastio.exporter.log_walk import run_log  # noqa: PLC0415 - few exports have paths

        listing = run_log(
            self._repository,
            self._lines,
            options=[*shape, *options],
            late_options=self._late_options,
            paths=self._paths,
            warn=lambda _text: None,
        )
        listed = {}
        for line in listing.splitlines():
            commit, _, parents = line.decode(errors="surrogateescape").split("\t")
            oid = Oid(bytes.fromhex(commit.partition(" ")[0]))
            listed[oid] = [Oid(bytes.fromhex(parent)) for parent in parents.split()]
        return listed
