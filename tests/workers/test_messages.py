import msgpack  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.errors import MessageError
from workers.messages import (
    DONE,
    ENCODE,
    FAILED,
    FRAME_OVERHEAD,
    LAST,
    OTHER,
    Message,
    pack,
    unpack,
)

FEW = settings(max_examples=100, derandomize=True, deadline=None)
messages = st.builds(
    Message,
    st.sampled_from([ENCODE, DONE, FAILED, OTHER, LAST]),
    st.integers(0, 2**63),
    st.binary(),
)


@FEW
@given(messages)
def test_messages_survive_the_journey(message: Message) -> None:
    frame = pack(message)
    assert unpack(frame) == message
    assert len(frame) <= len(message.payload) + FRAME_OVERHEAD


@FEW
@given(st.binary(max_size=40))
def test_nonsense_is_a_message_error(frame: bytes) -> None:
    try:
        message = unpack(frame)
    except MessageError:
        return
    assert unpack(pack(message)) == message


@pytest.mark.parametrize(
    "content",
    [
        None,
        1,
        [],
        [0, 1],
        [LAST + 1, 1, b""],
        [-1, 1, b""],
        [0, "1", b""],
        [0, 1, "text"],
        [0, 1, b"", 4],
        [True, 1, b""],
    ],
)
def test_frames_of_other_shape_are_refused(content: object) -> None:
    with pytest.raises(MessageError):
        unpack(msgpack.packb(content))


def test_cut_and_extended_frames_are_refused() -> None:
    frame = pack(Message(DONE, 7, b"payload"))
    for wrong in [frame + b"\0", *(frame[:end] for end in range(len(frame)))]:
        with pytest.raises(MessageError):
            unpack(wrong)
