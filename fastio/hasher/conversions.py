"""Whether content is converted before it is hashed: what gitattributes and configuration say.

Conversions are git's business: a filter, an encoding, an ``$Id$``, carriage returns that are to go.
What is worked out here is that there is nothing to convert, which is nearly always so:

* no attribute file can have a say about the path, and ``core.autocrlf`` is not set; or
* git, asked once for all paths (``git check-attr --stdin``), says that no attribute is there; or
* the only thing that could happen is that carriage returns go, and the content has none.
"""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING

from fastio.errors import ConfigError, GitEnded
from fastio.hasher.files import is_there
from fastio.store.config import parse_boolean

if TYPE_CHECKING:
    from fastio.store.config import Config
    from fastio.store.git import Git, GitProcess
    from fastio.store.repository import Repository

NONE, LINE_ENDS, IDENT, BY_GIT = range(4)
"""Nothing happens; something happens to content with a CR; or with an ``$Id``; git has to say."""

_ATTRIBUTES = (b"text", b"crlf", b"eol", b"ident", b"filter", b"working-tree-encoding")
_FIELDS = 3  # path, attribute, value


class Conversions:
    """Tells for each path which conversions there can be.

    Args:
        git: Runs git where the command was started.
        repository: The repository, None outside of any.
        config: What git says of its configuration.
        system_file: The attribute file of all users, as far as is known.
        write: Whether objects are stored: git then warns of some conversions.
    """

    def __init__(
        self,
        git: Git,
        repository: Repository | None,
        config: Config,
        *,
        system_file: bytes,
        write: bool,
    ) -> None:
        self._git, self._repository, self._config = git, repository, config
        self._asked: dict[bool, GitProcess] = {}  # for paths of the work tree, and outside of it
        self._known_directories: dict[bytes, bool] = {}
        self._known_rules: dict[tuple[bytes, ...], int] = {}
        automatic = _word(config, "core.autocrlf", "false")
        self._automatic = automatic == "input" or parse_boolean("core.autocrlf", automatic)
        self._warns = write and _word(config, "core.safecrlf", "warn") != "false"
        # What a checkout would write, where attributes do not say.
        to_crlf = self._automatic and automatic != "input"
        self._to_crlf = to_crlf or _word(config, "core.eol", "") == "crlf"
        self._anywhere = repository is not None and self._attributes_for_all(system_file)
        self._top = b"../" * repository.prefix.count(b"/") if repository is not None else b""

    def rules(self, paths: list[bytes]) -> bytes:
        """Tell what can happen to each of *paths*, names from the top of the work tree."""
        default = self._line_ends(set_to_crlf=False) if self._automatic else NONE
        found = bytearray([default]) * len(paths)
        if self._repository is None:
            return bytes(found)
        asked = [number for number, path in enumerate(paths) if self._may_have_attributes(path)]
        if not asked:
            return bytes(found)
        for number in asked:
            found[number] = BY_GIT  # as git sees them, odd names match other patterns
        for outside in (False, True):
            plain = [number for number in asked if self._can_ask(paths[number], outside=outside)]
            rules = self._ask([paths[number] for number in plain], outside=outside)
            for number, rule in zip(plain, rules, strict=True):
                found[number] = rule
        return bytes(found)

    def close(self) -> None:
        """End the gits that were asked."""
        for asked in self._asked.values():
            asked.close()

    # --- which files of attributes there are ------------------------------------------------------

    def _attributes_for_all(self, system_file: bytes) -> bool:
        """Whether there are attributes that are not those of a directory."""
        assert self._repository is not None
        environment, config = os.environb, self._config
        if environment.get(b"GIT_ATTR_SOURCE") or "attr.tree" in config:
            return True
        if "core.attributesFile" in config:
            return True
        home = environment.get(b"XDG_CONFIG_HOME") or os.path.join(
            environment.get(b"HOME", b""), b".config"
        )
        files = (
            os.path.join(self._repository.common_dir, b"info/attributes"),
            os.path.join(self._repository.git_dir, b"info/attributes"),
            os.path.join(home, b"git/attributes"),
            system_file,
        )
        return any(map(os.path.lexists, files))

    def _may_have_attributes(self, path: bytes) -> bool:
        return self._anywhere or self._has_attributes(path[: path.rfind(b"/") + 1])

    def _has_attributes(self, directory: bytes) -> bool:
        """Whether *directory* or one above it, up to the top, has a file of attributes."""
        has = self._known_directories.get(directory)
        if has is not None:
            return has
        has, end = False, 0
        while True:
            part = directory[:end]
            known = self._known_directories.get(part)
            has = (has or self._has_file(part)) if known is None else known
            self._known_directories[part] = has
            if end == len(directory):
                return has
            end = directory.index(b"/", end) + 1

    def _has_file(self, directory: bytes) -> bool:
        return is_there(os.path.join(self._top, directory, b".gitattributes"))

    # --- what they say ----------------------------------------------------------------------------

    def _can_ask(self, path: bytes, *, outside: bool) -> bool:
        """Whether git can be asked about a path of the work tree, or about one outside of it.

        Outside, hash-object heeds the attribute files on the way from the root of the file system,
        as if all of that were a work tree. What the real one's top says comes before them.
        """
        if not self._has_place:
            return False
        if not outside:
            return is_plain(path)
        if self._anywhere or self._has_attributes(b"/"):
            return False
        return path.startswith(b"/") and is_plain(path[1:])

    @cached_property
    def _has_place(self) -> bool:
        """Whether names are from where check-attr would take them: not so beside the work tree."""
        assert self._repository is not None
        if self._repository.is_bare:
            return True
        return self._git.run("rev-parse", "--is-inside-work-tree").stdout == b"true\n"

    def _start(self, *, outside: bool) -> GitProcess:
        assert self._repository is not None
        directory = os.fsdecode(os.path.abspath(self._repository.git_dir))
        # As hash-object does, and check-attr does not, without a look at the index.
        git = self._git.with_environment(GIT_INDEX_FILE=os.path.join(directory, "no-index"))
        git.directory = self._top or None
        if outside:
            git = git.with_environment(GIT_DIR=directory, GIT_WORK_TREE="/")
            git.directory = b"/"
        return git.start("check-attr", "--stdin", "-z", *_ATTRIBUTES)

    def _ask(self, paths: list[bytes], *, outside: bool) -> list[int]:
        """Ask git for the attributes of *paths*."""
        if not paths:
            return []
        asked = self._asked.get(outside)
        if asked is None:
            asked = self._asked[outside] = self._start(outside=outside)
        asked.send(b"".join(path + b"\0" for path in paths))
        expected = len(paths) * len(_ATTRIBUTES) * _FIELDS
        if not asked.wait_for(lambda: asked.output.count(0) >= expected):
            raise GitEnded(asked.close() or GitEnded.exit_status)
        words = bytes(asked.output).split(b"\0")
        asked.output.clear()
        step = len(_ATTRIBUTES) * _FIELDS
        starts = range(0, expected, step)
        return [self._rule(tuple(words[at + 2 : at + step : _FIELDS])) for at in starts]

    def _rule(self, values: tuple[bytes, ...]) -> int:
        known = self._known_rules.get(values)
        if known is None:
            known = self._find_rule(dict(zip(_ATTRIBUTES, values, strict=True)))
            self._known_rules[values] = known
        return known

    def _find_rule(self, values: dict[bytes, bytes]) -> int:
        if self._is_filter(values[b"filter"]):
            return BY_GIT
        encoding = values[b"working-tree-encoding"]
        if encoding not in (b"unspecified", b"unset") and encoding.lower() not in (
            b"utf-8",
            b"utf8",
        ):
            return BY_GIT
        text, eol = values[b"text"], values[b"eol"]
        if text == b"unspecified":
            text = values[b"crlf"]
        if text == b"unset":
            rule = NONE
        elif text in (b"set", b"auto", b"input") or eol in (b"lf", b"crlf"):
            rule = self._line_ends(set_to_crlf=eol == b"crlf")
        else:
            rule = self._line_ends(set_to_crlf=False) if self._automatic else NONE
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


def is_plain(path: bytes) -> bool:
    """Tell whether a path is written as git itself writes it, from the top of the work tree."""
    return not any(part in (b"", b".", b"..") for part in path.split(b"/"))


def _word(config: Config, key: str, default: str) -> str:
    try:
        return (config.text(key) or default).lower()
    except ConfigError:  # without a value it is true
        return "true"
