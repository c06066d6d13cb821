"""Records read in plain Python."""

from __future__ import annotations

import struct
from typing import NamedTuple

from fastio.exporter.records import DIE, END, OF, WARN


class Part(NamedTuple):
    text: bytes
    hole: int
    argument: bytes


class Record(NamedTuple):
    blobs: list[bytes]
    parts: list[Part]


def read_records(data: bytes, oid_size: int) -> list[Record]:
    records = []
    while data:
        size, count = struct.unpack_from("=II", data)
        records.append(_read_record(data[8:size], count, oid_size))
        data = data[size:]
    return records


def _read_record(data: bytes, count: int, oid_size: int) -> Record:
    oids = data[len(data) - count * oid_size :]
    data = data[: len(data) - len(oids)]
    parts = []
    while data:
        text, data = _counted(data)
        hole, data = data[0], data[1:]
        argument = b""
        if hole == OF:
            argument, data = data[:oid_size], data[oid_size:]
        elif hole in (WARN, DIE):
            argument, data = _counted(data)
        parts.append(Part(text, hole, argument))
        assert (hole == END) == (not data), "the last part, and only that, ends the record"
    return Record([oids[at : at + oid_size] for at in range(0, len(oids), oid_size)], parts)


def _counted(data: bytes) -> tuple[bytes, bytes]:
    (n,) = struct.unpack_from("=I", data)
    assert len(data) >= 4 + n
    return data[4 : 4 + n], data[4 + n :]
