"""Signatures on their way in: every mode, with real keys of each kind."""

from __future__ import annotations

import itertools
import os
import subprocess
from pathlib import Path

import pytest

from fastio.errors import StreamError
from fastio.importer.options import ImportOptions
from fastio.importer.signatures import SignaturePolicy
from fastio.store.repository import Repository
from fastio.stream.commands import Commit, Signature
from tests.importer import streams
from tests.importer.target import Done, Target
from tests.keys import KINDS, Keys, body_of, data

IF_INVALID = ("strip-if-invalid", "sign-if-invalid", "abort-if-invalid")
KEEPING = ("verbatim", *IF_INVALID)
MODES = (*KEEPING, "ignore", "warn-verbatim", "warn", "strip", "warn-strip", "abort")
MALFORMED = (
    b"sha1",
    b"sha1  openpgp",
    b"sha1 openpgp x",
    b"sha1 openpgp ",
    b"md5 ssh",
    b"sha1 pgp",
)
# x509 once is enough: it differs from OpenPGP in the program only.
SIGNED = (*itertools.product(KINDS, ["sha1"]), ("ssh", "sha256"))
signed = pytest.mark.parametrize(("kind", "algorithm"), SIGNED)
modes = pytest.mark.parametrize("mode", IF_INVALID)

OTHER = {"sha1": b"sha256", "sha256": b"sha1"}
MARKER = b"-----BEGIN SSH SIGNATURE-----\n"


def fresh(path: Path, algorithm: str = "sha1") -> Target:
    return Target(path / "fresh.git", "--bare", f"--object-format={algorithm}")


def forged(stream: bytes) -> bytes:
    """The same with another message, as long as before."""
    assert b"\nsigned" in stream
    return stream.replace(b"\nsigned", b"\nforged")


def split(stream: bytes) -> tuple[bytes, bytes, bytes]:
    """A commit's stream before, of and behind its signature."""
    begin, end = stream.index(b"gpgsig "), stream.rindex(b"data ")
    return stream[:begin], stream[begin:end], stream[end:]


def is_good(target: Target, kind: str, name: str) -> bool:
    """Whether git finds the object's signature valid."""
    command = ["git", f"verify-{kind}", name]
    return subprocess.run(command, cwd=target.path, capture_output=True).returncode == 0


def expect(done: Done, status: int, *said: bytes) -> None:
    assert done.returncode == status, done.stderr.decode()
    for text in said:
        assert text in done.stderr
    assert bool(done.stderr) == bool(said or status)


# --- commits --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_unsigned_commits_and_tags_pass_silently(target: Target, mode: str) -> None:
    tag = b"tag v1\nfrom :1\ntagger %b\n%b" % (streams.WHO, data(b"no " + MARKER))
    words = (f"--signed-commits={mode}", f"--signed-tags={mode}")
    expect(target.run(streams.commit(1) + tag, *words), 0)
    assert MARKER in body_of(target, "tag", "v1")


@signed
@pytest.mark.parametrize("mode", KEEPING)
def test_valid_signatures_are_kept_silently(
    tmp_path: Path, keys: Keys, kind: str, algorithm: str, mode: str
) -> None:
    target = fresh(tmp_path, algorithm)
    keys.configure(target, kind)
    (commit, commit_oid), (tag, tag_oid) = keys.commit(kind, algorithm), keys.tag(kind, algorithm)
    stream = commit.replace(b"heads/main", b"heads/signed") + tag
    expect(target.run(stream, f"--signed-commits={mode}", f"--signed-tags={mode}"), 0)
    refs = target.refs()
    assert (refs["refs/heads/signed"], refs["refs/tags/signed"]) == (commit_oid, tag_oid)


@signed
def test_an_invalid_commit_is_stripped(
    tmp_path: Path, keys: Keys, kind: str, algorithm: str
) -> None:
    target = fresh(tmp_path, algorithm)
    keys.configure(target, kind)
    done = target.run(forged(keys.commit(kind, algorithm)[0]), "--signed-commits=strip-if-invalid")
    expect(done, 0, b"warning: stripping invalid signature for commit 'forged': ")
    body = body_of(target, "commit", "main")
    assert b"gpgsig" not in body
    assert body.endswith(b"\n\nforged\n")


