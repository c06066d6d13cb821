"""Signatures of given bytes: whose key, which program."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fastio.errors import ConfigError, RepositoryError
from fastio.store.repository import Repository
from fastio.store.signing import Signer
from tests.importer.target import Target, wait_until
from tests.keys import EMAIL, KINDS, Keys

PAYLOAD = b"a\0b\r\nc\n"


@pytest.fixture
def target(tmp_path: Path) -> Target:
    return Target(tmp_path / "work")


def sign(target: Target, key: str = "") -> bytes:
    return Signer(Repository.discover(target.path)).sign(PAYLOAD, key)


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return os.fspath(path)


def is_good(keys: Keys, signature: bytes, tmp_path: Path) -> bool:
    """Whether the program of its kind finds *signature* to be one of PAYLOAD."""
    file = tmp_path / "signature"
    file.write_bytes(signature)
    command = ["gpg", "--verify", os.fspath(file), "-"]
    if b"SIGNED MESSAGE" in signature:
        command[0] = "gpgsm"
    if b"SSH" in signature:
        command = ["ssh-keygen", "-Y", "verify", "-n", "git", "-I", EMAIL]
        command += ["-f", os.fspath(keys.allowed), "-s", os.fspath(file)]
    done = subprocess.run(command, input=PAYLOAD, capture_output=True, check=False)
    return done.returncode == 0


@contextlib.contextmanager
def agent(keys: Keys, socket: Path) -> Iterator[None]:
    """Have an ssh-agent that holds the key."""
    command = ["ssh-agent", "-D", "-a", os.fspath(socket)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            wait_until(socket.exists)
            environment = {**os.environ, "SSH_AUTH_SOCK": os.fspath(socket)}
            command = ["ssh-add", "-q", os.fspath(keys.ssh)]
            subprocess.run(command, env=environment, check=True)
            yield
        finally:
            process.terminate()


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_key(target: Target, keys: Keys, tmp_path: Path, kind: str) -> None:
    keys.configure(target, kind)
    assert is_good(keys, sign(target), tmp_path)


def test_without_a_key_the_committer_signs(target: Target, keys: Keys, tmp_path: Path) -> None:
    assert is_good(keys, sign(target), tmp_path)
    target.git("config", "user.signingKey", "nobody")
    with pytest.raises(RepositoryError, match="gpg with key 'nobody': signing failed"):
        sign(target)
    assert is_good(keys, sign(target, EMAIL), tmp_path)


def test_a_public_key_whose_other_half_an_agent_has(
    target: Target, keys: Keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys.configure(target, "ssh")
    public = keys.ssh_public.strip()
    socket = keys.ssh.with_name("agent")
    with agent(keys, socket):
        monkeypatch.setenv("SSH_AUTH_SOCK", os.fspath(socket))
        assert is_good(keys, sign(target, public), tmp_path)
        assert is_good(keys, sign(target, f"key::{public}"), tmp_path)
        target.git("config", "--unset", "user.signingKey")
        target.git("config", "gpg.ssh.defaultKeyCommand", f"echo {shlex.quote(public)}")
        assert is_good(keys, sign(target), tmp_path)
    with pytest.raises(RepositoryError, match="ssh-keygen with key 'ssh-ed25519 "):
        sign(target, public)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (None, "neither user.signingKey nor"),
        ("false", "gives no key"),
        ("echo file", "gives no key"),
        ("/no/such/program", "cannot run"),
        ("echo 'x", "No closing quotation"),
        ("", "empty command"),
    ],
)
def test_default_key_commands_that_give_no_key(
    target: Target, command: str | None, said: str
) -> None:
    target.git("config", "gpg.format", "ssh")
    if command is not None:
        target.git("config", "gpg.ssh.defaultKeyCommand", command)
    with pytest.raises(RepositoryError, match=said):
        sign(target)


def test_a_home_directory_in_paths(
    target: Target, keys: Keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys.configure(target, "ssh", user__signingKey="~/ssh", gpg__ssh__program="~/sign.sh")
    script(keys.ssh.with_name("sign.sh"), 'exec ssh-keygen "$@"')
    monkeypatch.setenv("HOME", os.fspath(keys.ssh.parent))
    assert is_good(keys, sign(target), tmp_path)


@pytest.mark.parametrize("last", ["gpg.program", "gpg.openpgp.program"])
def test_the_program_that_is_named_last(
    target: Target, keys: Keys, tmp_path: Path, last: str
) -> None:
    names = {"gpg.program", "gpg.openpgp.program"}
    target.git("config", (names - {last}).pop(), "/no/such/program")
    target.git("config", last, script(tmp_path / "gpg.sh", 'exec gpg "$@"'))
    assert is_good(keys, sign(target), tmp_path)


def test_a_program_that_says_nothing_has_signed_nothing(target: Target, tmp_path: Path) -> None:
    program = script(tmp_path / "liar", "cat >/dev/null; echo signature")
    target.git("config", "gpg.program", program)
    with pytest.raises(RepositoryError, match=r"liar with key .*no reason given"):
        sign(target)


def test_a_program_that_reads_nothing(target: Target, tmp_path: Path) -> None:
    target.git("config", "gpg.program", script(tmp_path / "deaf", "echo gpg: no >&2; exit 2"))
    with pytest.raises(RepositoryError, match=r"deaf with key .*: no"):
        Signer(Repository.discover(target.path)).sign(b"x" * 1_000_000)


def test_line_ends_of_other_systems(target: Target, tmp_path: Path) -> None:
    says = r"cat >/dev/null; printf 'a\r\nb\r\n'; echo '[GNUPG:] SIG_CREATED ' >&2"
    target.git("config", "gpg.program", script(tmp_path / "gpg.exe", says))
    assert sign(target) == b"a\nb\n"


def test_an_unknown_format(target: Target) -> None:
    target.git("config", "gpg.format", "PGP")
    with pytest.raises(ConfigError, match="invalid value 'PGP'"):
        sign(target)


def test_no_place_for_what_ssh_signs(
    target: Target, keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys.configure(target, "ssh")
    monkeypatch.setattr(tempfile, "tempdir", "/no/such/directory")
    with pytest.raises(RepositoryError, match="temporary directory"):
        sign(target)
