"""A roster as sign-up sites and spreadsheets write one: each row read, and why a row could not be."""

import csv
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, get_args

from msgspec import Struct

from pi_bunco.game.fields import NAME_MAX_CHARS
from pi_bunco.game.opening import same
from pi_bunco.web.pages.shared.names import plain_name

Field = Literal["name", "first", "last", "team", "paid", "wish"]
FIELDS: tuple[Field, ...] = get_args(Field)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split(", "))


FIELD_HEADERS: Mapping[Field, tuple[str, ...]] = {
    "name": _words(
        "name, full name, attendee name, attendee, guest, guest name, player, participant, vollständiger "
        "name, gast, spieler, spielerin, teilnehmer, teilnehmerin, vor und nachname, nom complet, nombre "
        "completo, nombre y apellidos, nome completo, naam, navn, namn"
    ),
    "first": _words(
        "first name, attendee first name, given name, firstname, vorname, rufname, prénom, nombre, nome, "
        "voornaam, fornavn, förnamn"
    ),
    "last": _words(
        "last name, attendee last name, surname, family name, lastname, nachname, familienname, nom de "
        "famille, nom, apellidos, apellido, cognome, achternaam, etternavn, efternamn"
    ),
    "team": _words(
        "team, team name, group, table name, mannschaft, gruppe, teamname, équipe, groupe, equipo, grupo, "
        "squadra, gruppo, ploeg, lag"
    ),
    "paid": _words(
        "paid, payment status, total paid, amount paid, payment, bezahlt, gezahlt, zahlung, "
        "zahlungsstatus, payé, paiement, pagado, pago, pagato, pagamento, betaald, betalt"
    ),
    "wish": _words(
        "seat wish, seating, sits with, wants to sit with, wish, notes, comment, comments, sitzwunsch, "
        "wunsch, sitzt mit, bemerkung, bemerkungen, kommentar, anmerkung, souhait, remarques, "
        "commentaire, deseo, comentarios, desiderio, note, wens, ønske"
    ),
}
"""Headers of columns in several languages; a longer one, such as a form's question, holds one as words."""
_OTHERS = ("buyer", "purchaser", "emergency", "käufer", "company", "event", "ticket", "file", "user", "email")
"""Words of headers that are of somebody or something else."""
_YES = _words(
    "yes, y, x, paid, true, completed, complete, free, ja, j, bezahlt, gezahlt, wahr, oui, o, payé, vrai, "
    "si, sí, pagado, pagato, vero, betaald, betalt, ok, ✓, ✔"
)
_NO = _words(
    "no, n, unpaid, not paid, false, pending, open, owes, refunded, nein, offen, falsch, nicht bezahlt, "
    "unbezahlt, ausstehend, non, impayé, faux, pendiente, non pagato, nee, -"
)
_AMOUNT = re.compile(r"[^\d,.+-]*\+?(\d[\d., ]*)[^\d]*")


class RosterRow(Struct, frozen=True):
    """Somebody of a roster: `line` counts from 1; `paid` is None where the roster does not tell it."""

    line: int
    name: str
    team: str = ""
    paid: bool | None = None
    wish: str = ""


class BadRow(Struct, frozen=True):
    """A row that makes nobody: its first line, its text, and why; `other` is the line of the same name."""

    line: int
    text: str
    why: Literal["no_name", "long", "twice", "quotes"]
    other: int = 0


class Roster(Struct, frozen=True):
    """A roster as it was understood.

    `header` are the columns as they are called (empty where there is no such line), `columns` the place of
    each field in a row; `unsure` are the lines whose word for the payment is not known.
    """

    rows: tuple[RosterRow, ...] = ()
    bad: tuple[BadRow, ...] = ()
    header: tuple[str, ...] = ()
    header_text: str = ""
    columns: Mapping[Field, int] = {}
    unsure: tuple[int, ...] = ()


class _Row(Struct):
    """A row of the file: its first line, its text, its cells (None: the quotes are not closed)."""

    line: int
    text: str
    cells: list[str] | None


