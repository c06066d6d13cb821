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
from fastio.records import record
from fastio.store.config import parse_boolean

if TYPE_CHECKING:
    from fastio.store.config import Config
    from fastio.store.git import Git, GitProcess
    from fastio.store.repository import Repository

NONE, LINE_ENDS, IDENT, BY_GIT = range(4)
"""Nothing happens; something happens to content with a CR; or with an ``$Id``; git has to say."""

_ATTRIBUTES = (b"text", b"crlf", b"eol", b"ident", b"filter", b"working-tree-encoding")
_INSIDE, _OUTSIDE, _ODD, _NO_ATTRIBUTES = range(4)  # places of files
_NO_NAMES = (b"", b".", b"..")
_FIELDS = 3  # path, attribute, value
_ROOM = 1 << 20  # bytes that pipes may hold: the answers about a thousand paths or two


@record
class Question:
    """Paths whose conversions git is asked about.

    Attributes:
        found: What is known of each path, a byte each.
        asked: The paths that git was asked about: those of the work tree, and those outside of it.
    """

    found: bytearray
    asked: tuple[list[int], list[int]]


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
        self._asked: dict[int, GitProcess] = {}  # for paths of the work tree, and outside of it
        self._places: dict[bytes, int] = {}
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

    def ask(self, paths: list[bytes]) -> Question:
        """Begin to find out about *paths*, names from the top of the work tree.

        git answers meanwhile. Questions are to be settled (`rules`) in the order they were asked.
        """
        default = self._line_ends(set_to_crlf=False) if self._automatic else NONE
        found = bytearray([default]) * len(paths)
        question = Question(found, ([], []))
        if self._repository is None:
            return question
        lists = (*question.asked, list[int]())
        for number, path in enumerate(paths):
            at = path.rfind(b"/") + 1
            place = self._places.get(path[:at])
            if place is None:
                place = self._places[path[:at]] = self._place(path[:at])
            if place != _NO_ATTRIBUTES:
                found[number] = BY_GIT  # as git sees them, odd names match other patterns
                if path[at:] not in _NO_NAMES:
                    lists[place].append(number)
        for outside, numbers in enumerate(question.asked):
            if numbers and self._can_ask(outside=bool(outside)):
                asked = self._asked.get(outside)
                if asked is None:
                    asked = self._asked[outside] = self._start(outside=bool(outside))
                asked.send(b"".join(paths[number] + b"\0" for number in numbers))
                asked.push()
            else:
                numbers.clear()
        return question

    def rules(self, question: Question) -> bytes:
        """Tell what can happen to each of the paths of a question, a byte each.

        Raises:
            GitEnded: git did not answer.
        """
        for outside, numbers in enumerate(question.asked):
            if numbers:
                rules = self._settle(self._asked[outside], len(numbers))
                for number, rule in zip(numbers, rules, strict=True):
                    question.found[number] = rule
        return bytes(question.found)

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

    def _place(self, directory: bytes) -> int:
        """Tell what kind of place a directory is, named from the top and with a slash behind it."""
        if not (self._anywhere or self._has_attributes(directory)):
            return _NO_ATTRIBUTES
        place = _OUTSIDE if directory.startswith(b"/") else _INSIDE
        return place if is_plain(directory[place == _OUTSIDE : -1]) else _ODD

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

    def _can_ask(self, *, outside: bool) -> bool:
        """Whether git can be asked about paths of the work tree, or about those outside of it.

        Outside, hash-object heeds the attribute files on the way from the root of the file system,
        as if all of that were a work tree. What the real one's top says comes before them.
        """
        if outside and (self._anywhere or self._has_attributes(b"/")):
            return False
        return self._has_place

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
        return git.start("check-attr", "--stdin", "-z", *_ATTRIBUTES, room=_ROOM)

    def _settle(self, asked: GitProcess, count: int) -> list[int]:
        """Take git's answers about so many paths."""
        step = len(_ATTRIBUTES) * _FIELDS
        expected = count * step
        counted = ends = 0

        def is_complete() -> bool:
            nonlocal counted, ends
            ends += asked.output.count(0, counted)
            counted = len(asked.output)
            return ends >= expected

        if not asked.wait_for(is_complete):
            raise GitEnded(asked.close() or GitEnded.exit_status)
        *words, rest = bytes(asked.output).split(b"\0", expected)
        asked.output[:] = rest
        values = (words[at::step] for at in range(_FIELDS - 1, step, _FIELDS))
        known = self._known_rules
        return [
            known[each] if each in known else self._rule(each) for each in zip(*values, strict=True)
        ]

    def _rule(self, values: tuple[bytes, ...]) -> int:
        rule = self._find_rule(dict(zip(_ATTRIBUTES, values, strict=True)))
        self._known_rules[values] = rule
        return rule

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
    """Tell whether a directory is written as git itself writes it, from the top."""
    return not path or not any(part in _NO_NAMES for part in path.split(b"/"))


def _word(config: Config, key: str, default: str) -> str:
    try:
        return (config.text(key) or default).lower()
    except ConfigError:  # without a value it is true
        return "true"
