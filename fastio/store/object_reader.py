"""Reading many objects of a repository, each once or twice, in an order that follows history."""

from __future__ import annotations

from fastio.store._object_reader import ObjectReader

__all__ = ["ObjectReader"]
