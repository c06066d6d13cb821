"""Streams in which we differed from git once."""

import pytest

from tests.differential.run import Case
from tests.differential.words import EMPTY_TREES

BLOB = b"blob\nmark :%d\ndata 4\nblob\n"
COMMIT = b"commit refs/heads/x\ncommitter A <a@b> 0 +0000\ndata 0\n"
MAIL_DATE = b"commit refs/heads/x\ncommitter A <a@b> Sat, 5 Mar 2011 17:04:05 -0800\ndata 0\n"
ZERO = b"0" * 40

STREAMS = {
    "later changes are not run after a failed one": COMMIT + b"R a b\nM 644 inline c\ndata 1\nc\n",
    "an answer is not given after a failure": COMMIT + b'R a b\nls ""\n',
    "held blobs are kept when a command fails": BLOB % 1 + b"reset refs/heads/x\nfrom nowhere\n",
    "held blobs are kept when parsing fails": BLOB % 1 + BLOB % 2 + b"nonsense\n",
    "blobs that were read ahead are kept": BLOB % 1 + COMMIT + b"from nowhere\nM 644 :1 a\n",
    "a tag may take over the mark of what it tags": (
        BLOB % 1 + b"tag a\nmark :1\nfrom :1\ndata 0\ntag b\nfrom :1\ndata 0\n"
    ),
    "a blob takes over a commit's mark at once": (
        COMMIT.replace(b"\ncommitter", b"\nmark :1\ncommitter")
        + BLOB % 1
        + b"reset refs/heads/y\nfrom :1\n"
    ),
    "a tag that was deleted once gives way to any reset": (
        b"reset refs/tags/a\nfrom %b\n\nblob\nmark :1\ndata 0\ntag a\nfrom :1\ndata 0\n" % ZERO
        + COMMIT
        + b"\nreset refs/tags/a\nfrom refs/heads/x\n"
    ),
    "an option needs a name": b"option git \n",
    "a comment may stand before the empty line behind a reset": (
        COMMIT + b"reset refs/heads/y\nfrom refs/heads/x\n# comment\n\nblob\ndata 0\n"
    ),
    "a CR belongs to the name": (COMMIT + b"checkpoint\nreset refs/heads/y\nfrom refs/heads/x\r\n"),
    "the empty tree is stored where it was touched": (
        COMMIT + b'M 040000 %b ""\nM 644 inline a\ndata 1\nxD a\n' % EMPTY_TREES["sha1"]
    ),
    "the end of input is no empty line": b"blob\ndata <<\nx\n",
    "the end of input ends no body without a delimiter": b"blob\ndata <<\n",
    "the end of input may end the delimiter's line": b"blob\nmark :1\ndata <<E\nx\nE",
    "a report has the marks of blobs that were held": BLOB % 1 + b"nonsense\n",
    "no note, no blob": COMMIT + b"N inline nowhere\ndata 4\nnote\n",
}


@pytest.fixture
def outcomes(comparer, world):
    """What git did and what we did with a stream."""

    def run(stream, *options, world=world, seed=1):
        case = Case([stream], list(options), ["fastimport.unpackLimit=0"])
        return comparer.run_both(world, case, seed)

    return run


@pytest.mark.git
def test_a_gitlink_may_name_any_object_that_only_the_repository_has(outcomes, filled_world):
    blob = filled_world.oids["blob"][0]
    stream = COMMIT + b"M 644 %b a\nM 160000 %b b\nM 755 %b c\n" % (blob, blob, blob)
    git, ours = outcomes(stream, world=filled_world)
    assert (git.status, git.differences(ours)) == (0, []), ours.stderr.decode()


@pytest.mark.git
def test_of_several_marks_of_a_submodules_commit_the_lowest_counts(comparer, world):
    old, new = (
        b":1 %b\n:3 %b\n" % (b"1" * 40, b"1" * 40),
        b":1 %b\n:3 %b\n" % (b"2" * 40, b"3" * 40),
    )
    words = ["--rewrite-submodules-from=sub:../from", "--rewrite-submodules-to=sub:../to"]
    case = Case([COMMIT + b"M 160000 %b sub\n" % (b"1" * 40)], words, [], {"from": old, "to": new})
    git, ours = comparer.run_both(world, case)
    assert (git.status, git.differences(ours)) == (0, []), ours.stderr.decode()


@pytest.mark.git
def test_a_detached_head_is_not_deleted(comparer):
    world = next(world for world in comparer.worlds if world.name == "sha1-clashing")
    stream = b"reset HEAD\nfrom %b\n\nreset refs/heads/new\nfrom old\n" % ZERO
    git, ours = comparer.run_both(world, Case([stream]))
    assert (git.status, ours.status) == (0, 0), ours.stderr.decode()
    assert ("HEAD" in git.files, "HEAD" in ours.files) == (False, True)
    assert "refs/heads/new" in ours.files


@pytest.mark.git
@pytest.mark.parametrize("options", [[], ["--export-marks=../out"]], ids=["plain", "marks"])
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS.keys())
def test_streams_give_what_git_gives(stream, options, outcomes):
    git, ours = outcomes(stream, *options)
    assert git.differences(ours) == [], ours.stderr.decode()


@pytest.mark.git
@pytest.mark.parametrize(
    ("options", "stream"),
    [
        (["--date-format=rfc2822"], MAIL_DATE),
        (["--date-format=rfc2822"], b"feature date-format=raw\n" + MAIL_DATE),
        (["--done"], b""),
        (["--done"], b"feature done\n" + COMMIT),
        (["--relative-marks", "--import-marks=nowhere"], COMMIT),
        (["--import-marks=nowhere"], b""),
        (["--depth=x"], b"nonsense\n"),
        (["--rewrite-submodules-to=sub:nowhere"], COMMIT),
    ],
)
def test_the_command_line_counts_from_the_first_command_on(options, stream, outcomes):
    git, ours = outcomes(stream, *options)
    assert git.differences(ours) == [], ours.stderr.decode()
