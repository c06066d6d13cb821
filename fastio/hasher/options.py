"""What hash-object can be told: git's options, and a few of our own.

Options may stand anywhere, short ones in one word, long ones abbreviated as long as it is clear
which is meant. Our own are never abbreviated, so that they leave git's abbreviations alone.

Source: git-hash-object(1); the corners are those of ``git hash-object`` 2.55 when it is run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fastio.errors import UsageError
from fastio.numerals import parse_workers
from fastio.words import next_word


class HashOptions:
    """All options of one run, with git's defaults.

    Attributes:
        kind: Name of the object type.
        write: Whether objects are stored as well.
        stdin: How often stdin was asked for.
        stdin_paths: Whether stdin has names of files.
        literally: Whether the content's format does not matter.
        no_filters: Whether content is taken as it is.
        path: Where the content is said to lie; None for where it does.
        loose: Whether each object gets a file of its own, however many there are.
        workers: Threads; None means one a core.
        sha1_collision_check: Whether to look for SHA-1 collisions in all blobs.
        help: Only the usage was asked for.
    """

    kind: str = "blob"
    write: bool = False
    stdin: int = 0
    stdin_paths: bool = False
    literally: bool = False
    no_filters: bool = False
    path: str | None = None
    loose: bool = False
    workers: int | None = None
    sha1_collision_check: bool = False
    help: bool = False

    def check(self, files: Sequence[str]) -> None:
        """Refuse what makes no sense together.

        Raises:
            UsageError: There are such options.
        """
        if self.stdin_paths:
            problems = {"--stdin": self.stdin, "files": files, "--path": self.path is not None}
            for name, is_there in problems.items():
                if is_there:
                    raise UsageError(f"--stdin-paths and {name} exclude each other")
        elif self.stdin > 1:
            raise UsageError("there is only one stdin: give --stdin once")
        if self.path is not None and self.no_filters:
            raise UsageError("--path and --no-filters exclude each other")


def parse_options(words: Sequence[str]) -> tuple[HashOptions, list[str]]:
    """Read a command line.

    Args:
        words: All behind the command.

    Returns:
        The options, and the files.

    Raises:
        UsageError: An option is unknown, ambiguous, or has no value or one it cannot have.
    """
    options, files = HashOptions(), list[str]()
    waiting = list(reversed(words))
    while waiting and not options.help:
        word = waiting.pop()
        if word in ("--", "--end-of-options"):
            files += waiting[::-1]
            break
        if word.startswith("--"):
            _take_long(options, word[2:], waiting)
        elif word.startswith("-") and word != "-":
            _take_short(options, word[1:], waiting)
        else:
            files.append(word)
    return options, files


def _take_short(options: HashOptions, letters: str, waiting: list[str]) -> None:
    while letters and not options.help:
        letter, letters = letters[0], letters[1:]
        if letter == "t":
            options.kind = letters or next_word(waiting, "switch `t'")
            return
        if letter == "w":
            options.write = True
        elif letter == "h":
            options.help = True
        else:
            raise UsageError(f"unknown switch `{letter}'")


def _take_long(options: HashOptions, text: str, waiting: list[str]) -> None:
    name, equals, value = text.partition("=")
    name = _complete(name)
    if name in _VALUES:
        _VALUES[name](options, value if equals else next_word(waiting, f"option `{name}'"))
        return
    if equals:
        raise UsageError(f"option `{name}' takes no value")
    attribute, setting = _SWITCHES[name]
    if name == "stdin":
        setting = options.stdin + 1
    setattr(options, attribute, setting)


def _complete(name: str) -> str:
    """Find the option that *name* is or begins.

    Raises:
        UsageError: There is none, or there are several that do not mean the same.
    """
    if name in _SWITCHES or name in _VALUES:
        return name
    found = [known for known in _ABBREVIATED if known.startswith(name)]
    if not found:
        raise UsageError(f"unknown option `{name}'")
    meanings = {_SWITCHES.get(known, known) for known in found}
    if len(meanings) > 1:
        raise UsageError(f"ambiguous option: {name} (could be --{' or --'.join(found)})")
    return found[0]


# --- tables ---------------------------------------------------------------------------------------


def _set_path(options: HashOptions, text: str) -> None:
    options.path = text


def _set_workers(options: HashOptions, text: str) -> None:
    try:
        options.workers = parse_workers(text)
    except ValueError:
        raise UsageError(f"bad value: --workers={text}") from None


_VALUES: dict[str, Callable[[HashOptions, str], None]] = {
    "path": _set_path,
    "workers": _set_workers,
}
_SWITCHES: dict[str, tuple[str, object]] = {
    "stdin": ("stdin", 1),
    "no-stdin": ("stdin", 0),
    "stdin-paths": ("stdin_paths", True),
    "no-stdin-paths": ("stdin_paths", False),
    "no-filters": ("no_filters", True),
    "filters": ("no_filters", False),
    "no-no-filters": ("no_filters", False),
    "literally": ("literally", True),
    "no-literally": ("literally", False),
    "no-path": ("path", None),
    "loose": ("loose", True),
    "no-loose": ("loose", False),
    "sha1-collision-check": ("sha1_collision_check", True),
    "no-sha1-collision-check": ("sha1_collision_check", False),
    "help": ("help", True),
    "help-all": ("help", True),
}
_OURS = (
    *("loose", "no-loose", "workers", "help", "help-all"),
    *("sha1-collision-check", "no-sha1-collision-check"),
)
_ABBREVIATED = [name for name in (*_SWITCHES, *_VALUES) if name not in _OURS]
