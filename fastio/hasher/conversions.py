"""Whether content is converted before it is hashed: what gitattributes and configuration say.

Conversions are git's business: a filter, an encoding, an ``$Id$``, carriage returns that are to go.
What is worked out here is that there is nothing to convert, which is nearly always so:

* no attribute file can have a say about the path, and ``core.autocrlf`` is not set; or
* all that attribute files say of such names is that lines end by LF; or
* git, asked once for all paths (``git check-attr --stdin``), says that no attribute is there; or
* the only thing that could happen is that carriage returns go, and the content has none.

Where the second holds, git is only asked about content that has a carriage return (`MAYBE`): about
20,000 source files it would take as long to ask as to hash them. Where that is so of many files,
git is asked beforehand after all.
"""

from __future__ import annotations

import os
import threading
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from fastio.errors import GitEnded
from fastio.hasher.attribute_files import AttributeFiles
from fastio.hasher.rules import ATTRIBUTES, BY_GIT, LINE_ENDS, MAYBE, Rules
from fastio.records import record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastio.store.config import Config
    from fastio.store.git import Git, GitProcess
    from fastio.store.repository import Repository

_INSIDE, _OUTSIDE, _ODD, _NO_ATTRIBUTES = range(4)  # places of files
_NO_NAMES = (b"", b".", b"..")
_FIELDS = 3  # path, attribute, value
_ROOM = 1 << 20  # bytes that pipes may hold: the answers about a thousand paths or two
_FEW = 16  # questions after all that say nothing yet about whether there are many
_SELDOM = 512  # paths for each further one: a question takes as long as some hundred of them


@record
class Question:
    """Paths whose conversions git is asked about.

    Attributes:
        found: What is known of each path, a byte each.
        asked: The paths that git was asked about: those of the work tree, and those outside of it.
        is_late: Whether it was asked after all.
    """

    found: bytearray
    asked: tuple[list[int], list[int]]
    is_late: bool


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
        # For paths of the work tree, and outside of it; late questions overtake earlier ones.
        self._asked: dict[tuple[int, bool], GitProcess] = {}
        self._places: dict[bytes, tuple[int, tuple[bytes, ...]]] = {}
        self._paths = self._late = 0  # paths so far, and questions about them after all
        self._late_lock = threading.Lock()
        self._rules = Rules(config, write=write)
        self._anywhere = repository is not None and self._attributes_for_all(system_file)
        self._top = b"../" * repository.prefix.count(b"/") if repository is not None else b""
        self._files = AttributeFiles(self._top)

    def ask(self, paths: list[bytes]) -> Question:
        """Begin to find out about *paths*, names from the top of the work tree.

        git answers meanwhile. Questions are to be settled (`rules`) in the order they were asked.
        """
        self._paths += len(paths)
        # What git warns of has to be asked for.
        may_wait = self._rules.of_text == LINE_ENDS
        may_wait = may_wait and self._late <= _FEW + self._paths // _SELDOM
        return self._ask(paths, may_wait=may_wait, is_late=False)

    def ask_after_all(self, paths: list[bytes]) -> bytes:
        """Tell what can happen to each of some paths, of which some may have a CR (`MAYBE`).

        Any thread may ask so, while one of them asks and settles other questions.
        """
        with self._late_lock:
            self._late += 1
            return self.rules(self._ask(paths, may_wait=False, is_late=True))

    def _ask(self, paths: list[bytes], *, may_wait: bool, is_late: bool) -> Question:
        found = bytearray([self._rules.without_attributes]) * len(paths)
        question = Question(found, ([], []), is_late)
        if self._repository is None:
            return question
        lists = (*question.asked, list[int]())
        number = 0
        for directory, names in groupby(paths, _directory):
            first, number = number, number + len(list(names))
            known = self._places.get(directory)
            if known is None:
                known = self._places[directory] = self._place(directory)
            place, strong = known
            if place == _NO_ATTRIBUTES:
                continue
            to_ask: Iterable[int] = range(first, number)
            if may_wait:
                found[first:number] = bytes([MAYBE]) * (number - first)
                to_ask = (n for n in to_ask if strong and paths[n].lower().endswith(strong))
            for each in to_ask:
                found[each] = BY_GIT  # as git sees them, odd names match other patterns
                if paths[each][len(directory) :] not in _NO_NAMES:
                    lists[place].append(each)
        for outside, numbers in enumerate(question.asked):
            if numbers and self._can_ask(outside=bool(outside)):
                key = outside, is_late
                asked = self._asked.get(key)
                if asked is None:
                    asked = self._asked[key] = self._start(outside=bool(outside))
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
                rules = self._settle(self._asked[outside, question.is_late], len(numbers))
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

    def _place(self, directory: bytes) -> tuple[int, tuple[bytes, ...]]:
        """Tell what kind of place a directory is, named from the top and with a slash behind it.

        Beside that: how names end that may be converted without a carriage return.
        """
        extent = self._files.extent(directory)
        if not (self._anywhere or extent.has_file):
            return _NO_ATTRIBUTES, ()
        place = _OUTSIDE if directory.startswith(b"/") else _INSIDE
        if not is_plain(directory[place == _OUTSIDE : -1]):
            return _ODD, (b"",)
        return place, (b"",) if self._anywhere else extent.strong

    # --- what they say ----------------------------------------------------------------------------

    def _can_ask(self, *, outside: bool) -> bool:
        """Whether git can be asked about paths of the work tree, or about those outside of it.

        Outside, hash-object heeds the attribute files on the way from the root of the file system,
        as if all of that were a work tree. What the real one's top says comes before them.
        """
        if outside and (self._anywhere or self._files.extent(b"/").has_file):
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
        return git.start("check-attr", "--stdin", "-z", *ATTRIBUTES, room=_ROOM)

    def _settle(self, asked: GitProcess, count: int) -> list[int]:
        """Take git's answers about so many paths."""
        step = len(ATTRIBUTES) * _FIELDS
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
        return [self._rules.find(each) for each in zip(*values, strict=True)]


def _directory(path: bytes) -> bytes:
    return path[: path.rfind(b"/") + 1]


def is_plain(path: bytes) -> bool:
    """Tell whether a directory is written as git itself writes it, from the top."""
    return not path or not any(part in _NO_NAMES for part in path.split(b"/"))
