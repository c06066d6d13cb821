"""``fastio exec``: whose git runs where, and a command that cannot tell the difference."""

import os
import shlex
import signal
import stat
import subprocess
from pathlib import Path

import pytest

from fastio.cli.exec_ import HANDOVER
from fastio.cli.main import COMMANDS
from tests.cli.field import Field, write_program
from tests.importer import streams
from tests.importer.target import COMMAND, Target, environment

PROGRAMS = ("git", "git-fast-import", "git-hash-object")
STREAM = streams.commit(1, streams.inline(b"file", b"content"))
FASTIO = shlex.join(COMMAND)


# --- what is handed over ----------------------------------------------------------------------


def test_fast_import_is_ours(field: Field) -> None:
    done = field.exec("git", "fast-import", stream=STREAM)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"fastio import statistics:" in done.stderr
    assert field.handed_over() == ["fast-import"]
    assert field.content() == "content"


def test_fast_export_is_ours(field: Field) -> None:
    field.plain("git", "fast-import", "--quiet", stream=STREAM)
    expected = field.plain("git", "fast-export", "--all").stdout
    assert expected
    for command in (["git", "fast-export"], ["git-fast-export"]):
        done = field.exec(*command, "--all")
        assert (done.returncode, done.stdout, done.stderr) == (0, expected, b"")
    assert field.handed_over() == ["fast-export --all"] * 2


@pytest.mark.parametrize(
    "words",
    [
        ["-C", "one", "-C", "two"],
        ["-C", "", "-C", "one/two/three", "-C", ".."],
        ["--git-dir=one/two"],
        ["--git-dir", "one/two", "--work-tree", "fast-import"],
        ["-C", "one/two", "--bare", "--namespace=x"],
        ["-p", "-P", "-C", "one/two", "--no-pager", "--no-replace-objects", "--literal-pathspecs"],
        ["--exec-path=/nowhere", "-C", "one/two"],
        ["-C", "one/two", "-c", "alias.x=fast-import", "-c", "core.bare", "--config-env=a.b=PATH"],
        ["-C", "one/two", "--config-env", "a.b=PATH", "--namespace", "fast-import"],
    ],
)
def test_global_options_are_followed(field: Field, words: list[str]) -> None:
    inner = Target(field.target.path / "one/two", "--bare")
    (inner.path / "three").mkdir()
    done = field.exec("git", *words, "fast-import", "--quiet", "--force", stream=STREAM)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert field.handed_over() == [" ".join([*words, "fast-import", "--quiet", "--force"])]
    assert inner.git("show", "main:file") == "content"
    assert field.target.refs() == {}


def test_hash_object_is_ours(field: Field) -> None:
    """And asks git itself for what it does not do, not us again."""
    done = field.exec("git", "hash-object", "-w", "--stdin", stream=b"content")
    assert done.stdout == b"6b584e8ece562ebffc15d38808cd6b98fc3d97ea\n"
    done = field.exec("git", "hash-object", "-t", "tree", "--stdin")
    assert done.stdout == b"4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
    words = ["hash-object -w --stdin", "hash-object -t tree --stdin"]
    assert field.handed_over() == words


def test_settings_are_followed(field: Field) -> None:
    words = ["-c", "fastimport.unpacklimit=9", "-c", "core.bare"]
    assert field.exec("git", *words, "fast-import", stream=STREAM).returncode == 0
    assert (field.target.packs(), field.content()) == ([], "content")


@pytest.mark.parametrize(
    "words",
    [
        ["rev-parse", "--git-dir"],
        ["-c", "a.b", "-c", "a.c=", "-c", "a.d=it's", "config", "--list"],
        ["-C", "objects", "rev-parse", "--git-dir"],
        ["-C", "fast-import", "rev-parse"],
        ["-c", "fast-import", "rev-parse"],
        ["--namespace", "fast-import", "rev-parse", "--git-dir"],
        ["rev-parse", "fast-import"],
        ["--exec-path"],
        ["-C", "objects", "--exec-path"],
        ["--exec-path=/nowhere", "--exec-path"],
        ["--version"],
        ["help", "fast-imported"],
        ["--frobnicate", "fast-imports"],
        ["frobnicate"],
        ["-C"],
        [""],
        [],
    ],
)
def test_all_else_is_git(field: Field, words: list[str]) -> None:
    ours, git = field.exec("git", *words), field.plain("git", *words)
    assert (ours.returncode, ours.stdout, ours.stderr) == (git.returncode, git.stdout, git.stderr)
    assert field.handed_over() == []


REMOTE_HELPER = """\
while read -r line; do
    case $line in
    capabilities) printf 'import\\nrefspec refs/heads/*:refs/theirs/*\\n\\n' ;;
    list) printf '? refs/heads/main\\n\\n' ;;
    import*) sed s,refs/heads,refs/theirs, stream; echo done ;;
    '') exit ;;
    esac
done"""


