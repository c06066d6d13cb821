"""Tells what is in a stream: how many of which command, who wrote it, which files are changed most.

python samples/survey.py samples/history.fe
git fast-export --all | python samples/survey.py
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import BinaryIO

import fastio
from fastio.stream.commands import Blob, Command, Commit, FileModify, LargeData, NoteModify


@dataclass
class Survey:
    """What was counted."""

    commands: Counter[str] = field(default_factory=Counter)
    authors: Counter[bytes] = field(default_factory=Counter)
    paths: Counter[bytes] = field(default_factory=Counter)
    bytes_of_blobs: int = 0

    def count(self, command: Command) -> None:
        """Take one command into account."""
        self.commands[type(command).__name__] += 1
        if isinstance(command, Commit):
            ident = command.author or command.committer
            self.authors[ident.rpartition(b" <")[0]] += 1
        if isinstance(command, FileModify):
            self.paths[command.path] += 1
        if isinstance(command, Blob | FileModify | NoteModify) and command.data is not None:
            data = command.data  # bytes only until the next command: count now, or copy
            self.bytes_of_blobs += data.size if isinstance(data, LargeData) else len(data)


def survey(file: BinaryIO) -> Survey:
    """Read a whole stream."""
    found = Survey()
    for command in fastio.parse(file):
        found.count(command)
    return found


def print_table(title: str, counts: Counter[bytes] | Counter[str]) -> None:
    """Print the ten most frequent, names as they are where they are text."""
    print(f"\n{title}")
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:10]:
        text = name if isinstance(name, str) else name.decode(errors="backslashreplace")
        print(f"{count:8} {text}")


def main() -> None:
    """Survey the file named on the command line, or stdin."""
    if len(sys.argv) > 1:
        with open(sys.argv[1], "rb") as file:
            found = survey(file)
    else:
        found = survey(sys.stdin.buffer)
    print_table("Commands", found.commands)
    print_table("Authors", found.authors)
    print_table("Files", found.paths)
    print(f"\n{found.bytes_of_blobs} bytes of blobs")


if __name__ == "__main__":
    main()