@signed
def test_an_invalid_commit_is_signed_anew(
    tmp_path: Path, keys: Keys, kind: str, algorithm: str
) -> None:
    target = fresh(tmp_path, algorithm)
    keys.configure(target, kind)
    done = target.run(forged(keys.commit(kind, algorithm)[0]), "--signed-commits=sign-if-invalid")
    expect(done, 0, b"warning: replacing invalid signature for commit 'forged': ")
    assert body_of(target, "commit", "main").endswith(b"\n\nforged\n")
    assert is_good(target, "commit", "main")
    assert target.fsck() == ""


@signed
def test_an_invalid_commit_ends_the_import(
    tmp_path: Path, keys: Keys, kind: str, algorithm: str
) -> None:
    target = fresh(tmp_path, algorithm)
    keys.configure(target, kind)
    done = target.run(forged(keys.commit(kind, algorithm)[0]), "--signed-commits=abort-if-invalid")
    expect(done, 128, b"aborting due to invalid signature for commit 'forged': ", b"command 1)")
    assert b"\n  line:  gpgsig %b openpgp\n" % algorithm.encode() in done.stderr
    assert target.refs() == {}


def test_abort_refuses_any_signature(target: Target, keys: Keys) -> None:
    expect(target.run(keys.commit("ssh")[0], "--signed-commits=abort"), 128, b"signed commit")
    expect(target.run(keys.tag("ssh")[0], "--signed-tags=abort"), 128, b"signed tag")
    assert target.refs() == {}


def test_strip_is_silent_and_leaves_no_header(target: Target, keys: Keys) -> None:
    before, _, behind = split(keys.commit("openpgp")[0])
    expect(target.run(keys.commit("openpgp")[0], "--signed-commits=strip"), 0)
    unsigned = (before + behind).replace(b"heads/main", b"heads/unsigned")
    expect(target.run(unsigned), 0)
    assert target.git("rev-parse", "main") == target.git("rev-parse", "unsigned")


def test_warnings_of_modes_that_do_not_verify(target: Target, keys: Keys) -> None:
    stream, oid = keys.commit("openpgp")
    done = target.run(stream, "--signed-commits=warn-verbatim")
    expect(done, 0, b"warning: importing a commit signature verbatim\n")
    assert target.refs() == {"refs/heads/main": oid}
    done = target.run(stream, "--force", "--signed-commits=warn-strip")
    expect(done, 0, b"warning: stripping a commit signature\n")
    assert b"gpgsig" not in body_of(target, "commit", "main")


def test_two_signatures_are_stripped_with_two_warnings(target: Target, keys: Keys) -> None:
    before, signature, behind = split(keys.commit("openpgp")[0])
    twin = signature.replace(b"gpgsig sha1", b"gpgsig sha256")
    done = target.run(before + signature + twin + behind, "--signed-commits=warn-strip")
    assert done.stderr == b"warning: stripping a commit signature\n" * 2
    assert b"gpgsig" not in body_of(target, "commit", "main")


@modes
def test_a_valid_commit_keeps_the_header_of_the_other_algorithm(
    target: Target, keys: Keys, mode: str
) -> None:
    keys.configure(target, "ssh")
    before, signature, behind = split(keys.commit("ssh")[0])
    stream = before + b"gpgsig sha256 openpgp\ndata 3\nabc\n" + signature + behind
    expect(target.run(stream, f"--signed-commits={mode}"), 0)
    headers = body_of(target, "commit", "main").split(b"\n\n")[0].split(b"\n")
    names = [line.split(b" ")[0] for line in headers if line.startswith(b"gpgsig")]
    assert names == [b"gpgsig", b"gpgsig-sha256"]
    assert is_good(target, "commit", "main")


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_a_signature_for_the_other_algorithm_only_is_invalid(
    tmp_path: Path, keys: Keys, algorithm: str
) -> None:
    target = fresh(tmp_path, algorithm)
    keys.configure(target, "ssh")
    stream = keys.commit("ssh", algorithm)[0]
    stream = stream.replace(b"gpgsig " + algorithm.encode(), b"gpgsig " + OTHER[algorithm])
    done = target.run(stream, "--signed-commits=sign-if-invalid")
    expect(done, 0, b"replacing invalid signature for commit 'signed': there is none for ")
    assert target.git("rev-parse", "main") == keys.commit("ssh", algorithm)[1]  # ssh repeats itself


@modes
def test_what_is_no_signature_at_all_is_refused(target: Target, mode: str) -> None:
    stream = b"commit x\ncommitter %b\ngpgsig sha1 openpgp\ndata 4\nnopedata 0\n" % streams.WHO
    expect(target.run(stream, f"--signed-commits={mode}"), 128, b"incompatible signature 'nope'")


