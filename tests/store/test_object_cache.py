from fastio.objects.kinds import BLOB
from fastio.store.object_cache import OVERHEAD, ObjectCache

TEN = b"0123456789"
FOUR_OF_TEN = 4 * (10 + OVERHEAD)


def test_what_was_not_used_for_longest_is_forgotten() -> None:
    cache = ObjectCache(FOUR_OF_TEN)
    for key in range(4):
        cache.put(key, BLOB, TEN)
    assert cache.get(0) == (BLOB, TEN)
    cache.put(4, BLOB, TEN)
    assert [cache.get(key) is not None for key in range(5)] == [True, False, True, True, True]


def test_an_object_that_would_drive_out_most_others_is_not_kept() -> None:
    cache = ObjectCache(FOUR_OF_TEN)
    cache.put(1, BLOB, TEN + b"!")
    assert cache.get(1) is None


def test_bytes_are_counted_once_for_what_is_looked_up_and_put_again() -> None:
    cache = ObjectCache(FOUR_OF_TEN)
    for _ in range(100):
        cache.put(0, BLOB, TEN)
        cache.get(0)
    cache.put(1, BLOB, TEN)
    assert cache.get(0)


def test_small_objects_do_not_come_for_free() -> None:
    cache = ObjectCache(FOUR_OF_TEN)
    for key in range(100):
        cache.put(key, BLOB, b"")
    assert sum(cache.get(key) is not None for key in range(100)) == 4
