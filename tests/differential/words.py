"""What random streams are made of. A name that starts with ODD holds what is mostly refused."""

from __future__ import annotations

import random

PATHS = (
    *(b"a", b"b", b"d", b"d/x", b"d/y", b"d/e", b"d/e/z", b"d/e/f/g", b"a/b", b"b/c/d", b"sub"),
    *(b"a.b", b"a0", b"d.x", b"d0a/x", b"d-/x", b"sp ace", b" lead", b"trail ", b"d/in ner/x"),
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
FEW_EXPRESSIONS = (b"old", b"refs/heads/old~1", b"other", b"heads/old^0", b"old^{commit}")
ODD_EXPRESSIONS = (b"old^{tree}", b"old:a", b"refs/blobs/one", b"old~5", b"HEAD")
SUFFIXES = (b"", b"^0", b"^{commit}")
ODD_SUFFIXES = (b"~1", b"^2", b"^{tree}", b":a", b"@{0}", b"^", b"~")
LINES = (
    *(b"checkpoint\n", b"checkpoint\n", b"progress some text\n", b"progress \n", b"option x y\n"),
    *(b"progress \xe4\t\r\n", b"option quiet\n", b"option git\n", b"# comment\n"),
)
ODD_REFERENCES = (
    *(b":99", b":0", b":", b":x", b":1x", b"inlineX", b"refs/heads/main", b"abcdef", b"f" * 40),
    *(b"1" * 64, b":-1", b":18446744073709551616"),
)
FILE_MODES = (b"644", b"100644", b"100644", b"755", b"100755", b"120000", b"0100644")
ODD_MODES = (b"664", b"777", b"100664", b"0", b"", b"8", b"0x1a4", b"-644", b"40000", b"160000")
MESSAGES = (b"", b"message", b"message\n", b"two\n\nparts\n", b"\xe4\xff", b"a\0b\n", b"from :1\n")
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
SIGNATURES = (
    *(SIGNATURE, SIGNATURE[:-1], b"", b"\n", b"x", SIGNATURE + b"trailing\n" + SIGNATURE),
    *(b"-----BEGIN SSH SIGNATURE-----\nU1\n-----END SSH SIGNATURE-----\n",),
    *(b"-----BEGIN SIGNED MESSAGE-----\nMI\n-----END SIGNED MESSAGE-----\n",),
    *(b"-----BEGIN PGP MESSAGE-----\n\nhQ\n-----END PGP MESSAGE-----\n",),
)
ODD_SIGNATURE_WORDS = (
    *(b"sha1", b"sha1 ", b"sha1  ssh", b"sha1 openpgp ", b"SHA1 ssh", b"sha512 ssh", b"sha1 pgp"),
    *(b"", b"sha256 x509 y"),
)
MONTHS = (
    *(b"January", b"February", b"March", b"April", b"May", b"June", b"July", b"August"),
    *(b"September", b"October", b"November", b"December"),
)
ZONES = (
    *(b"+0000", b"-0730", b"+05", b"+05:30", b"+2359", b"+2400", b"-1", b"+051800", b"GMT", b"Z"),
    *(b"EST", b"CEST", b"JST", b"NZDT", b"", b"", b"+1:5", b"-12345", b"UTC+2", b"est"),
)
_DATE_WORDS = (
    *(b"Sat", b"Saturday,", b"sat", b"at", b"PM", b"am", b"o'clock", b"(comment)", b"x", b"-"),
    *(b".25", b"7", b"12345678", b"20110305", b"170405", b"may", b"Z"),
)
_DATE_PIECES = (
    *(b"0", b"1", b"12", b"1234567890", b"18446744073709551615", b" ", b" ", b"+", b"-", b"+0000"),
    *(b"-1400", b"\t", b"@", b".", b"now", b"0x1", b"\xff", b"\r"),
)
_NOUNS = (b"blob", b"tree", b"commit", b"tag", b"mark", b"pack", b"delta", b"stream")


def date(rng: random.Random, date_format: str, *, odd: bool) -> bytes:
    """Make up a date in one of the formats."""
    if date_format == "rfc2822":
        if rng.random() < 0.5:
            return _composed_date(rng, odd=odd)
        return rng.choice(ODD_LOOSE_DATES if odd else LOOSE_DATES)
    if date_format == "now" and not odd:
        return b"now"
    if odd and rng.random() < 0.5:
        return b"".join(rng.choices(_DATE_PIECES, k=rng.randint(1, 5)))
    return rng.choice(ODD_RAW_DATES if odd else RAW_DATES)


def _composed_date(rng: random.Random, *, odd: bool) -> bytes:
    """Put a date together from parts that people write; in any order, and too few, if odd."""
    year = rng.choice((b"2011", b"1999", b"1970", b"2099", b"70", b"37", b"05"))
    day, month = b"%d" % rng.randint(1, 31), rng.randint(1, 12)
    name = rng.choice((MONTHS[month - 1], MONTHS[month - 1][:3], MONTHS[month - 1].lower()))
    parts = [
        rng.choice(
            (
                b"%b %b %b" % (day, name, year),
                b"%b %b %b" % (name, day, year),
                b"%b-%02d-%b" % (year, month, day),
                b"%d/%b/%b" % (month, day, year),
                b"%b.%02d.%b" % (day, month, year),
                b"%b-%b-%b" % (day, name[:3], year),
            )
        ),
        b"%02d:%02d%b"
        % (rng.randint(0, 24), rng.randint(0, 59), rng.choice((b"", b":05", b":60"))),
        rng.choice(ZONES),
    ]
    if rng.random() < 0.3:
        parts.insert(rng.choice((0, 3)), rng.choice(_DATE_WORDS))
    if odd:
        rng.shuffle(parts)
        del parts[rng.choice((1, 3, 4)) :]
    return rng.choice((b" ", b" ", b" ", b", ", b"  ", b"T", b"")).join(filter(None, parts))


def body(rng: random.Random) -> bytes:
    """Make up a file: often a version of one and the same text, so that there are deltas."""
    kind = rng.random()
    if kind < 0.3:
        return rng.choice(
            (b"", b"x", b"x\n", b"\n", b"one\n", b"two\n", b"a\nb\n", b"#\n", b"\0\n")
        )
    if kind < 0.35:
        return rng.randbytes(rng.randint(1, 300))
    if kind < 0.3505:
        return rng.randbytes(999) * rng.randint(1000, 2500)
    lines = [b"%d %b\n" % (n, _NOUNS[n % 8]) for n in range(rng.choice((5, 40)))]
    for _ in range(rng.randint(0, 3)):
        lines[rng.randrange(len(lines))] = rng.choice(_NOUNS) + b" changed\n"
    return b"".join(lines)


def message(rng: random.Random) -> bytes:
    """Make up a message."""
    return rng.choice(MESSAGES)
