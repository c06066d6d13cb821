"""A few thousand random inputs, the same ones every time; the command takes any number."""

from tests.stream.random_input import run


def test_random_input_is_taken_or_refused():
    findings = run(4000, pool_size=60)
    assert not findings.wrong, "\n".join(findings.wrong)
    kinds = {f"{kind}: {end}" for kind in ("damaged", "words") for end in ("taken", "refused")}
    assert kinds <= findings.counts.keys()
