"""Paper: seats, score cards, results; and the results as a table."""

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec.structs import replace

from pi_bunco.game.sheet import PlayerCard, ResultSheet, RoundRow, result_sheet, score_cards
from pi_bunco.web.pages.paper.sheets import CardPart, card_pages, result_table, wins_chart
from pi_bunco.web.pages.shared import heading
from pi_bunco.web.pages.shared.model import Chart, Heading, SeatRow, TableShown
from pi_bunco.web.pages.shared.names import all_calls, order, short
from pi_bunco.web.pages.shared.tables import seat_rows, waiting
from pi_bunco.web.site.app import HostFile, Page
from pi_bunco.web.site.archive import past_evening
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.page import PageModel
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.reasons import NotThere, ResultsLater
from pi_bunco.web.site.viewer import Viewer


class PrintPage(PageModel, frozen=True):
    """`/host/print/seats`, `cards` and `results`: paper."""

    template = "paper/print_page.html"
    css = "paper"
    live = False

    kind: Literal["seats", "cards", "results"]
    heading: Heading
    date: str
    follow: str
    tables: tuple[TableShown, ...] = ()
    seats: tuple[SeatRow, ...] = ()
    pages: Sequence[Sequence[CardPart]] = ()
    marks: Sequence[str] = ()
    results: ResultSheet | None = None
    race: Chart | None = None
    after_bell: str = ""
    moves: str = ""
    pairs: bool = True


def shown_paper(now: EveningNow, kind: str) -> PrintPage:
    """`/host/print/KIND`: seats, cards or results."""
    evening, rules = now.evening, now.evening.rules
    people = sorted(evening.people.holders, key=order)
    shown = [waiting(now, names, n) for n, names in enumerate(evening.seating or (), 1)]
    results = _sheet(now, early=True) if kind == "results" else None
    return PrintPage(
        kind="cards" if kind == "cards" else "results" if kind == "results" else "seats",
        heading=heading.heading(now),
        date=heading.date(now),
        follow=now.base.removeprefix("http://").removeprefix("https://"),
        tables=tuple(shown) if kind == "seats" else (),
        seats=tuple(seat_rows(now)) if kind == "seats" else (),
        pages=card_pages(list(_cards(now, (*people, "")))) if kind == "cards" else (),
        marks=rules.card if rules else (),
        results=results,
        race=wins_chart(results) if results else None,
        after_bell=rules.after_bell if rules else "",
        moves=heading.moves(rules) if rules else "",
        pairs=rules is None or rules.team == "pairs",
    )


def _cards(now: EveningNow, names: Iterable[str]) -> Iterator[PlayerCard]:
    """A card for each of `names`: the rounds that are over, and those to come."""
    rules, calls = now.evening.rules, all_calls(now)
    faces = rules.evening.faces if rules else ()
    sets = range(1, rules.evening.sets + 1 if rules else 1)
    empty = [RoundRow(n, face, "", 0, None, 0, 0) for n in sets for face in faces]
    played = {card.name: card for card in score_cards(now.evening)}
    for name in names:
        card = played.get(name, PlayerCard(name, (), 0, 0, 0, 0, 0))
        done = [replace(row, partner=short(row.partner, calls)) for row in card.rounds]
        yield replace(card, rounds=(*done, *empty[len(done) :]))


def _model(state: PageState, viewer: Viewer, path: "re.Match[str]") -> PrintPage | None:
    now = past_evening(state, viewer.first("evening"))
    return shown_paper(now, path[1]) if now else None


def _sheet(now: EveningNow, early: bool = False) -> ResultSheet | None:
    date = time.strftime("%Y-%m-%d", time.localtime(now.began))
    return result_sheet(now.evening, now.log, title=now.title, date=date, early=early)


def _csv(now: EveningNow) -> bytes:
    sheet = _sheet(now)
    if sheet is None:
        raise NotThere(ResultsLater())
    return result_table(sheet).encode()


PAGE = Page("/host/print/(seats|cards|results)", _model)
RESULTS_FILE = HostFile("/host/results.csv", "text/csv", _csv)
