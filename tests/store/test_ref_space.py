"""Names that leave no room for each other, compared with all pairs."""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from fastio.store.ref_space import RefSpace, directories

names = st.lists(st.sampled_from("ab"), min_size=1, max_size=4).map(
    lambda parts: "/".join(["refs", "heads", *parts]).encode()
)


class RefSpaceModel(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.space, self.model = RefSpace(), set[bytes]()

    @rule(name=names)
    def add(self, name: bytes) -> None:
        self.space.add(name)
        self.model.add(name)

    @rule(name=names)
    def remove(self, name: bytes) -> None:
        self.space.remove(name)
        self.model.discard(name)

    @rule(name=names)
    def ask(self, name: bytes) -> None:
        self.check_rival(name, self.space.rival(name))

    @rule(name=names)
    def claim(self, name: bytes) -> None:
        rival = self.space.claim(name)
        self.check_rival(name, rival)
        if rival is None:
            self.model.add(name)

    def check_rival(self, name: bytes, rival: bytes | None) -> None:
        rivals = {
            other
            for other in self.model
            if other.startswith(name + b"/") or name.startswith(other + b"/")
        }
        assert (rival in rivals) if rivals else rival is None

    @invariant()
    def same_names(self) -> None:
        assert all(name in self.space for name in self.model)
        assert len(self.space) == len(self.model)


TestRefSpace = RefSpaceModel.TestCase


def test_directories_of_all_refs_are_none_of_them() -> None:
    assert list(directories(b"refs/heads/a")) == []
    assert list(directories(b"refs/heads/a/b/c")) == [b"refs/heads/a", b"refs/heads/a/b"]
    assert list(directories(b"foo/bar")) == [b"foo"]
    assert list(directories(b"HEAD")) == []
