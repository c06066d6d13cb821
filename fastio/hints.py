"""What fastio's modules need of `typing`, without its 3 ms of import: a tenth of our whole start.

Type checkers see the real ones. At run time they are only there to be named: annotations are never
evaluated, a new type is the type it is made of, and a protocol is an ordinary base.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import (
        IO,
        Any,
        BinaryIO,
        Final,
        NewType,
        NoReturn,
        Protocol,
        Self,
        TypeAlias,
        TypeVar,
        cast,
        dataclass_transform,
        final,
    )
else:
    IO = Any = BinaryIO = Final = NoReturn = Protocol = Self = TypeAlias = object

    def NewType(_name, of):
        """Return the type that the new one is made of."""
        return of

    def TypeVar(name):
        """Return something that stands for any type."""
        return name

    def cast(_to, value):
        """Return *value* as it is."""
        return value

    def final(cls):
        """Return *cls* as it is."""
        return cls

    def dataclass_transform(**_what):
        """Return a decorator that does nothing."""
        return final


__all__ = [
    "IO",
    "TYPE_CHECKING",
    "Any",
    "BinaryIO",
    "Final",
    "NewType",
    "NoReturn",
    "Protocol",
    "Self",
    "TypeAlias",
    "TypeVar",
    "cast",
    "dataclass_transform",
    "final",
]