def read_roster(text: str, chosen: Mapping[Field, int] | None = None) -> Roster:
    """The people of a roster; `chosen` are places of columns that the host knows better (-1: none)."""
    rows = list(_rows(text))
    if not rows:
        return Roster()
    first = rows[0].cells or []
    columns = _columns(first)
    header = first if columns else []
    columns = columns or {"name": 0}
    columns |= chosen or {}
    columns = {field: place for field, place in columns.items() if place >= 0}
    good, bad, unsure = list[RosterRow](), list[BadRow](), list[int]()
    lines: dict[str, int] = {}
    for row in rows[1:] if header else rows:
        if row.cells is None:
            bad.append(BadRow(row.line, row.text, "quotes"))
            continue
        one, known = _person(row.line, row.cells, columns)
        before = lines.setdefault(same(one.name), row.line)
        if not one.name or len(one.name) > NAME_MAX_CHARS:
            bad.append(BadRow(row.line, row.text, "long" if one.name else "no_name"))
        elif before != row.line:
            bad.append(BadRow(row.line, row.text, "twice", before))
        else:
            good.append(one)
            if not known:
                unsure.append(row.line)
    top = rows[0].text if header else ""
    return Roster(tuple(good), tuple(bad), tuple(map(plain_name, header)), top, columns, tuple(unsure))


def _rows(text: str) -> Iterator[_Row]:
    """Rows that hold anything; of a file whose quotes are not closed each line is one."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    lines, skipped = text.split("\n"), 0
    if named := re.fullmatch(r"sep=(.)", lines[0].strip("\n ")):
        lines, skipped = lines[1:], 1
    delimiter = named[1] if named else _delimiter(lines)
    try:
        found = list(_read(lines, delimiter, skipped))
    except csv.Error:
        found = [row for n, line in enumerate(lines) for row in _line(line, delimiter, skipped + n)]
    for row in found:
        if row.cells is None or any(plain_name(cell) for cell in row.cells):
            yield row


def _read(lines: Sequence[str], delimiter: str, skipped: int) -> Iterator[_Row]:
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True)
    start = 0
    for cells in reader:
        yield _Row(skipped + start + 1, "\n".join(lines[start : reader.line_num]), cells)
        start = reader.line_num


def _line(line: str, delimiter: str, above: int) -> Iterator[_Row]:
    try:
        yield from _read([line], delimiter, above)
    except csv.Error:
        yield _Row(above + 1, line, None)


def _delimiter(lines: Sequence[str]) -> str:
    """The delimiter of the cells in the first line that has any."""
    first = next((line for line in lines if line.strip()), "")
    bare = re.sub(r'"[^"]*"', "", first)
    return max((";", "\t", ","), key=bare.count)


def _columns(cells: Sequence[str]) -> dict[Field, int]:
    """Places of the fields by these headers; none where the line is no header."""
    heads = [_plain(cell) for cell in cells]
    found: dict[Field, int] = {}
    for exact in (True, False):
        for field in FIELDS:
            for place, head in enumerate(heads):
                if field in found or place in found.values() or not head:
                    continue
                if _called(head, field, exact):
                    found[field] = place
    if "first" in found and "last" in found:
        found.pop("name", None)
    elif "name" in found:
        found.pop("first", None)
        found.pop("last", None)
    return found if found.keys() & {"name", "first", "last"} else {}


def _called(head: str, field: Field, exact: bool) -> bool:
    words = [_plain(word) for word in FIELD_HEADERS[field]]
    if exact:
        return head in words
    if any(f" {other} " in f" {head} " for other in map(_plain, _OTHERS)):
        return False
    return len(head) > len(min(words, key=len)) and any(f" {word} " in f" {head} " for word in words)


def _plain(text: str) -> str:
    """A header without case, accents and signs."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(re.sub(r"[^\w]|_", " ", re.sub(r"[\u0300-\u036f]", "", letters)).split())


def _person(line: int, cells: Sequence[str], columns: Mapping[Field, int]) -> tuple[RosterRow, bool]:
    """The person in a row, and whether the word for the payment is known."""

    def cell(field: Field) -> str:
        place = columns.get(field, -1)
        return plain_name(cells[place].replace("\n", " ")) if 0 <= place < len(cells) else ""

    name = cell("name") or plain_name(f"{cell('first')} {cell('last')}")
    if name.count(",") == 1:
        last, first = name.split(",")
        name = plain_name(f"{first} {last}")
    paid = _paid(cell("paid"))
    row = RosterRow(line, name, cell("team")[:NAME_MAX_CHARS], paid, cell("wish")[:200])
    return row, paid is not None or not cell("paid")


def _paid(text: str) -> bool | None:
    """True if the cell says that somebody has paid; None for an unknown word."""
    payment = text.casefold().strip(" .!")
    if payment in _YES or payment in _NO:
        return payment in _YES
    if found := _AMOUNT.fullmatch(payment):
        return any(digit in "123456789" for digit in found[1])
    return None
