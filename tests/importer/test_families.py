"""Families: blobs that look alike are found, as the model in plain Python says."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from fastio.importer._families import Families
from tests.importer.target import Target

WORDS = [b"%d%d" % (number, number * 7919) for number in range(200)]
MASK = (1 << 64) - 1


def mix(one: int, other: int) -> int:
    one, other = one * 0x9E3779B97F4A7C15 & MASK, other * 0xC2B2AE3D27D4EB4F & MASK
    one ^= (other << 31 | other >> 33) & MASK
    one = one * 0xBF58476D1CE4E5B9 & MASK
    return one ^ one >> 29


def hashes(data: bytes, mark: bytes) -> list[int]:
    places = [at for at in range(7, len(data) - 8) if data[at : at + 1] == mark]
    words = [(data[at - 7 : at + 1], data[at + 1 : at + 9]) for at in places]
    return [mix(*(int.from_bytes(word, "little") for word in pair)) for pair in words]


def features(data: bytes) -> set[tuple[int, int]]:
    data = data[: 1 << 16]
    found = hashes(data, b"\n")
    if len(found) < len(data) // 512 + 4:
        found += hashes(data, b",")
    of_each = ([value // 8 for value in found if value % 8 == number] for number in range(8))
    return {(number, min(values)) for number, values in enumerate(of_each) if values}


class ModelFamilies:
    def __init__(self) -> None:
        self.count = 0
        self.last: dict[tuple[int, int], tuple[int, int]] = {}

    def join(self, data: bytes) -> int:
        mine = features(data)
        places = {(number, value % (1 << 14)): value >> 32 for number, value in sorted(mine)}
        known = [(self.last.get(place), tag) for place, tag in places.items()]
        votes = [last[1] for last, tag in known if last is not None and last[0] == tag]
        family = max(votes, key=votes.count, default=0)
        if not family or 2 * votes.count(family) < len(mine):
            self.count += 1
            family = self.count
        self.last |= {place: (tag, family) for place, tag in places.items()}
        return family


def text(seed: int, lines: int, mark: bytes = b"\n") -> bytes:
    random = Random(seed)
    return b"".join(b" ".join(random.choices(WORDS, k=4)) + mark for _ in range(lines))


contents = st.one_of(
    st.builds(text, st.integers(0, 5), st.integers(0, 40), st.sampled_from([b"\n", b",", b";"])),
    st.text("ab,\n", max_size=80).map(str.encode),
)
edits = st.tuples(st.floats(0, 1), st.integers(0, 60), st.binary(max_size=40))


@settings(max_examples=100)
@given(st.lists(st.tuples(contents, st.lists(edits, max_size=3)), max_size=12))
def test_families_are_those_of_the_model(blobs):
    families, model = Families(), ModelFamilies()
    for content, changes in blobs:
        for where, cut, new in changes:
            at = int(where * len(content))
            content = content[:at] + new + content[at + cut :]
        assert families.join(content) == model.join(content)


def test_only_the_beginning_is_looked_at():
    start = text(1, 3000)[: 1 << 16]
    families = Families()
    assert families.join(start + text(2, 100)) == families.join(start + text(3, 100))


def test_a_blob_is_a_delta_of_what_looks_like_it_where_blobs_come_first(target: Target) -> None:
    files = [text(seed, 60) for seed in range(3)]
    versions = [file + b"version %d\n" % number for number in range(5) for file in files]
    blobs = b"".join(
        b"blob\nmark :%d\ndata %d\n%b\n" % (mark, len(data), data)
        for mark, data in enumerate(versions, 1)
    )
    target.git("config", "fastimport.unpackLimit", "1")
    assert target.fastio("import", "--quiet", stream=blobs).returncode == 0
    (idx,) = target.path.glob("objects/pack/*.idx")
    listing = target.git("verify-pack", "-v", str(idx)).splitlines()
    whole = [line for line in listing if " blob " in line and len(line.split()) == 5]
    assert len(whole) == len(files)
