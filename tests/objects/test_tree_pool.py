"""Trees that keep only what differs from an earlier version."""

from hypothesis import given
from hypothesis import strategies as st

from fastio.objects._tree_pool import strip_versions
from fastio.objects.kinds import Oid
from fastio.objects.trees import edit_tree

OID_SIZE = 20
NAMES = [b"file %02d" % number for number in range(60)]
# Another mode of the same length, of another length, a new oid, no such entry.
VALUES = st.sampled_from([0o100644, 0o100755, 0o120000, 0o40000]).flatmap(
    lambda mode: st.tuples(st.just(mode), st.binary(min_size=OID_SIZE, max_size=OID_SIZE).map(Oid))
)
CHANGES = st.dictionaries(st.sampled_from(NAMES), st.none() | VALUES, min_size=1, max_size=3)


def first_version() -> bytes:
    return b"".join(b"100644 %b\0%b" % (name, bytes(OID_SIZE)) for name in NAMES)


def entry_starts(tree: bytes) -> set[int]:
    starts, at = set(), 0
    while at < len(tree):
        starts.add(at)
        at = tree.index(0, at) + 1 + OID_SIZE
    return starts


@given(st.lists(CHANGES, max_size=40))
def test_a_stripped_tree_is_what_it_was(edits: list[dict[bytes, tuple[int, Oid] | None]]) -> None:
    versions = [first_version()]
    for changes in edits:
        versions.append(edit_tree(versions[-1], changes, OID_SIZE)[0])
    found = strip_versions(versions, OID_SIZE)
    assert len(found) == len(versions) - 1
    for version, (stripped, filled, stops) in zip(versions, found, strict=False):
        assert stripped in (None, version)
        assert filled == version
        assert stops == sorted(set(stops) & entry_starts(version))
        assert not version or stops[0] == 0


def test_versions_of_one_size_are_stripped_until_too_much_differs() -> None:
    versions, tree = [], first_version()
    for number, name in enumerate([*NAMES, *NAMES]):
        tree, _ = edit_tree(tree, {name: (0o100644, Oid(bytes([number + 1]) * OID_SIZE))}, OID_SIZE)
        versions.append(tree)
    kept = [stripped is not None for stripped, _, _ in strip_versions(versions, OID_SIZE)]
    assert not kept[0]
    assert kept.count(True) > kept.count(False) > 1
