"""What the text of a commit is, slowly: the model of `fastio.exporter.commit_text`."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from fastio.exporter.options import ExportOptions

KINDS = {
    b"-----BEGIN PGP SIGNATURE-----": b"openpgp",
    b"-----BEGIN PGP MESSAGE-----": b"openpgp",
    b"-----BEGIN SIGNED MESSAGE-----": b"x509",
    b"-----BEGIN SSH SIGNATURE-----": b"ssh",
}
# Text, or a hole: what is to stand there, and of which oid or with which text.
Piece = bytes | tuple[str, bytes]


def line_of(text: bytes, name: bytes) -> tuple[bytes, bytes] | None:
    """The first line, but not the very first one, with this name, and all that follows it."""
    _, found, rest = text.partition(b"\n" + name + b" ")
    if not found:
        return None
    value, end, rest = rest.partition(b"\n")
    return name + b" " + value, end + rest


def converted(text: bytes, name: bytes) -> bytes | None:
    """Text in UTF-8, or None."""
    if name.lower() in (b"utf8", b"utf-8"):
        name = b"UTF-8"
    elif name.lower() == b"latin-1":
        name = b"ISO-8859-1"
    libc = ctypes.CDLL(None, use_errno=True)
    libc.iconv_open.restype = libc.iconv.restype = ctypes.c_ssize_t
    descriptor = libc.iconv_open(b"UTF-8", name)
    if descriptor == -1:
        return None
    source = ctypes.c_char_p(text)
    room = ctypes.create_string_buffer(8 * len(text) + 16)
    target = ctypes.c_char_p(ctypes.addressof(room))
    left, free = ctypes.c_size_t(len(text)), ctypes.c_size_t(len(room))
    done = libc.iconv(
        ctypes.c_ssize_t(descriptor), ctypes.byref(source), ctypes.byref(left),
        ctypes.byref(target), ctypes.byref(free),
    )  # fmt: skip
    libc.iconv_close(ctypes.c_ssize_t(descriptor))
    return None if done == -1 else room.raw[: len(room) - free.value]


def commit_text(
    options: ExportOptions,
    oid: bytes,
    ref: bytes,
    parents: Sequence[tuple[bytes, bool]],
    body: bytes,
) -> list[Piece]:
    """Everything from ``reset`` to the parents."""
    name = oid.hex().encode()
    text = body.partition(b"\0")[0]
    author = line_of(text, b"author")
    if author is None:
        return [("die", b"commit %b has no author" % name)]
    committer = line_of(author[1], b"committer")
    if committer is None:
        return [("die", b"commit %b has no committer" % name)]
    above, _, message = committer[1].partition(b"\n\n")
    lines = above[1:].split(b"\n")
    encoded = [number for number, line in enumerate(lines) if line.startswith(b"encoding ")]
    encoding = lines[encoded[0]] if encoded else None
    signatures = find_signatures(lines[encoded[0] + 1 :] if encoded else lines)
    if options.anonymize:
        encoding, message = None, b""
    elif encoding is not None and options.reencode == "abort":
        return [("die", b"commit %b has an encoding header" % name)]
    elif encoding is not None and options.reencode == "yes":
        result = converted(message, encoding.removeprefix(b"encoding "))
        if result is not None:
            encoding, message = None, result
    pieces = head(options, name, ref, bool(parents))
    pieces += [b"%b\n%b\n" % (author[0], committer[0])]
    if signatures and options.signed_commits == "abort":
        return [*pieces, ("die", b"commit %b is signed" % name)]
    if signatures and "warn" in options.signed_commits:
        pieces.append(("warn", b"commit %b is signed" % name))
    if "verbatim" in options.signed_commits:
        pieces += [signature_record(*signature) for signature in signatures]
    if encoding is not None:
        pieces.append(encoding + b"\n")
    pieces.append(b"data %d\n%b" % (len(message), message))
    return pieces + parent_lines(options, parents)


def head(options: ExportOptions, name: bytes, ref: bytes, has_parents: bool) -> list[Piece]:
    """Everything in front of the author."""
    pieces: list[Piece] = [] if has_parents else [b"reset %b\n" % ref]
    pieces += [b"commit %b\nmark :" % ref, ("own", b""), b"\n"]
    if options.show_original_ids:
        pieces.append(b"original-oid %b\n" % name)
    return pieces


def find_signatures(lines: Sequence[bytes]) -> list[tuple[bytes, bytes]]:
    """Algorithms and texts of the signatures in some headers."""
    found: list[tuple[bytes, list[bytes]]] = []
    for name, algorithm in ((b"gpgsig ", b"sha1"), (b"gpgsig-sha256 ", b"sha256")):
        is_inside = False
        for line in lines:
            if line.startswith(name):
                found.append((algorithm, [line.removeprefix(name)]))
                is_inside = True
            elif line.startswith(b" ") and is_inside:
                found[-1][1].append(line[1:])
            else:
                is_inside = False
    return [(algorithm, b"\n".join(text)) for algorithm, text in found]


def signature_record(algorithm: bytes, text: bytes) -> bytes:
    """A signature in the stream."""
    kind = next((kind for start, kind in KINDS.items() if text.startswith(start)), b"unknown")
    return b"gpgsig %b %b\ndata %d\n%b\n" % (algorithm, kind, len(text), text)


def parent_lines(options: ExportOptions, parents: Sequence[tuple[bytes, bool]]) -> list[Piece]:
    """The parents that can be named; the first of them is the one that the commit is from."""
    pieces: list[Piece] = []
    for oid, is_marked in parents:
        if is_marked or options.reference_excluded_parents:
            pieces.append(b"merge " if pieces else b"from ")
            pieces += [b":", ("of", oid)] if is_marked else [oid.hex().encode()]
            pieces.append(b"\n")
    return pieces
