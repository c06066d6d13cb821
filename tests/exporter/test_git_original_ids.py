"""``--show-original-ids``: items 20 and 21 of the exporter's."""

import pytest

from tests.conformance.side import Side
from tests.exporter.records import LINE, blob, commit, tag
from tests.exporter.source import Source


def test_each_object_tells_its_id(source: Source) -> None:
    source.load(LINE + tag(b"v1", b":4"))
    first, second, third = (source.oid(f"main~{steps}") for steps in (2, 1, 0))
    assert source.stream("--show-original-ids", "main", "v1") == (
        blob(1, b"one\n", source.oid("main~2:a"))
        + commit(2, b"M 100644 :1 a", root=True, message=b"first\n", oid=first, ref=b"refs/tags/v1")
        + blob(3, b"two\n", source.oid("main~1:b"))
        + commit(
            4, b"from :2", b"M 100644 :3 b", message=b"second\n", oid=second, ref=b"refs/tags/v1"
        )
        + blob(5, b"three\n", source.oid("main:a"))
        + commit(6, b"from :4", b"M 100644 :5 a", b"D b", message=b"third\n", oid=third)
        + tag(b"v1", b":4", oid=source.oid("v1"))
    )


@pytest.mark.parametrize("importer", ["git", "fastio"])
def test_importers_pass_them_over(source: Source, importer: str) -> None:
    source.load(LINE + tag(b"v1", b":4"))
    back = Side(importer, source.path.parent / "back", "--bare")
    assert back.feed(source.stream("--show-original-ids", "--all")).returncode == 0
    assert back.refs() == source.refs()
