from tests.importer.conftest import _nothing_is_left, target

__all__ = ["_nothing_is_left", "target"]
