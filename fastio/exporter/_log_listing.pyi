from collections.abc import Callable

from fastio.exporter.walk import Walk
from fastio.objects.kinds import Oid

def read_listing(
    walk: Walk,
    listing: bytes,
    names: dict[bytes, int],
    is_marked: Callable[[Oid], bool] | None,
) -> None: ...
