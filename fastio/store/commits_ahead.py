"""Commits of a pack, inflated by a thread before they are asked for.

A walk through all of history is one process's work: each commit names the next ones. But in a pack
that git wrote commits lie together, the newest first, which is where a walk goes. So a thread goes
through the pack from its beginning, inflates what are commits, and keeps them; who reads objects
looks there first. What the walk has to read itself is kept beside that. Workers that are forked
later are told where each commit lies, so that each is inflated once.

The thread needs no lock: rows are only added, in the order of the pack, and their number is
published behind them. It ends when the memory is full, where commits no longer come, and at
anything out of the ordinary, which whoever reads that will find by himself.
"""

from __future__ import annotations

from fastio.store._commits_ahead import CommitsAhead

__all__ = ["CommitsAhead"]
