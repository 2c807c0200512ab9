"""The scoreboard: the scene that fits the state of the evening."""

from collections.abc import Sequence
from typing import TypeVar

from pi_bunco.web.pages.board.model import (
    AfterBell,
    BeforeFirst,
    Between,
    BreakTime,
    BuncoMoment,
    NoEvening,
    Playing,
    Scene,
    Scoreboard,
)
from pi_bunco.web.pages.board.tournament import stage_scene
from pi_bunco.web.pages.shared import heading, tables
from pi_bunco.web.pages.shared.model import SeatRow, TableShown
from pi_bunco.web.pages.shared.names import all_calls, order, short
from pi_bunco.web.pages.shared.seats import seat_rows
from pi_bunco.web.pages.shared.standings import ranks, revealed_finale
from pi_bunco.web.site.app import Page
from pi_bunco.web.site.evening_now import EveningNow

FULL, COMPACT, PAGED = 8, 20, 40
"""Up to so many tables are shown in full, as rows on one page, and by names between the rounds."""
ROWS = 12
"""Tables on a page of a large hall."""
NAMES = {3: 12, FULL: 32, 10_000: 36}
"""Names on a page, for halls of up to so many tables."""
MOMENT = 5000
"""Milliseconds that a Bunco which rings has the screen for itself."""

T = TypeVar("T")


def shown_scoreboard(situation: EveningNow, names: str = "") -> Scoreboard:
    """The scoreboard now; with `names` ("A-F") a second screen of a large hall shows these alone."""
    return Scoreboard(
        heading.heading(situation),
        _scene(situation, names),
        situation.base.removeprefix("http://").removeprefix("https://"),
        situation.head.silent_s,
    )


def _scene(situation: EveningNow, names: str) -> Scene:
    evening = situation.evening
    match evening.state:
        case "setup" if evening.rules is None:
            return NoEvening(situation.head.online)
        case "setup":
            return _before(situation, names)
        case "round_open":
            return _playing(situation)
        case "after_bell":
            return _after_bell(situation)
        case "break" | "between_rounds" if scene := stage_scene(situation):
            return scene
        case "break":
            return _break(situation)
        case "finished":
            return revealed_finale(situation)
    return _between(situation, names)


def _before(situation: EveningNow, names: str) -> BeforeFirst:
    evening = situation.evening
    rows = _named(seat_rows(situation, evening.seating), names)
    if evening.tables >= PAGED and not names:
        rows = []
    shown, page, pages = _paged(rows, _names_a_page(evening.tables), situation.now)
    people = sorted(evening.people.present, key=order)
    return BeforeFirst(
        tuple(shown), tuple(people), situation.late, evening.tables, page, pages, evening.seating is not None
    )


def _between(situation: EveningNow, names: str) -> Between:
    evening = situation.evening
    assert evening.rules is not None
    rows = _named(seat_rows(situation, evening.seating), names)
    if evening.tables >= PAGED and not names:
        rows = []
    began = heading.break_began(evening, situation.log)
    shown, page, pages = _paged(rows, _names_a_page(evening.tables), situation.now, began)
    first, last = (shown[0].call, shown[-1].call) if shown else ("", "")
    return Between(tuple(shown), evening.rules.move.tables, evening.tables, page, pages, first, last)


def _named(rows: list[SeatRow], names: str) -> list[SeatRow]:
    first, _, last = names.upper().partition("-")
    if not first:
        return rows
    return [row for row in rows if first <= order(row.name)[0][:1].upper() <= (last or first)]


def _names_a_page(count: int) -> int:
    return next(rows for most, rows in NAMES.items() if count <= most)


def _paged(rows: Sequence[T], size: int, now: int, since: int = 0) -> tuple[Sequence[T], int, int]:
    pages = max(-(-len(rows) // size), 1)
    page = heading.page_of(pages, since, now)
    return rows[(page - 1) * size : page * size], page, pages


def _playing(situation: EveningNow) -> Playing:
    round_ = situation.evening.round
    assert round_ is not None
    count = len(round_.tables)
    others = list(range(2, count + 1))
    page, pages = 1, 1
    if count > COMPACT:
        if count >= PAGED:
            others.sort(key=lambda number: -max(round_.tables[number - 1].points))
        since = heading.opened(situation.log)
        shown, page, pages = _paged(others, ROWS, situation.now, since)
        others = list(shown)
    return Playing(tuple(_tables(situation, [1, *others])), count, _buncos(situation), page, pages)


def _tables(situation: EveningNow, numbers: Sequence[int]) -> list[TableShown]:
    round_ = situation.evening.round
    assert round_ is not None
    calls = all_calls(situation.evening)
    return [tables.running(situation, round_, number, calls) for number in numbers]


def _buncos(situation: EveningNow) -> tuple[tuple[str, int], ...]:
    """Who has rolled most Buncos tonight, this round's with them."""
    evening = situation.evening
    counts = {name: card.buncos for name, card in evening.standings.items()}
    for table in evening.round.tables if evening.round else ():
        for name, buncos, ghost in zip(table.seats, table.buncos, table.ghosts, strict=True):
            if not ghost:
                counts[name] = counts.get(name, 0) + buncos
    calls = all_calls(evening)
    best = sorted((name for name in counts if counts[name]), key=lambda name: (-counts[name], order(name)))
    return tuple((short(name, calls), counts[name]) for name in best[:3])


def _after_bell(situation: EveningNow) -> AfterBell | BuncoMoment:
    round_ = situation.evening.round
    bell = heading.bell(situation)
    assert round_ is not None
    assert bell is not None
    if bell.by == "bunco" and bell.ago_ms < MOMENT:
        return BuncoMoment(bell, round_.target)
    count = len(round_.tables)
    busy = [table.number for table in round_.tables if not (table.done or table.final)]
    numbers = list(range(1, count + 1)) if count <= 3 else busy
    shown, page, pages = _paged(numbers, 4 if count > 3 else 3, situation.now, situation.now - bell.ago_ms)
    return AfterBell(tuple(_tables(situation, shown)), count, len(busy), bell, page, pages)


def _break(situation: EveningNow) -> BreakTime:
    evening = situation.evening
    assert evening.rules is not None
    left, until = heading.break_left(situation)
    return BreakTime(
        evening.break_minutes, left, until, tuple(ranks(situation))[:8], tuple(evening.rules.champion)
    )


PAGE = Page("/", lambda state, viewer, _: shown_scoreboard(state.evening_now(), viewer.first("names")))
