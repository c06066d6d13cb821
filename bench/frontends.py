"""Frontends that ask while they write: an importer on two pipes, and kinds of dialogue with it.

Every question is sent together with all that was told since the one before, in one write, and the
answer is read in full before anything else is sent. The driver does nothing but that, so that it
is not what is measured; contents are taken from the standard library's sources.
"""

from __future__ import annotations

import os
import subprocess
import time
import zlib
from collections.abc import Callable, Iterator
from itertools import count, cycle
from pathlib import Path
from random import Random

from bench.generate import standard_library

READ = 1 << 16  # what a pipe holds
WHO = b"Ada Baker <ada@example.org>"
FILES = 200  # of the standard library's, those of middling size
VERSIONS = 2000  # of all of them together, where there is a history to ask about
FILES_A_COMMIT = 5
CHECKPOINT_EVERY = 1000
SMALL_FILES = 50


class Talk:
    """A dialogue with an importer.

    Attributes:
        questions: How many were asked.
        checksum: Of all answers, in order.
        first: When the first answer was there, by `time.perf_counter`.
        last: When the last one was.
    """

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin.fileno(), self._process.stdout.fileno()
        self._told: list[bytes] = []
        self.questions = self.checksum = 0
        self.first = self.last = 0.0

    def tell(self, text: bytes) -> None:
        """Keep what needs no answer, to be sent with the next question."""
        self._told.append(text)

    def ask(self, question: bytes) -> bytes:
        """Send what was told and a question; returns the line that comes back."""
        self._send(question)
        answer = self._read()
        while not answer.endswith(b"\n"):
            answer += self._read()
        self._note(answer)
        return answer

    def ask_oid(self, mark: int, number: int) -> bytes:
        """Ask which blob small file *number* is in the commit with that mark."""
        return self.ask(b"ls :%d small/%d\n" % (mark, number)).split(b" ", 2)[2].partition(b"\t")[0]

    def ask_blob(self, dataref: bytes) -> bytes:
        """Send what was told and ``cat-blob``; returns the content that comes back."""
        self._send(b"cat-blob %b\n" % dataref)
        answer = self._read()
        while (end := answer.find(b"\n") + 1) == 0:
            answer += self._read()
        size = int(answer[answer.rindex(b" ", 0, end) : end])
        missing = end + size + 1 - len(answer)
        if missing:
            pieces = [answer]
            while missing:
                pieces.append(self._read())
                missing -= len(pieces[-1])
            answer = b"".join(pieces)
        self._note(answer)
        return answer[end : end + size]

    def _note(self, answer: bytes) -> None:
        self.checksum = zlib.crc32(answer, self.checksum)
        self.questions += 1
        self.last = time.perf_counter()
        self.first = self.first or self.last

    def _send(self, question: bytes) -> None:
        self._told.append(question)
        rest = b"".join(self._told)
        self._told.clear()
        while rest:
            rest = rest[os.write(self._to, rest) :]

    def _read(self) -> bytes:
        piece = os.read(self._from, READ)
        if not piece:
            raise EOFError(self.end()[1])
        return piece

    def end(self) -> tuple[int, str]:
        """Send the rest and close the stream; returns exit status and stderr."""
        _, errors = self._process.communicate(b"".join(self._told))
        return self._process.returncode, errors.decode(errors="replace")


# --- what they talk about -------------------------------------------------------------------------


