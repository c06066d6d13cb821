import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fastio.errors import ConfigError
from fastio.store.config import Config, FsyncRules, parse_boolean, parse_integer
from fastio.store.repository import Repository

words = st.sampled_from(["true", "YES", "on", "Off", "no", "FALSE", "", "-", "+", "x", " "])
numbers = st.from_regex(r"[+-]?(0x)?[0-9]{1,10}[kKmMgG]?x?", fullmatch=True)


def config(**values):
    listing = "".join(f"{key.replace('__', '.').lower()}\n{text}\0" for key, text in values.items())
    return Config(listing.encode())


def ask_git(kind, text):
    """git's own reading of a value; None when it refuses."""
    done = subprocess.run(
        ["git", "-c", f"a.b={text}", "config", f"--type={kind}", "a.b"], capture_output=True
    )
    return None if done.returncode else done.stdout.decode().strip()


def or_none(parse, text):
    try:
        return parse("a.b", text)
    except ConfigError:
        return None


@settings(max_examples=60)
@given(words | numbers)
@example("017")
@example("09")
@example("0x1Fk")
@example("1 k")
@example(" 1")
def test_integers_are_read_as_git_reads_them(text):
    ours = or_none(lambda key, text: parse_integer(key, text, bits=64), text)
    assert (None if ours is None else str(ours)) == ask_git("int", text)


@settings(max_examples=40)
@given(words | numbers)
@example("2147483647")
@example("2147483648")
@example("2g")
def test_booleans_are_read_as_git_reads_them(text):
    ours = or_none(parse_boolean, text)
    assert (None if ours is None else str(ours).lower()) == ask_git("bool", text)


def test_the_last_value_wins_and_names_have_no_case(work):
    for value in ("1", "7"):
        work("config", "--add", "FastImport.UnpackLimit", value)
    assert Repository.discover(str(work.path)).config.unpack_limit == 7


def test_a_variable_without_a_value(work):
    with open(work.path / ".git/config", "a") as file:
        file.write("[core]\n\tquotePath\n[pack]\n\tdepth\n")
    found = Repository.discover(str(work.path)).config
    assert found.quote_path
    with pytest.raises(ConfigError, match=r"pack\.depth"):
        found.depth(50)


def test_defaults():
    nothing = Config(b"")
    assert (nothing.unpack_limit, nothing.depth(50), nothing.pack_size_limit) == (100, 50, 0)
    assert (nothing.pack_level, nothing.loose_level, nothing.index_version) == (-1, 1, 2)
    assert nothing.big_file_threshold == 512 * 1024 * 1024
    assert (nothing.protect_ntfs, nothing.quote_path) == (True, True)
    assert nothing.shared_permissions == 0


def test_fall_backs():
    assert config(transfer__unpackLimit=5).unpack_limit == 5
    assert config(transfer__unpackLimit=5, fastimport__unpackLimit=-1).unpack_limit == -1
    both = config(core__compression=3, pack__compression=9, core__looseCompression=0)
    assert (both.pack_level, both.loose_level) == (9, 0)
    core = config(core__compression=3)
    assert (core.pack_level, core.loose_level) == (3, 3)
    assert config(pack__depth=9000).depth(50) == 8191
    assert config(pack__packSizeLimit="2g").pack_size_limit == 2 << 30
    assert config(pack__indexVersion=1).index_version == 1


@pytest.mark.parametrize(
    ("key", "value", "getter"),
    [
        ("pack__indexVersion", "3", "index_version"),
        ("pack__compression", "10", "pack_level"),
        ("core__compression", "-2", "loose_level"),
        ("fastimport__unpackLimit", "many", "unpack_limit"),
        ("transfer__unpackLimit", "5 elephants", "unpack_limit"),
        ("pack__packSizeLimit", "-1", "pack_size_limit"),
        ("core__protectNTFS", "maybe", "protect_ntfs"),
        ("core__sharedRepository", "0070", "shared_permissions"),
    ],
)
def test_a_malformed_value_names_its_key(key, value, getter):
    with pytest.raises(ConfigError, match=key.replace("__", ".")) as caught:
        getattr(config(**{key: value}), getter)
    assert caught.value.exit_status == 128


@pytest.mark.parametrize(
    ("value", "hardened"),
    [
        ("", "pack pack_metadata"),
        ("committed,-loose-object", "pack pack_metadata loose_object reference"),
        ("none,committed", "pack loose_object reference"),
        ("none", ""),
        ("none,pack", "pack"),
        ("-pack", "pack_metadata"),
        ("-pack,pack", "pack pack_metadata"),
        ("loose-object", "pack pack_metadata loose_object"),
        ("all", "pack pack_metadata loose_object reference"),
        ("-derived-metadata -objects", ""),
        ("no-such-thing", "pack pack_metadata"),
    ],
)
def test_core_fsync(value, hardened):
    words = hardened.split()
    names = ("pack", "pack_metadata", "loose_object", "reference")
    parts = {part: part in words for part in names}
    assert config(core__fsync=value).fsync == FsyncRules(**parts)


def test_other_fsync_settings():
    assert config(core__fsyncObjectFiles="true").fsync.loose_object
    assert config(core__fsyncMethod="batch").fsync.method == "batch"
    assert config(core__fsyncMethod="unheard-of").fsync.method == "fsync"


@pytest.mark.parametrize(
    ("value", "mode"),
    [
        ("umask", 0),
        ("false", 0),
        ("0", 0),
        ("group", 0o660),
        ("true", 0o660),
        ("1", 0o660),
        ("all", 0o664),
        ("world", 0o664),
        ("2", 0o664),
        ("0640", -0o640),
    ],
)
def test_shared_repositories(value, mode):
    assert config(core__sharedRepository=value).shared_permissions == mode


@pytest.mark.parametrize(
    ("value", "begun"),
    [("true", "usual"), ("Always", "all"), ("1", "usual"), ("FALSE", "none"), ("", "none")],
)
def test_reflogs(value, begun):
    settings = config(core__logAllRefUpdates=value)
    assert settings.reflogs_begun(is_bare=True) == begun
    assert settings.reflogs_begun(is_bare=False) == begun


def test_only_where_there_is_a_work_tree_reflogs_are_the_default():
    assert config().reflogs_begun(is_bare=False) == "usual"
    assert config().reflogs_begun(is_bare=True) == "none"
    assert Config(b"core.logallrefupdates\0").reflogs_begun(is_bare=True) == "usual"


def test_hooks_that_the_configuration_tells_of():
    assert not config(core__bare="true").has_hooks
    assert config(core__hooksPath="/dev/null").has_hooks
    assert Config(b"hook.name.event\nreference-transaction\0").has_hooks
