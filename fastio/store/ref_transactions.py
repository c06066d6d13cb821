"""Reading refs and changing them, by git's own ref code, whatever the ref backend.

Changes go through ``git update-ref --stdin``. That command ends at the first transaction that
fails; so transactions are sent to one process one after the other, without waiting for the
answers, and only after a failure a new process takes over from the next transaction on.
"""

from __future__ import annotations

from binascii import hexlify
from collections.abc import Iterable, Sequence

from fastio.objects.kinds import Oid
from fastio.store.git import Git, GitProcess
from fastio.store.ref_space import directories
from fastio.store.reflogs import REFLOG_MESSAGE

# From so many names on all refs are listed: a command line has its limits. Each may have a pattern
# for some directories as well.
MAX_PATTERNS = 500
_COMMITTED = b"commit: ok\n"
# Commands that are tried as one transaction, when each is meant to be one of its own.
_TOGETHER = 256
# So many of these are sent without waiting for an answer, as long as none is refused.
_BATCHES_AHEAD = 16
# What is sent behind a transaction that fails is sent in vain: so little after failures.
_MIN_AHEAD, _MAX_AHEAD = 4, 4096


def update_command(name: bytes, new: Oid, old: Oid | None) -> bytes:
    """A line for `transaction`: set a ref.

    Args:
        name: Full name of the ref; a symbolic one is followed.
        new: Its new value.
        old: What it must hold now, the zero oid if it must not exist; None for anything.
    """
    expected = b"" if old is None else hexlify(old)
    return b"update %s\0%s\0%s\0" % (name, hexlify(new), expected)


def delete_command(name: bytes) -> bytes:
    """A line for `transaction`: delete a ref, whatever it holds, if it exists."""
    return b"delete %s\0\0" % name


def transaction(commands: Iterable[bytes]) -> bytes:
    """Commands that take effect all together or not at all."""
    return b"start\0%sprepare\0commit\0" % b"".join(commands)


