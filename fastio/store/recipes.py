"""Objects of a pack's delta families, kept as recipes: many versions in the memory of few.

Theory of operation
-------------------
The objects whose delta chains end at the same full object are a *family*. A pack of a long history
has families of dozens of versions of one file, 30 KB each, of which every delta says only a few
hundred bytes. To read all of them one after the other costs time or memory: either each one's chain
is applied from its beginning, or every version is kept until those that are made of it are read.

So an object is kept as a *recipe*: a list of pieces, each so many bytes from somewhere in the
family's memory, where the full object lies and the bytes that deltas inserted. A delta's recipe is
composed from its base's: what it copies are some of the base's pieces, found by binary search among
their ends, the first and the last one cut short; what it inserts is a piece of its own. Nothing in
between is ever built. An object is read by running its recipe straight to where it is wanted.

A recipe that would need more than half of the memory of the object itself is not kept: the
object is built and is the ground for those made of it. So recipes cannot grow without bound, as
those of damaged or crafted deltas would.

A family's memory is cut from a few blocks and never freed in parts. When all families together need
more than they may, the one that was not used for longest is dropped. One that has become large gets
no more: the next object is built and begins a new family. So of a chain of thousands only what was
used lately stays, and chains that meet at one old object do not keep all in between.

What two recipes copy from the same place of one full object, their *ground*, the objects have in
common; `_recipe_runs` finds that without building them, and builds parts of an object.

`Recipes` here is what compiled code uses; its Python methods are for tests.
"""

from __future__ import annotations

from fastio.store._recipes import Recipes

__all__ = ["Recipes"]
