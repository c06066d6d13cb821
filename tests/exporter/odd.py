"""Words that commits, tags, paths and refs are made of, the odd ones apart from the usual."""

PATHS = (
    *(b"a", b"b", b"ab", b"abc", b"a.b", b"a-b", b"d", b"e", b"x", b"sub", b"README", b"long-name"),
    *(b"a0", b"d.x", b"d0", b"Z"),
)
ODD_PATHS = (
    *(
        b"a b",
        b" ",
        b'"',
        b'"q"',
        b"new\nline",
        b"tab\t",
        b"back\\slash",
        b"caf\xc3\xa9",
        b"\xff\xfe",
    ),
    *(b"\x01", b"\x7f", b":1", b"-x", b"--", b"*", b"[a]", b"?", b" lead", b"trail ", b"\r", b"'"),
    *(b"\x80", b"\xe2\x82\xac", b".a", b"..a", b"\a\b\v\f", b":(top)a", b"\\a", b"HEAD"),
)
NAMES = (b"A U Thor", b"C O Mitter", b"Jane", b"J\xc3\xb6rg", b"")
MAILS = (b"a@example.com", b"c@example.com", b"jane", b"")
ODD_IDENTS = (
    *(b"A <a@b", b"A a@b> 1 +0000", b"A <a@b> 12x +0000", b"A <a@b>", b"", b"A <a<b> 5 +0000"),
    *(b"A <a@b> -5 +0000", b"A <a@b> 99999999999999999999 +0000", b"A <a>b> 7 +0000", b"  <x> 3"),
    *(b"A <a@b>  1112911993  +0200 ", b"\xff <\xfe> 1112911993 +9999", b"A <a@b> 1112911993 -0000"),
)
ZONES = (b"+0000", b"+0200", b"-0730", b"+1300", b"-0000")
SIGNATURES = (
    b"-----BEGIN PGP SIGNATURE-----\n\niQEz\n=abcd\n-----END PGP SIGNATURE-----",
    b"-----BEGIN PGP MESSAGE-----\n\nowGb\n-----END PGP MESSAGE-----",
    b"-----BEGIN SIGNED MESSAGE-----\nMIIB\n-----END SIGNED MESSAGE-----",
    b"-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----",
    b"something else\nthat signs",
)
MESSAGES = (
    b"subject\n", b"subject\n\nbody\n", b"one line without end", b"caf\xc3\xa9\n",
    b"a: b\n\nc: d\n", b"two\n\n\n", b"one\ntwo\nthree\n",
)  # fmt: skip
ODD_MESSAGES = (
    *(b"", b"\n", b"\n\n", b"\n\nlead", b"caf\xe9\n", b"\xff\xfe", b"cr\r\nlf\r\n", b"from :1\n"),
    *(b"encoding x\n\ngpgsig y\n", b" author A <a> 1 +0\n", b"# comment\n", b"data 3\nabc"),
    *(b"author x\ncommitter y\n\nz\n", b"x" * 70000 + b"\n", b"\x1b$B\x1b(B\n", b"\x93\xfa\x96{\n"),
)
NUL_MESSAGES = (b"with\0NUL\n", b"\0", b"subject\n\0\n\nmore\n")
ENCODINGS = (
    *(b"ISO-8859-1", b"iso-8859-1", b"latin-1", b"latin1", b"UTF-8", b"utf8", b"utf-8", b"UTF8"),
    *(b"windows-1252", b"CP1251", b"EUC-JP", b"Shift_JIS", b"ISO-2022-JP", b"KOI8-R", b"ASCII"),
    *(b"bogus", b"", b" UTF-8", b"UTF-16", b"UCS-2", b"GBK", b"us-ascii", b"ISO8859-15", b"utf_8"),
)
EXTRA_HEADERS = (
    b"HG:extra branch:default", b"mergetag object abc\n type commit\n tag x\n \n message", b"x y",
    b"encodingx ISO-8859-1", b"HG:rename a:b", b"gpgsigx y", b"author again <x> 1 +0000",
)  # fmt: skip
BRANCHES = (
    *(b"main", b"side", b"topic/a", b"topic/b", b"z", b"v1", b"dup", b"A", b"x.y", b"release-1"),
)
ODD_REFS = (
    *(b"refs/heads/caf\xc3\xa9", b"refs/heads/--dashes", b"refs/heads/HEAD", b"refs/heads/@x"),
    *(b"refs/heads/refs/heads/main", b'refs/heads/"q"', b"refs/notes/commits", b"refs/odd/x"),
    *(
        b"refs/stash",
        b"refs/remotes/o/main",
        b"refs/remotes/o/z",
        b"refs/heads/deadbeef",
        b"refs/x",
    ),
    *(b"refs/remotes/o/HEAD", b"refs/heads/\xff", b"refs/heads/main-1", b"refs/bisect/bad"),
)
TAGS = (b"v1", b"v2", b"v1.0", b"dup", b"main", b"a/b", b"signed", b"nested", b"z", b"caf\xc3\xa9")
