"""Rosters of sign-up sites and spreadsheets: everybody once, and no row is lost."""

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.game.opening import same
from pi_bunco.web.pages.host.roster.roster import Roster, RosterRow, read_roster
from pi_bunco.web.site.forms import file_text
from web.backends import FakeBackend
from web.test_host_pages import logged_in

EVENTBRITE = (
    "Order #,Order Date,First Name,Last Name,Email,Quantity,Ticket Type,Total Paid,Attendee Status,"
    "Team Name\r\n"
    '1001,2026-11-01,Ann,"Lee",ann@x.org,1,Adult,$20.00,Attending,Corner Books\r\n'
    "1002,2026-11-01,Zoë,van der Holm,z@x.org,1,Adult,$0.00,Attending,\r\n"
)
FORMS = (
    '"Timestamp","What is your full name?","Have you paid?","Who do you want to sit with? (seat wish)"\n'
    '"2026/11/01 8:00:00 PM","Ann Lee","Yes","Bob, please\nnot Cat"\n'
    '"2026/11/01 8:01:00 PM","Bob Ray","No",""\n'
)
EXCEL = (
    "\ufeffNachname;Vorname;Bezahlt;Mannschaft;Sitzwunsch\r\n"
    "Müller;Jürgen;ja;Rote;bei Anna\r\nGroß;Anna;nein;;\r\n"
)


def people(roster: Roster) -> list[tuple[Any, ...]]:
    return [(one.name, one.team, one.paid, one.wish) for one in roster.rows]


def test_an_export_of_a_ticket_site() -> None:
    assert people(read_roster(EVENTBRITE)) == [
        ("Ann Lee", "Corner Books", True, ""),
        ("Zoë van der Holm", "", False, ""),
    ]


def test_answers_of_a_form_with_a_line_break_in_one() -> None:
    roster = read_roster(FORMS)
    assert people(roster) == [("Ann Lee", "", True, "Bob, please not Cat"), ("Bob Ray", "", False, "")]
    assert [row.line for row in roster.rows] == [2, 4]


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_a_german_spreadsheet_in_any_encoding(encoding: str) -> None:
    text = EXCEL if encoding == "utf-8" else EXCEL.removeprefix("\ufeff")
    assert people(read_roster(file_text(text.encode(encoding)))) == [
        ("Jürgen Müller", "Rote", True, "bei Anna"),
        ("Anna Groß", "", False, ""),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Prénom;Nom;Équipe;Payé\nEve;Roux;A;oui", ("Eve Roux", "A", True, "")),
        ("Nombre\tApellidos\tPagado\nEva\tRuiz\tno", ("Eva Ruiz", "", False, "")),
        ("Nome,Cognome,Pagato\nEva,Rossi,12,00", ("Eva Rossi", "", True, "")),
        ("sep=;\nName;Paid\nLee, Ann;x", ("Ann Lee", "", True, "")),
        ("Ann Lee\n", ("Ann Lee", "", None, "")),
        ("Buyer Name,Attendee Name\nBob,Ann Lee", ("Ann Lee", "", None, "")),
    ],
)
def test_headers_of_other_languages_and_files_without_any(text: str, expected: tuple[Any, ...]) -> None:
    assert people(read_roster(text)) == [expected]


def test_a_row_that_makes_nobody_is_named_with_its_line_and_its_text() -> None:
    roster = read_roster(f"Name,Team\nAnn,A\n,B\nann,C\n{'x' * 81},D\nBob,E")
    assert [one.name for one in roster.rows] == ["Ann", "Bob"]
    assert [(one.line, one.why, one.other) for one in roster.bad] == [
        (3, "no_name", 0),
        (4, "twice", 2),
        (5, "long", 0),
    ]
    assert roster.bad[1].text == "ann,C"
    again = read_roster("\n".join([roster.header_text, *(one.text for one in roster.bad)]))
    assert [one.name for one in again.rows] == ["ann"]


def test_a_quote_that_is_never_closed_costs_its_own_line_alone() -> None:
    roster = read_roster('Name,Team\nAnn,A\n"Bob,B\nCat,C')
    assert [one.name for one in roster.rows] == ["Ann", "Cat"]
    assert [(one.line, one.why) for one in roster.bad] == [(3, "quotes")]


def test_a_word_for_the_payment_that_is_not_known_is_told() -> None:
    roster = read_roster("Name,Paid\nAnn,perhaps\nBob,yes")
    assert (roster.unsure, roster.rows[0].paid) == ((2,), None)


def test_a_host_knows_better_which_column_is_the_name() -> None:
    text = "Name,Called\nLee,Ann"
    assert read_roster(text, {"name": 1}).rows == (RosterRow(2, "Ann"),)


WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cf", "Zl", "Zp", "Cn", "Co")), max_size=12)
NAMES = st.lists(
    st.from_regex(r"[A-Z][a-zäöüé']{1,8} [A-Z][a-zß-]{1,8}[a-z]", fullmatch=True),
    min_size=1,
    max_size=8,
    unique_by=same,
)
COLUMNS = {"name": "Full name", "team": "Mannschaft", "paid": "Payé", "wish": "Seat wish"}


@given(
    st.data(),
    NAMES,
    st.permutations([*COLUMNS]),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_what_a_spreadsheet_writes_is_read_in_any_order(
    data: st.DataObject, names: list[str], order: list[str], delimiter: str, encoding: str, end: str
) -> None:
    rows = [
        {
            "name": name,
            "team": data.draw(WORDS),
            "paid": data.draw(st.sampled_from(["oui", "non", ""])),
            "wish": data.draw(WORDS),
        }
        for name in names
    ]
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator=end)
    writer.writerow([COLUMNS[key] for key in order])
    for row in rows:
        writer.writerow([row[key] for key in order])
    roster = read_roster(file_text(file.getvalue().encode(encoding)))
    assert roster.bad == ()
    paid = {"oui": True, "non": False, "": None}
    assert people(roster) == [
        (row["name"], " ".join(row["team"].split()), paid[row["paid"]], " ".join(row["wish"].split()))
        for row in rows
    ]


@given(
    st.lists(st.text(st.sampled_from("ab ,;\t\0é\ufeff"), max_size=12), max_size=12),
    st.integers(0, 30),
    st.booleans(),
)
def test_nobody_of_any_file_is_lost(rests: list[str], torn: int, headed: bool) -> None:
    lines = [f"w{n}x,{rest}" for n, rest in enumerate(rests)]
    if torn < len(lines):
        lines[torn] = f'"{lines[torn]}'
    roster = read_roster("\r".join([*["Name,Team"] * headed, *lines]))
    for n in range(len(lines)):
        found = [one.line for one in roster.rows if f"w{n}x" in one.name]
        found += [one.line for one in roster.bad if f"w{n}x" in one.text]
        assert found == [n + 1 + headed]


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    roster = read_roster(text)
    told = [*(one.line for one in roster.rows), *(one.line for one in roster.bad)]
    assert len(told) == len(set(told))


@given(st.binary(max_size=200))
def test_any_file_has_a_text(data: bytes) -> None:
    read_roster(file_text(data))


def test_a_roster_is_shown_before_it_counts_and_its_bad_rows_stay_until_they_are_mended(
    backend: FakeBackend,
) -> None:
    browser, token = logged_in(backend)
    file = {"file": ("r.csv", EXCEL.encode() + ";;ja;Grün;\r\n".encode(), "text/csv")}
    page = browser.post("/host/roster", data={"csrf": token, "do": "read"}, files=file).text
    assert "Jürgen Müller" in page
    assert "Line 4" in page
    assert list(backend.guests.people) == []
    text = file_text(EXCEL.encode()) + ";;ja;Grün;"
    page = browser.post("/host/roster", data={"csrf": token, "text": text, "do": "take"}).text
    assert ";;ja;Grün;" in page
    assert "2 people are on the list now" in page
    anna, jürgen = backend.guests.of("Anna Groß"), backend.guests.of("Jürgen Müller")
    assert anna
    assert jürgen
    assert (anna.owes, jürgen.owes, jürgen.team) == (True, False, "Rote")
    assert backend.archive.kept["draft"]["names"] == ("Jürgen Müller", "Anna Groß")
    mended = {"csrf": token, "text": "Nachname;Vorname;Bezahlt\nLee;Ann;ja\nGroß;Anna;nein", "do": "take"}
    for _ in range(2):
        assert browser.post("/host/roster", data=mended).headers["location"] == "/host/people"
    assert len(backend.guests.people) == 3


def test_a_host_corrects_a_column_of_a_roster(backend: FakeBackend) -> None:
    browser, token = logged_in(backend)
    form = {"csrf": token, "text": "Name,Called\nLee,Ann", "col.name": "1", "do": "take"}
    browser.post("/host/roster", data=form)
    assert [one.name for one in backend.guests.people.values()] == ["Ann"]


def test_a_form_of_parts_that_is_torn_changes_nothing(backend: FakeBackend) -> None:
    browser, _ = logged_in(backend)
    for kind, body in (
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=b", b"--b\r\nx\r\n\r\ny\r\n--b--"),
    ):
        assert browser.post("/host/roster", content=body, headers={"content-type": kind}).status_code == 400
