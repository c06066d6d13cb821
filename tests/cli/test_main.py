"""The program ``fastio``: help, version, and commands that there are not."""

import subprocess
from collections.abc import Sequence

import pytest

import fastio
from fastio.cli.main import COMMANDS, main
from tests.importer.target import COMMAND, Target, environment


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"], ["-C", ".", "help"]])
def test_help_lists_the_commands(target: Target, words: list[str]) -> None:
    done = target.fastio(*words)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"usage: fastio")
    listed = done.stdout.decode().split()
    assert all(command in listed for command in COMMANDS if not command.startswith("fast-"))


@pytest.mark.parametrize("command", COMMANDS)
def test_each_way_to_ask_for_help_of_a_command(target: Target, command: str) -> None:
    helps = ([command, "--help"], [command, "-h"], ["help", command], ["--help", command])
    answers = [target.fastio(*words) for words in helps]
    assert {(done.returncode, done.stderr) for done in answers} == {(0, b"")}
    [text] = {done.stdout.decode() for done in answers}
    assert text.startswith("usage: fastio ")
    assert command.removeprefix("fast-") in text.splitlines()[0]


@pytest.mark.parametrize("word", ["--version", "-v", "version"])
def test_version(target: Target, word: str) -> None:
    assert target.fastio(word).stdout.decode() == f"fastio {fastio.__version__}\n"


@pytest.mark.parametrize(
    "words", [["frobnicate"], ["help", "frobnicate"], ["--help", "frobnicate"]]
)
def test_unknown_command(target: Target, words: list[str]) -> None:
    done = target.fastio(*words)
    assert (done.returncode, done.stdout) == (129, b"")
    assert done.stderr.startswith(b"fastio: 'frobnicate' is not a fastio command\nusage: ")


@pytest.mark.parametrize("words", [["-C", "\x1b"], ["--\x1b"], ["\x1b"], ["import", "a", "\x1b"]])
def test_what_is_wrong_with_words_does_not_command_the_terminal(
    target: Target, words: list[str]
) -> None:
    done = target.fastio(*words)
    assert done.returncode >= 128
    assert rb"\x1b" in done.stderr
    assert b"\x1b" not in done.stderr


@pytest.mark.parametrize("words", [["--help"], ["--version"], *([one, "-h"] for one in COMMANDS)])
def test_help_that_cannot_be_written(words: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, *words],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment({}),
            check=False,
            timeout=60,
        )
    assert done.returncode == 128
    assert done.stderr == b"fatal: write failure on standard output: No space left on device\n"


def test_a_lack_of_memory_is_told(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def run(_words: Sequence[str]) -> int:
        raise MemoryError

    monkeypatch.setattr("fastio.cli.export.run", run)
    assert main(["export"]) == 128
    assert capfd.readouterr().err == "fatal: out of memory\n"
