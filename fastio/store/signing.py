"""Signing as git signs: format, program and key are what git's configuration says.

git itself signs only what it makes, so the programs are run here, with the arguments that git gives
them: stand-ins for them (``gpg.ssh.program = op-ssh-sign`` and the like) know no others.

Source: git-config(1), "gpg.format" and the variables around it; gpg(1); ssh-keygen(1), "-Y sign".
"""

from __future__ import annotations

import os
import re
import shlex
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from fastio.errors import ConfigError, RepositoryError
from fastio.store.git import Finished
from fastio.store.repository import Repository
from fastio.store.verification import complaint_of

# The program of each format, and the variables that name another one; the last in the listing wins.
_PROGRAMS = {
    "openpgp": ("gpg", ("gpg.program", "gpg.openpgp.program")),
    "x509": ("gpgsm", ("gpg.x509.program",)),
    "ssh": ("ssh-keygen", ("gpg.ssh.program",)),
}


class Signer:
    """Signs in one repository; what the configuration says is looked up when first needed."""

    def __init__(self, repository: Repository) -> None:
        self._repository, self._git = repository, repository.git

    def sign(self, payload: bytes, key: str = "") -> bytes:
        """Return a detached, armoured signature of *payload*.

        Args:
            payload: The bytes to sign.
            key: What ``user.signingKey`` could be; empty for the default.

        Raises:
            RepositoryError: It did not work.
        """
        key = key or self._default_key
        make = self._sign_with_ssh if self._format == "ssh" else self._sign_with_gpg
        try:
            return make(payload, key).replace(b"\r\n", b"\n")
        except OSError as error:
            raise RepositoryError(f"cannot use a temporary directory: {error}") from error

    # --- formats --------------------------------------------------------------------------------

    def _sign_with_gpg(self, payload: bytes, key: str) -> bytes:
        command = [self._program, "--status-fd=2", "-bsau", key]
        done = self._git.run_program(command, text=payload)
        # gpg has been seen to succeed without a signature; git asks for this line as well.
        if done.status or not re.search(rb"(?m)^\[GNUPG:\] SIG_CREATED ", done.stderr):
            raise self._failure(done, key)
        return done.stdout

    def _sign_with_ssh(self, payload: bytes, key: str) -> bytes:
        with TemporaryDirectory(prefix="fastio-") as directory:
            file = Path(directory, "payload")
            file.write_bytes(payload)
            command = [self._program, "-Y", "sign", "-n", "git", "-f"]
            literal = _literal_ssh_key(key)
            if literal:  # a public key, whose other half an agent has
                public = Path(directory, "key.pub")
                public.write_bytes(os.fsencode(literal) + b"\n")
                command += [os.fspath(public), "-U"]
            else:
                command.append(self._from_top(os.path.expanduser(key)))
            done = self._git.run_program([*command, os.fspath(file)])
            if done.status:
                raise self._failure(done, key)
            return Path(directory, "payload.sig").read_bytes()

    def _failure(self, done: Finished, key: str) -> RepositoryError:
        return RepositoryError(f"{self._program} with key '{key}': {complaint_of(done)}")

    # --- configuration --------------------------------------------------------------------------

    @cached_property
    def _format(self) -> str:
        name = self._repository.config.text("gpg.format")
        if name is not None and name not in _PROGRAMS:
            raise ConfigError("gpg.format", f"invalid value '{name}'")
        return name or "openpgp"

    @cached_property
    def _program(self) -> str:
        program, variables = _PROGRAMS[self._format]
        pattern = f"^({'|'.join(map(re.escape, variables))})$"
        words = ("config", "--type=path", "-z", "--get-regexp", pattern)
        done = self._git.run(*words, capture_stderr=True)
        if done.status > 1:
            raise RepositoryError(complaint_of(done))
        for item in done.stdout.split(b"\0")[:-1]:
            program = os.fsdecode(item.partition(b"\n")[2])
        return self._from_top(program) if "/" in program else program

    @cached_property
    def _default_key(self) -> str:
        config = self._repository.config
        key = config.text("user.signingKey")
        if key is not None:
            return key
        if self._format != "ssh":
            return self._committer()
        command = config.text("gpg.ssh.defaultKeyCommand")
        if command is None:
            raise RepositoryError(
                "neither user.signingKey nor gpg.ssh.defaultKeyCommand is configured"
            )
        return self._ask_for_key(command)

    def _ask_for_key(self, command: str) -> str:
        """The first line that gpg.ssh.defaultKeyCommand prints."""
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise ConfigError("gpg.ssh.defaultKeyCommand", f"{error}: '{command}'") from None
        if not words:
            raise ConfigError("gpg.ssh.defaultKeyCommand", "empty command")
        done = self._git.run_program(words)
        key = os.fsdecode(done.stdout.partition(b"\n")[0])
        if done.status or not _literal_ssh_key(key):
            said = complaint_of(done)
            raise RepositoryError(f"gpg.ssh.defaultKeyCommand gives no key: {said}")
        return key

    def _committer(self) -> str:
        """Name and email of who runs the import, by which gpg finds a key."""
        done = self._git.run("var", "GIT_COMMITTER_IDENT", capture_stderr=True)
        if done.status:
            raise RepositoryError(complaint_of(done))
        return os.fsdecode(done.stdout.rpartition(b"> ")[0]) + ">"

    def _from_top(self, path: str) -> str:
        """A relative path counts from the top of the work tree, where git would be."""
        up = "../" * self._repository.prefix.count(b"/")
        return os.path.join(os.fsdecode(self._git.directory or b""), up, path)


def _literal_ssh_key(key: str) -> str:
    """The public key that stands in a key's place where else a file is named, or nothing."""
    if key.startswith("key::"):
        return key.removeprefix("key::")
    return key if key.startswith("ssh-") else ""
