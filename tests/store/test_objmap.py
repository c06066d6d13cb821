"""The object map against a dict, from capacity 1 up."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from fastio.errors import PackError
from fastio.store.objmap import ELSEWHERE, ObjectMap

# Few, so that they meet again, and alike, so that they share shards, slots and tags.
few_oids = st.builds(
    lambda head, tail: bytes(head) + b"same" * 4 + bytes([tail]),
    st.lists(st.sampled_from([0, 1, 255]), min_size=3, max_size=3),
    st.integers(0, 9),
)


class Place(NamedTuple):
    pack: int
    offset: int
    kind: int
    depth: int
    crc: int


places = st.builds(
    Place,
    pack=st.sampled_from([0, 1, 2, ELSEWHERE]),
    offset=st.integers(0, 2**48 - 1),
    kind=st.integers(0, 7),
    depth=st.integers(0, 8191),
    crc=st.integers(0, 2**32 - 1),
)


def place_of(objects: ObjectMap, entry_id: int) -> Place:
    return Place(*(getattr(objects, field)(entry_id) for field in Place._fields))


def oid_number(number: int) -> bytes:
    return hashlib.sha1(b"%d" % number).digest()


class ObjectMapModel(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.map = ObjectMap(capacity=1)
        self.oids: list[bytes] = []  # by id
        self.places: dict[bytes, Place] = {}

    @rule(oid=few_oids, place=places)
    def insert(self, oid: bytes, place: Place) -> None:
        if oid in self.places:
            with pytest.raises(PackError):
                self.map.insert(oid, **place._asdict())
            return
        assert self.map.insert(oid, **place._asdict()) == len(self.oids)
        self.oids.append(oid)
        self.places[oid] = place

    @precondition(lambda self: self.oids)
    @rule(data=st.data(), place=places)
    def set_place(self, data: st.DataObject, place: Place) -> None:
        entry_id = data.draw(st.integers(0, len(self.oids) - 1))
        self.map.set_place(entry_id, **place._asdict())
        self.places[self.oids[entry_id]] = place

    @rule(oid=few_oids)
    def find(self, oid: bytes) -> None:
        known = self.oids.index(oid) if oid in self.places else -1
        assert self.map.find(oid) == known
        assert (oid in self.map) == (known >= 0)

    @rule(pack=st.sampled_from([0, 1, ELSEWHERE]), data=st.data())
    def ids_of_pack(self, pack: int, data: st.DataObject) -> None:
        first = data.draw(st.integers(0, len(self.oids)))
        wanted = [n for n, oid in enumerate(self.oids) if self.places[oid].pack == pack]
        assert [*self.map.ids_of_pack(pack, first)] == [n for n in wanted if n >= first]

    @invariant()
    def same_content(self) -> None:
        assert len(self.map) == len(self.oids)
        assert [self.map.oid(n) for n in range(len(self.oids))] == self.oids
        assert [place_of(self.map, n) for n in range(len(self.oids))] == [
            self.places[oid] for oid in self.oids
        ]


TestObjectMapModel = ObjectMapModel.TestCase
TestObjectMapModel.settings = settings(
    max_examples=40, stateful_step_count=60, derandomize=True, deadline=None
)


@pytest.mark.parametrize("capacity", [1, 1000, 100_000])
def test_ids_stay_while_the_map_grows(capacity: int) -> None:
    objects = ObjectMap(capacity=capacity)
    oids = [oid_number(number) for number in range(40_000)]
    for number, oid in enumerate(oids):
        assert objects.insert(oid, pack=number % 3, offset=number, kind=3) == number
    assert [objects.find(oid) for oid in oids] == [*range(40_000)]
    assert all(objects.offset(number) == number for number in range(40_000))
    assert all(objects.find(oid_number(number)) == -1 for number in range(40_000, 50_000))


def test_an_object_costs_at_most_48_bytes() -> None:
    objects = ObjectMap()
    for number in range(100_000):
        objects.insert(oid_number(number), pack=0, offset=0, kind=3)
        if number >= 3000:
            assert objects.nbytes <= 48 * len(objects)


@given(oids=st.lists(st.binary(min_size=32, max_size=32), unique=True))
@settings(max_examples=50, derandomize=True)
def test_sha256_oids_are_told_apart_to_their_last_byte(oids: list[bytes]) -> None:
    objects = ObjectMap(32)
    ids = {oid: objects.insert(oid, pack=0, offset=0, kind=1) for oid in oids}
    assert all(objects.find(oid) == number for oid, number in ids.items())
    others = {oid[:-1] + bytes([oid[-1] ^ 1]) for oid in oids} - ids.keys()
    assert all(objects.find(oid) == -1 for oid in others)


@pytest.mark.parametrize("oid", [b"", b"x" * 19, b"x" * 21, "x" * 20, None])
def test_what_is_no_oid_is_refused(oid: bytes) -> None:
    with pytest.raises(PackError):
        ObjectMap().find(oid)


@pytest.mark.parametrize("entry_id", [-1, 0, 2**32, 2**70])
def test_an_unknown_id_is_refused(entry_id: int) -> None:
    with pytest.raises(PackError):
        ObjectMap().oid(entry_id)


@pytest.mark.parametrize(
    "wrong", [{"pack": -1}, {"pack": 2**16}, {"offset": 2**48}, {"kind": 8}, {"depth": 2**13}]
)
def test_a_place_that_does_not_fit_is_refused(wrong: dict[str, int]) -> None:
    place = {"pack": 0, "offset": 12, "kind": 3} | wrong
    with pytest.raises(PackError):
        ObjectMap().insert(bytes(20), **place)
