"""A filter: replaces one address by another in all authors, committers and taggers.

git -C old fast-export --all | python samples/change_email.py OLD NEW | fastio -C new.git import
"""

from __future__ import annotations

import sys
from dataclasses import replace

import fastio
from fastio.stream.commands import Command, Commit, Tag
from fastio.stream.writer import write_command


def changed(command: Command, old: bytes, new: bytes) -> Command:
    """Return *command* with the address *old*, in angle brackets, replaced by *new*."""
    if isinstance(command, Commit):
        author = command.author and command.author.replace(old, new)
        committer = command.committer.replace(old, new)
        # What was signed is not what is written, unless nothing was changed.
        same = (author, committer) == (command.author, command.committer)
        signatures = command.signatures if same else ()
        return replace(command, author=author, committer=committer, signatures=signatures)
    if isinstance(command, Tag) and command.tagger:
        return replace(command, tagger=command.tagger.replace(old, new))
    return command


def main() -> None:
    """Filter stdin to stdout."""
    if len(sys.argv) != 3:
        sys.exit("usage: change_email.py OLD NEW")
    old, new = (b"<%b>" % address.encode() for address in sys.argv[1:])
    for command in fastio.parse(sys.stdin.buffer):
        sys.stdout.buffer.write(write_command(changed(command, old, new)))


if __name__ == "__main__":
    main()
