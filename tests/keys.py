"""Keys to sign with, made anew; and signed commits and tags, as a stream writes them."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.importer.target import Target

EMAIL = "committer@example.com"
KINDS = ("openpgp", "x509", "ssh")
CERTIFICATE = f"""\
Key-Type: RSA
Key-Length: 2048
Key-Usage: sign
Serial: random
Name-DN: CN=C O Mitter
Name-Email: {EMAIL}
"""


class Keys:
    """A key of each kind, without passphrase; and a repository that signs with them."""

    def __init__(self, directory: Path) -> None:
        self.ssh, self.allowed = directory / "ssh", directory / "allowed"
        self._directory = directory
        self._make_openpgp()
        self._make_ssh()
        self.has_x509 = shutil.which("gpgsm") is not None
        if self.has_x509:
            self._make_x509()
        # Objects are made once for all tests.
        self.commit = functools.cache(self._commit)
        self.tag = functools.cache(self._tag)

    def _make_openpgp(self) -> None:
        who = f"C O Mitter <{EMAIL}>"
        words = ("--quick-generate-key", "--passphrase", "", who, "ed25519", "sign", "never")
        output("gpg", "--batch", "--quiet", *words)

    def _make_ssh(self) -> None:
        output("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", os.fspath(self.ssh))
        self.allowed.write_text(f"{EMAIL} {self.ssh_public}")

    @property
    def ssh_public(self) -> str:
        return self.ssh.with_suffix(".pub").read_text()

    def _make_x509(self) -> None:
        gpgsm = ("gpgsm", "--batch", "--quiet")
        loopback = ("--pinentry-mode", "loopback", "--passphrase-fd", "0")
        request, certificate = self._directory / "request", self._directory / "certificate"
        request.write_text(CERTIFICATE)
        made = ("--output", os.fspath(certificate), "--generate-key", os.fspath(request))
        output(*gpgsm, *loopback, *made)
        output(*gpgsm, "--import", os.fspath(certificate))
        listing = output("gpgsm", "-K", "--with-colons").decode().splitlines()
        [fingerprint] = [line.split(":")[9] for line in listing if line.startswith("fpr:")]
        (self._directory / "trustlist.txt").write_text(f"{fingerprint} S relax\n")
        output("gpgconf", "--reload", "gpg-agent")

    def configure(self, target: Target, kind: str, **more: str) -> None:
        """Let a repository sign with the key of this kind, and verify with all; dots are ``__``."""
        if kind == "x509" and not self.has_x509:
            pytest.skip("gpgsm, which makes and verifies X.509 signatures, is not installed")
        settings = {
            "gpg__format": kind,
            "gpg__ssh__allowedSignersFile": os.fspath(self.allowed),
            "user__signingKey": os.fspath(self.ssh) if kind == "ssh" else EMAIL,
        }
        for name, value in {**settings, **more}.items():
            target.git("config", name.replace("__", "."), value)

    # --- signed objects -------------------------------------------------------------------------

    def _source(self, kind: str, algorithm: str) -> Target:
        path = self._directory / "sources" / f"{kind}-{algorithm}"
        if path.exists():
            shutil.rmtree(path)
        target = Target(path, f"--object-format={algorithm}")
        self.configure(target, kind)
        return target

    def _commit(self, kind: str, algorithm: str = "sha1") -> tuple[bytes, str]:
        """A stream of one signed commit, of the empty tree, with its oid."""
        source = self._source(kind, algorithm)
        oid = source.git("commit-tree", "-S", "-m", "signed", source.git("mktree"))
        return commit_stream(body_of(source, "commit", oid)), oid

    def _tag(self, kind: str, algorithm: str = "sha1") -> tuple[bytes, str]:
        """A stream of a commit and of a signed tag of it, ``signed``, with the tag's oid."""
        source = self._source(kind, algorithm)
        commit = source.git("commit-tree", "-m", "tagged", source.git("mktree"))
        source.git("tag", "-s", "-m", "signed", "signed", commit)
        before = commit_stream(body_of(source, "commit", commit))
        oid = source.git("rev-parse", "refs/tags/signed")
        return before + tag_stream(body_of(source, "tag", oid)), oid


@contextlib.contextmanager
def make_keys() -> Iterator[Keys]:
    """Make keys; they and the agent that holds them are gone afterwards.

    Raises:
        AssertionError: gpg or ssh-keygen does not work; so much every machine must have.
    """
    # Not below pytest's directory: an agent's socket may have a path of 107 bytes at most.
    directory = tempfile.TemporaryDirectory(prefix="keys")
    with directory as name, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GNUPGHOME", name)
        patch.delenv("SSH_AUTH_SOCK", raising=False)
        try:
            yield Keys(Path(name))
        finally:
            output("gpgconf", "--kill", "all")


def output(*command: str) -> bytes:
    """What a program prints."""
    done = subprocess.run(command, input=b"", capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def body_of(target: Target, kind: str, name: str) -> bytes:
    """The bytes of an object."""
    command = ["git", "cat-file", kind, name]
    return subprocess.run(command, cwd=target.path, stdout=subprocess.PIPE, check=True).stdout


def commit_stream(body: bytes, ref: bytes = b"refs/heads/main") -> bytes:
    """A commit without parents and files as a stream, its signatures as sub-commands."""
    head, _, message = body.partition(b"\n\n")
    lines = [b"commit " + ref]
    for line in head.replace(b"\n ", b"\0").split(b"\n")[1:]:  # a folded header is one line
        name, _, value = line.partition(b" ")
        lines.append(line if name not in _ALGORITHMS else gpgsig(value, _ALGORITHMS[name]))
    return b"\n".join([*lines, data(message)])


_ALGORITHMS = {b"gpgsig": b"sha1", b"gpgsig-sha256": b"sha256"}


def gpgsig(folded: bytes, algorithm: bytes) -> bytes:
    text = folded.replace(b"\0", b"\n")
    return b"gpgsig %b openpgp\n" % algorithm + data(text).removesuffix(b"\n")


def tag_stream(body: bytes) -> bytes:
    """A tag of the branch main as a stream."""
    head, _, message = body.partition(b"\n\n")
    _, _, tag, tagger = head.split(b"\n")
    return b"%b\nfrom refs/heads/main\n%b\n" % (tag, tagger) + data(message)


def data(text: bytes) -> bytes:
    return b"data %d\n%b\n" % (len(text), text)
