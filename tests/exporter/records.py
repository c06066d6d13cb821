"""Records of a stream exactly as an exporter writes them."""

from __future__ import annotations

from collections.abc import Sequence

WHO = b"A U Thor <author@example.com> 1112911993 -0700"
ZERO = b"0" * 40
MAIN = b"refs/heads/main"
EMPTY_TREE = b"4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def blob(mark: int, content: bytes, oid: bytes = b"") -> bytes:
    """A blob; *oid* is that of ``original-oid``."""
    original = b"original-oid %b\n" % oid if oid else b""
    return b"blob\nmark :%d\n%bdata %d\n%b\n" % (mark, original, len(content), content)


def commit(
    mark: int,
    *lines: bytes,
    ref: bytes = MAIN,
    message: bytes = b"message\n",
    root: bool = False,
    headers: Sequence[bytes] = (),
    oid: bytes = b"",
    who: bytes = WHO,
) -> bytes:
    """A commit.

    Args:
        mark: Its mark.
        *lines: What stands behind the message, without LF.
        ref: Its branch.
        message: Its message.
        root: Whether it has no parents.
        headers: What stands between committer and message, without the last LF.
        oid: That of ``original-oid``.
        who: Author and committer.
    """
    head = b"reset %b\n" % ref if root else b""
    original = b"original-oid %b\n" % oid if oid else b""
    head += b"commit %b\nmark :%d\n%bauthor %b\ncommitter %b\n" % (ref, mark, original, who, who)
    body = b"".join(line + b"\n" for line in (*headers, b"data %d" % len(message)))
    return head + body + message + b"".join(line + b"\n" for line in lines) + b"\n"


def reset(ref: bytes, start: bytes) -> bytes:
    """What sets a ref in the end."""
    return b"reset %b\nfrom %b\n\n" % (ref, start)


def tag(
    name: bytes, start: bytes, message: bytes = b"text\n", *, tagger: bytes = WHO,
    mark: int = 0, oid: bytes = b"",
) -> bytes:  # fmt: skip
    """An annotated tag."""
    lines = [b"tag " + name]
    if mark:
        lines.append(b"mark :%d" % mark)
    lines.append(b"from " + start)
    if oid:
        lines.append(b"original-oid " + oid)
    if tagger:
        lines.append(b"tagger " + tagger)
    return b"\n".join([*lines, b"data %d" % len(message), message]) + b"\n"


def commit_body(
    tree: bytes = EMPTY_TREE, *parents: bytes, headers: Sequence[bytes] = (),
    message: bytes = b"message\n", who: bytes = WHO,
) -> bytes:  # fmt: skip
    """A commit as an object; *headers* stand behind the committer."""
    above = [b"tree " + tree, *(b"parent " + one for one in parents)]
    lines = [*above, b"author " + who, b"committer " + who, *headers]
    return b"\n".join(lines) + b"\n\n" + message


def tag_body(
    target: bytes, kind: bytes = b"commit", name: bytes = b"v1", message: bytes = b"text\n",
    tagger: bytes = WHO,
) -> bytes:  # fmt: skip
    """A tag as an object."""
    lines = [b"object " + target, b"type " + kind, b"tag " + name]
    lines += [b"tagger " + tagger] if tagger else []
    return b"\n".join(lines) + b"\n\n" + message


# Three commits in a row.
LINE = (
    blob(1, b"one\n")
    + commit(2, b"M 100644 :1 a", root=True, message=b"first\n")
    + blob(3, b"two\n")
    + commit(4, b"from :2", b"M 100644 :3 b", message=b"second\n")
    + blob(5, b"three\n")
    + commit(6, b"from :4", b"M 100644 :5 a", b"D b", message=b"third\n")
)
