"""The walks that we do ourselves: where nothing limits them but negative revisions.

They take a third of the time that ``git log`` takes, which formats each commit as text as well.
Order and names are git's own.

**Without a commit-graph.** A queue by committer date (newest first, equal dates in order of
arrival) begins with the starting commits. Each commit taken from it is *expanded*: it gives its
name to those of its parents that have none yet, or, if it is excluded, excludes them and all that
is known to be reachable from them. Parents are queued if they never were. Commits that are not
excluded are collected. The end is reached when the queue is empty, or when five excluded commits in
a row left only excluded ones in it, all of them older than the last one collected. Then the tips of
what was collected go on a stack, the newest on top; the commit on top is emitted, and of its
parents, from left to right, those go on top of which all children are emitted.

**With a commit-graph** nothing is collected first. The stack begins with the starting commits that
are no other one's parent, and what it is to be known for that, how many children a commit has, is
found out no further down than is necessary: two queues by generation, one that expands commits and
one that counts children, are worked off down to the generation of the commits that are parents of
emitted ones. So names are given in another order.

**Behind imported marks** a walk takes marked commits for roots and reads none of them, if the
parents of all of them are marked as well. Then no commit that is exported is below a marked one, so
what marked ones do in a queue or on the stack makes no difference to the others.

**Export order** is that in reverse, without what was excluded later or has an imported mark.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from fastio.errors import CircularDeltaError, ObjectError, PackError
from fastio.exporter._commit_table import CommitTable
from fastio.exporter._native_walk import DateWalk, GraphWalk
from fastio.exporter.budget import Budget
from fastio.exporter.collection import Collection
from fastio.exporter.marks import MarkTable
from fastio.exporter.walk import Walk
from fastio.store.commit_graph import open_commit_graph
from fastio.store.object_reader import ObjectReader
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository

# Options that change nothing.
_PLAIN = {b"--topo-order", b"--dense", b"--do-walk"}


def can_walk(repository: Repository, options: Sequence[bytes], paths: Sequence[bytes]) -> bool:
    """Tell whether a walk is of the kind that we do ourselves."""
    environment = repository.git.environment
    odd_files = (b"shallow", b"info/grafts")
    return (
        not paths
        and _PLAIN.issuperset(options)
        and not any(name in environment for name in ("GIT_SHALLOW_FILE", "GIT_GRAFT_FILE"))
        and not any(os.path.exists(os.path.join(repository.common_dir, name)) for name in odd_files)
    )


def walk_natively(
    repository: Repository,
    store: ObjectStore,
    collection: Collection,
    *,
    marks: MarkTable | None,
    budget: Budget,
    meanwhile: Callable[[], None] | None = None,
) -> Walk | None:
    """Walk; None if something is out of the ordinary, which git may know how to take.

    Args:
        repository: Where the objects are.
        store: The objects.
        collection: Where to start, and the names.
        marks: The imported marks; None if there are none.
        budget: How much memory the walk may take; commits that are read ahead stay with the store.
        meanwhile: Is called where the walk is a long one, when a thread has begun with its part.

    Raises:
        FastioError: What git would take, or go through for ever, makes no sense.
    """
    reader = ObjectReader(store, memory=budget.walk)
    try:
        # Where objects are replaced git takes no commit-graph's word for them.
        graph = None if store.search.replaces else open_commit_graph(repository)
        walk = DateWalk if graph is None else GraphWalk
        table = CommitTable(reader, graph, ahead=budget.ahead, meanwhile=meanwhile)
        excludes = any(is_negative for _, is_negative in collection.commits)
        if graph is not None and marks is not None and not excludes and table.is_closed(marks):
            table = CommitTable(reader, graph, ended=marks)
        return walk(table).run(collection.commits, collection.names, marks)
    except CircularDeltaError:
        raise  # git would follow it until it has no memory left
    except (ObjectError, PackError):
        return None
    finally:
        if store.commits_ahead is not None:
            store.commits_ahead[0].stop()
