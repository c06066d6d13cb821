"""Where a ref points after path limits have dropped its commit."""

from __future__ import annotations

from collections.abc import Sequence

from fastio.exporter.log_walk import run_log
from fastio.objects.kinds import Oid
from fastio.store.git import Git

# Options that shape a history under path limits; all others choose among its commits.
_SHAPING = {
    *(b"--first-parent", b"--full-history", b"--simplify-merges", b"--simplify-by-decoration"),
    *(b"--remove-empty", b"--show-pulls", b"--exclude-first-parent-only", b"--ancestry-path"),
    *(b"--since", b"--after", b"--max-age"),
}


class Settler:
    """Follows commits that path limits have dropped to the ones that stand for them.

    What git knows of each commit at the end of a walk is put together from three more walks: one
    that drops nothing (``--sparse``), one that drops what is unchanged unless it joins histories,
    and one that drops all that is unchanged, as it does where nobody asks for parents. They are
    done when first asked for.
    """

    def __init__(
        self,
        git: Git,
        commits: Sequence[tuple[Oid, bool]],
        options: Sequence[bytes],
        late_options: Sequence[bytes],
        paths: Sequence[bytes],
    ) -> None:
        self._git, self._commits, self._paths = git, commits, paths
        self._late_options = late_options
        self._options = [option for option in options if option.partition(b"=")[0] in _SHAPING]
        self._is_sparse = b"--sparse" in options
        self._parents: dict[bytes, list[bytes]] = {}
        self._changed: set[bytes] = set()

    def settle(self, oid: Oid) -> Oid | None:
        """Return the commit that stands for another, None if nothing is left of it."""
        if not self._paths:
            return oid
        if not self._parents:
            self._parents = self._list(b"--sparse", b"--parents")
            if not self._is_sparse:  # parents of what is kept are rewritten
                self._parents |= self._list(b"--parents")
            self._changed = set(self._list())
        commit = oid.hex().encode()
        while commit in self._parents and commit not in self._changed:
            parents = self._parents[commit]
            if len(parents) > 1 or (self._is_sparse and parents and not self._is_merge(commit)):
                break
            if not parents:
                return None
            [commit] = parents
        return Oid(bytes.fromhex(commit.decode()))

    def _is_merge(self, commit: bytes) -> bool:
        """Tell whether a commit has a second parent before any simplification."""
        # With --sparse, what has one parent counts as changed, whatever it changes.
        said = self._git.run(
            "rev-parse", "--quiet", "--verify", commit + b"^2", capture_stderr=True
        )
        return said.status == 0

    def _list(self, *options: bytes) -> dict[bytes, list[bytes]]:
        """Walk; the parents of each commit."""
        listing = run_log(
            self._git,
            self._commits,
            options=[*self._options, *options],
            late_options=self._late_options,
            paths=self._paths,
            warn=lambda _text: None,
        )
        listed = {}
        for line in listing.splitlines():
            commit, _, parents = line.split(b"\t")
            listed[commit.partition(b" ")[0]] = parents.split()
        return listed