@pytest.mark.parametrize(
    "words",
    [
        ["git", "-c", "alias.fi=fast-import", "fi", "--quiet"],
        ["git", "-c", "alias.fi=!git -c a.b=c fast-import --quiet", "fi"],
        ["git", "-c", "alias.fi=!git other", "-c", "alias.other=!git fast-import", "fi"],
        ["git", "-C", "objects", "-C", "..", "tool"],  # as git-filter-repo is
        ["git", "--exec-path=/nowhere", "-c", "x.y", "fast-import"],
        ["git-fast-import", "--quiet"],
        ["git", "-c", "alias.fi=!git-fast-import", "fi"],
        ["sh", "-c", "git fast-import"],
        ["sh", "-c", 'GIT_EXEC_PATH=$(git --exec-path) git tool'],
        ["sh", "-c", 'PATH="$PATH:$(git --exec-path)"; git tool'],
        ["git", "fetch", "--quiet", "own::anything", "refs/heads/main:refs/heads/main"],
    ],
)  # fmt: skip
def test_programs_that_git_starts_have_ours_as_well(field: Field, words: list[str]) -> None:
    field.program("git-tool", 'git fast-import --quiet "$@"')
    field.program("git-remote-own", REMOTE_HELPER)
    (field.target.path / "stream").write_bytes(STREAM)
    assert field.exec(*words, stream=STREAM).returncode == 0
    assert len(field.handed_over()) == 1
    assert field.content() == "content"


def test_files_of_the_exec_path_are_found(field: Field) -> None:
    program = '. "$(git --exec-path)/git-sh-setup"; test -f "$GIT_EXEC_PATH/git-sh-setup"'
    field.program("git-tool", f'{program} && . git-sh-setup && printf %s "$GIT_DIR"')
    assert field.exec("git", "tool").stdout == field.plain("git", "tool").stdout != b""


def test_every_program_that_is_handed_over_is_a_command_of_fastio() -> None:
    programs = [name for name in os.listdir(HANDOVER) if os.access(f"{HANDOVER}/{name}", os.X_OK)]
    names = [name.removeprefix("git-") for name in programs if name != "git"]
    assert names
    assert set(names) <= set(COMMANDS)


# --- which git is the real one ----------------------------------------------------------------


@pytest.mark.parametrize("name", ["a b", " *", "?[a-z]", "é", "x\\y"])
def test_the_first_git_on_path_is_the_real_one(field: Field, tmp_path: Path, name: str) -> None:
    write_program(tmp_path / name / "git", "#!/bin/sh\necho first\n")
    (tmp_path / "empty/git").mkdir(parents=True)
    path = f"{tmp_path}/nowhere:{tmp_path}/empty:{tmp_path}/{name}:{os.environ['PATH']}"
    assert field.exec("git", "log", env={"PATH": path}).stdout == b"first\n"


@pytest.mark.parametrize("levels", [1, 2])
def test_inside_another_exec(field: Field, levels: int) -> None:
    field.program("git-nested", f'{FASTIO} exec git "$@"')
    words = [*[*COMMAND, "exec", "--"] * levels, "git", "nested"]
    done = field.exec(*words, "-c", "a.b=c", "fast-import", "--quiet", stream=STREAM)
    assert (done.returncode, done.stderr, field.content()) == (0, b"", "content")
    for question in (["--exec-path"], ["rev-parse", "--git-dir"]):
        assert field.exec(*words, *question).stdout == field.plain("git", *question).stdout


def test_as_a_command_of_git(field: Field) -> None:
    field.program("git-fastio", f'exec {FASTIO} "$@"')
    field.program("git-tool", 'exec git -c a.b=c fast-import "$@"')
    for words in (["exec", "git", "tool"], ["exec", "git", "fastio", "exec", "--", "git", "tool"]):
        done = field.plain("git", "fastio", *words, stream=STREAM)
        assert (done.returncode, done.stderr.split(b" ")[0]) == (0, b"fastio")
        assert field.content() == "content"


def test_an_empty_command_is_not_found(field: Field) -> None:
    done = field.plain(*COMMAND, "exec", "")
    assert (done.returncode, done.stdout) == (127, b"")
    assert done.stderr == b"fastio exec: cannot run '': No such file or directory\n"


def test_without_any_git(field: Field, tmp_path: Path) -> None:
    path = {"PATH": str(tmp_path)}
    assert field.plain(*COMMAND, "exec", "/bin/sh", "-c", "exit 3", env=path).returncode == 3
    done = field.plain(*COMMAND, "exec", "git", "log", env=path)
    assert (done.returncode, done.stderr) == (127, b"fastio exec: there is no git on PATH\n")


def test_a_tool_that_clears_the_environment(field: Field) -> None:
    field.program("fastio", f'{FASTIO} "$@"')
    package = f"PYTHONPATH={shlex.quote(environment({})['PYTHONPATH'])}"
    clear = f'exec env -i {package} PATH="$PATH" "$@"'
    done = field.exec("sh", "-c", clear, "sh", "git", "fast-import", "--quiet", stream=STREAM)
    assert (done.returncode, done.stderr, field.content()) == (0, b"", "content")
    assert field.exec("sh", "-c", clear, "sh", "git", "--exec-path").stdout.startswith(b"/")


