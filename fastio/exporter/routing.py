"""Which worker writes which blob.

A worker resolves each delta base once and keeps it for the next version of the same file. So blobs
of one family of deltas go to one worker: the one with least to do when the family is met first.
"""

from __future__ import annotations

from fastio.exporter._routing import Router

__all__ = ["Router"]
