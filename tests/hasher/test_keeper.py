"""Who deflates what, where several threads deal with the same content."""

import struct

from fastio.hasher.deflated import Deflated
from fastio.hasher.keeper import Keeper
from fastio.objects.kinds import BLOB, SHA1, Oid
from fastio.store.repository import Repository
from tests.hasher.place import Place
from workers.codec import deflate

BODY = b"content " * 9
OID = SHA1.hash_object(BLOB, BODY)
OTHER = Oid(bytes(20))


def test_the_earliest_turn_deflates(ours: Place) -> None:
    keeper = Keeper(Repository.discover(str(ours.path)))
    assert keeper.claim([OTHER, OID, OID], 5) == [0, 1]
    assert keeper.claim([OID], 6) == []
    assert keeper.claim([OID], 3) == [0]  # turn 5 may never come
    assert keeper.claim([OID], 5) == []
    keeper.close()


def test_what_is_in_the_pack_or_stored_is_not_deflated(ours: Place) -> None:
    keeper = Keeper(Repository.discover(str(ours.path)))
    keeper.claim([OID], 1)
    payload = deflate(BODY)
    sizes = struct.pack("=2q", len(BODY), len(payload))
    keeper.add(Deflated([OID, OID], sizes * 2, payload * 2))
    assert keeper.claim([OID, OTHER], 0) == [1]
    keeper.settle()
    assert [path.name for path in ours.loose()] == [OID.hex()[2:]]
    assert keeper.claim([OID], 0) == []
    keeper.close()
