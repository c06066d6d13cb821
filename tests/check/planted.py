"""Commands with one mistake each, to be planted in streams that are in order.

Each has marks and refs of its own, by a number, so that any of them can stand beside any other.
"""

from __future__ import annotations

from typing import NamedTuple

WHO = b"A U Thor <ab> 1234567890 +0200"
OID = b"0123456789" * 4


class Planted(NamedTuple):
    """A mistake: where it is to be found, and what stands around it.

    ``%d`` in the text stands for a number; ``@`` marks the byte at which the place has to be.
    """

    kind: str
    text: bytes

    def at(self, number: int) -> tuple[bytes, int]:
        """Return the text for one *number*, and the place in it."""
        text = self.text.replace(b"%d", b"%d" % number)
        return text.replace(b"@", b""), text.index(b"@")


def _commit(*, changes: bytes = b"", before: bytes = b"") -> bytes:
    """A commit of its own branch with mark %d0, behind a blob with mark %d1."""
    return (
        b"blob\nmark :%%d1\ndata 3\nabc\n%bcommit refs/heads/b%%d\nmark :%%d0\n"
        b"committer %b\ndata 2\nhi\n%b\n" % (before, WHO, changes)
    )


def _header(line: bytes) -> bytes:
    """A commit with *line* before the committer's."""
    return _commit().replace(b"committer ", line + b"committer ")


def _change(line: bytes) -> bytes:
    """A commit with a change that is wrong, and one that is not."""
    return _commit(changes=b"@" + line + b"M 644 :%d1 good\n")


