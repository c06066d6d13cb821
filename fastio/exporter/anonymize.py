"""``--anonymize``: the same history without anything that tells what it is about.

Replacements are numbered in the order in which they are printed, so all of this is done by the
coordinator, one record after the other. Workers write records as ever, but for messages, which they
leave empty; here records are read again, line by line, and written anew. Only numbers that are
nobody's secret stay: dates, modes, sizes of signatures, how many objects there are.

A word that ``--anonymize-map`` knows is replaced as it says, whatever kind of word it is.

Source: git-fast-export(1), "Anonymizing"; which words share their numbers, and which idents are
malformed, is what ``git fast-export`` 2.55 does when it is run.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Mapping
from itertools import count

from fastio.errors import WorkerError
from fastio.exporter.fill import new_blobs
from fastio.exporter.records import DIE, END, OF, OWN, WARN, RecordWriter
from fastio.stream.quoting import quote, unquote

_HEAD = struct.Struct("=II")
_COUNT = struct.Struct("=I")
# Stands for a hole while text is edited. There is no NUL in text: commits are cut at the first.
_HOLE = b"\0"
_NAMESPACES = re.compile(rb"refs/(?:(?:heads|tags|remotes)/)?")
# What is behind the last ">" of an ident: date and zone, which are kept, and whatever.
_DATE = re.compile(rb"[ \t\r\n]*([0-9]+[ \t\r\n]*[+-][0-9]+)")
_MALFORMED = b"Malformed Ident <malformed@example.com> 0 -0000"


class _Words:
    """One kind of words and what stands for each: the same for the same.

    Args:
        known: What the command line says.
        make: Makes a replacement of a number.
        first: The first number.
    """

    def __init__(
        self, known: Mapping[bytes, bytes], make: Callable[[int], bytes], first: int = 0
    ) -> None:
        self._known, self._make = known, make
        self._numbers = count(first)
        self._made: dict[bytes, bytes] = {}

    def new(self) -> bytes:
        """Return the next replacement."""
        return self._make(next(self._numbers))

    def replace(self, word: bytes) -> bytes:
        known = self._known.get(word)
        if known is not None:
            return known
        made = self._made.get(word)
        if made is None:
            made = self._made[word] = self.new()
        return made

    def replace_each(self, words: bytes) -> bytes:
        """Replace what stands between slashes."""
        return b"/".join(self.replace(word) if word else word for word in words.split(b"/"))


class Anonymizer:
    """Replaces words; to be asked in the order of the stream.

    Args:
        replacements: What ``--anonymize-map`` says.
        oid_size: Bytes of an oid.
        quote_high: Whether bytes from 0x80 on are escaped in paths.
    """

    def __init__(
        self, replacements: Mapping[bytes, bytes], *, oid_size: int = 20, quote_high: bool = True
    ) -> None:
        self._oid_size, self._quote_high = oid_size, quote_high
        self._writer = RecordWriter(oid_size)
        self._paths = _Words(replacements, lambda n: b"path%d" % n)
        self._whole_paths: dict[bytes, bytes] = {}  # most paths are told many times
        self._refs = _Words(replacements, lambda n: b"ref%d" % n)
        self._idents = _Words(replacements, lambda n: b"User %d <user%d@example.com>" % (n, n))
        self._oids = _Words(replacements, lambda n: b"%0*x" % (2 * oid_size, n), first=1)
        self._tag_messages = _Words(replacements, lambda n: b"tag message %d" % n)
        self._subjects = _Words({}, lambda n: b"subject %d\n\nbody\n" % n)
        self._blobs = _Words({}, lambda n: b"anonymous blob %d" % n)

    # --- words ----------------------------------------------------------------------------------

    def ref(self, name: bytes) -> bytes:
        """Replace the components of a ref's name behind ``refs/heads/`` and the like."""
        found = _NAMESPACES.match(name)
        kept = found.end() if found is not None else 0
        return name[:kept] + self._refs.replace_each(name[kept:])

    def path(self, path: bytes) -> bytes:
        """Replace the components of a path, quoted if it has to be, and quote the new one."""
        made = self._whole_paths.get(path)
        if made is None:
            new = self._paths.replace_each(unquote(path)[0] if path.startswith(b'"') else path)
            made = quote(new, quote_high=self._quote_high)
            if made == new and b" " in new:
                made = b'"%b"' % new
            self._whole_paths[path] = made
        return made

    def ident_line(self, line: bytes) -> bytes:
        """Replace the ident of a line that begins with a keyword; its date is kept."""
        keyword, _, ident = line.partition(b" ")
        closing = ident.find(b">", ident.find(b"<"))
        date = _DATE.match(ident, ident.rfind(b">") + 1)
        if b"<" not in ident or closing < 0 or date is None:
            return b"%b %b" % (keyword, _MALFORMED)
        return b"%b %b %b" % (keyword, self._idents.replace(ident[:closing]), date[1])

    def oid(self, text: bytes) -> bytes:
        """Replace an oid in hexadecimal digits."""
        return self._oids.replace(text)

    def tag_message(self, message: bytes) -> bytes:
        """Replace a tag's message."""
        return self._tag_messages.replace(message)

    # --- records --------------------------------------------------------------------------------

    def blob_records(self, text: bytes, packed: bytes, *, original_oids: bool) -> bytes:
        """Put the records of new blobs where they belong; the blobs themselves are not read.

        Args:
            text: Text of the stream.
            packed: As `fastio.exporter.fill.Filled` has them.
            original_oids: Whether records tell the oid, which is not replaced.
        """
        pieces, at = [], 0
        for position, mark, padded in new_blobs(packed):
            oid = padded[: self._oid_size].hex().encode()
            content = self._blobs.new()
            pieces += [text[at:position], b"blob\nmark :%d\n" % mark]
            pieces += [b"original-oid %b\n" % oid] if original_oids else []
            pieces.append(b"data %d\n%b\n" % (len(content), content))
            at = position
        return b"".join([*pieces, text[at:]])

    def records(self, records: bytes) -> bytes:
        """Rewrite the records of some commits.

        Raises:
            WorkerError: They are not what workers write.
        """
        at = 0
        while at < len(records):
            size, blobs = _HEAD.unpack_from(records, at)
            end = at + size - blobs * self._oid_size
            self._write(_parts(records[at + _HEAD.size : end], self._oid_size))
            for start in range(end, at + size, self._oid_size):
                self._writer.blob(records[start : start + self._oid_size])
            self._writer.end()
            at += size
        return self._writer.take()

    def _write(self, parts: Iterator[tuple[bytes, int, bytes]]) -> None:
        """Begin a record and write its parts."""
        texts, holes, arguments = zip(*parts, strict=True)
        new_texts = self._rewrite(_HOLE.join(texts)).split(_HOLE)
        writer = self._writer
        writer.begin()
        for text, hole, argument in zip(new_texts, holes, arguments, strict=True):
            writer.text(text)
            if hole == OWN:
                writer.own()
            elif hole == OF:
                writer.of(argument)
            elif hole == WARN:
                writer.warn(argument)
            elif hole == DIE:
                writer.die(argument)

    def _rewrite(self, text: bytes) -> bytes:
        """Replace what is to be replaced in the text of a commit."""
        lines, at = list[bytes](), 0
        while at < len(text):
            end = text.find(b"\n", at) + 1 or len(text)
            line = text[at:end]
            at = end
            if line.startswith(b"M "):  # as nearly all do
                lines.append(self._modify(line))
            elif line.startswith(b"author "):
                # The committer's ident, in the next line, counts as the one printed first.
                end = text.find(b"\n", at) + 1
                committer = self.ident_line(text[at : end - 1])
                lines += [self.ident_line(line[:-1]) + b"\n", committer + b"\n"]
                at = end
            elif line.lstrip(_HOLE).startswith(b"gpgsig "):
                end = text.find(b"\n", at) + 1
                signature = end + int(text[at + 5 : end]) + 1
                lines += [line, text[at:signature]]
                at = signature
            else:
                lines.append(self._line(line))
        return b"".join(lines)

    def _modify(self, line: bytes) -> bytes:
        _, mode, reference, path = line[:-1].split(b" ", 3)
        if not reference.startswith(b":"):
            reference = self.oid(reference)
        return b"M %b %b %b\n" % (mode, reference, self.path(path))

    def _line(self, line: bytes) -> bytes:
        """Replace what is to be replaced in any other line."""
        warnings = len(line) - len(line.lstrip(_HOLE))
        if warnings:
            return line[:warnings] + self._line(line[warnings:])
        word, _, rest = line.removesuffix(b"\n").partition(b" ")
        if word in (b"commit", b"reset"):
            rest = self.ref(rest)
        elif word == b"data":
            message = self._subjects.new()
            return b"data %d\n%b" % (len(message), message)
        elif word in (b"from", b"merge") and not rest.startswith(b":"):
            rest = self.oid(rest)
        elif word == b"D":
            rest = self.path(rest)
        elif word in (b"R", b"C"):
            end = unquote(rest)[1] if rest.startswith(b'"') else rest.index(b" ")
            rest = b"%b %b" % (self.path(rest[:end]), self.path(rest[end + 1 :]))
        else:
            return line
        return b"%b %b\n" % (word, rest)


def _parts(data: bytes, oid_size: int) -> Iterator[tuple[bytes, int, bytes]]:
    """Yield text, hole and what the hole says, for each part of a record."""
    at, hole = 0, -1
    while hole != END:
        if at >= len(data):
            raise WorkerError("a worker's records are cut short")
        text, at = _counted(data, at)
        hole, argument = data[at], b""
        at += 1
        if hole == OF:
            argument = data[at : at + oid_size]
            at += oid_size
        elif hole in (WARN, DIE):
            argument, at = _counted(data, at)
        yield text, hole, argument


def _counted(data: bytes, at: int) -> tuple[bytes, int]:
    start = at + _COUNT.size
    end = start + _COUNT.unpack_from(data, at)[0]
    return data[start:end], end
