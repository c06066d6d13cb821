"""Objects that are read in the place of others."""

import os

import pytest

from fastio.errors import ObjectError
from fastio.objects.kinds import Oid
from fastio.store.objects import ObjectStore
from fastio.store.repository import Repository


def blob(work, text):
    return work("hash-object", "-w", "--stdin", text=text)


def read(work, oid, **environment):
    repository = Repository.discover(str(work.path), environment=os.environ | environment)
    with ObjectStore(repository) as store:
        return store.read(Oid(bytes.fromhex(oid)))[1].decode()


@pytest.mark.git
@pytest.mark.parametrize("packed", [False, True])
def test_the_replacement_is_read(work, packed):
    one, two, three = (blob(work, text) for text in ("one", "two", "three"))
    work("replace", one, two)
    work("replace", two, three)
    if packed:
        work("pack-refs", "--all")
    assert (read(work, one), read(work, three)) == ("three", "three")


@pytest.mark.git
def test_nothing_is_replaced_where_that_is_not_wanted(work):
    one, two = blob(work, "one"), blob(work, "two")
    work("replace", one, two)
    assert read(work, one, GIT_NO_REPLACE_OBJECTS="1") == "one"
    assert read(work, one, GIT_REPLACE_REF_BASE="refs/other/") == "one"
    work("update-ref", f"refs/other/{two}", one)
    assert read(work, two, GIT_REPLACE_REF_BASE="refs/other/") == "one"
    work("config", "core.useReplaceRefs", "false")
    assert read(work, one) == "one"


@pytest.mark.git
def test_odd_names_are_passed_over(work):
    one, two = blob(work, "one"), blob(work, "two")
    work("update-ref", "refs/replace/x", two)
    work("update-ref", f"refs/replace/{one[:-2]}", two)
    assert read(work, one) == "one"


@pytest.mark.git
def test_a_circle_is_an_error(work):
    one, two = blob(work, "one"), blob(work, "two")
    work("replace", one, two)
    work("replace", two, one)
    with pytest.raises(ObjectError, match="replace depth"):
        read(work, one)
