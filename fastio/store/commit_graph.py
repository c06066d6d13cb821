"""The commit-graph file: what a walk must know of most commits, without reading them.

Layout, every number big-endian (gitformat-commit-graph(5)): magic, version, hash version, number of
chunks and of base files; a table of chunks (name and offset, one more row for the end); chunks;
checksum. The chunks that count here: ``OIDF`` (256 running counts by the oid's first byte),
``OIDL`` (oids in order), ``CDAT`` (tree, positions of two parents, topological level and date of
each commit), ``EDGE`` (further parents), ``GDA2`` and ``GDO2`` (how far a commit's corrected date
is above its own).

git orders a walk by these corrected dates where it has them, so whether there is such a file, and
whether git would use it, is part of what an export looks like.
"""

from __future__ import annotations

import os

from fastio.errors import PackError
from fastio.store._commit_graph import CommitGraph
from fastio.store._mapping import map_file
from fastio.store.alternates import find_alternates
from fastio.store.repository import Repository

__all__ = ["CommitGraph", "open_commit_graph"]

_ALONE = b"info/commit-graph"
_CHAIN = b"info/commit-graphs/commit-graph-chain"


def open_commit_graph(repository: Repository) -> CommitGraph | None:
    """Open the commit-graph that git would use; None if it would use none.

    Whether there are grafts, replaced objects or a shallow boundary, which let git use none either,
    the caller knows.

    Raises:
        PackError: There is one of a kind that we do not read, or it is damaged.
    """
    config = repository.config
    if not config.boolean("core.commitGraph", True):
        return None
    git, own = repository.git, repository.objects_dir
    for directory in find_alternates(own, git.environment, git.directory):
        if any(os.path.exists(os.path.join(directory, name)) for name in (_ALONE, _CHAIN)):
            raise PackError("the commit-graph is in another object directory")
    if os.path.exists(os.path.join(own, _CHAIN)):
        raise PackError("the commit-graph is a chain of files")
    if config.integer("commitGraph.generationVersion", 2) != 2:
        raise PackError("the commit-graph's corrected dates are not to be used")
    try:
        descriptor = os.open(os.path.join(own, _ALONE), os.O_RDONLY)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PackError(f"cannot read the commit-graph: {error.strerror}") from error
    try:
        return CommitGraph(map_file(descriptor), repository.object_format.oid_size)
    except (ValueError, MemoryError) as error:  # an empty file, say; a directory
        raise PackError(f"cannot read the commit-graph: {error}") from error
    finally:
        os.close(descriptor)
