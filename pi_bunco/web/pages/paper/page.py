"""Paper: seats, score cards, results; and the results as a table."""

import re
import time
from typing import Literal

from msgspec import Struct

from pi_bunco.game.sheet import result_sheet
from pi_bunco.web.pages.paper.sheets import result_table
from pi_bunco.web.pages.shared import heading
from pi_bunco.web.pages.shared.model import Chart, DiceCount, Finale, Heading, RankRow, SeatRow, TableShown
from pi_bunco.web.pages.shared.names import all_calls, order, short
from pi_bunco.web.pages.shared.standings import NO_FINALE, dice, finale, race, ranks
from pi_bunco.web.pages.shared.tables import seat_rows, seats_by_card, waiting
from pi_bunco.web.site.app import HostFile, Page
from pi_bunco.web.site.archive import past_evening
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.page import PageModel
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.reasons import NotThere, ResultsLater
from pi_bunco.web.site.viewer import Viewer


class CardRow(Struct, frozen=True):
    """One round of a score card; without `partner` it is to be filled in by pencil."""

    target: int
    partner: str = ""
    points: int = 0
    won: bool | None = None
    buncos: int = 0
    minis: int = 0


class ScoreCard(Struct, frozen=True):
    """A player's card, set by set."""

    name: str
    sets: tuple[tuple[CardRow, ...], ...]


class PrintedResults(Struct, frozen=True):
    """Champions, prizes and standings, the race to them, and what fell."""

    finale: Finale
    rows: tuple[RankRow, ...]
    race: Chart
    dice: tuple[DiceCount, ...]


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
    cards: tuple[ScoreCard, ...] = ()
    results: PrintedResults | None = None
    break_after: int = 0
    after_bell: str = ""
    moves: str = ""


def shown_paper(now: EveningNow, kind: str) -> PrintPage:
    """`/host/print/KIND`: seats, cards or results."""
    evening, rules = now.evening, now.evening.rules
    people = sorted(evening.people.holders, key=order)
    shown = [waiting(now, names, n) for n, names in enumerate(evening.seating or (), 1)]
    return PrintPage(
        kind="cards" if kind == "cards" else "results" if kind == "results" else "seats",
        heading=heading.heading(now),
        date=heading.date(now),
        follow=now.base.removeprefix("http://").removeprefix("https://"),
        tables=tuple(shown) if kind == "seats" else (),
        seats=tuple(seat_rows(now)) if kind == "seats" else (),
        cards=tuple(_card(now, name) for name in (*people, "")) if kind == "cards" else (),
        results=_results(now) if kind == "results" else None,
        break_after=(rules.evening.break_after or 0) if rules else 0,
        after_bell=rules.after_bell if rules else "",
        moves=rules.move.tables if rules else "",
    )


def _results(now: EveningNow) -> PrintedResults:
    ended = finale(now) if now.evening.rules else NO_FINALE
    return PrintedResults(ended, ranks(now), race(now), tuple(dice(now)))


def _card(now: EveningNow, name: str) -> ScoreCard:
    evening, calls = now.evening, all_calls(now)
    if evening.rules is None:
        return ScoreCard(name, ())
    faces = heading.faces(evening.rules)
    rows = [CardRow(face) for _ in range(evening.rules.evening.sets) for face in faces]
    card = evening.people.cards.get(name, -1)
    for played, seats in enumerate(seats_by_card(now)[: len(rows)]):
        if found := seats.get(card):
            table, seat = found
            rows[played] = CardRow(
                target=evening.rounds[played].target,
                partner=short(table.seats[(seat + 2) % 4], calls),
                points=table.seat_points[seat],
                won=table.winner == seat % 2,
                buncos=table.buncos[seat],
                minis=table.minis[seat],
            )
    step = len(faces)
    return ScoreCard(name, tuple(tuple(rows[i : i + step]) for i in range(0, len(rows), step)))


def _model(state: PageState, viewer: Viewer, path: "re.Match[str]") -> PrintPage | None:
    now = past_evening(state, viewer.first("evening"))
    return shown_paper(now, path[1]) if now else None


def _csv(now: EveningNow) -> bytes:
    """The results as a table."""
    date = time.strftime("%Y-%m-%d", time.localtime(now.began))
    sheet = result_sheet(now.evening, now.log, title=now.title, date=date)
    if sheet is None:
        raise NotThere(ResultsLater())
    return result_table(sheet).encode()


PAGE = Page("/host/print/(seats|cards|results)", _model)
RESULTS = HostFile("/host/results.csv", "text/csv", _csv)
