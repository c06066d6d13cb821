"""Tree bytes against the dict model."""

from __future__ import annotations

import hashlib
import random
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastio.errors import ObjectError
from fastio.objects.kinds import FORMATS, TREE, Oid
from fastio.objects.trees import (
    DIRECTORY,
    GITLINK,
    REGULAR,
    edit_tree,
    empty_tree_oid,
    entries,
    find_entry,
    tree_delta,
    walk,
)
from tests.objects.models import Entry, model_apply, model_tree

A, B = Oid(b"a" * 20), Oid(b"b" * 20)
# Few names, so that they meet, and those that sort differently as files and as directories.
names = st.sampled_from([b"a", b"a.b", b"a-", b"a0", b"ab", b"b", b"b.", b"\xff", b"z" * 99])
modes = st.sampled_from([REGULAR, 0o100755, 0o120000, GITLINK, DIRECTORY, 0o100664])
values = st.tuples(
    modes, st.sampled_from([A, B, Oid(b"\x00" * 20), Oid(b"40000 x\x00" + b"q" * 12)])
)
contents = st.dictionaries(names, values)
changes = st.dictionaries(names, st.none() | values, min_size=1)


@pytest.mark.parametrize("name", FORMATS)
def test_the_empty_tree_has_the_oid_of_its_content(name: str) -> None:
    assert empty_tree_oid(FORMATS[name]) == FORMATS[name].hash_object(TREE, b"")


def edited(content: dict[bytes, Entry], change: dict[bytes, Entry | None]) -> dict[bytes, Entry]:
    return {name: entry for name, entry in (content | change).items() if entry is not None}


@given(contents, changes)
def test_edit_tree_agrees_with_the_dict_model(
    content: dict[bytes, Entry], change: dict[bytes, Entry | None]
) -> None:
    tree = model_tree(content)
    new, delta = edit_tree(tree, change, 20)
    assert new == model_tree(edited(content, change))
    assert (new is tree) == (new == tree)
    assert (delta is None) == (new is tree or not tree)
    if delta is not None:
        assert model_apply(tree, delta) == new


@given(contents, contents)
def test_tree_delta_rebuilds_the_target(old: dict[bytes, Entry], new: dict[bytes, Entry]) -> None:
    base, target = model_tree(old), model_tree(new)
    delta = tree_delta(base, target, 20)
    assert delta is None if not base else model_apply(base, delta or b"") == target


@given(contents)
def test_entries_and_find_entry_see_the_whole_tree(content: dict[bytes, Entry]) -> None:
    tree = model_tree(content)
    assert {name: (mode, oid) for name, mode, oid in entries(tree, 20)} == content
    for name in [b"a", b"a.b", b"a-", b"a0", b"ab", b"b", b"b.", b"c", b"", b"\xff", b"z" * 99]:
        assert find_entry(tree, name, 20) == content.get(name)


@given(contents, st.data())
def test_a_cut_tree_is_an_object_error(content: dict[bytes, Entry], data: st.DataObject) -> None:
    tree = model_tree(content)
    boundaries = {0}
    for name, mode, oid in entries(tree, 20):
        boundaries.add(max(boundaries) + len(b"%o %s\x00%s" % (mode, name, oid)))
    cut = data.draw(st.integers(0, len(tree)))
    if cut in boundaries:
        return
    with pytest.raises(ObjectError):
        edit_tree(tree[:cut], {b"new": (REGULAR, A)}, 20)
    with pytest.raises(ObjectError):
        entries(tree[:cut], 20)


@given(st.binary(max_size=80), st.sampled_from([20, 32]))
def test_random_bytes_are_a_tree_or_an_object_error(noise: bytes, oid_size: int) -> None:
    for call in (
        lambda: entries(noise, oid_size),
        lambda: find_entry(noise, b"a", oid_size),
        lambda: edit_tree(noise, {b"a": None}, oid_size),
        lambda: tree_delta(noise, noise, oid_size),
    ):
        with suppress(ObjectError):
            call()


def test_a_file_that_becomes_a_directory_moves_behind_its_neighbours() -> None:
    tree = model_tree({b"a": (REGULAR, A), b"a.b": (REGULAR, A)})
    new, _ = edit_tree(tree, {b"a": (DIRECTORY, B)}, 20)
    assert [name for name, _, _ in entries(new, 20)] == [b"a.b", b"a"]


def test_a_changed_oid_costs_a_copy_an_insert_and_a_copy() -> None:
    tree = model_tree({b"file%03d" % i: (REGULAR, A) for i in range(500)})
    new, delta = edit_tree(tree, {b"file250": (REGULAR, B)}, 20)
    assert delta is not None
    assert len(delta) <= 2 + 2 + 4 + 21 + 6
    assert tree_delta(tree, new, 20) == delta


