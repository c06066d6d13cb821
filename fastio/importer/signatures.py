"""What to do with signatures of commits and tags: keep, keep with a warning, strip, or refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fastio.errors import StreamError
from fastio.importer.branches import show
from fastio.objects.tags import split_signature

if TYPE_CHECKING:
    from fastio.importer.options import ImportOptions
    from fastio.stream.commands import Commit, Signature


class SignaturePolicy:
    """Applies ``--signed-commits`` and ``--signed-tags``.

    Args:
        options: Where the modes are looked up, at each use: the stream may still set them.
        warn: Is given each warning's text.
    """

    def __init__(self, options: ImportOptions, warn: Callable[[str], None]) -> None:
        self._options, self._warn = options, warn

    def of_commit(self, header: Commit) -> dict[str, bytes]:
        """Return the signatures to store by algorithm: the first of each.

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
        if not signature.well_formed:
            raise StreamError(f"malformed gpgsig line: {show(signature.words)}")
        if signature.format == b"unknown":
            self._warn("commit signature of an unknown format")
        if mode == "warn-verbatim":
            self._warn("importing a commit signature verbatim")
        return True

    def of_tag(self, name: bytes, message: bytes) -> bytes:
        """Return the message to store.

        Raises:
            StreamError: It is signed, and signatures are refused.
        """
        mode = self._options.signed_tags
        if mode == "verbatim":
            return message
        text, signature = split_signature(message)
        if not signature:
            return message
        if mode == "abort":
            raise StreamError("encountered signed tag; use --signed-tags=<mode> to handle it")
        if mode == "warn-verbatim":
            self._warn(f"importing a tag signature verbatim for tag '{show(name)}'")
        if mode == "warn-strip":
            self._warn(f"stripping a tag signature for tag '{show(name)}'")
        return text if mode.endswith("strip") else message
