"""Whether an object's signature is good, as ``git verify-commit`` and ``git verify-tag`` say.

They are asked about a candidate, which may never be stored: it lies alone in an object directory of
its own, where the repository does not see it, while all that the configuration says of signatures
(``gpg.*``: programs, allowed signers, revoked keys, trust) holds. One question costs 8 ms of a core
with gpg and 12 ms with ssh-keygen; 2.7 ms of that are git's own start and the candidate's file.
"""

from __future__ import annotations

import os
import re
from signal import SIGPIPE
from tempfile import TemporaryDirectory

from fastio.errors import RepositoryError
from fastio.objects.kinds import NAMES
from fastio.store.git import Finished
from fastio.store.loose import write_loose
from fastio.store.repository import Repository

# How a line begins that says more than the rest; a fingerprint and the like stand below it.
_PREFIX = r"(?:gpg|gpgsm|error|fatal): (?=\S)"


def find_fault(repository: Repository, kind: int, body: bytes) -> str:
    """Verify the signature of a commit or tag.

    Args:
        repository: Whose configuration and object format hold.
        kind: The object's type.
        body: The object, with a signature for the repository's object format.

    Returns:
        What is wrong with the signature, empty if nothing is.

    Raises:
        RepositoryError: It could not be verified at all.
    """
    command = f"verify-{NAMES[kind].decode()}"
    oid = repository.object_format.hash_object(kind, body)
    try:
        with TemporaryDirectory(prefix="fastio-") as directory:
            write_loose(os.fsencode(directory), oid, kind, body)
            # A replacement of this very object is not what is asked about.
            variables = {"GIT_OBJECT_DIRECTORY": directory, "GIT_NO_REPLACE_OBJECTS": "1"}
            git = repository.git.with_environment(**variables)
            # With --verbose git repeats what was signed, by which we know that it has read it.
            done = git.run(command, "--verbose", oid.hex(), capture_stderr=True)
    except OSError as error:
        raise RepositoryError(f"cannot write to a temporary directory: {error}") from error
    if done.status == 0:
        return ""
    if done.status == 128 + SIGPIPE:  # a race in git; what was signed is not read in this case only
        return "the signature cannot be parsed"
    if done.status != 1 or not done.stdout:
        raise RepositoryError(f"git {command} failed: {complaint_of(done)}")
    return complaint_of(done)


def complaint_of(done: Finished) -> str:
    """The line of a program's stderr that tells best what it did not like."""
    lines = [line for line in done.stderr.decode(errors="replace").splitlines() if line.strip()]
    for line in reversed(lines):
        if prefix := re.match(_PREFIX, line):
            return line[prefix.end() :]
    return lines[-1].strip() if lines else "no reason given"
