"""Items 046 to 065: authors, committers, taggers, and their dates."""

import time
from collections.abc import Iterator, Sequence

import pytest

from tests.conformance.trial import Outcome, Trial
from tests.conformance.words import BLOBS

pytestmark = pytest.mark.git


def stream(ident: bytes, keyword: bytes = b"committer") -> bytes:
    """A commit by *ident*, or one by somebody else with a tag by *ident*."""
    if keyword == b"tagger":
        return stream(b"A <a@b> 1 +0000") + b"tag t\nfrom refs/heads/x\ntagger %b\ndata 0\n" % ident
    return b"commit refs/heads/x\ncommitter %b\ndata 2\nhi\n" % ident


IDENTS = {
    "no name, no email": (b" <> 1 +0000", " <> 1 +0000"),
    "no name": (b"<a@b> 1 +0000", " <a@b> 1 +0000"),
    "blanks within": (b"A  U   Thor <a@b> 1 +0000", "A  U   Thor <a@b> 1 +0000"),
    "blanks around": (b"  A U Thor  < a@b > 1 +0000", "  A U Thor  < a@b > 1 +0000"),
    "quotes and dots": (b'.,"A." \'U\' <"a"@b.> 1 +0000', '.,"A." \'U\' <"a"@b.> 1 +0000'),
    "bytes": (b"\xff\x01\t <\xe9> 1 +0000", "\xff\x01\t <\xe9> 1 +0000"),
}


@pytest.mark.parametrize(("ident", "stored"), IDENTS.values(), ids=IDENTS)
def test_idents(both: Trial, ident: bytes, stored: str) -> None:
    result = both(stream(ident))
    assert result.header("committer") == result.header("author") == [stored]


@pytest.mark.parametrize("ident", [b" <> 1 +0000", b"<a@b> 1 +0000"], ids=["email", "name"])
def test_git_has_nothing_against_idents_without(both: Trial, ident: bytes) -> None:
    assert both(stream(ident)).repository.fsck() == ""


NO_IDENTS = {
    "no <": (b"Name email> 1 +0000", "missing <"),
    "neither < nor >": (b"Name 1 +0000", "missing <"),
    "second <": (b"Name <e<mail> 1 +0000", "missing >"),
    "second >": (b"Name <email>> 1 +0000", "missing space after >"),
    "no >": (b"Name <email 1 +0000", "missing >"),
    "no blank before <": (b"Name<email> 1 +0000", "missing space before <"),
    "> before <": (b"N> <email> 1 +0000", "no < before >"),
    "tab before <": (b"Name\t<email> 1 +0000", "missing space before <"),
    "nothing behind >": (b"Name <email>", "missing space after >"),
    "blank behind > only": (b"Name <email> ", "invalid raw date"),
    "no blank behind >": (b"Name <email>1 +0000", "missing space after >"),
    "nothing": (b"", "missing <"),
}


@pytest.mark.parametrize(("ident", "reason"), NO_IDENTS.values(), ids=NO_IDENTS)
def test_what_is_no_ident(both: Trial, ident: bytes, reason: str) -> None:
    both.fatal(stream(ident), reason)


def test_missing_author_is_the_committer(both: Trial) -> None:
    result = both(stream(b"A U Thor <a@b> 12 +0130"))
    assert result.header("author") == result.header("committer") == ["A U Thor <a@b> 12 +0130"]


def test_committer_is_needed(both: Trial) -> None:
    head = b"commit refs/heads/x\n"
    both.fatal(head + b"data 0\n", "expected 'committer'")
    both.fatal(head + b"author A <a@b> 1 +0000\ndata 0\n", "expected 'committer'")


def test_tagger_is_an_ident_like_others(both: Trial) -> None:
    result = both(stream(b"<a@b>  01 -1", b"tagger"))
    assert result.header("tagger", "refs/tags/t") == [" <a@b>  01 -1"]
    both.fatal(stream(b"A<a@b> 1 +0000", b"tagger"), "missing space before <")
    both.fatal(stream(b"A <a@b> 1 +1401", b"tagger"), "invalid raw date")


def test_tagger_may_be_absent(both: Trial) -> None:
    result = both(stream(b"A <a> 1 +0000") + b"tag t\nfrom refs/heads/x\ndata 0\n")
    assert result.text("refs/tags/t") == f"object {result.oid()}\ntype commit\ntag t\n\n"


# --- dates ----------------------------------------------------------------------------------------

RAW = (b"0 +1400", b"0 -1400", b"0 -0000", b"0 +1", b"0 +0099", b"0 +0001400", b"001 +1",
       b"  7 +0000", b"-1 +0000", b"18446744073709551615 +0000")  # fmt: skip
NOT_RAW = (b"0 +1401", b"0 -1401", b"0 +14000", b"0 +051800", b"0 +00:00", b"0 Z", b"0 UTC", b"0",
           b"0 ", b"0 +", b"0 +0000 ", b"0 +0000\r", b"0  +0000", b"1.5 +0000", b"@1 +0000",
           b"now", b"18446744073709551616 +0000", b"0x1 +0000", b" +0000",
           b"Sat, 5 Mar 2011 17:04:05 -0800")  # fmt: skip
NOT_PERMISSIVE = (b"0 Z", b"0 +00:00", b"0", b"0 +", b"0 +0000 ", b"x +0000", b"0  +0000",
                  b"0 +18446744073709551616", b"18446744073709551616 +0000")  # fmt: skip


