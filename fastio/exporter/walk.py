"""The walk: which commits are exported, in which order, under which names, with which parents.

It is complete before the first commit is written, and workers are forked from a process that has
it, so it is one table in C arrays: a row for each commit in export order (parents come before
children), oids side by side, the parents of all rows side by side in an array of their own, and an
open addressing table from oid to row. Parents are those that are left after path limits and
simplification. Each of them is known by now to have a mark at the time when its child is written,
or not: it has one if it is an earlier row, or if an imported marks file gave it one.
"""

from __future__ import annotations

from fastio.exporter._walk import Walk

__all__ = ["Walk"]