def test_a_copy_is_cut_into_pieces_that_pack_version_2_allows() -> None:
    tree = model_tree({b"file%05d" % i: (REGULAR, A) for i in range(9000)})
    new, delta = edit_tree(tree, {b"file08000": None, b"g": (REGULAR, B)}, 20)
    assert delta is not None
    assert model_apply(tree, delta) == new


def test_old_padded_directory_modes_lose_their_zero_once_the_tree_changes() -> None:
    tree = b"100664 a\x00" + A + b"040000 b\x00" + B + b"100644 c\x00" + A
    same, _ = edit_tree(tree, {b"c": (REGULAR, A), b"b": (DIRECTORY, B), b"x": None}, 20)
    assert same is tree
    new, delta = edit_tree(tree, {b"c": None}, 20)
    assert new == b"100664 a\x00" + A + b"40000 b\x00" + B
    assert delta is not None
    assert model_apply(tree, delta) == new


def test_of_entries_with_one_name_the_first_is_meant() -> None:
    a, b = b"100644 a\x00" + A, b"100644 b\x00" + A
    assert edit_tree(a + a + b, {b"b": None}, 20) == (a + a, None)
    assert edit_tree(a + a + b, {b"a": (REGULAR, B)}, 20)[0] == b"100644 a\x00" + B + a + b
    assert edit_tree(a + a + b, {b"a": (REGULAR, A)}, 20)[0] == a + a + b
    assert edit_tree(a + a + b, {b"a": None}, 20)[0] == a + b


def test_a_tree_out_of_order_is_sorted_once_it_changes() -> None:
    a, b, c = (b"100644 %b\x00%b" % (name, A) for name in (b"a", b"b", b"c"))
    tree = b + a
    assert edit_tree(tree, {b"a": (REGULAR, A), b"x": None}, 20)[0] is tree
    assert edit_tree(tree, {b"a": (REGULAR, A)}, 20, touched=True)[0] == a + b
    assert edit_tree(tree, {b"c": (REGULAR, A)}, 20)[0] == a + b + c
    assert [find_entry(tree, name, 20) for name in (b"a", b"b", b"c")] == [(REGULAR, A)] * 2 + [
        None
    ]


def test_a_file_and_a_directory_may_have_one_name() -> None:
    file, between, other = b"100644 a\x00" + A, b"100644 a-\x00" + A, b"40000 a\x00" + B
    tree = file + between + other
    assert edit_tree(tree, {b"a": None}, 20)[0] == between + other
    assert edit_tree(tree, {b"a": (DIRECTORY, A)}, 20)[0] == between + b"40000 a\x00" + A + other


@pytest.mark.parametrize("name", [b"", b"a/b", b"a\x00b"])
def test_a_name_that_no_entry_can_have_is_refused(name: bytes) -> None:
    with pytest.raises(ObjectError):
        edit_tree(b"", {name: (REGULAR, A)}, 20)


@pytest.mark.parametrize("entry", [(REGULAR, b"short"), (0, A), (1 << 16, A)])
def test_an_entry_that_no_tree_can_hold_is_refused(entry: Entry) -> None:
    with pytest.raises(ObjectError):
        edit_tree(b"", {b"a": entry}, 20)


def test_edits_and_their_deltas_unchanged() -> None:
    """Packs are the same from run to run, so a change here changes every pack."""
    rng, digest, tree = random.Random(2), hashlib.sha256(), b""
    for _ in range(300):
        names = [b"%x" % rng.randrange(400) for _ in range(rng.randint(1, 6))]
        kinds = [None, REGULAR, GITLINK, DIRECTORY, REGULAR]
        chosen = [(name, rng.choice(kinds), Oid(rng.randbytes(20))) for name in names]
        change = {name: (mode, oid) if mode else None for name, mode, oid in chosen}
        old, (tree, delta) = tree, edit_tree(tree, change, 20)
        digest.update(tree + (delta or b"") + (tree_delta(old, tree, 20) or b""))
    assert digest.hexdigest()[:16] == "3bf1c6327a45e981"


def test_walk_yields_leaves_in_tree_order() -> None:
    root, sub = Oid(b"r" * 20), Oid(b"s" * 20)
    trees = {
        root: model_tree({b"b": (DIRECTORY, sub), b"a": (REGULAR, A), b"c": (GITLINK, B)}),
        sub: model_tree({b"x": (REGULAR, B)}),
    }
    found = list(walk(trees.__getitem__, root))
    assert found == [(b"a", REGULAR, A), (b"b/x", REGULAR, B), (b"c", GITLINK, B)]