def test_modules_in_the_current_directory_are_left_alone(field: Field) -> None:
    for name in ("fastio", "errno"):
        (field.target.path / f"{name}.py").write_text("raise SystemExit('wrong module')")
    words = ["-C", str(field.target.path), "exec", "git", "fast-import", "--quiet"]
    done = field.plain(*COMMAND, *words, stream=STREAM, cwd="/")
    assert (done.returncode, done.stderr, field.content()) == (0, b"", "content")


# --- a command like any other -----------------------------------------------------------------


def test_only_these_variables_differ(field: Field) -> None:
    ours = field.exec("env", "-0").stdout.split(b"\0")
    theirs = field.plain("env", "-0").stdout.split(b"\0")
    changed = {line.partition(b"=")[0] for line in set(ours) ^ set(theirs)}
    assert changed == {b"PATH", b"FASTIO_PYTHON", b"FASTIO_EXEC_PATH"}


@pytest.mark.parametrize("status", [0, 7, 255])
def test_exit_status_is_that_of_the_command(field: Field, status: int) -> None:
    done = field.exec("sh", "-c", f"cat; echo 2 >&2; exit {status}", stream=b"1")
    assert (done.returncode, done.stdout, done.stderr) == (status, b"1", b"2\n")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGPIPE", "SIGXFSZ", "SIGKILL"])
def test_a_command_dies_as_it_would_alone(field: Field, name: str) -> None:
    command = ("sh", "-c", f"kill -{name.removeprefix('SIG')} $$; exit 1")
    assert field.exec(*command).returncode == -signal.Signals[name]


def test_the_command_takes_our_place(field: Field) -> None:
    """So signals, terminal and descriptors are its own: there is nobody in between."""
    command = [*COMMAND, "exec", "--", "sh", "-c", "echo $$; read -r line"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment({})
    ) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) == process.pid
        process.send_signal(signal.SIGTERM)
    assert process.returncode == -signal.SIGTERM


@pytest.mark.parametrize("tail", [["git"], ["git", "-C", "."], ["git", "tool"]])
def test_answers_come_through_any_descriptor(field: Field, tail: list[str]) -> None:
    field.program("git-tool", 'exec git "$@"')
    ours, theirs = os.pipe()
    stream = streams.blob(1, b"content") + b"cat-blob :1\nget-mark :1\n"
    try:
        words = [*tail, "fast-import", f"--cat-blob-fd={theirs}", "--quiet"]
        assert field.exec(*words, stream=stream, pass_fds=[theirs]).returncode == 0
        oid = field.target.git("hash-object", "--stdin", text=b"content").encode()
        assert os.read(ours, 1 << 10) == oid + b" blob 7\ncontent\n" + oid + b"\n"
    finally:
        os.close(ours)
        os.close(theirs)


def test_descriptor_three_and_a_closed_standard_output(field: Field) -> None:
    stream = streams.blob(1, b"content") + b"cat-blob :1\n"
    script = "git fast-import --cat-blob-fd=3 --quiet 3>answer >&-"
    assert field.exec("sh", "-c", script, stream=stream).returncode == 0
    assert (field.target.path / "answer").read_bytes().endswith(b" blob 7\ncontent\n")


def test_script_without_interpreter_line(field: Field) -> None:
    write_program(field.programs / "script", 'echo "$2 $1"; exit 9\n')
    done = field.exec("script", "a b", "c")
    assert (done.returncode, done.stdout) == (9, b"c a b\n")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["nowhere"], 127, b"fastio exec: cannot run 'nowhere': No such file or directory\n"),
        (["--", "HEAD/x"], 127, b"fastio exec: cannot run 'HEAD/x': Not a directory\n"),
        (["./HEAD"], 126, b"fastio exec: cannot run './HEAD': Permission denied\n"),
        (["--", "."], 126, b"fastio exec: cannot run '.': Permission denied\n"),
        ([], 129, b"fastio exec: no command given\nusage: "),
        (["--"], 129, b"fastio exec: no command given\nusage: "),
        (["--frob", "git"], 129, b"fastio exec: unknown option: --frob\nusage: "),
    ],
)
def test_commands_that_cannot_run(
    field: Field, words: list[str], status: int, message: bytes
) -> None:
    done = field.target.fastio("exec", *words)
    assert (done.returncode, done.stdout) == (status, b"")
    assert done.stderr.startswith(message)


def test_fastio_s_global_options_hold_for_the_command(field: Field) -> None:
    words = ["-C", "objects", "-c", "a.b=c d", "exec", "git", "config", "a.b"]
    assert field.target.fastio(*words).stdout == b"c d\n"


def test_programs_are_installed_as_programs() -> None:
    modes = {name: os.stat(f"{HANDOVER}/{name}").st_mode for name in PROGRAMS}
    assert all(mode & stat.S_IXOTH for mode in modes.values())