def on_branches(dates: Sequence[bytes]) -> bytes:
    """A commit for each date, each on a branch of its own."""
    numbered = enumerate(stream(b"A <a@b> " + date) for date in dates)
    return b"".join(text.replace(b"heads/x", b"heads/%d" % number) for number, text in numbered)


def dates_on(result: Outcome, count: int) -> list[str]:
    """What became of the dates on those branches."""
    idents = [result.header("committer", f"refs/heads/{number}") for number in range(count)]
    return [ident.removeprefix("A <a@b> ") for [ident] in idents]


def test_raw_dates_are_kept(both: Trial) -> None:
    assert dates_on(both(on_branches(RAW)), len(RAW)) == [date.decode() for date in RAW]


@pytest.mark.parametrize("date", NOT_RAW)
def test_what_is_no_raw_date(both: Trial, date: bytes) -> None:
    both.fatal(stream(b"A <a@b> " + date), "invalid raw date")


def test_permissive_dates_are_kept(both: Trial) -> None:
    dates = [b"0 +051800", b"0 -9999999", *RAW]
    result = both(on_branches(dates), "--date-format=raw-permissive")
    assert dates_on(result, len(dates)) == [date.decode() for date in dates]


def test_permissive_dates_at_the_wish_of_the_stream(both: Trial) -> None:
    head = b"feature date-format=raw-permissive\n"
    assert both(head + stream(b"A <a@b> 0 +051800")).header("committer") == ["A <a@b> 0 +051800"]


@pytest.mark.parametrize("date", NOT_PERMISSIVE)
def test_what_is_no_permissive_date(both: Trial, date: bytes) -> None:
    both.fatal(stream(b"A <a@b> " + date), "invalid raw date", "--date-format=raw-permissive")


MAILED = {
    "weekday": (b"Tue Feb 6 11:22:18 2007 -0500", "1170778938 -0500"),
    "weekday and comma": (b"Sat, 5 Mar 2011 17:04:05 -0800", "1299373445 -0800"),
    "no weekday": (b"5 Mar 2011 17:04:05 +0130", "1299339245 +0130"),
    "zone word": (b"Sat, 5 Mar 2011 17:04:05 GMT", "1299344645 +0000"),
    "zone word with an offset": (b"5 Mar 2011 17:04:05 EST", "1299362645 -0500"),
    "ISO": (b"2011-03-05 17:04:05 +0100", "1299341045 +0100"),
    "ISO with T": (b"2011-03-05T17:04:05+01:00", "1299341045 +0100"),
    "at sign": (b"@1299341045 +0100", "1299341045 +0100"),
    "nine digits": (b"129934104 +0100", "129934104 +0100"),
    "local": (b"Sat, 5 Mar 2011 17:04:05", "1299332045 +0330"),
    "offset that is none": (b"Sat, 5 Mar 2011 17:04:05 +9999", "1299332045 +0330"),
}  # fmt: skip
NOT_MAILED = (b"Sat, 5 Mar 2011", b"17:04:05 +0000", b"yesterday", b"now", b"5 -0500",
              b"Sat, 5 Mar 1960 17:04:05 +0000", b"Sat, 5 Mar 2107 17:04:05 +0000",
              b"Thu, 1 Jan 1970 00:30:00 +0100", b"")  # fmt: skip


@pytest.fixture
def _local_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Half past three hours east of Greenwich."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "XYZ-3:30")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("_local_zone")
@pytest.mark.parametrize(("date", "stored"), MAILED.values(), ids=MAILED)
def test_rfc2822_dates(both: Trial, date: bytes, stored: str) -> None:
    result = both(stream(b"A <a@b> " + date), "--date-format=rfc2822")
    assert result.header("committer") == ["A <a@b> " + stored]


@pytest.mark.parametrize("date", NOT_MAILED)
def test_what_is_no_rfc2822_date(both: Trial, date: bytes) -> None:
    both.fatal(
        stream(b"A <a@b> " + date), "invalid rfc2822 date", "--date-format=rfc2822", since=(2, 46)
    )


@pytest.mark.usefixtures("_local_zone")
def test_now_is_now(both: Trial, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", "12345 +0000")
    start = int(time.time())
    for run in (both.ours, both.git):
        result = run(stream(b"A <a@b> now"), "--date-format=now")
        [ident] = result.header("committer")
        name, email, seconds, zone = ident.split()
        assert (name, email, zone) == ("A", "<a@b>", "+0330")
        assert start <= int(seconds) <= time.time()


@pytest.mark.parametrize("date", [b"now ", b"0 +0000", b"NOW", b"", b"now\r"])
def test_what_is_not_now(both: Trial, date: bytes) -> None:
    both.fatal(stream(b"A <a@b> " + date), "date is not 'now'", "--date-format=now")


@pytest.mark.parametrize("name", ["RAW", "iso8601", ""])
def test_unknown_date_formats(both: Trial, name: str) -> None:
    both.fatal(BLOBS, "date-format", f"--date-format={name}")
    both.fatal(b"feature date-format=%b\n" % name.encode() + BLOBS, "date-format")


def test_command_line_chooses_the_date_format(both: Trial) -> None:
    head = b"feature date-format=now\n"
    result = both(head + stream(b"A <a@b> 5 +0000"), "--date-format=raw")
    assert result.header("committer") == ["A <a@b> 5 +0000"]
