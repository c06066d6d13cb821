"""git's options before the subcommand, handed on the way git hands them to its own children.

All but ``-C`` become variables of the environment, so that every git that is run finds them.

Source: git(1), "Options" and "Environment Variables".
"""

from __future__ import annotations

import os

from fastio.errors import FastioError, UsageError

_SWITCHES = {
    "--no-replace-objects": ("GIT_NO_REPLACE_OBJECTS", "1"),
    "--no-lazy-fetch": ("GIT_NO_LAZY_FETCH", "1"),
    "--no-optional-locks": ("GIT_OPTIONAL_LOCKS", "0"),
    "--no-advice": ("GIT_ADVICE", "0"),
    "--literal-pathspecs": ("GIT_LITERAL_PATHSPECS", "1"),
    "--no-literal-pathspecs": ("GIT_LITERAL_PATHSPECS", "0"),
    "--glob-pathspecs": ("GIT_GLOB_PATHSPECS", "1"),
    "--noglob-pathspecs": ("GIT_NOGLOB_PATHSPECS", "1"),
    "--icase-pathspecs": ("GIT_ICASE_PATHSPECS", "1"),
}
_VARIABLES = {  # options with a value, in the same word or in the next
    "--git-dir": "GIT_DIR",
    "--work-tree": "GIT_WORK_TREE",
    "--namespace": "GIT_NAMESPACE",
    "--attr-source": "GIT_ATTR_SOURCE",
    "--shallow-file": "GIT_SHALLOW_FILE",
}
_PAGER = ("-p", "--paginate", "-P", "--no-pager")  # nothing of ours goes through a pager
_COMMANDS = ("--version", "-v", "--help", "-h")  # commands that are written like options


def take_global_options(words: list[str]) -> str:
    """Apply and remove the options before the command.

    Returns:
        The command, removed as well; empty when there is none.

    Raises:
        UsageError: An option is unknown or lacks its value.
        FastioError: What an option asks for cannot be done.
    """
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word in _COMMANDS or not word.startswith("-"):
            return word
        if word in _SWITCHES:
            variable, value = _SWITCHES[word]
            os.environ[variable] = value
        elif name in _VARIABLES:
            os.environ[_VARIABLES[name]] = value if equals else _next(words, name)
        elif name == "--exec-path" and equals:
            os.environ["GIT_EXEC_PATH"] = value
        elif word == "-C":
            _change_directory(_next(words, word))
        elif word == "-c":
            _add_setting(_quote(_next(words, word)))
        elif name == "--config-env":
            _add_setting_from_environment(value if equals else _next(words, name))
        elif word == "--bare":
            os.environ.setdefault("GIT_DIR", os.getcwd())
            os.environ["GIT_IMPLICIT_WORK_TREE"] = "0"
        elif word not in _PAGER:
            raise UsageError(f"unknown option: {word}")
    return ""


def _next(words: list[str], option: str) -> str:
    if not words:
        raise UsageError(f"no value given for {option}")
    return words.pop(0)


def _change_directory(path: str) -> None:
    try:
        os.chdir(path or ".")
    except OSError as error:
        raise FastioError(f"cannot change to '{path}': {error.strerror}") from error


def _add_setting_from_environment(text: str) -> None:
    key, _, variable = text.rpartition("=")
    if not key or not variable:
        raise FastioError(f"--config-env needs <name>=<variable>, not '{text}'")
    if variable not in os.environ:
        raise FastioError(f"the variable '{variable}' that --config-env names is not set")
    # The name may hold a "=" itself: only this form, known since git 2.31, tells where it ends.
    _add_setting(f"{_quote(key)}={_quote(os.environ[variable])}")


def _add_setting(quoted: str) -> None:
    """Add to where git itself keeps its ``-c``: it outweighs GIT_CONFIG_COUNT and all files."""
    before = os.environ.get("GIT_CONFIG_PARAMETERS")
    os.environ["GIT_CONFIG_PARAMETERS"] = f"{before} {quoted}" if before else quoted


def _quote(text: str) -> str:
    return "'" + text.replace("'", r"'\''") + "'"
