"""What random streams are made of. A name that starts with ODD holds what is mostly refused."""

from __future__ import annotations

import random

PATHS = (
    *(b"a", b"b", b"d", b"d/x", b"d/y", b"d/e", b"d/e/z", b"d/e/f/g", b"a/b", b"b/c/d", b"sub"),
    *(b"a.b", b"a0", b"d.x", b"d0/x", b"d-/x", b"sp ace", b" lead", b"trail ", b"d/in ner/x"),
    *(b'q"uote', b'"quote', b"back\\slash", b"\xc3\xa4", b"\xff/\xfe", b"tab\tx", b"new\nline"),
    *(b"#hash", b".gitmodules", b".gitattributes", b"..x", b"...", b"x\r", b"d/link", b"l", b"CON"),
)
ODD_PATHS = (
    *(b"", b"", b".", b"..", b".git/x", b"d/", b"/d", b"d//x", b"git~1", b"./a", b"a/..", b"d/."),
    *(b"x\\.git", b".GIT", b"d/.git ", b".git...", b"gitmod~1", b".g\xe2\x80\x8cit", b".git::$X"),
)
BRANCHES = (
    *(b"refs/heads/main", b"refs/heads/x", b"refs/heads/x/y", b"refs/heads/y", b"refs/notes/n"),
    *(b"refs/tags/light", b"refs/heads/\xc3\xa4", b"TEMP_TAG", b"HEAD", b"refs/foo/bar"),
)
ODD_BRANCHES = (
    *(b"refs/heads/", b"refs/heads/a..b", b"refs/heads/.x", b"refs/heads/x.lock", b"@", b""),
    *(b"refs/heads/a b", b"refs/heads/a~1", b"refs/heads/a:b", b"refs/heads//a", b"MERGE_HEAD"),
    *(b"refs/heads/a@{b", b"refs/heads/a.", b"/refs/heads/a", b"refs/heads/a\x7f"),
)
TAGS = (b"v1", b"v2", b"annotated", b"light", b"dir/v3", b"\xc3\xa4")
ODD_TAGS = (b"", b"a b", b"a..b", b"v1/x", b"refs/tags/v1", b".x", b"x.lock")
EXPRESSIONS = (
    *(b"refs/heads/old~1", b"old", b"old^0", b"annotated", b"nested", b"refs/tags/annotated"),
    *(b"other^{commit}", b"light", b"refs/heads/loose"),
)
ODD_EXPRESSIONS = (b"old^{tree}", b"old:a", b"refs/blobs/one", b"old~5", b"HEAD")
REFS = (b"refs/heads/old", b"refs/heads/other", b"refs/tags/annotated", b"refs/heads/loose")
ODD_REFERENCES = (
    *(b":99", b":0", b":", b":x", b":1x", b"inlineX", b"refs/heads/main", b"abcdef", b"f" * 40),
    *(b"1" * 64, b":-1", b":18446744073709551616"),
)
FILE_MODES = (b"644", b"100644", b"100644", b"755", b"100755", b"120000", b"0100644")
ODD_MODES = (b"664", b"777", b"100664", b"0", b"", b"8", b"0x1a4", b"-644", b"40000", b"160000")
EMPTY_TREES = {
    "sha1": b"4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": b"6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
WHO = (
    *(b"A <a@b>", b"A U Thor <author@example.com>", b"<a@b>", b" <>", b"\xe4 <\xff>"),
    *(b'"x" . <a b>', b"  two  blanks <x>"),
)
ODD_WHO = (b"A", b"A<a@b>", b"A <a@b", b"A <a<b>", b"A <a>>", b"A> <b>", b"A\t<a@b>", b"")
RAW_DATES = (
    *(b"0 +0000", b"1234567890 -0730", b"1 +1400", b"007 +1", b"2147483648 +0000"),
    *(b"18446744073709551615 +0000", b"-1 +0000", b"5 -0000", b"100 +0099"),
)
ODD_RAW_DATES = (
    *(b"1 +1401", b"1 +051800", b"1", b"now", b"x +0000", b"1 0000", b"1  +0000", b"1 +00:00"),
    *(b"1 +0000 ", b"18446744073709551616 +0000", b"", b"1.5 +0000", b"@1 +0000", b"1 Z", b"1 +"),
)
LOOSE_DATES = (
    *(b"Sat, 5 Mar 2011 17:04:05 -0800", b"5 Mar 2011 17:04:05 GMT", b"2011-03-05T17:04:05"),
    *(b"2011-03-05 17:04:05 +0100", b"@86400 +0000", b"1234567890", b"1234567890 +0530"),
    *(b"03/05/2011 1:02:03 PM", b"05.03.2011 17:04", b"20110305T170405Z", b"Mar 5 2011 17:04 EST"),
    *(b"Sat Mar 5 17:04:05 2011 +0200", b"5 Mar 2011 17:04:05.25 +0130", b"31 Feb 2012 00:00 UTC"),
)
ODD_LOOSE_DATES = (
    *(
        b"5 Mar 11 17:04:05 +0130",
        b"yesterday",
        b"5 Mar 2011",
        b"17:04",
        b"1969-12-31 23:59:59 +0000",
        b"5 -0500",
        b"noon",
    ),
    *(b"5 Mar 2107 00:00", b"2011-03-05 24:00:00 +9999", b"13/14/2011 11:11", b"1/2/3 4:5:6"),
)
SIGNATURE = b"-----BEGIN PGP SIGNATURE-----\n\niQ\n-----END PGP SIGNATURE-----\n"
HEADERS = (
    *(b"feature ls\n", b"feature cat-blob\n", b"feature notes\n", b"feature done\n"),
    *(b"feature force\n", b"option git quiet\n", b"option git depth=5\n", b"option x y\n"),
    *(b"feature date-format=raw\n", b"feature date-format=rfc2822\n", b"feature get-mark\n"),
    *(b"feature date-format=raw-permissive\n", b"option git active-branches=2\n"),
    *(b"feature alias\n", b"feature relative-marks\n", b"feature no-relative-marks\n"),
)
ODD_HEADERS = (
    *(b"feature x\n", b"feature done=1\n", b"option git x\n", b"option git depth=-1\n", b"\n"),
    *(b"option git force\n", b"feature quiet\n", b"feature date-format=x\n", b"option git \n"),
    *(b"feature export-marks=nowhere/m\n", b"feature import-marks=nowhere\n", b"option quiet\n"),
    *(b"feature import-marks-if-exists=nowhere\n", b"option git depth=8192\n", b"# comment\n"),
    *(b"option git depth=010\n", b"option git big-file-threshold=1q\n", b"feature \n"),
)
OPTIONS = {
    "--force": 0.1,
    "--done": 0.05,
    "--date-format=raw-permissive": 0.02,
    "--depth=0": 0.05,
    "--depth=1": 0.1,
    "--active-branches=1": 0.05,
    "--big-file-threshold=20": 0.1,
    "--allow-unsafe-features": 0.1,
    "--signed-commits=strip": 0.02,
    "--signed-commits=warn-strip": 0.02,
    "--signed-commits=abort": 0.02,
    "--signed-commits=warn": 0.02,
    "--signed-tags=strip": 0.03,
    "--signed-tags=warn-strip": 0.03,
    "--signed-tags=abort": 0.03,
    "--relative-marks": 0.01,
    "--nonsense": 0.005,
    "--depth=x": 0.005,
    "--depth=0x10": 0.01,
    "--no-relative-marks": 0.01,
}
ODD_OPTIONS = {"--nonsense", "--depth=x", "--signed-commits=abort", "--signed-tags=abort"}
ODD_MARK_LINES = (b":5\n", b"x\n", b":0 " + b"1" * 40 + b"\n", b":5 " + b"e" * 40 + b"\n", b"\n")

SETTINGS = (
    *("core.protectNTFS=false", "core.quotePath=false", "core.protectHFS=true"),
    *("pack.packSizeLimit=500", "pack.packSizeLimit=3000", "pack.indexVersion=1"),
)

_NOUNS = (b"blob", b"tree", b"commit", b"tag", b"mark", b"pack", b"delta", b"stream")


def date(rng: random.Random, date_format: str, *, odd: bool) -> bytes:
    """Make up a date in one of the formats."""
    if date_format == "rfc2822":
        return rng.choice(ODD_LOOSE_DATES if odd else LOOSE_DATES)
    return rng.choice(ODD_RAW_DATES if odd else RAW_DATES)


def body(rng: random.Random) -> bytes:
    """Make up a file: often a version of one and the same text, so that there are deltas."""
    kind = rng.random()
    if kind < 0.3:
        return rng.choice(
            (b"", b"x", b"x\n", b"\n", b"one\n", b"two\n", b"a\nb\n", b"#\n", b"\0\n")
        )
    if kind < 0.35:
        return rng.randbytes(rng.randint(1, 300))
    if kind < 0.352:
        return rng.randbytes(999) * rng.randint(1000, 2500)
    lines = [b"%d %b\n" % (n, _NOUNS[n % 8]) for n in range(rng.choice((5, 40)))]
    for _ in range(rng.randint(0, 3)):
        lines[rng.randrange(len(lines))] = rng.choice(_NOUNS) + b" changed\n"
    return b"".join(lines)


def message(rng: random.Random) -> bytes:
    """Make up a message."""
    return rng.choice((b"", b"message", b"message\n", b"two\n\nparts\n", b"\xe4\xff", b"a\0b\n"))
