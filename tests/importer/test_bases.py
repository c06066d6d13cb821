"""Which delta base a blob gets, and how long blobs are kept for that."""

import pytest

from fastio.importer.bases import PATH_OVERHEAD, DeltaBases


class FakeBlob:
    """What the bases look at."""

    def __init__(self, name: str, size: int = 100, mark: int = 0) -> None:
        self.name, self.size, self.mark = name, size, mark
        self.depth = self.paths = self.pins = 0

    def __repr__(self) -> str:
        return self.name


class FakeQueue:
    """Submits at once: a blob with a base gets that base's depth and one."""

    def __init__(self) -> None:
        self.submitted: list[tuple[str, str | None]] = []

    def submit(self, blob: FakeBlob, base: FakeBlob | None) -> None:
        blob.depth = base.depth + 1 if base else 0
        self.submitted.append((blob.name, base and base.name))

    def pin(self, blob: FakeBlob) -> None:
        blob.pins += 1

    def unpin(self, blob: FakeBlob) -> None:
        blob.pins -= 1


@pytest.fixture
def queue() -> FakeQueue:
    return FakeQueue()


def bases_of(queue: FakeQueue, *, limit: int = 1 << 20, depth: int = 50) -> DeltaBases:
    return DeltaBases(queue, limit=limit, depth=depth)  # type: ignore[arg-type]


def assign(bases: DeltaBases, path: bytes, *names: str) -> list[FakeBlob]:
    blobs = [FakeBlob(name) for name in names]
    for blob in blobs:
        bases.assign(path, blob)
    return blobs


def test_base_is_the_version_before_at_that_path(queue: FakeQueue) -> None:
    bases = bases_of(queue)
    assign(bases, b"a", "a1", "a2")
    assign(bases, b"b", "b1")
    assign(bases, b"a", "a3")
    assert queue.submitted == [("a1", None), ("a2", "a1"), ("b1", None), ("a3", "a2")]


def test_chain_at_its_end_starts_again_from_its_anchor(queue: FakeQueue) -> None:
    bases = bases_of(queue, depth=2)
    assign(bases, b"a", *"12345678")
    # 4 hangs on the anchor, 1; so does 6 on the next one, 4; that would be too deep for 7
    assert [base for _, base in queue.submitted] == [None, "1", "2", "1", "4", "4", None, "7"]


def test_depth_0_and_1(queue: FakeQueue) -> None:
    assign(bases_of(queue, depth=0), b"a", "1", "2")
    assign(bases_of(queue, depth=1), b"b", "3", "4", "5")
    assert queue.submitted[:2] == [("1", None), ("2", None)]
    assert queue.submitted[2:4] == [("3", None), ("4", "3")]


def test_path_unused_for_longest_is_forgotten(queue: FakeQueue) -> None:
    bases = bases_of(queue, limit=3 * (PATH_OVERHEAD + 100))
    kept = [assign(bases, path, path.decode())[0] for path in (b"a", b"b", b"c")]
    assign(bases, b"a", "a again")
    assign(bases, b"d", "d")
    assert bases.kept_bytes <= 3 * (PATH_OVERHEAD + 100)
    assert [blob.pins for blob in kept] == [1, 0, 0]
    assign(bases, b"b", "b again")
    assert queue.submitted[-1] == ("b again", None)


def test_only_path_is_never_forgotten(queue: FakeQueue) -> None:
    bases = bases_of(queue, limit=1)
    blobs = assign(bases, b"a", "1", "2", "3")
    assert queue.submitted[-1] == ("3", "2")
    assert [blob.pins for blob in blobs] == [1, 0, 1]  # anchor and newest


def test_blob_at_many_paths_counts_once(queue: FakeQueue) -> None:
    bases = bases_of(queue)
    blob = FakeBlob("shared", mark=7)
    bases.assign(b"a", blob)
    bases.reuse(b"b", 7)
    assert bases.kept_bytes == 100 + 2 * PATH_OVERHEAD
    assign(bases, b"b", "next")
    assert queue.submitted[-1] == ("next", "shared")
    assert blob.pins == 1


def test_unknown_mark_changes_nothing(queue: FakeQueue) -> None:
    bases = bases_of(queue)
    bases.reuse(b"a", 7)
    assign(bases, b"a", "1")
    assert queue.submitted == [("1", None)]


@pytest.mark.parametrize("keep", [True, False])
def test_copies_and_renames_take_the_base_along(queue: FakeQueue, keep: bool) -> None:
    bases = bases_of(queue)
    assign(bases, b"a", "1")
    bases.move(b"a", b"b", keep=keep)
    bases.move(b"nowhere", b"a", keep=keep)
    assign(bases, b"b", "2")
    assign(bases, b"a", "3")
    assert queue.submitted[1:] == [("2", "1"), ("3", "1" if keep else None)]


def test_rename_to_itself_keeps_the_base(queue: FakeQueue) -> None:
    bases = bases_of(queue)
    [blob] = assign(bases, b"a", "1")
    bases.move(b"a", b"a", keep=False)
    assert (blob.pins, bases.kept_bytes) == (1, 100 + PATH_OVERHEAD)


def test_clear_lets_go_of_everything(queue: FakeQueue) -> None:
    bases = bases_of(queue, depth=2)
    blobs = [blob for path in (b"a", b"b") for blob in assign(bases, path, *"1234")]
    bases.clear()
    assert bases.kept_bytes == 0
    assert not any(blob.pins or blob.paths for blob in blobs)
    assign(bases, b"a", "new")
    assert queue.submitted[-1] == ("new", None)