class RefTransactions:
    """Runs transactions, each on its own: a refused one does not stop the others."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._process: GitProcess | None = None
        self._ahead = _MAX_AHEAD

    def start(self) -> None:
        """Start the git process that `run` needs, unless it runs already."""
        if self._process is None:
            self._process = self._git.start(
                # Unless told not to warn, it looks for refs that are named like each oid.
                *("-c", "core.warnAmbiguousRefs=false"),
                *("update-ref", "-m", REFLOG_MESSAGE, "-z", "--stdin"),
                capture_stderr=True,
            )

    def run_each(self, commands: Sequence[bytes]) -> list[bytes | None]:
        """Run commands in order, of which a refused one stops no other.

        Mostly none is refused. So many are tried as one transaction, which saves answers to wait
        for and, with reftables, files; only when that fails each takes one of its own.

        Returns:
            For each one None, or what git said when it refused it.
        """
        outcomes: list[bytes | None] = []
        ahead = _BATCHES_AHEAD
        while left := commands[len(outcomes) : len(outcomes) + ahead * _TOGETHER]:
            batches = [left[at : at + _TOGETHER] for at in range(0, len(left), _TOGETHER)]
            answers = self._run_until_failure([transaction(batch) for batch in batches])
            for batch, said in zip(batches, answers, strict=False):
                if said is None or len(batch) == 1:
                    outcomes += [said] * len(batch)
                else:
                    outcomes += self.run([transaction([command]) for command in batch])
            ahead = _BATCHES_AHEAD if answers[-1] is None else 1
        return outcomes

    def run(self, transactions: Sequence[bytes]) -> list[bytes | None]:
        """Run transactions in order.

        Returns:
            For each one None, or what git said when it refused it.
        """
        outcomes: list[bytes | None] = []
        while len(outcomes) < len(transactions):
            done = len(outcomes)
            outcomes += self._run_until_failure(transactions[done : done + self._ahead])
            factor = 4 if outcomes[-1] is None else 0.25
            self._ahead = min(max(int(self._ahead * factor), _MIN_AHEAD), _MAX_AHEAD)
        return outcomes

    def close(self) -> None:
        """End the git process, if there is one."""
        if self._process is not None:
            self._process.close()
        self._process = None

    def _run_until_failure(self, transactions: Sequence[bytes]) -> list[bytes | None]:
        self.start()
        process, committed = self._process, 0
        assert process is not None

        def all_committed() -> bool:
            nonlocal committed
            committed += process.output.count(_COMMITTED)
            del process.output[: process.output.rfind(b"\n") + 1]
            return committed == len(transactions)

        process.send(b"".join(transactions))
        if process.wait_for(all_committed):
            process.errors.clear()
            return [None] * committed
        self._process = None
        return [*[None] * committed, process.finish().stderr or b"fatal: git update-ref failed\n"]


class RefTable:
    """Values of refs, as they were when read.

    Attributes:
        values: Ref to oid; symbolic refs are not in it.
        targets: Symbolic ref to the ref that it finally stands for, which may not exist.
    """

    def __init__(self) -> None:
        self.values: dict[bytes, Oid] = {}
        self.targets: dict[bytes, bytes] = {}

    def final_name(self, name: bytes) -> bytes:
        """The ref that *name* stands for, mostly itself."""
        return self.targets.get(name, name)

    def get(self, name: bytes) -> Oid | None:
        """What a ref holds, through symbolic refs; None if it does not exist."""
        return self.values.get(self.final_name(name))


def read_refs(git: Git, names: Iterable[bytes] | None = None) -> RefTable:
    """Read refs from disk.

    Args:
        git: Git of the repository.
        names: Full names of the refs that are wanted, which may not exist and may be outside
            of ``refs/`` (HEAD, TEMP_TAG); None for all of ``refs/``.

    Returns:
        At least what was wanted, and what leaves no room for it.
    """
    table = RefTable()
    if names is None:
        _list_refs(git, table, [])
        return table
    wanted = set(names)
    # A dash would make the name an option; git itself cannot be asked for such a ref.
    for name in [name for name in wanted if not name.startswith((b"refs/", b"-"))]:
        _read_root_ref(git, table, name)
    if len(wanted) >= MAX_PATTERNS:
        _list_refs(git, table, [])
        return table
    wanted.update(table.targets.values())
    # A pattern stands for what is below it as well.
    wanted.update([above for name in wanted for above in directories(name)])
    patterns = [name for name in wanted if name.startswith(b"refs/")]
    if patterns:
        _list_refs(git, table, patterns)
    return table


def _list_refs(git: Git, table: RefTable, patterns: list[bytes]) -> None:
    listed = git.run("for-each-ref", "--format=%(objectname) %(refname) %(symref)", *patterns)
    for line in listed.stdout.splitlines():
        oid, name, target = line.split(b" ")
        if target:
            table.targets[name] = target
        table.values[target or name] = Oid(bytes.fromhex(oid.decode()))


def _read_root_ref(git: Git, table: RefTable, name: bytes) -> None:
    """Read a ref outside of ``refs/``, which no git lists under all its versions.

    Asked for by name, git would go on to try ``refs/<name>``, ``refs/heads/<name>`` and so on;
    the full name tells whether it did. Unless told not to warn, it would also try them all.
    """
    symbolic = git.run("symbolic-ref", "-q", name, capture_stderr=True)
    if symbolic.status == 0:
        table.targets[name] = symbolic.stdout.removesuffix(b"\n")
        return
    asked = ("-c", "core.warnAmbiguousRefs=false", "rev-parse", "--verify", "--quiet")
    if git.run(*asked, "--symbolic-full-name", name, capture_stderr=True).stdout.rstrip() == name:
        found = git.run(*asked, name, capture_stderr=True).stdout.rstrip()
        table.values[name] = Oid(bytes.fromhex(found.decode()))
