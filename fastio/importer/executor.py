"""What the commands do: objects are made, branches move, marks are set, in stream order.

Each method is one operation of the pipeline. By the time it runs, every blob that was submitted
before it has its place in the object map.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from fastio.errors import StreamError
from fastio.importer._blob_tables import Blob
from fastio.importer.branches import Branch, BranchTable, show
from fastio.objects.commits import build_commit
from fastio.objects.kinds import BLOB, COMMIT, NAMES, TAG, TREE, Oid
from fastio.objects.notes import NoteEditor
from fastio.objects.path_check import check_path
from fastio.objects.tags import build_tag
from fastio.objects.tree_edit import TreeEditor
from fastio.objects.trees import DIRECTORY, GITLINK, empty_tree_oid

if TYPE_CHECKING:
    from fastio.importer.clashes import ClashWatch
    from fastio.importer.committish import CommittishResolver
    from fastio.importer.object_sink import ObjectSink
    from fastio.importer.signatures import SignaturePolicy
    from fastio.store.repository import Repository
    from fastio.stream._plain_commit import PlainCommit
    from fastio.stream.commands import Alias, Commit, Committish, Dataref, Reset, Tag


class Executor:
    """The state of an import as the stream has it so far, and the operations that change it.

    Attributes:
        branches: All branches of the run.
        tags: Annotated tags of the run, (name, oid) in stream order.
        commit: The branch whose commit is being built, None between commits.
        header: The commit that was begun last, if there was one.
        in_commit: Whether that one is not complete yet, its first steps included.
    """

    def __init__(
        self,
        repository: Repository,
        sink: ObjectSink,
        branches: BranchTable,
        resolver: CommittishResolver,
        signatures: SignaturePolicy,
        clashes: ClashWatch,
    ) -> None:
        self.branches, self._sink, self._resolver = branches, sink, resolver
        self._signatures, self._clashes = signatures, clashes
        self.tags: list[tuple[bytes, Oid]] = []
        self.commit: Branch | None = None
        self.header: Commit | PlainCommit | None = None
        self.in_commit = False
        self._header: Commit | None = None
        self._signed: dict[str, bytes] = {}
        self._merges: list[Oid] = []
        self._annotated: Oid | None = None
        self._editor: TreeEditor | None = None
        self._notes: NoteEditor | None = None
        self._format = sink.object_format
        self._empty_tree = empty_tree_oid(self._format)
        config = repository.config
        self._check_path = partial(
            check_path, protect_ntfs=config.protect_ntfs, protect_hfs=config.protect_hfs
        )

    # --- commits --------------------------------------------------------------------------------

    @property
    def keeps_signatures(self) -> bool:
        """Whether a commit's signature is kept as it is, unless there is something odd about it."""
        return self._signatures.keeps_commits

    def begin_commit(self, header: Commit) -> None:
        """Open a commit: the branch goes to its parent's tree."""
        self.header = self._header = header
        self.in_commit = True
        line = b"commit " + header.ref
        try:
            branch = self.branches.open(header.ref)
            if header.signatures:
                line = b"gpgsig "
            self._signed = self._signatures.of_commit(header)
            if header.from_ is not None:
                line = _line_of(b"from ", header.from_)
                self._start_from(branch, header.from_)
            self._merges = []
            for value in header.merges:
                line = _line_of(b"merge ", value)
                self._merges.append(self._merge_parent(value))
        except StreamError as error:
            raise _blamed_on(line, error) from error
        if not branch.claimed:
            self._claim(branch)
        self.commit = branch
        self._open_tree(branch)

    def _claim(self, branch: Branch) -> None:
        branch.claimed = True
        self._clashes.claim(branch.name)

    def _open_tree(self, branch: Branch) -> None:
        self._editor = TreeEditor(
            self._sink.trees.load,
            self._sink.trees.store,
            branch.tree,
            self._format,
            check=self._check_path,
        )
        # Above 255 notes have directories, which the end of any commit may have to flatten.
        self._notes = self._edit_notes(branch) if branch.notes > 0xFF else None

    def _edit_notes(self, branch: Branch) -> NoteEditor:
        return NoteEditor(self.editor, self._format, branch.notes)

    def _start_from(self, branch: Branch, value: Committish) -> None:
        if value == branch.name:
            raise StreamError(
                f"can't create a branch from itself: {show(branch.name)}", kind="self-parent"
            )
        if isinstance(value, bytes) and self._resolver.full_oid(value) == self._format.zero_oid:
            branch.tip = branch.tree = branch.published = None
            branch.delete = True
            return
        tip = self._resolver.commit(value)
        if tip is None or tip != branch.tip:
            branch.tree = None if tip is None else self._resolver.tree_of(tip)
            branch.tip, branch.published = tip, None

    def _merge_parent(self, value: Committish) -> Oid:
        parent = self._resolver.commit(value)
        if parent is None:
            raise _without_commits("cannot merge", value)
        return parent

    def end_commit(self, tree: Oid | None = None) -> None:
        """Store the commit that is open and move its branch to it.

        Args:
            tree: What its changes make of the tree, if they were not made here.
        """
        branch, header, editor = self.commit, self._header, self._editor
        assert branch is not None
        assert header is not None
        assert editor is not None
        self.commit = self._editor = None
        if tree is None:
            if self._sink.commits is not None:
                self._sink.commits.begin_commit()
            if self._notes is not None:
                self._notes.finish_commit()
                branch.notes = self._notes.count
            tree = editor.write()
        parents = self._merges if branch.tip is None else [branch.tip, *self._merges]

        def build(signatures: Mapping[str, bytes]) -> bytes:
            return build_commit(
                tree,
                parents,
                header.author or header.committer,
                header.committer,
                encoding=header.encoding,
                signatures=signatures,
                message=header.message,
            )

        try:
            body = self._signatures.commit_body(build, self._signed, header.message)
        except StreamError as error:
            raise _blamed_on(b"gpgsig ", error) from error
        stored = self._sink.counters[COMMIT].stored
        entry = self._sink.store_object(COMMIT, body)
        if self._sink.commits is not None:
            self._sink.commits.end_commit(len(body))
        if self._sink.counters[COMMIT].stored != stored:
            branch.newest = entry
        branch.tip, branch.tree = Oid(self._sink.map.oid(entry)), tree
        self._resolver.remember_tree(branch.tip, tree)
        if header.mark:
            self._sink.marks.set(header.mark, entry)
        self.in_commit = False

    # --- changes --------------------------------------------------------------------------------

    @property
    def editor(self) -> TreeEditor:
        """The tree of the commit that is open."""
        assert self._editor is not None
        return self._editor

    def modify(self, mode: int, reference: Blob | Dataref, path: bytes) -> None:
        """M: set an entry to a blob, link, gitlink or tree."""
        oid, kind = self._referenced(reference)
        if mode == DIRECTORY and oid == self._empty_tree and path:
            self.editor.remove(path)
            return
        wanted = {DIRECTORY: TREE, GITLINK: COMMIT}.get(mode, BLOB)
        if kind is None and mode != GITLINK:
            kind = self._kind_in_repository(oid)
        if kind is not None and kind != wanted:
            raise StreamError(
                f"not a {NAMES[wanted].decode()} (actually a {NAMES[kind].decode()}): "
                f"{oid.hex()} for path {show(path)}",
                kind="object-type",
            )
        self.editor.set(path, mode, oid)

    def _referenced(self, reference: Blob | Dataref) -> tuple[Oid, int | None]:
        """The oid that a dataref stands for, and its type if this run knows it."""
        if isinstance(reference, bytes):
            oid = self._resolver.dataref_oid(reference)
            entry = self._sink.map.find(oid)
            return oid, None if entry < 0 else self._sink.map.kind(entry)
        if isinstance(reference, Blob):
            entry = reference.entry
        else:
            entry = self._resolver.entry_of_mark(reference)
        return Oid(self._sink.map.oid(entry)), self._sink.map.kind(entry)

    def _kind_in_repository(self, oid: Oid) -> int:
        if oid == self._empty_tree:
            return TREE
        kind = self._sink.kind_of(oid)
        if kind is None:
            raise StreamError(f"object not found: {oid.hex()}", kind="missing-object")
        # Not noted in the object map: a gitlink to it would then be refused, unlike in git.
        return kind

    def delete(self, path: bytes) -> None:
        """D: remove a file or directory; nothing happens if there is none."""
        self.editor.remove(path)

    def copy(self, source: bytes, dest: bytes) -> None:
        """C: put a snapshot of *source* at *dest*."""
        self.editor.copy(source, dest)

    def rename(self, source: bytes, dest: bytes) -> None:
        """R: move *source* to *dest*."""
        self.editor.rename(source, dest)

    def delete_all(self) -> None:
        """Empty the tree."""
        self.editor.clear()
        if self._notes is not None:
            self._notes.count = 0
        if self.commit is not None:
            self.commit.notes = 0

    def annotate(self, committish: Committish) -> None:
        """N, first part: find the commit that the note is for."""
        commit = self._resolver.commit(committish)
        if commit is None:
            raise _without_commits("can't add a note on", committish)
        self._annotated = commit

    def note(self, reference: Blob | Dataref) -> None:
        """N, second part: set or remove the note."""
        branch, commit = self.commit, self._annotated
        assert branch is not None
        assert commit is not None
        if self._notes is None:
            self._notes = self._edit_notes(branch)
        oid, kind = self._referenced(reference)
        if oid == self._format.zero_oid:
            self._notes.set(commit, None)
            return
        if kind is None:
            kind = self._kind_in_repository(oid)
        if kind != BLOB:
            raise StreamError(
                f"not a blob (actually a {NAMES[kind].decode()}): {oid.hex()}", kind="object-type"
            )
        self._notes.set(commit, oid)

    # --- other commands -------------------------------------------------------------------------

    def tag(self, command: Tag) -> None:
        """Store an annotated tag."""
        try:
            kind, target = self._resolver.any_object(command.from_)
        except StreamError as error:
            raise _blamed_on(_line_of(b"from ", command.from_), error) from error

        def build(message: bytes) -> bytes:
            return build_tag(target, kind, command.name, command.tagger, message=message)

        try:
            body = self._signatures.tag_body(command, build)
        except StreamError as error:
            raise _blamed_on(b"tag ", error) from error
        entry = self._sink.store_object(TAG, body)
        self._clashes.claim_tag(b"refs/tags/" + command.name)
        self.tags.append((command.name, Oid(self._sink.map.oid(entry))))
        if command.mark:
            self._sink.marks.set(command.mark, entry)

    def reset(self, command: Reset) -> None:
        """Set a branch anew, or make it unborn."""
        branch = None
        try:
            branch = self.branches.open(command.ref)
            branch.tip = branch.tree = branch.published = None
            if command.from_ is not None:
                self._start_from(branch, command.from_)
        except StreamError as error:
            if branch is None or command.from_ is None:
                line = b"reset " + command.ref
            else:
                line = _line_of(b"from ", command.from_)
            raise _blamed_on(line, error) from error
        if branch.tip is None:
            branch.claimed = False
            self._clashes.release(branch.name)
        elif not branch.claimed:
            self._claim(branch)
        if branch.delete and command.ref.startswith(b"refs/tags/"):
            name = command.ref.removeprefix(b"refs/tags/")
            self.tags = [tag for tag in self.tags if tag[0] != name]

    def alias(self, command: Alias) -> None:
        """Give one more mark to a commit."""
        if not command.mark:
            raise StreamError("expected a mark for alias")
        commit = self._resolver.commit(command.to)
        if commit is None or commit == self._format.zero_oid:
            raise _without_commits("cannot give a mark to", command.to)
        entry = self._sink.note_elsewhere(commit, COMMIT)
        self._sink.marks.set(command.mark, entry)


def _line_of(keyword: bytes, value: Committish) -> bytes:
    return keyword + (b":%d" % value if isinstance(value, int) else value)


def _blamed_on(line: bytes, error: StreamError) -> StreamError:
    """Tell which line of a command with several is to blame."""
    return StreamError(error.reason, kind=error.kind, line=error.line or line)


def _without_commits(what: str, value: Committish) -> StreamError:
    name = show(_line_of(b"", value))
    return StreamError(f"{what} a branch without commits: {name}", kind="empty-branch")
