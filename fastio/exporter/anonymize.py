"""``--anonymize``: the same history without anything that tells what it is about.

Replacements are numbered in the order in which they are printed, so all of this is done by the
coordinator, one record after the other. Workers write records as ever, but for messages, which they
leave empty; here records are read again, line by line, and written anew (`RecordRewriter`).
Where a commit's lines are not in git's order (`fastio.exporter.line_order`), there are lines ``name
PATH`` and ``name-oid OID`` before them: what git's lines name, in its order, to be numbered only.
 Only
numbers that are nobody's secret stay: dates, modes, sizes of signatures, how many objects there
are. Blobs are not read at all.

A word that ``--anonymize-map`` knows is replaced as it says, whatever kind of word it is.

Source: git-fast-export(1), "Anonymizing"; which words share their numbers, and which idents are
malformed, is what ``git fast-export`` 2.55 does when it is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import count

from fastio.exporter._anonymize import RecordRewriter
from fastio.stream.quoting import quote, unquote

__all__ = ["Anonymizer", "RecordRewriter"]

_NAMESPACES = re.compile(rb"refs/(?:(?:heads|tags|remotes)/)?")


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

    def replace(self, word: bytes) -> bytes:
        known = self._known.get(word)
        if known is not None:
            return known
        made = self._made.get(word)
        if made is None:
            made = self._made[word] = self._make(next(self._numbers))
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
        self._quote_high = quote_high
        self._paths = _Words(replacements, lambda n: b"path%d" % n)
        self._refs = _Words(replacements, lambda n: b"ref%d" % n)
        self._idents = _Words(replacements, lambda n: b"User %d <user%d@example.com>" % (n, n))
        self._oids = _Words(replacements, lambda n: b"%0*x" % (2 * oid_size, n), first=1)
        self._tag_messages = _Words(replacements, lambda n: b"tag message %d" % n)
        rewriter = RecordRewriter(self, oid_size=oid_size)
        self.records, self.blob_records = rewriter.records, rewriter.blob_records
        self.ident_line = rewriter.ident_line

    # --- words ----------------------------------------------------------------------------------

    def ref(self, name: bytes) -> bytes:
        """Replace the components of a ref's name behind ``refs/heads/`` and the like."""
        found = _NAMESPACES.match(name)
        kept = found.end() if found is not None else 0
        return name[:kept] + self._refs.replace_each(name[kept:])

    def path(self, path: bytes) -> bytes:
        """Replace the components of a path, quoted if it has to be, and quote the new one."""
        new = self._paths.replace_each(unquote(path)[0] if path.startswith(b'"') else path)
        made = quote(new, quote_high=self._quote_high)
        return b'"%b"' % new if made == new and b" " in new else made

    def two_paths(self, paths: bytes) -> bytes:
        """Replace both paths of a rename or copy."""
        end = unquote(paths)[1] if paths.startswith(b'"') else paths.index(b" ")
        return b"%b %b" % (self.path(paths[:end]), self.path(paths[end + 1 :]))

    def ident(self, ident: bytes) -> bytes:
        """Replace what stands before the date in a line of an author, committer or tagger."""
        return self._idents.replace(ident)

    def oid(self, text: bytes) -> bytes:
        """Replace an oid in hexadecimal digits."""
        return self._oids.replace(text)

    def tag_message(self, message: bytes) -> bytes:
        """Replace a tag's message."""
        return self._tag_messages.replace(message)