MISTAKES = (
    Planted("ident", _header(b"@author A 1 +0000\n")),
    Planted("ident", _header(b"@author A <a<b> 1 +0000\n")),
    Planted("date", _header(b"@author A <a> yesterday\n")),
    Planted("date", _header(b"@author A <a> 1 +051800\n")),
    Planted("expected", _header(b"@encoding x\n")),
    Planted("expected", b"commit refs/heads/b%d\n@data 0\n\n"),
    Planted("expected", b"tag t%d\n@tagger " + WHO + b"\ndata 0\n"),
    Planted("mark", _change(b"M 644 :x a\n")),
    Planted("mark", b"reset refs/heads/b%d\n@from :\n\n"),
    Planted("dataref", _change(b"M 644 12 a\n")),
    Planted("dataref", _change(b"cat-blob abc\n")),
    Planted("mode", _change(b"M 664 :%d1 a\n")),
    Planted("mode", _change(b"M 664 inline a\ndata 9\n M 664 x\n\n")),
    Planted("path", _change(b'M 644 :%d1 "a\\z"\n')),
    Planted("path", _change(b"R a\n")),
    Planted("refused-path", _change(b"M 644 :%d1 .git/config\n")),
    Planted("refused-path", _change(b"M 120000 :%d1 .gitmodules\n")),
    Planted("refused-path", _change(b"M 644 inline /a\ndata 1\nx\n")),
    Planted("refused-path", _change(b"C good ../x\n")),
    Planted("empty-component", _change(b"R a//b c\n")),
    Planted("empty-component", _change(b"C a/ c\n")),
    Planted("root", _change(b'M 644 :%d1 ""\n')),
    Planted("command", _change(b"no change\n")),
    Planted("command", b"@comit refs/heads/b%d\nmark :%d0\ncommitter x\ndata 2\nhi\nM 1 2 3\n\n"),
    Planted("command", b"blob\ndata 3\nabc\n@\n"),
    Planted("command", b"@Blob\nmark :%d1\ndata 3\nabc\n"),
    Planted("carriage-return", b"@blob\r\nmark :%d1\ndata 3\nabc\n"),
    Planted("carriage-return", _change(b"deleteall\r\n")),
    Planted("carriage-return", _header(b"@author A <a> 1 +0000\r\n")),
    Planted("nul", _change(b"D a\0b\n")),
    Planted("data-length", "blob\n@data 4\näöüß\n".encode()),
    Planted("data-length", "blob\n@data 6\näöü \nß\n".encode()),
    Planted("data-length", b"blob\n@data 8\none\r\ntwo\r\n"),
    Planted("data-length", b"blob\n@data 12\none\r\ntwo\r\nsix\r\n"),
    Planted("data-length", b"blob\n@data 5\nmore than five\nblob\ndata 2\nab\n"),
    Planted("data-length", b"blob\n@data 9\nless\nblob\nmark :%d1\ndata 2\nab\n"),
    Planted(
        "data-length",
        _commit().replace(b"data 2\nhi", b"@data 5\nhi\nfrom refs/heads/old"),
    ),
    Planted("header", b"@feature done\n"),
    Planted("header", b"@option git quiet\n"),
    Planted(
        "signature", _commit(before=b"@").replace(b"data 2", b"gpgsig x y\ndata 1\nx\ndata 2", 1)
    ),
    Planted("undeclared-mark", _change(b"M 644 :%d9 a\n")),
    Planted("undeclared-mark", _change(b"N :%d1 :%d9\n")),
    Planted("undeclared-mark", _change(b"M 160000 :%d0 a\n")),
    Planted("undeclared-mark", b"@reset refs/heads/b%d\nfrom :%d9\n\n"),
    Planted("undeclared-mark", b"@tag t%d\nfrom :%d9\ndata 0\n"),
    Planted("undeclared-mark", b"@get-mark :%d9\n"),
    Planted("mark-type", b"blob\nmark :%d1\ndata 0\n@reset refs/heads/b%d\nfrom :%d1\n\n"),
    Planted("mark-type", _commit() + b"@cat-blob :%d0\n"),
    Planted("mark-type", b"blob\nmark :%d1\ndata 0\n@ls :%d1 a\n"),
    Planted("committish", b"@reset refs/heads/b%d\nfrom \n\n"),
    Planted("committish", _change(b"N :%d1 " + b"0" * 40 + b"\n")),
    Planted("self-parent", b"@reset refs/heads/b%d\nfrom refs/heads/b%d\n\n"),
    Planted("empty-branch", b"reset refs/heads/b%d\n\n@tag t%d\nfrom refs/heads/b%d\ndata 0\n"),
    Planted("ref-name", b"@reset refs/heads/b%d..c\n\n"),
    Planted("ref-name", b"@tag t%d.lock\nfrom refs/heads/old\ndata 0\n"),
    Planted("reserved-name", b"@reset objects/b%d\n\n"),
    Planted(
        "ref-clash",
        _commit() + b"@reset refs/heads/b%d/c\nfrom :%d0\n\n",
    ),
    Planted(
        "ref-clash",
        b"tag t%d/x\nfrom refs/heads/old\ndata 0\n@tag t%d\nfrom refs/heads/old\ndata 0\n",
    ),
    Planted("tag-again", b"tag t%d\nfrom a\ndata 0\n@tag t%d\nfrom a\ndata 0\n"),
    Planted("redeclared-mark", b"blob\nmark :%d1\ndata 0\n@blob\nmark :%d1\ndata 0\n"),
    Planted("redeclared-mark", _commit(before=b"blob\nmark :%d0\ndata 0\n@")),
    Planted("number", b"blob\n@mark :x\ndata 0\n"),
    Planted("number", b"blob\n@data x\n"),
    Planted("path-cr", _change(b"M 644 :%d1 a\r\n")),
    Planted("order", _commit(changes=b"M 644 :%d1 d/x\n@D d\n")),
    Planted("order", _commit(changes=b"M 644 :%d1 d\n@M 644 :%d1 d/x\n")),
    Planted("order", _commit(changes=b"M 644 :%d1 d/x\n@M 644 :%d1 d\n")),
    Planted("elsewhere", b"@reset refs/heads/b%d\nfrom refs/heads/elsewhere\n\n"),
    Planted("elsewhere", _change(b"M 644 " + OID + b" a\n")),
    Planted("case", _commit() + b"@reset refs/heads/B%d\nfrom :%d0\n\n"),
    Planted("case", _commit(changes=b"M 644 :%d1 a\n@M 644 :%d1 A\n")),
)
"""Mistakes behind which a stream goes on."""

BEGINNINGS = (
    Planted("feature", b"@feature nonsense\n"),
    Planted("feature", b"@option git nonsense\n"),
    Planted("feature", b"@option git depth=-1\n"),
    Planted("unsafe-feature", b"@feature export-marks=x\n"),
    Planted("date-format", b"@feature date-format=x\n"),
)
"""Mistakes that stand at the beginning."""

ENDS = (
    Planted("truncated", b"blob\n@data 99\nabc"),
    Planted("truncated", b"commit refs/heads/b%d\n@"),
    Planted("truncated", b"blob\n@data <<END\nabc\n"),
    Planted("data-length", b"blob\n@data 9999\nabc\nblob\nmark :%d1\ndata 3\nabc\n"),
    Planted("done", b"@"),
    Planted("behind-done", b"@done\nmore"),
)
"""Mistakes with which a stream ends."""
