"""What git says of signatures of objects that are not in the repository."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from fastio.errors import RepositoryError
from fastio.objects.kinds import COMMIT, TAG
from fastio.store.git import Finished
from fastio.store.repository import Repository
from fastio.store.verification import complaint_of, find_fault
from tests.importer.target import Target
from tests.keys import Keys, body_of


@pytest.fixture(params=["sha1", "sha256"])
def target(request: pytest.FixtureRequest, tmp_path: Path, keys: Keys) -> Target:
    made = Target(tmp_path / "work", f"--object-format={request.param}")
    keys.configure(made, "ssh")
    commit = made.git("commit-tree", "-S", "-m", "signed", made.git("mktree"))
    made.git("tag", "-s", "-m", "signed", "signed", commit)
    return made


@pytest.mark.parametrize(
    ("kind", "name"), [(COMMIT, "signed^{commit}"), (TAG, "signed")], ids=["commit", "tag"]
)
def test_a_signature_fits_its_object_only(target: Target, kind: int, name: str) -> None:
    repository = Repository.discover(target.path)
    body = body_of(target, "commit" if kind == COMMIT else "tag", name)
    assert find_fault(repository, kind, body) == ""
    other = body.replace(b"\nsigned", b"\nforged")
    assert (
        find_fault(repository, kind, other) == "Signature verification failed: incorrect signature"
    )


def test_a_replacement_is_not_looked_at(target: Target) -> None:
    signed = target.git("rev-parse", "signed^{commit}")
    body = body_of(target, "commit", signed)
    target.git("replace", signed, target.git("commit-tree", "-m", "x", target.git("mktree")))
    assert body_of(target, "commit", signed) != body
    assert find_fault(Repository.discover(target.path), COMMIT, body) == ""


def test_an_object_that_git_cannot_read_is_no_fault_of_its_signature(target: Target) -> None:
    with pytest.raises(RepositoryError, match="verify-commit failed"):
        find_fault(Repository.discover(target.path), COMMIT, b"this is no commit")


def test_no_place_for_the_candidate(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/no/such/directory")
    with pytest.raises(RepositoryError, match="temporary directory"):
        find_fault(Repository.discover(target.path), COMMIT, b"")


@pytest.mark.parametrize(
    ("stderr", "complaint"),
    [
        (b"gpg: Signature made today\ngpg: BAD signature\n", "BAD signature"),
        (b"gpg: WARNING: not certified\ngpg:    no\nFingerprint: 1\n", "WARNING: not certified"),
        (b"one\ntwo\n\n", "two"),
        (b"", "no reason given"),
        (b"\xff\n", "\ufffd"),
    ],
)
def test_the_line_that_tells_most(stderr: bytes, complaint: str) -> None:
    assert complaint_of(Finished(1, b"", stderr)) == complaint