def test_the_first_of_two_signatures_counts(target: Target, keys: Keys) -> None:
    keys.configure(target, "ssh")
    before, good, behind = split(keys.commit("ssh")[0])
    bad = b"gpgsig sha1 ssh\n" + data(MARKER).removesuffix(b"\n")
    done = target.run(before + good + bad + behind, "--signed-commits=abort-if-invalid")
    expect(done, 0, b"warning: more than one signature")
    done = target.run(before + bad + good + behind, "--signed-commits=abort-if-invalid")
    expect(done, 128, b"more than one signature", b"aborting due to invalid signature")


@pytest.mark.parametrize("mode", ["verbatim", "warn-verbatim", *IF_INVALID])
@pytest.mark.parametrize("words", MALFORMED)
def test_malformed_words_are_refused(target: Target, words: bytes, mode: str) -> None:
    with pytest.raises(StreamError, match="malformed line: gpgsig "):
        policy(target, mode).of_commit(header(words))


@pytest.mark.parametrize("mode", ["strip", "warn-strip"])
def test_malformed_words_do_not_matter_when_signatures_are_stripped(
    target: Target, mode: str
) -> None:
    for words in MALFORMED:
        assert policy(target, mode).of_commit(header(words)) == {}


def policy(target: Target, mode: str) -> SignaturePolicy:
    options = ImportOptions()
    options.signed_commits = mode
    return SignaturePolicy(Repository.discover(target.path), options, lambda _text: None)


def header(words: bytes) -> Commit:
    nothing = dict.fromkeys(("mark", "original_oid", "author", "encoding", "from_"))
    return Commit(
        **nothing,
        ref=b"x",
        committer=streams.WHO,
        signatures=(Signature(words, b"x"),),
        message=b"",
        merges=(),
    )


def test_an_unknown_format_is_accepted_with_a_warning(target: Target, keys: Keys) -> None:
    stream, oid = keys.commit("openpgp")
    stream = stream.replace(b"sha1 openpgp", b"sha1 unknown")
    done = target.run(stream, "--signed-commits=abort-if-invalid")
    expect(done, 0, b"warning: commit signature of an unknown format\n")
    assert target.refs() == {"refs/heads/main": oid}


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_both_headers_stand_in_one_order_and_are_folded(tmp_path: Path, algorithm: str) -> None:
    target = fresh(tmp_path, algorithm)
    twice = b"gpgsig sha256 ssh\n" + data(b"b\n\nc\n") + b"gpgsig sha1 ssh\n" + data(b"")
    stream = streams.commit(1).replace(b"data ", twice + b"encoding x\ndata ", 1)
    expect(target.run(stream), 0)
    folded = b"\nencoding x\ngpgsig \ngpgsig-sha256 b\n \n c\n \n\nmessage"
    assert body_of(target, "commit", "main").endswith(folded)


@pytest.mark.parametrize("message", [b"", b"\n\n", b"a\0b", b"\xff\x1b\n", b"x" * 300])
def test_odd_messages_are_signed_as_they_are(target: Target, keys: Keys, message: bytes) -> None:
    keys.configure(target, "openpgp")
    before, signature, _ = split(keys.commit("openpgp")[0])
    stream = before + signature + data(message)
    done = target.run(stream, "--signed-commits=sign-if-invalid")
    expect(done, 0, b"replacing invalid signature for commit '")
    assert len(done.stderr) < 300
    assert body_of(target, "commit", "main").endswith(b"\n\n" + message)
    assert is_good(target, "commit", "main")


def test_what_comes_after_builds_on_the_new_commit(target: Target, keys: Keys) -> None:
    keys.configure(target, "ssh")
    stream = forged(keys.commit("ssh")[0]).replace(b"\n", b"\nmark :1\n", 1)
    stream += streams.commit(2, streams.inline(b"file", b"x"), start=b":1")
    assert target.run(stream, "--signed-commits=sign-if-invalid").returncode == 0
    assert is_good(target, "commit", "main^")
    assert target.git("cat-file", "blob", "main:file") == "x"
    assert target.fsck() == ""


# --- tags -----------------------------------------------------------------------------------------


