"""Tag records: annotated tags as they stand at the end of a stream.

A tag is named after the ref that led to it, not after what its object says. Each level of a tag of
a tag becomes a record under the same name, innermost first; in front of all but the innermost the
ref is deleted, as importers want no tag to be moved.

Whether a tag is printed at all goes in this order: what its chain ends at, its signature, whether
its target was exported. Signatures in a tag's headers are not looked at, and are lost with them.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn, Protocol

from fastio.errors import FastioError, ObjectError
from fastio.exporter.final_records import reset_record
from fastio.objects.kinds import COMMIT, TAG, TREE, Oid
from fastio.objects.signatures import split_signature
from fastio.objects.tags import parse_tag

if TYPE_CHECKING:
    from fastio.exporter.anonymize import Anonymizer
    from fastio.exporter.marks import MarkTable
    from fastio.exporter.options import ExportOptions
    from fastio.store.objects import ObjectStore

_FAKE_TAGGER = b"tagger Unspecified Tagger <unspecified-tagger> 0 +0000"
_NAMESPACE = b"refs/tags/"


class Listed(Protocol):
    """A tag object, and the ref it was reached from."""

    @property
    def name(self) -> bytes:
        """The ref's full name, as mapped by refspecs."""

    @property
    def oid(self) -> Oid:
        """The tag object."""


class TagWriter:
    """Makes the records of tags; to be asked in the order of the stream.

    Args:
        store: Where the tags are.
        options: Those of the export.
        marks: What was exported; tags get marks there with ``--mark-tags``.
        settle: Gives the commit that stands for one that path limits dropped, None if none does.
        warn: Is told each warning.
        anonymizer: Replaces what tells of the repository.
    """

    def __init__(
        self,
        store: ObjectStore,
        options: ExportOptions,
        marks: MarkTable,
        settle: Callable[[Oid], Oid | None],
        warn: Callable[[str], None],
        anonymizer: Anonymizer | None = None,
    ) -> None:
        self._store, self._options, self._marks = store, options, marks
        self._settle, self._warn, self._anonymizer = settle, warn, anonymizer
        self._at_tree: dict[Oid, bool] = {}  # whether tags that were asked about end at a tree

    def write(self, tag: Listed) -> bytes:
        """Return a tag's record; empty if it is left out.

        Raises:
            FastioError: The options say that the export ends with such a tag.
            ObjectError: An object is missing or malformed.
        """
        body = self._read(tag.oid)
        target, kind = parse_tag(body)
        if self._ends_at_tree(tag.oid, target, kind):
            self._warn(f"leaving out tag {tag.oid.hex()}: a tag of a tree cannot be exported")
            return b""
        name, (tagger, message) = tag.name, _split(body)
        if self._anonymizer is not None:  # tags that are left out use up replacements as well
            name = self._anonymizer.ref(name)
            tagger = tagger and self._anonymizer.ident_line(tagger)
            message = None if message is None else self._anonymizer.tag_message(message)
        message = self._signed(tag.oid, message or b"")
        reference = self._find(tag, target, kind)
        if reference is None:
            return b""
        if not reference:
            return reset_record(name, self._zero)
        if not tagger and self._options.fake_missing_tagger:
            tagger = _FAKE_TAGGER
        lines = [reset_record(name, self._zero)] if kind == TAG else []
        lines.append(b"tag %b\n" % name.removeprefix(_NAMESPACE))
        if self._options.mark_tags:
            lines.append(b"mark :%d\n" % self._marks.add(tag.oid))
        lines.append(b"from %b\n" % reference)
        if self._options.show_original_ids:
            lines.append(b"original-oid %b\n" % tag.oid.hex().encode())
        if tagger:
            lines.append(tagger + b"\n")
        lines.append(b"data %d\n%b\n" % (len(message), message))
        return b"".join(lines)

    @property
    def _zero(self) -> bytes:
        return b"0" * (2 * self._marks.oid_size)

    def _read(self, oid: Oid) -> bytes:
        kind, body = self._store.read(oid)
        if kind != TAG:
            raise ObjectError(f"object {oid.hex()} is no tag")
        return body

    def _ends_at_tree(self, tag: Oid, target: Oid, kind: int) -> bool:
        passed = [tag]
        while kind == TAG and target not in self._at_tree:  # mostly the one before, which is inner
            passed.append(target)
            target, kind = parse_tag(self._read(target))
        answer = self._at_tree[target] if kind == TAG else kind == TREE
        self._at_tree.update(dict.fromkeys(passed, answer))
        return answer

    def _signed(self, oid: Oid, message: bytes) -> bytes:
        """Do with a signature what the option says; returns the message to print."""
        text, signature = split_signature(message)
        mode = self._options.signed_tags
        if not signature or mode == "verbatim":
            return message
        if mode == "abort":
            raise FastioError(f"tag {oid.hex()} is signed; --signed-tags=<mode> says what to do")
        keeps = mode == "warn-verbatim"
        if keeps or mode == "warn-strip":
            done = "exported" if keeps else "left out"
            self._warn(f"tag {oid.hex()} is signed: its signature is {done}")
        return message if keeps else text

    def _find(self, tag: Listed, target: Oid, kind: int) -> bytes | None:
        """Return what to write behind ``from``.

        Returns:
            The reference; empty if nothing is left for the tag's ref to point to; None to leave
            the tag out.
        """
        if mark := self._marks.find(target):
            return b":%d" % mark
        mode = self._options.tag_of_filtered_object
        if mode == "drop":
            return None
        if mode == "abort":
            self._refuse(tag, "is not exported; --tag-of-filtered-object=<mode> says what to do")
        if kind == TAG and not self._options.mark_tags:
            self._refuse(tag, "is a tag without a mark; --mark-tags gives it one")
        if kind == COMMIT:
            settled = self._settle(target)
            if settled is None:
                return b""
            if mark := self._marks.find(settled):
                return b":%d" % mark
        return target.hex().encode()

    def _refuse(self, tag: Listed, reason: str) -> NoReturn:
        name = os.fsdecode(tag.name)
        raise FastioError(f"the target of tag {tag.oid.hex()} ({name}) {reason}")


def _split(body: bytes) -> tuple[bytes, bytes | None]:
    """Return a tag's tagger line, which may be empty, and its message; both end at a NUL.

    A body without an empty line has no message, which is less than an empty one.
    """
    headers, blank, message = body.partition(b"\n\n")
    _, found, rest = headers.partition(b"\ntagger ")
    line = found[1:] + rest.partition(b"\n")[0]
    return line.partition(b"\0")[0], message.partition(b"\0")[0] if blank else None
