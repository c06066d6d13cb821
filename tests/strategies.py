"""Hypothesis strategies that several rooms share: values of a stream, commands, streams."""

from __future__ import annotations

import hypothesis.strategies as st

from fastio.stream import commands as c

MODES = (0o100644, 0o100755, 0o120000)

marks = st.integers(1, 40) | st.integers(1, 2**64 - 1)
oids = st.binary(min_size=20, max_size=20).map(lambda oid: oid.hex().encode())
datarefs = marks | oids
words = st.binary(max_size=12).map(lambda word: bytes(set(word) - set(b"\n\0")))
refs = st.sampled_from((b"refs/heads/main", b"refs/heads/x", b"TEMP_TAG", b"refs/tags/\xff"))
committishes = marks | refs
paths = st.lists(
    st.binary(max_size=6).map(lambda name: name.replace(b"\0", b"")), min_size=1, max_size=3
).map(b"/".join)
bodies = st.binary(max_size=40) | st.sampled_from((b"\n", b"#\n", b"a\n\nb", b"\0"))
dates = st.sampled_from((b"0 +0000", b"1234567890 -0730", b"007 +1"))
names = st.binary(max_size=8).map(lambda name: bytes(set(name) - set(b"\n\0<>")) + b" ")
idents = st.builds(b"%b<%b> %b".__mod__, st.tuples(names, st.just(b"a@b"), dates))
signatures = st.builds(c.Signature, st.just(b"sha1 openpgp") | words, bodies)

contents = st.one_of(
    st.tuples(datarefs, st.none()),
    st.tuples(st.none(), bodies),
)
modifies = st.builds(
    lambda mode, content, path: c.FileModify(mode, content[0], path, content[1]),
    st.sampled_from(MODES),
    contents,
    paths,
)
notes = st.builds(
    lambda content, committish: c.NoteModify(content[0], committish, content[1]),
    contents,
    committishes,
)
replies = st.one_of(st.builds(c.CatBlob, datarefs), st.builds(c.Ls, datarefs, paths))
changes = st.one_of(
    modifies,
    modifies,
    notes,
    st.builds(c.FileDelete, paths),
    st.builds(c.FileCopy, paths, paths),
    st.builds(c.FileRename, paths, paths),
    st.just(c.FileDeleteAll()),
    st.builds(c.Ls, st.none(), paths),
    replies,
)
commit_headers = st.builds(
    c.Commit,
    ref=refs,
    mark=st.none() | marks,
    original_oid=st.none() | words,
    author=st.none() | idents,
    committer=idents,
    signatures=st.lists(signatures, max_size=2).map(tuple),
    encoding=st.none() | words,
    message=bodies,
    from_=st.none() | committishes,
    merges=st.lists(committishes, max_size=2).map(tuple),
)
commits = st.builds(
    lambda header, changes: [header, *changes, c.CommitEnd()],
    commit_headers,
    st.lists(changes, max_size=4),
)
blobs = st.builds(c.Blob, st.none() | marks, st.none() | words, bodies)
single_commands = st.one_of(
    blobs,
    blobs,
    replies,
    st.builds(
        c.Tag,
        name=words,
        mark=st.none() | marks,
        from_=committishes,
        original_oid=st.none() | words,
        tagger=st.none() | idents,
        message=bodies,
    ),
    st.builds(c.Reset, refs, st.none() | committishes),
    st.builds(c.Alias, marks, committishes),
    st.just(c.Checkpoint()),
    st.builds(c.Progress, words | st.just(b"a\0b")),
    st.builds(c.GetMark, marks),
    st.builds(c.Option, st.just(b"quiet")),
)
headers = st.lists(
    st.sampled_from((c.Feature(b"ls", None), c.Feature(b"x", b"y=z"), c.Option(b"git quiet"))),
    max_size=2,
)
bodies_of_streams = st.lists(commits | single_commands.map(lambda one: [one]), max_size=6)
streams = st.builds(
    lambda header, groups: header + [command for group in groups for command in group],
    headers,
    bodies_of_streams,
)
"""Lists of commands that make a stream the parser accepts."""
