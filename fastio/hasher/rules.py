"""What can happen to content, by the values of its attributes and by configuration."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fastio.errors import ConfigError
from fastio.store.config import parse_boolean

if TYPE_CHECKING:
    from fastio.store.config import Config

NONE, LINE_ENDS, IDENT, BY_GIT, MAYBE = range(5)
"""Nothing happens; something happens to content with a CR; or with an ``$Id``; git has to say; if
there is a CR, git is still to be asked whether something happens (`Conversions.ask_after_all`)."""

ATTRIBUTES = (b"text", b"crlf", b"eol", b"ident", b"filter", b"working-tree-encoding")
"""All that have a say."""

_TEXT_VALUES = (b"set", b"unset", b"auto", b"input")


class Rules:
    """Tells what can happen to content.

    Args:
        config: What git says of its configuration.
        write: Whether objects are stored: git then warns of some conversions.
    """

    def __init__(self, config: Config, *, write: bool) -> None:
        self._config = config
        self._known: dict[tuple[bytes, ...], int] = {}
        automatic = _word(config, "core.autocrlf", "false")
        self._automatic = automatic == "input" or parse_boolean("core.autocrlf", automatic)
        self._warns = write and _word(config, "core.safecrlf", "warn") != "false"
        # What a checkout would write, where attributes do not say.
        to_crlf = self._automatic and automatic != "input"
        self._to_crlf = to_crlf or _word(config, "core.eol", "") == "crlf"

    @property
    def without_attributes(self) -> int:
        """What can happen where none is set."""
        return self.of_text if self._automatic else NONE

    @property
    def of_text(self) -> int:
        """What can happen where lines are to end by LF."""
        return self._line_ends(set_to_crlf=False)

    def find(self, values: tuple[bytes, ...]) -> int:
        """Tell what can happen by the values of the `ATTRIBUTES`, as git spells them."""
        rule = self._known.get(values)
        if rule is None:
            rule = self._known[values] = self._find(dict(zip(ATTRIBUTES, values, strict=True)))
        return rule

    def _find(self, values: dict[bytes, bytes]) -> int:
        if self._is_filter(values[b"filter"]):
            return BY_GIT
        encoding = values[b"working-tree-encoding"]
        if encoding not in (b"unspecified", b"unset") and encoding.lower() not in (
            b"utf-8",
            b"utf8",
        ):
            return BY_GIT
        text, eol = values[b"text"], values[b"eol"]
        if text not in _TEXT_VALUES:  # another value means nothing, and the older name is asked
            text = values[b"crlf"]
        if text == b"unset":
            rule = NONE
        elif text in (b"set", b"auto", b"input") or eol in (b"lf", b"crlf"):
            rule = self._line_ends(set_to_crlf=eol == b"crlf")
        else:
            rule = self.without_attributes
        if values[b"ident"] != b"set":
            return rule
        return IDENT if rule == NONE else BY_GIT

    def _line_ends(self, *, set_to_crlf: bool) -> int:
        """Content without CR stays; git may warn of what it would be after a checkout."""
        return BY_GIT if self._warns and (set_to_crlf or self._to_crlf) else LINE_ENDS

    def _is_filter(self, name: bytes) -> bool:
        if name in (b"unspecified", b"unset"):
            return False
        start = f"filter.{os.fsdecode(name)}."
        return any(f"{start}{key}" in self._config for key in ("clean", "process", "required"))


def _word(config: Config, key: str, default: str) -> str:
    try:
        return (config.text(key) or default).lower()
    except ConfigError:  # without a value it is true
        return "true"
