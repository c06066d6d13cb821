"""git's global options: what `fastio` makes of them is what git makes of them."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastio.cli.global_options import take_global_options
from fastio.errors import FastioError, UsageError

KEY = st.sampled_from(["a.b", "a.bare", "core.Depth", "remote.it's.url", "url.a=b.c"])
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
SETTING = st.one_of(KEY.filter(lambda key: "=" not in key), st.builds("{}={}".format, KEY, TEXT))


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """One that a test may change."""
    changed = dict(os.environ)
    monkeypatch.setattr(os, "environ", changed)
    return changed


def configured(words: list[str], environment: dict[str, str]) -> bytes:
    """What a git that is started with these words and this environment finds configured."""
    command = ["git", *words, "config", "--list", "-z"]
    return subprocess.run(command, env=environment, cwd="/", capture_output=True, check=True).stdout


@pytest.mark.git
@settings(max_examples=30)
@given(outer=st.lists(SETTING, max_size=2), inner=st.lists(SETTING, max_size=3))
def test_settings_reach_git_as_from_its_own_command_line(
    outer: list[str], inner: list[str]
) -> None:
    words = [word for setting in inner for word in ("-c", setting)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "environ", os.environ.copy())
        for setting in outer:
            take_global_options(["-c", setting])
        expected = configured(words, os.environ)
        assert take_global_options([*words, "import"]) == "import"
        assert configured([], os.environ) == expected


@pytest.mark.git
@pytest.mark.parametrize("form", [["--config-env=a.b=VALUE"], ["--config-env", "x.p=q.b=VALUE"]])
def test_settings_from_the_environment(environment: dict[str, str], form: list[str]) -> None:
    environment["VALUE"] = "it's\n=a 'value'!"
    expected = configured(form, environment)
    take_global_options(list(form))
    assert configured([], environment) == expected != b""


def test_a_setting_outweighs_those_from_other_variables(environment: dict[str, str]) -> None:
    counted = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "1"}
    environment.update(counted)
    take_global_options(["-c", "a.b=2"])
    assert configured([], environment).endswith(b"a.b\n2\0")


@pytest.mark.git
@pytest.mark.parametrize(
    "words",
    [
        ["--git-dir=x", "--work-tree=y", "--namespace=z"],
        ["--git-dir", "x", "--work-tree", "y", "--namespace", "z"],
        ["--bare"],
        ["--git-dir=x", "--bare"],
        ["-C", "a", "-C", "b", "-C", "", "--bare"],
        ["--no-replace-objects", "--no-optional-locks"],
        ["--literal-pathspecs", "--icase-pathspecs"],
        ["--no-literal-pathspecs", "--glob-pathspecs", "--noglob-pathspecs"],
        ["-p", "-P", "--paginate", "--no-pager"],
    ],
)
def test_variables_and_directory_are_those_that_git_gives_its_children(
    environment: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    program = tmp_path / "bin/git-tell"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\npwd; env\n")
    program.chmod(0o755)
    environment["PATH"] = f"{program.parent}:{environment['PATH']}"
    monkeypatch.chdir(tmp_path)
    expected = subprocess.check_output(["git", *words, "tell"], env=environment)
    take_global_options(list(words))
    told = subprocess.check_output(["git", "tell"], env=environment)
    # What git sets for its own pager is not ours to set.
    ours, theirs = (
        sorted(line for line in lines.splitlines() if not line.startswith(b"GIT_PAGER"))
        for lines in (told, expected)
    )
    assert ours == theirs


@pytest.mark.parametrize(
    ("words", "error"),
    [
        *[([option], UsageError) for option in ("-C", "-c", "--git-dir", "--namespace")],
        (["--config-env"], UsageError),
        (["--exec-path"], UsageError),  # a question, and git is who can answer it
        (["--frobnicate=1"], UsageError),
        (["-C", "nowhere"], FastioError),
        *[
            (["--config-env", text], FastioError)
            for text in ("a.b", "a.b=", "=HOME", "a.b=NOT_SET")
        ],
    ],
)
def test_options_that_cannot_be_followed(words: list[str], error: type[FastioError]) -> None:
    with pytest.raises(error) as caught:
        take_global_options(list(words))
    assert caught.value.exit_status == (129 if error is UsageError else 128)


@pytest.mark.parametrize("word", ["import", "--version", "-h", ""])
def test_a_command_ends_the_options(word: str) -> None:
    words = ["-p", word, "-p"]
    assert take_global_options(words) == word
    assert words == ["-p"]
