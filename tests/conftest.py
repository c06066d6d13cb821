"""What every test stands on: Hypothesis profiles, and a git that knows no user's settings."""

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.keys import Keys, make_keys

# The short profile finds the same cases every time; the deep one, HYPOTHESIS_PROFILE=deep, looks
# for new ones.
settings.register_profile(
    "short",
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
    # To explain a failure, all of it is run under a tracer: minutes, which end by pytest's timeout.
    phases=[phase for phase in Phase if phase is not Phase.explain],
)
settings.register_profile("deep", max_examples=5000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))

GIT_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "A U Thor",
    "GIT_AUTHOR_EMAIL": "author@example.com",
    "GIT_COMMITTER_NAME": "C O Mitter",
    "GIT_COMMITTER_EMAIL": "committer@example.com",
    "LC_ALL": "C",
}


@pytest.fixture(autouse=True, scope="session")
def _plain_signals():
    """Let what tests start die of signals, also where the tests run under nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if (
        signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    ):  # as for what a shell runs behind its back
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _plain_python():
    """Let what tests start buffer its output, and store its bytecode, as it does for everybody."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONUNBUFFERED", raising=False)
        # Without bytecode a start of fastio takes three times as long, and there are thousands.
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        yield


@pytest.fixture(autouse=True, scope="session")
def _plain_git():
    """Keep the settings of whoever runs the tests out of every git that a test starts."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("GIT_")]:
            patch.delenv(name)
        for name, value in GIT_ENVIRONMENT.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def keys() -> Iterator[Keys]:
    """Keys to sign with."""
    with make_keys() as made:
        yield made
