"""What to do with signatures of commits and tags: keep, strip, refuse, or verify and act on that.

The policy is asked twice about a commit: for the header, where the stream names the signatures, and
when tree and parents are known, for only then is there something to verify.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from fastio.errors import FastioError, StreamError
from fastio.importer.branches import show
from fastio.objects.kinds import COMMIT, NAMES, TAG
from fastio.objects.signatures import is_signature, split_signature

if TYPE_CHECKING:
    from fastio.importer.options import ImportOptions
    from fastio.store.repository import Repository
    from fastio.store.signing import Signer
    from fastio.stream.commands import Commit, Signature, Tag

SUBJECT = 100  # bytes of a commit's subject that a warning shows


class SignaturePolicy:
    """Applies ``--signed-commits`` and ``--signed-tags``.

    Args:
        repository: Whose git verifies, and whose configuration tells how to sign.
        options: Where the modes are looked up, at each use: the stream may still set them.
        warn: Is given each warning's text.
    """

    def __init__(
        self, repository: Repository, options: ImportOptions, warn: Callable[[str], None]
    ) -> None:
        self._repository, self._options, self._warn = repository, options, warn
        self._algorithm = repository.object_format.name
        self._signer: Signer | None = None

    @property
    def keeps_commits(self) -> bool:
        """Whether a commit's signature is kept as it is, unless there is something odd about it."""
        return self._options.signed_commits == "verbatim"

    # --- commits --------------------------------------------------------------------------------

    def of_commit(self, header: Commit) -> dict[str, bytes]:
        """Return the signatures to go on with by algorithm: the first of each.

        Raises:
            StreamError: Signatures are refused, or one is malformed.
        """
        kept: dict[str, bytes] = {}
        for signature in header.signatures:
            if self._keeps(signature):
                algorithm = signature.algorithm.decode()
                if algorithm in kept:
                    self._warn("more than one signature of one algorithm; keeping the first")
                kept.setdefault(algorithm, signature.data)
        return kept

    def _keeps(self, signature: Signature) -> bool:
        mode = self._options.signed_commits
        if mode == "abort":
            raise StreamError("encountered signed commit; use --signed-commits=<mode> to handle it")
        if mode.endswith("strip"):
            if mode == "warn-strip":
                self._warn("stripping a commit signature")
            return False
        if mode == "warn-verbatim":
            self._warn("importing a commit signature verbatim")
        if not signature.well_formed:
            line = b"gpgsig " + signature.words
            raise StreamError(f"malformed line: {show(line)}", line=line)
        if signature.format == b"unknown":
            self._warn("commit signature of an unknown format")
        return True

    def commit_body(
        self,
        build: Callable[[Mapping[str, bytes]], bytes],
        signatures: Mapping[str, bytes],
        message: bytes,
    ) -> bytes:
        """Return the commit to store.

        Args:
            build: Makes the commit with the signatures it is given.
            signatures: What `of_commit` said.
            message: The commit's message.

        Raises:
            StreamError: A signature is not valid, and that is refused; or there is none where one
                should be; or git or the program that signs failed.
        """
        body = build(signatures)
        mode = self._options.signed_commits
        if not signatures or not mode.endswith("if-invalid"):
            return body
        fault = self._fault_of_commit(body, signatures)
        if not fault:
            return body
        subject = show(message.lstrip(b"\n").partition(b"\n")[0][:SUBJECT])
        what = f"invalid signature for commit '{subject}': {fault}"
        if mode == "abort-if-invalid":
            raise StreamError(f"aborting due to {what}")
        if mode == "strip-if-invalid":
            self._warn(f"stripping {what}")
            return build({})
        self._warn(f"replacing {what}")
        if "extensions.compatObjectFormat" in self._repository.config:
            raise StreamError("cannot sign commits of a repository with two object formats")
        signature = self._sign(COMMIT, build({}), self._options.signed_commits_key)
        return build({self._algorithm: signature.removesuffix(b"\n")})

    def _fault_of_commit(self, body: bytes, signatures: Mapping[str, bytes]) -> str:
        own = signatures.get(self._algorithm)
        if own is None:
            return f"there is none for {self._algorithm}, this repository's object format"
        if not is_signature(own):
            raise StreamError(f"bad/incompatible signature '{show(own[:SUBJECT])}'")
        return self._find_fault(COMMIT, body)

    # --- tags -----------------------------------------------------------------------------------

    def tag_body(self, command: Tag, build: Callable[[bytes], bytes]) -> bytes:
        """Return the tag to store.

        Args:
            command: The tag; a signature is part of its message.
            build: Makes the tag with the message it is given.

        Raises:
            StreamError: It is signed, and signatures are refused; or it is not valid, and that is
                refused; or git or the program that signs failed.
        """
        mode = self._options.signed_tags
        body = build(command.message)
        if mode == "verbatim":
            return body
        text, signature = split_signature(command.message)
        if not signature:
            return body
        if mode.endswith("if-invalid"):
            return self._checked_tag(command, build, text)
        if mode == "abort":
            raise StreamError("encountered signed tag; use --signed-tags=<mode> to handle it")
        if mode == "warn-verbatim":
            self._warn(f"importing a tag signature verbatim for tag '{show(command.name)}'")
        if mode == "warn-strip":
            self._warn(f"stripping a tag signature for tag '{show(command.name)}'")
        return build(text) if mode.endswith("strip") else body

    def _checked_tag(self, command: Tag, build: Callable[[bytes], bytes], text: bytes) -> bytes:
        mode, body = self._options.signed_tags, build(command.message)
        fault = self._find_fault(TAG, body)
        if not fault:
            return body
        if mode == "abort-if-invalid":
            what = f"invalid signature for tag '{show(command.name)}': {fault}"
            raise StreamError(f"aborting due to {what}")
        plain = build(text)  # no warning here, unlike with commits: git has none
        if mode == "strip-if-invalid":
            return plain
        return build(text + self._sign(TAG, plain, self._options.signed_tags_key))

    # --- both -----------------------------------------------------------------------------------

    def _find_fault(self, kind: int, body: bytes) -> str:
        from fastio.store.verification import find_fault  # noqa: PLC0415 - few imports verify

        try:
            return find_fault(self._repository, kind, body)
        except FastioError as error:
            raise StreamError(str(error)) from error

    def _sign(self, kind: int, payload: bytes, key: str) -> bytes:
        from fastio.store.signing import Signer  # noqa: PLC0415 - few imports sign

        if self._signer is None:
            self._signer = Signer(self._repository)
        try:
            return self._signer.sign(payload, key)
        except FastioError as error:
            raise StreamError(f"failed to sign {NAMES[kind].decode()} object: {error}") from error
