"""The walk of an export without path limits, slow and plain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Oid = bytes


def model_walk(
    parents: Mapping[Oid, Sequence[Oid]],
    dates: Mapping[Oid, int],
    starts: Sequence[tuple[Oid, bool]],
    names: Mapping[Oid, bytes],
) -> list[tuple[Oid, bytes]]:
    """Return the commits to export, in export order, and their names.

    Args:
        parents: Of each commit.
        dates: Of each commit, the committer's.
        starts: Commits and whether they are negative.
        names: Of the starting commits.
    """
    names = dict(names)
    collected, excluded = _collect(parents, dates, starts, names)
    order = _order(parents, collected)
    return [(oid, names[oid]) for oid in reversed(order) if oid not in excluded]


def _collect(
    parents: Mapping[Oid, Sequence[Oid]],
    dates: Mapping[Oid, int],
    starts: Sequence[tuple[Oid, bool]],
    names: dict[Oid, bytes],
) -> tuple[list[Oid], set[Oid]]:
    read: set[Oid] = set()
    excluded: set[Oid] = set()

    def exclude_parents(oid: Oid) -> None:
        if oid in read:
            for parent in parents[oid]:
                if parent not in excluded:
                    excluded.add(parent)
                    exclude_parents(parent)

    for oid, is_negative in starts:
        read.add(oid)
        if is_negative:
            excluded.add(oid)
            exclude_parents(oid)
    queue = sorted(dict.fromkeys(oid for oid, _ in starts), key=lambda oid: -dates[oid])
    queued, expanded = set(queue), set[Oid]()
    collected: list[Oid] = []
    patience = 5
    while queue:
        oid = queue.pop(0)
        for parent in parents[oid] if oid not in expanded else ():
            read.add(parent)
            if oid in excluded:
                excluded.add(parent)
                exclude_parents(parent)
            else:
                names.setdefault(parent, names[oid])
            if parent not in queued:
                queued.add(parent)
                older = [at for at, other in enumerate(queue) if dates[other] < dates[parent]]
                queue.insert(older[0] if older else len(queue), parent)
        expanded.add(oid)
        if oid not in excluded:
            collected.append(oid)
            continue
        exclude_parents(oid)
        is_over = all(other in excluded for other in queue) and (
            not collected or not queue or dates[queue[0]] < dates[collected[-1]]
        )
        patience = patience - 1 if is_over else 5
        if not patience:
            break
    return collected, excluded


def _order(parents: Mapping[Oid, Sequence[Oid]], collected: Sequence[Oid]) -> list[Oid]:
    children = dict.fromkeys(collected, 0)
    for oid in collected:
        for parent in parents[oid]:
            if parent in children:
                children[parent] += 1
    stack = [oid for oid in reversed(collected) if not children[oid]]
    order = []
    while stack:
        order.append(stack.pop())
        for parent in parents[order[-1]]:
            if parent in children:
                children[parent] -= 1
                if not children[parent]:
                    stack.append(parent)
    return order
