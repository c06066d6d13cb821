import pickle

import pytest

from workers import errors

EXAMPLES = [
    errors.ArenaError("no block"),
    errors.DeltaError("cut short"),
    errors.CodecError("damaged"),
    errors.MessageError("unknown"),
    errors.TaskError("outside"),
    errors.PoolError("failed 3 times", b"t" * 64),
]


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_errors_cross_processes(error: errors.WorkersError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert (str(copy), vars(copy)) == (str(error), vars(error))


def test_every_error_has_an_example() -> None:
    assert {type(error) for error in EXAMPLES} == set(errors.WorkersError.__subclasses__())