@signed
@modes
def test_an_invalid_tag(tmp_path: Path, keys: Keys, kind: str, algorithm: str, mode: str) -> None:
    target = fresh(tmp_path, algorithm)
    keys.configure(target, kind)
    done = target.run(forged(keys.tag(kind, algorithm)[0]), f"--signed-tags={mode}")
    if mode == "abort-if-invalid":
        expect(done, 128, b"aborting due to invalid signature for tag 'signed': ", b"command 2)")
        assert b"\n  line:  tag signed\n" in done.stderr
        assert target.refs() == {}
        return
    expect(done, 0)  # no warning, as in git
    signature = body_of(target, "tag", "signed").partition(b"\nforged\n")[2]
    assert is_good(target, "tag", "signed") == bool(signature) == (mode == "sign-if-invalid")
    assert target.fsck() == ""


def test_warnings_name_the_tag(target: Target, keys: Keys) -> None:
    stream, oid = keys.tag("openpgp")
    done = target.run(stream, "--signed-tags=warn")
    expect(done, 0, b"warning: importing a tag signature verbatim for tag 'signed'\n")
    assert target.git("rev-parse", "signed") == oid
    done = target.run(stream, "--signed-tags=warn-strip")
    expect(done, 0, b"warning: stripping a tag signature for tag 'signed'\n")
    assert body_of(target, "tag", "signed").endswith(b"\n\nsigned\n")


def test_only_the_last_block_of_a_tag_is_its_signature(target: Target, keys: Keys) -> None:
    stream = keys.tag("ssh")[0].replace(b"data ", b"tail ").replace(b"tail ", b"data ", 1)
    head, _, message = stream.partition(b"\ntail ")
    message = message.partition(b"\n")[2].replace(MARKER, MARKER + b"x\n" + MARKER)
    expect(target.run(head + b"\n" + data(message), "--signed-tags=strip"), 0)
    assert body_of(target, "tag", "signed").endswith(b"\n\nsigned\n" + MARKER + b"x\n")


def test_a_signature_that_nothing_can_parse(target: Target, keys: Keys) -> None:
    """Real git may die of SIGPIPE here: ssh-keygen ends before it has read the text."""
    keys.configure(target, "ssh")
    tag = b"tag v1\nfrom :1\ntagger %b\n" % streams.WHO
    stream = streams.commit(1) + tag + data(b"text\n" * 30_000 + MARKER)
    expect(target.run(stream, "--signed-tags=strip-if-invalid"), 0)
    assert body_of(target, "tag", "v1").endswith(b"text\n")


# --- keys and configuration -----------------------------------------------------------------------


@pytest.mark.parametrize("what", ["commit", "tag"])
@pytest.mark.parametrize("kind", ["openpgp", "ssh"])
def test_an_unusable_default_key_is_fatal_but_an_explicit_one_works(
    target: Target, keys: Keys, what: str, kind: str
) -> None:
    keys.configure(target, kind, user__signingKey="not-a-real-key-id")
    stream = forged((keys.commit if what == "commit" else keys.tag)(kind)[0])
    option = f"--signed-{what}s=sign-if-invalid"
    done = target.run(stream, option)
    expect(done, 128, b"failed to sign %b object: " % what.encode(), b"not-a-real-key-id", b"byte ")
    assert target.refs() == {}
    key = keys.ssh if kind == "ssh" else "committer@example.com"
    assert target.run(stream, f"{option}={key}").returncode == 0
    assert is_good(target, what, "main" if what == "commit" else "signed")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"gpg__program": "/no/such/gpg"}, b"cannot (run|exec)"),
        ({"gpg__minTrustLevel": "ultimate"}, b""),
        ({"gpg__ssh__allowedSignersFile": "/no/such/file"}, b"rincipal|allowed"),
    ],
)
def test_what_git_cannot_verify_is_invalid(
    target: Target, keys: Keys, settings: dict[str, str], said: bytes
) -> None:
    kind = "openpgp" if "gpg__program" in settings else "ssh"
    keys.configure(target, kind, **settings)
    done = target.run(keys.commit(kind)[0], "--signed-commits=strip-if-invalid")
    assert done.returncode == 0
    assert done.stderr.startswith(b"warning: stripping invalid signature for commit 'signed': ")
    assert b"gpgsig" not in body_of(target, "commit", "main")


@pytest.mark.parametrize("name", ["gpg__format", "gpg__minTrustLevel"])
def test_a_bad_configuration_is_fatal(target: Target, keys: Keys, name: str) -> None:
    keys.configure(target, "ssh", **{name: "nonsense"})
    done = target.run(keys.commit("ssh")[0], "--signed-commits=strip-if-invalid")
    expect(done, 128, b"git verify-commit failed: ")
    assert target.refs() == {}


