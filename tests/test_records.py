from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle

import pytest

from fastio.records import record


def define(decorate):
    @decorate
    class Point:
        """A place."""

        x: int
        name: bytes | None = None
        level: int = 3

        @property
        def double(self) -> int:
            return 2 * self.x

    Point.__qualname__ = "Point"  # pickle looks there
    return Point


Point = define(record)
Model = define(dataclasses.dataclass(frozen=True, slots=True))


@record
class Empty:
    """No fields at all."""


@pytest.mark.parametrize("values", [(1,), (1, b"a"), (1, b"a", 5)])
def test_records_look_like_their_dataclass(values):
    ours, model = Point(*values), Model(*values)
    assert (repr(ours), hash(ours)) == (repr(model), hash(model))
    assert dataclasses.asdict(ours) == dataclasses.asdict(model)
    assert ours.double == model.double


def test_classes_look_like_their_dataclass():
    for name in ("__match_args__", "__doc__", "__module__", "__qualname__", "__slots__"):
        assert getattr(Point, name) == getattr(Model, name)
    assert list(inspect.signature(Point).parameters) == ["x", "name", "level"]
    assert repr(Point.__dataclass_params__) == repr(Model.__dataclass_params__)
    assert not hasattr(Point(1), "__dict__")


def test_records_are_equal_by_their_fields():
    assert Point(1, b"a") == Point(1, b"a")
    assert Point(1, b"a") != Point(1, b"b")
    assert Point(1) != Model(1)
    assert Empty() == Empty()


def test_records_cannot_be_changed():
    point = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.other = 1


def test_dataclasses_takes_records_for_its_own():
    assert dataclasses.is_dataclass(Point)
    assert dataclasses.is_dataclass(Empty())
    assert [field.name for field in dataclasses.fields(Point)] == ["x", "name", "level"]
    assert dataclasses.fields(Point)[2].default == 3
    assert dataclasses.replace(Point(1), name=b"b") == Point(1, b"b")


def test_records_are_copied_and_pickled():
    point = Point(1, b"a")
    assert copy.copy(point) == copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point


def test_records_match_patterns():
    match Point(1, b"a"):
        case Point(x, name):
            assert (x, name) == (1, b"a")


@pytest.mark.parametrize("values", [(), (1, b"a", 5, 6)])
def test_wrong_counts_of_arguments_are_refused(values):
    with pytest.raises(TypeError, match=r"Point\.__init__\(\) "):
        Point(*values)
