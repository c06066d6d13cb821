"""Frozen, slotted dataclasses that cost little to define and to make.

``@record`` stands for ``@dataclass(frozen=True, slots=True)``. The original compiles half a dozen
methods for each class, 0.4 ms, and its module imports ``inspect``, 6 ms; with the thirty classes
that an import needs it was a fifth of our whole start. Here the methods are shared, and what only
some ask for is made when they do: a class's ``__init__`` by its first instance, what `dataclasses`
itself goes by (for ``fields``, ``replace``, ``asdict``) by the first look at it.

``__init__`` sets the slots directly, which takes half as long as by ``object.__setattr__``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def record(cls: type[T]) -> type[T]:
    """Make a frozen, slotted dataclass of a class that names its fields by annotations.

    Defaults may be any immutable value; `dataclasses.field` is not supported, nor inheritance.
    """
    names = tuple(cls.__annotations__)
    defaults = {name: vars(cls)[name] for name in names if name in vars(cls)}
    left_out = {"__dict__", "__weakref__", *names}
    body = {name: value for name, value in vars(cls).items() if name not in left_out}
    body |= {
        "__slots__": names,
        "__match_args__": names,
        "__init__": _OnDemand(lambda made: _make_init(made, defaults)),
        "__dataclass_fields__": _OnDemand(lambda made: _model(made, defaults).__dataclass_fields__),
        "__dataclass_params__": _OnDemand(lambda made: _model(made, defaults).__dataclass_params__),
    }
    return cast("type[T]", type(cls.__name__, (_Record,), body))


class _OnDemand:
    """An attribute of a class that is made when first asked for, and then replaces this one."""

    def __init__(self, make: Callable[[type], Any]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        setattr(owner, self._name, self._make(owner))
        return getattr(owner if instance is None else instance, self._name)


class _Record:
    """What all records have in common: they are equal, hashed, shown by their fields."""

    __slots__: tuple[str, ...] = ()

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__qualname__}({fields})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash(_values(self))

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), _values(self)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        _refuse(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        _refuse(f"cannot delete field {name!r}")


def _values(instance: Any) -> tuple[Any, ...]:
    return tuple(getattr(instance, name) for name in instance.__slots__)


def _refuse(reason: str) -> NoReturn:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 - see the top

    raise FrozenInstanceError(reason)


def _make_init(cls: type, defaults: dict[str, object]) -> Any:
    """Compile ``__init__``, so that it takes its arguments as any function does."""
    names = cls.__match_args__  # type: ignore[attr-defined]
    parameters = ", ".join(f"{name}=default_{name}" if name in defaults else name for name in names)
    steps = "\n".join(f"    set_{name}(self, {name})" for name in names)
    known: dict[str, Any] = {f"default_{name}": value for name, value in defaults.items()}
    known |= {f"set_{name}": vars(cls)[name].__set__ for name in names}
    exec(f"def __init__(self, {parameters}):\n{steps or '    pass'}\n", known)
    known["__init__"].__qualname__ = f"{cls.__qualname__}.__init__"
    return known["__init__"]


def _model(cls: type, defaults: dict[str, object]) -> Any:
    """Make a plain dataclass of the same fields, for what it says of them."""
    from dataclasses import dataclass  # noqa: PLC0415 - see the top

    body = {"__annotations__": cls.__annotations__, "__module__": cls.__module__, **defaults}
    return dataclass(frozen=True, slots=True)(type(cls.__name__, (), body))
