"""Reading many objects of a repository, each once or twice, in an order that follows history.

Theory of operation
-------------------
An oid is looked up in all packs (`PackSearch`). A commit or tag that is stored whole is inflated
where it is wanted and nothing of it is kept. For other objects headers are followed from delta to
base, down to what is a recipe already (`fastio.store.recipes`) or to a full object; from there each
delta is inflated once and its object becomes a recipe, until the one that was asked for is there.
Its recipe is run to where it is wanted. The next version in history is most often a step of the
same chain, so what it needs has been made.

What no pack has is looked for among loose objects (`LooseReader`). What is neither there nor small,
in a pack beyond those that may be open, or larger than a quarter of the memory takes the way of
`ObjectStore`, which also looks again for packs when another process has repacked.
Nothing is fetched: what a partial clone lacks is an error that says how to get it.

What packs hold is trusted as far as their checksums go: that of each zlib stream, and that of the
entry in the idx, which covers the header as well and costs 2 % more. Only *verify* has oids
recomputed.

Measured on git.git, packed by ``git repack`` (126 MB, chains of up to 50): CPU seconds with
300 MiB, each object once, in the order of its history; git is ``git cat-file --batch --buffer``.

    ======== ======= ======== ===== =====
    type     objects bytes    ours  git
    ======== ======= ======== ===== =====
    blobs    161,216 5.53 GB  2.7   21.6
    trees    162,875 2.54 GB  0.7   1.2
    commits  81,966  60 MB    0.5   0.7
    ======== ======= ======== ===== =====
"""

from __future__ import annotations

from fastio.store._object_reader import ObjectReader

__all__ = ["ObjectReader"]