def test_two_object_formats_cannot_be_signed(target: Target, keys: Keys) -> None:
    keys.configure(target, "ssh")
    setting = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "extensions.compatObjectFormat",
        "GIT_CONFIG_VALUE_0": "sha256",
    }
    words = ("import", "--quiet", "--signed-commits=sign-if-invalid")
    valid, _ = keys.commit("ssh")
    expect(target.fastio(*words, stream=valid, **setting), 0)
    done = target.fastio(*words, "--force", stream=forged(valid), **setting)
    expect(done, 128, b"two object formats")


def test_paths_of_the_configuration_count_from_the_top(tmp_path: Path, keys: Keys) -> None:
    target = Target(tmp_path / "work")
    for name in ("ssh", "ssh.pub", "allowed"):
        (target.path / name).write_bytes(keys.ssh.with_name(name).read_bytes())
    (target.path / "ssh").chmod(0o600)
    signer = target.path / "sign.sh"
    signer.write_text('#!/bin/sh\nexec ssh-keygen "$@"\n')
    signer.chmod(0o755)
    relative = {"user__signingKey": "ssh", "gpg__ssh__allowedSignersFile": "allowed"}
    keys.configure(target, "ssh", gpg__ssh__program="./sign.sh", **relative)
    (target.path / "a/b").mkdir(parents=True)
    words = ("import", "--quiet", "--signed-commits=sign-if-invalid")
    done = target.fastio(*words, stream=forged(keys.commit("ssh")[0]), cwd=target.path / "a/b")
    expect(done, 0, b"incorrect signature")
    assert is_good(target, "commit", "main")


# --- what it costs, and what it leaves ------------------------------------------------------------


@pytest.mark.parametrize("mode", ["verbatim", "strip", "abort-if-invalid"])
def test_no_program_is_started_without_need(
    target: Target, keys: Keys, tmp_path: Path, mode: str
) -> None:
    log = tmp_path / "log"
    program = tmp_path / "gpg"
    program.write_text(f'#!/bin/sh\necho run >>{log}\nexec gpg "$@"\n')
    program.chmod(0o755)
    keys.configure(target, "openpgp", gpg__program=os.fspath(program))
    assert target.run(streams.commit(1), f"--signed-commits={mode}").returncode == 0
    assert not log.exists()
    assert (
        target.run(keys.commit("openpgp")[0], "--force", f"--signed-commits={mode}").returncode == 0
    )
    assert log.exists() == (mode == "abort-if-invalid")


def test_nothing_is_left_behind(target: Target, keys: Keys, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    keys.configure(target, "ssh")
    words = ("import", "--quiet", "--signed-commits=sign-if-invalid")
    stream = forged(keys.commit("ssh")[0])
    done = target.fastio(*words, stream=stream, TMPDIR=os.fspath(temporary))
    assert done.returncode == 0
    assert os.listdir(temporary) == []
    objects = target.git("cat-file", "--batch-all-objects", "--batch-check=%(objecttype)")
    assert sorted(objects.split()) == ["commit", "tree"]  # the candidate was never there


# --- beside git -----------------------------------------------------------------------------------


def git_version() -> tuple[int, ...]:
    text = subprocess.run(["git", "version"], capture_output=True, check=True).stdout.decode()
    return tuple(int(part) for part in text.split()[2].split(".")[:2])


@pytest.mark.git
@pytest.mark.skipif(git_version() < (2, 55), reason="git before 2.55 cannot verify and sign here")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("what", ["commit", "tag"])
def test_git_makes_the_same_objects(tmp_path: Path, keys: Keys, what: str, mode: str) -> None:
    """With ssh, whose signatures of one text are all the same."""
    valid = (keys.commit if what == "commit" else keys.tag)("ssh")[0]
    for number, stream in enumerate((valid, forged(valid))):
        ours, gits = (fresh(tmp_path / f"{name}{number}") for name in ("ours", "gits"))
        for target in (ours, gits):
            keys.configure(target, "ssh")
        option = f"--signed-{what}s={mode}"
        command = ["git", "fast-import", "--quiet", option]
        done = subprocess.run(
            command, cwd=gits.path, input=stream, capture_output=True, check=False
        )
        assert ours.run(stream, option).returncode == done.returncode
        assert ours.refs() == gits.refs()
