from fastio.exporter.marks import MarkTable
from fastio.exporter.walk import Walk

def read_listing(
    walk: Walk,
    listing: bytes,
    names: dict[bytes, int],
    marks: MarkTable | None,
) -> None: ...
