"""Records rewritten line by line in plain Python, by an anonymizer's words."""

from __future__ import annotations

import re
from itertools import count

from fastio.exporter.anonymize import Anonymizer
from fastio.exporter.records import DIE, END, OF, OWN, WARN, RecordWriter
from tests.exporter.record_model import Record, read_records

HOLE = b"\0"
# What is behind the last ">" of an ident: date and zone, which are kept, and whatever.
DATE = re.compile(rb"[ \t\r\n]*([0-9]+[ \t\r\n]*[+-][0-9]+)")
MALFORMED = b"Malformed Ident <malformed@example.com> 0 -0000"


class ModelRewriter:
    """Does what `RecordRewriter.records` does."""

    def __init__(self, words: Anonymizer, oid_size: int) -> None:
        self.words, self.oid_size, self.subjects = words, oid_size, count()

    def records(self, records: bytes) -> bytes:
        writer = RecordWriter(self.oid_size)
        for record in read_records(records, self.oid_size):
            self.write(writer, record)
        return writer.take()

    def write(self, writer: RecordWriter, record: Record) -> None:
        texts = self.rewrite(HOLE.join(part.text for part in record.parts)).split(HOLE)
        writer.begin()
        for text, (_, hole, argument) in zip(texts, record.parts, strict=True):
            writer.text(text)
            if hole == OWN:
                writer.own()
            elif hole != END:
                {OF: writer.of, WARN: writer.warn, DIE: writer.die}[hole](argument)
        for oid in record.blobs:
            writer.blob(oid)
        writer.end()

    def rewrite(self, text: bytes) -> bytes:
        made, lines = [], text.splitlines(keepends=True)
        while lines:
            whole = lines.pop(0)
            line = whole.lstrip(HOLE)
            made.append(whole[: len(whole) - len(line)])
            if line.startswith(b"author "):  # the committer counts as printed first
                committer = self.ident_line(lines.pop(0))
                made += [self.ident_line(line), committer]
            else:
                made.append(self.line(line))
        return b"".join(made)

    def ident_line(self, line: bytes) -> bytes:
        keyword, _, ident = line[:-1].partition(b" ")
        closing = ident.find(b">", ident.find(b"<"))
        date = DATE.match(ident, ident.rfind(b">") + 1)
        if b"<" not in ident or closing < 0 or date is None:
            return b"%b %b\n" % (keyword, MALFORMED)
        return b"%b %b %b\n" % (keyword, self.words.ident(ident[:closing]), date[1])

    def line(self, line: bytes) -> bytes:
        word, _, rest = line.removesuffix(b"\n").partition(b" ")
        if word in (b"name", b"name-oid"):
            (self.words.path if word == b"name" else self.words.oid)(rest)
            return b""
        if word == b"data":
            message = b"subject %d\n\nbody\n" % next(self.subjects)
            return b"data %d\n%b" % (len(message), message)
        if word in (b"commit", b"reset"):
            rest = self.words.ref(rest)
        elif word in (b"from", b"merge") and not rest.startswith(b":"):
            rest = self.words.oid(rest)
        elif word == b"M":
            mode, reference, path = rest.split(b" ", 2)
            if not reference.startswith(b":"):
                reference = self.words.oid(reference)
            rest = b"%b %b %b" % (mode, reference, self.words.path(path))
        elif word == b"D":
            rest = self.words.path(rest)
        elif word in (b"R", b"C"):
            rest = self.words.two_paths(rest)
        else:
            return line
        return b"%b %b\n" % (word, rest)
