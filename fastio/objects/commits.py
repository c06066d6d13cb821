"""Commit bodies: building them for an import, and reading back what it needs of them."""

from __future__ import annotations

from binascii import unhexlify
from collections.abc import Mapping, Sequence

from fastio.errors import ObjectError
from fastio.objects.kinds import Oid

# Header name of a signature, by the object format that it signs for; in the order of writing.
SIGNATURE_HEADERS = {"sha1": b"gpgsig", "sha256": b"gpgsig-sha256"}


def build_commit(
    tree: Oid,
    parents: Sequence[Oid],
    author: bytes,
    committer: bytes,
    *,
    message: bytes | memoryview,
    encoding: bytes | None = None,
    signatures: Mapping[str, bytes] | None = None,
) -> bytes:
    """Return the body of a commit object.

    Args:
        tree: The commit's tree.
        parents: First parent first; repetitions are kept.
        author: Name, email and date, as they follow the header's name.
        committer: The same for the committer.
        message: The message, which is stored as it is.
        encoding: What the message is encoded in, None for no such header.
        signatures: Signature text by the object format that it signs for.
    """
    lines: list[bytes | memoryview] = [b"tree " + tree.hex().encode()]
    lines += [b"parent " + parent.hex().encode() for parent in parents]
    lines += [b"author " + author, b"committer " + committer]
    if encoding is not None:
        lines.append(b"encoding " + encoding)
    if signatures:
        lines += [
            fold_header(header, signatures[name])
            for name, header in SIGNATURE_HEADERS.items()
            if name in signatures
        ]
    lines += [b"", message]
    return b"\n".join(lines)


def fold_header(name: bytes, text: bytes) -> bytes:
    """Return a header of several lines: a blank leads each line behind the first.

    Text that ends in a newline so gets a last line with nothing but its blank, as in git.
    """
    return name + b" " + text.replace(b"\n", b"\n ")


def parse_commit(body: bytes, oid_size: int = 20) -> tuple[Oid, list[Oid]]:
    """Return tree and parents of a commit.

    Raises:
        ObjectError: *body* does not begin as a commit does.
    """
    width = 2 * oid_size
    tree, at = _read_oid(body, 0, b"tree ", width)
    parents = []
    while body.startswith(b"parent ", at):
        parent, at = _read_oid(body, at, b"parent ", width)
        parents.append(parent)
    return tree, parents


def _read_oid(body: bytes, at: int, header: bytes, width: int) -> tuple[Oid, int]:
    """Read the header line at *at* that holds an oid; return it and the next line's place."""
    start = at + len(header)
    end = start + width
    try:
        if not body.startswith(header, at) or body[end : end + 1] != b"\n":
            raise ValueError
        return Oid(unhexlify(body[start:end])), end + 1
    except ValueError:
        raise ObjectError(f"malformed commit: no {header.decode()}line at byte {at}") from None