def sources() -> dict[bytes, bytes]:
    """Return the files that dialogues begin with, by path."""
    by_size = sorted(standard_library().items(), key=lambda item: (len(item[1]), item[0]))
    middle = len(by_size) // 2
    return dict(sorted(by_size[max(0, middle - FILES // 2) : middle + FILES // 2]))


def edited(content: bytes, number: int) -> bytes:
    """Return the next version of a file: one line more."""
    at = content.find(b"\n", number * 7919 % (len(content) + 1)) + 1
    return content[:at] + b"# changed by edit %d\n" % number + content[at:]


def blob(mark: int, content: bytes) -> bytes:
    """Return a blob command."""
    return b"blob\nmark :%d\ndata %d\n%b\n" % (mark, len(content), content)


def commit(mark: int) -> bytes:
    """Return the beginning of a commit: changes may follow."""
    head = b"commit refs/heads/main\nmark :%d\ncommitter %b %d +0000\ndata 7\nmessage"
    return head % (mark, WHO, 1_700_000_000 + mark) + b"\n"


def small_commit(mark: int) -> bytes:
    """Return a commit that changes one of the small files."""
    path = b"small/%d" % ((mark - 1) % SMALL_FILES)
    return commit(mark) + b"M 100644 inline %b\ndata 10\n%010d\n\n" % (path, mark)


def first_commit(files: dict[bytes, bytes]) -> bytes:
    """Return a commit with mark 1 of all files."""
    changes = (
        b"M 100644 inline %b\ndata %d\n%b\n" % (path, len(content), content)
        for path, content in files.items()
    )
    return commit(1) + b"".join(changes) + b"\n"


def versions(files: dict[bytes, bytes], first: int = 0) -> Iterator[tuple[bytes, bytes]]:
    """Yield path and new content, one file after the other, without end."""
    for number in count(first):
        for path in files:
            files[path] = edited(files[path], number)
            yield path, files[path]


# --- kinds of dialogue ----------------------------------------------------------------------------


def get_marks(talk: Talk, questions: int, _oids: list[bytes]) -> None:
    """A blob, a commit, and what is the commit's oid?"""
    files = sources()
    changes = versions(files)
    for mark in range(1, 2 * questions, 2):
        path, content = next(changes)
        talk.tell(blob(mark, content))
        talk.tell(commit(mark + 1) + b"M 100644 :%d %b\n\n" % (mark, path))
        talk.ask(b"get-mark :%d\n" % (mark + 1))


def list_open_commit(talk: Talk, questions: int, _oids: list[bytes]) -> None:
    """In a commit: what stands at this path now? One in ten asks for a directory."""
    files = sources()
    talk.tell(first_commit(files))
    paths, marks = cycle(files), count(2)
    for number in range(questions):
        if number % 20 == 0:
            talk.tell(commit(next(marks)))
        path = next(paths)
        talk.tell(b"M 100644 inline %b\ndata 6\n%06d\n" % (path, number))
        talk.ask(b'ls "%b"\n' % (path if number % 10 else path.rpartition(b"/")[0]))


def list_commits(talk: Talk, questions: int, _oids: list[bytes]) -> None:
    """What stood at this path in that earlier commit?"""
    files, random = sources(), Random(1)
    talk.tell(first_commit(files))
    for mark in range(2, 200):
        talk.tell(commit(mark) + b"M 100644 inline new/%d\ndata 1\nx\n\n" % mark)
    directories = sorted({path.rpartition(b"/")[0] for path in files})
    paths = [*files, *directories, b"nowhere"]
    for _ in range(questions):
        talk.ask(b"ls :%d %b\n" % (random.randrange(1, 200), random.choice(paths)))


def read_new_blobs(talk: Talk, questions: int, _oids: list[bytes]) -> None:
    """A blob: and back with it."""
    files = sources()
    for mark, (_, content) in zip(range(1, questions + 1), versions(files), strict=False):
        talk.tell(blob(mark, content))
        talk.ask_blob(b":%d" % mark)


def read_written_blobs(talk: Talk, questions: int, _oids: list[bytes]) -> None:
    """Any blob of the pack that is being written, most of them deltas."""
    files, random = sources(), Random(2)
    talk.tell(first_commit(files))
    for mark, (path, content) in zip(range(2, 2 * VERSIONS, 2), versions(files), strict=False):
        talk.tell(blob(mark, content))
        talk.tell(commit(mark + 1) + b"M 100644 :%d %b\n\n" % (mark, path))
    for _ in range(questions):
        talk.ask_blob(b":%d" % random.randrange(2, 2 * VERSIONS, 2))


def read_old_blobs(talk: Talk, questions: int, oids: list[bytes]) -> None:
    """Any blob of the repository as it was before."""
    random = Random(3)
    for _ in range(questions):
        talk.ask_blob(random.choice(oids))


def patch(talk: Talk, questions: int, _oids: list[bytes]) -> None:
    """As svn-fe does: for each changed file its oid, its content, and the new one inline."""
    files = sources()
    talk.tell(first_commit(files))
    paths, marks = cycle(files), count(2)
    for number in range(questions // 2):
        if number % FILES_A_COMMIT == 0:
            talk.tell(commit(next(marks)))
        path = next(paths)
        oid = talk.ask(b'ls "%b"\n' % path).split(b" ", 2)[2].partition(b"\t")[0]
        new = edited(talk.ask_blob(oid), number)
        talk.tell(b"M 100644 inline %b\ndata %d\n%b\n" % (path, len(new), new))


def ask_only(talk: Talk, questions: int, _oids: list[bytes]) -> None:
    """Nothing but questions, of three kinds in turn, about a few small files."""
    for number in range(1, SMALL_FILES + 1):
        talk.tell(small_commit(number))
    oids = [talk.ask_oid(SMALL_FILES, number) for number in range(SMALL_FILES)]
    for number in range((questions - SMALL_FILES) // 3):
        talk.ask(b"get-mark :%d\n" % (1 + number % SMALL_FILES))
        talk.ask_oid(SMALL_FILES, number % SMALL_FILES)
        talk.ask_blob(oids[number % SMALL_FILES])


def ask_behind_small_commits(talk: Talk, questions: int, _oids: list[bytes]) -> None:
    """The same three behind a commit of one small file each."""
    for number in range(1, questions // 3 + 1):
        talk.tell(small_commit(number))
        talk.ask(b"get-mark :%d\n" % number)
        talk.ask_blob(talk.ask_oid(number, (number - 1) % SMALL_FILES))


def shake_hands(talk: Talk, questions: int, _oids: list[bytes]) -> None:
    """A commit, and progress to be told that it was taken; a checkpoint now and then."""
    files = sources()
    changes = versions(files)
    for number in range(1, questions + 1):
        path, content = next(changes)
        talk.tell(commit(number))
        talk.tell(b"M 100644 inline %b\ndata %d\n%b\n\n" % (path, len(content), content))
        if number % CHECKPOINT_EVERY == 0:
            talk.tell(b"checkpoint\n\n")
        talk.ask(b"progress %d\n" % number)


KINDS: dict[str, Callable[[Talk, int, list[bytes]], None]] = {
    "get-mark after each commit": get_marks,
    "ls in the open commit": list_open_commit,
    "ls of earlier commits": list_commits,
    "cat-blob of a new blob": read_new_blobs,
    "cat-blob, this pack": read_written_blobs,
    "cat-blob, older packs": read_old_blobs,
    "ls, cat-blob, M inline": patch,
    "progress after each commit": shake_hands,
    "questions only": ask_only,
    "three behind small commits": ask_behind_small_commits,
}
"""Each kind is given the dialogue, the number of questions, and oids of blobs there are."""


def prepare(git: str, repository: Path) -> list[bytes]:
    """Fill a new repository with a history in one pack of deltas; returns the oids of its blobs."""
    files, stream = sources(), []
    stream.append(first_commit(files).replace(b"refs/heads/main", b"refs/heads/old"))
    older = versions(files, 1_000_000)  # other ones than dialogues bring
    for mark, (path, content) in zip(range(2, VERSIONS), older, strict=False):
        inline = b"M 100644 inline %b\ndata %d\n%b\n\n" % (path, len(content), content)
        stream.append(commit(mark).replace(b"refs/heads/main", b"refs/heads/old") + inline)
    at = [git, "-C", str(repository)]
    subprocess.run([git, "init", "--quiet", "--bare", repository], check=True)
    subprocess.run([*at, "fast-import", "--quiet"], input=b"".join(stream), check=True)
    subprocess.run([*at, "repack", "-adfq", "--depth=50", "--window=10"], check=True)
    listing = ["cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)"]
    lines = subprocess.check_output([*at, *listing]).splitlines()
    return [line[5:] for line in lines if line.startswith(b"blob ")]
