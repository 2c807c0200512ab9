"""The scoreboard: the scene that fits the state of the evening."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec import Struct

from pi_bunco.game.pace import MINUTE_MS, break_began, phase
from pi_bunco.game.table import Table
from pi_bunco.web.pages.board import model
from pi_bunco.web.pages.board.minute import EXAMPLE_STEPS, Minute, minute
from pi_bunco.web.pages.board.name_list import READABLE_REM, NameList, fitted
from pi_bunco.web.pages.board.tournament_scenes import stage_scene
from pi_bunco.web.pages.shared import heading, tables
from pi_bunco.web.pages.shared.model import Holding, Scene, SeatRow, TableShown
from pi_bunco.web.pages.shared.names import all_calls, looks, order, short
from pi_bunco.web.pages.shared.standings import holdings, ranks, revealed_finale
from pi_bunco.web.site.app import Page
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.own_files import OwnFile
from pi_bunco.web.site.screens import TABLES_ALONE
from pi_bunco.web.site.viewer import Viewer

COMPACT_TABLES, PAGED_TABLES = 20, 40
"""Tables above which rows are on several pages, and from which on they go by points, without names."""
FIND_REM, MOVE_REM = 89.0, 113.2
"""Width of the list beside the code for phones, and without it."""
NUMBER_REM, ARROW_REM, PARTNER_REM = 9.0, 4.2, 13.8
"""Widths beside a name: the table's number, the way to it, the partner."""
PARTNERS = 16
"""People up to whom the partner stands beside the name."""
MOMENT_MS = 5000
"""A Bunco which rings has the screen for itself."""
WON_MS = 8000
"""Milliseconds for which everybody sees who won the round, and then what the round has handed on."""
SEATS_TURNS = 3
"""Times that the seats are told between rounds before the standings have their turn."""
HURRY_MS = 30_000
"""Milliseconds before the clock starts a round in which the seats alone are told."""
MAX_LOGOS = 5
"""Logos that have room in the break."""
WON_TABLES = 5
"""Tables beside the head table whose winners are listed."""

T = TypeVar("T")


class Wish(Struct, frozen=True):
    """Content of a second screen: `names` ("A-F"), `tables` ("4-9"), or `standings`, `rules`, `pictures`."""

    names: str = ""
    tables: str = ""
    show: str = ""

    def numbers(self, count: int) -> list[int]:
        """The tables alone that are shown of `count`, at most as many as stand in full; none for all."""
        first, _, last = self.tables.partition("-")
        if not (first + last).isdecimal() or len(first + last) > 6:
            return []
        return list(range(max(int(first), 1), min(int(last or first), count) + 1))[:TABLES_ALONE]


BOARD = Wish()


def shown_scoreboard(now: EveningNow, wish: Wish = BOARD) -> model.Scoreboard:
    """The scoreboard now, or that part of it which a second screen is to show."""
    return model.Scoreboard(
        heading.heading(now),
        _scene(now, wish),
        now.base.removeprefix("http://").removeprefix("https://"),
        now.head.silent,
    )


def _scene(now: EveningNow, wish: Wish) -> Scene:
    evening, names = now.evening, wish.names
    if wish.show == "rules" and evening.rules and evening.state != "finished":
        return minute(now, heading.page_of(EXAMPLE_STEPS, 0, now.t))
    if wish.show == "standings" and evening.rules and evening.rounds and evening.state != "finished":
        return _standings(now)
    if wish.show == "pictures" and (pictures := _pictures(now)):
        return pictures
    match evening.state:
        case "setup" if evening.rules is None:
            return _door(now)
        case "setup":
            return _minute(now, wish, 0) or _before(now, names)
        case "round_open":
            return _playing(now, wish)
        case "after_bell":
            return _after_bell(now, wish)
        case "break" | "between_rounds" if scene := stage_scene(now):
            return scene
        case "break" | "between_rounds" if wish == BOARD and (won := _just_played(now)):
            return won
        case "break":
            return _minute(now, wish, _shown_t(now)) or _break(now)
        case "finished":
            return revealed_finale(now)
    return _between(now, wish)


def _just_played(now: EveningNow) -> model.RoundWon | model.HandedOn | None:
    """Winners of the round that has just ended, for some seconds, then the things that it has handed on."""
    since, moved = now.t - now.evening.finished_t, _moved(now)
    if now.skipped or since >= WON_MS * (1 + bool(moved)):
        return None
    return _won(now) if since < WON_MS else model.HandedOn(moved)


def _moved(now: EveningNow) -> tuple[Holding, ...]:
    return tuple(one for one in holdings(now) if one.moved)


def _shown_t(now: EveningNow) -> int:
    """Time at which all of the ended round had been shown, in the present break or time to move."""
    return break_began(now.evening) + (0 if now.skipped else WON_MS * (1 + bool(_moved(now))))


def _standings(now: EveningNow) -> model.StandingsNow:
    rules = now.evening.rules
    assert rules is not None
    return model.StandingsNow(tuple(ranks(now))[:8], tuple(rules.champion), holdings(now))


def _minute(now: EveningNow, wish: Wish, since: int) -> Minute | None:
    """The rules every other minute, for newcomers, while nobody looks for a seat."""
    if wish != BOARD or now.skipped or (now.evening.state == "setup" and now.evening.seating):
        return None
    step = heading.page_of(2 * EXAMPLE_STEPS, since, now.t) - EXAMPLE_STEPS
    return minute(now, step) if step > 0 else None


def _door(now: EveningNow) -> model.NoEvening:
    """People who are here already, before an evening is open."""
    here = sorted((one for one in now.guests if one.state == "here"), key=lambda one: order(one.name))
    if not here:
        return model.NoEvening(now.head.online)
    names = [one.name for one in here]
    listed, _ = _list(names, FIND_REM, 0.0)
    page, shown = _page(names, listed, now.t)
    latest = max(here, key=lambda one: one.since).name
    return model.NoEvening(now.head.online, tuple(shown), latest, len(here), listed, page)


def _before(now: EveningNow, names: str) -> model.BeforeFirst:
    evening = now.evening
    people = sorted(evening.people.present, key=order)
    seated, pairs = evening.seating is not None, tables.team_of(evening) == "pairs"
    rows = _rows(now, names)
    guests: Sequence[str] = [] if seated else people
    late = tuple((short(name, all_calls(now)), at) for name, at in now.late)
    listed, partners = _list([row.name for row in rows] or guests, FIND_REM, NUMBER_REM if rows else 0.0)
    page, shown = _page(rows, listed, now.t)
    _, guests = _page(guests, listed, now.t)
    return model.BeforeFirst(
        tuple(shown), len(people), tuple(guests), listed, late, evening.tables, page, seated,
        partners and pairs, pairs,
    )  # fmt: skip


def _without_win(table: Table) -> bool:
    return table.rules.team == "table" and table.winner != 0


def _won(now: EveningNow) -> model.RoundWon:
    """The round that has just ended: winners of each table, and who comes to the head table."""
    evening, calls = now.evening, all_calls(now)
    round_, ghosts = evening.rounds[-1], set(evening.people.ghosts)

    def named(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(short(name, calls) for name in names if name not in ghosts)

    def won(table: Table) -> model.TableWon:
        side, points = (table.winner or 0) & table.side_bits, list(table.points)
        best = points.pop(side)
        seats, team = table.seats_of(side), evening.teams[table.number - 1 : table.number]
        return model.TableWon(
            table.number, looks(table.rules.team, seats[0]),
            team or named(table.seats[seat] for seat in seats), (best, *sorted(points, reverse=True)[:1]),
        )  # fmt: skip

    # Tables that are teams: those that have won stand first.
    head, *others = map(won, sorted(round_.tables, key=_without_win))
    before, after = round_.seating[0], evening.seating[0] if evening.seating else ()
    return model.RoundWon(
        head,
        round_.target,
        heading.bell_of(now, round_),
        tuple(others[:WON_TABLES]),
        max(len(others) - WON_TABLES, 0),
        named(name for name in after if name not in before)[:2],
        named(name for name in before if name not in after)[:2],
    )


def _between(now: EveningNow, wish: Wish) -> model.Between | model.StandingsNow:
    """Everybody's next seats; on a scoreboard for all in turns with the standings."""
    evening = now.evening
    assert evening.rules is not None
    rows = _rows(now, wish.names)
    arrow = ARROW_REM if evening.tables > 1 else 0.0
    listed, partners = _list([row.name for row in rows], MOVE_REM, NUMBER_REM + arrow)
    timed, pages = phase(evening), listed.pages
    hurry = timed is not None and timed.ends is not None and timed.ends - now.t < HURRY_MS
    turns = SEATS_TURNS * pages + (wish == BOARD and not now.skipped and not hurry)
    turn = heading.page_of(turns, _shown_t(now), now.t)
    if turn > SEATS_TURNS * pages:
        return _standings(now)
    page = (turn - 1) % pages + 1
    size = max(-(-len(rows) // pages), 1)
    shown = rows[(page - 1) * size : page * size]
    first, last = (shown[0].call, shown[-1].call) if shown else ("", "")
    pairs = evening.rules.team == "pairs"
    return model.Between(
        tuple(shown), listed, heading.moves(evening.rules), evening.tables, page, first, last,
        partners and pairs, pairs, heading.grouped(evening), not rows and evening.tables >= PAGED_TABLES,
    )  # fmt: skip


def _rows(now: EveningNow, names: str) -> Sequence[SeatRow]:
    """Rows of seats; a hall with more names than can be read shows those of `names` alone."""
    rows = tables.seat_rows(now) if names or now.evening.tables < PAGED_TABLES else []
    first, _, last = names.upper().partition("-")
    if first:
        rows = [row for row in rows if first <= order(row.name)[0][:1].upper() <= (last or first)]
    return rows


def _list(names: Sequence[str], width_rem: float, beside_rem: float) -> tuple[NameList, bool]:
    """Layout of the names, and whether the partner stands beside each: where that costs no page."""
    plain = fitted(tuple(names), width_rem, beside_rem)
    if len(names) > PARTNERS or not beside_rem:
        return plain, False
    beside = fitted(tuple(names), width_rem, beside_rem + PARTNER_REM)
    reads = beside.pages == plain.pages and beside.tenths >= 10 * READABLE_REM
    return (beside, True) if reads else (plain, False)


def _page(rows: Sequence[T], listed: NameList, t: int, since: int = 0) -> tuple[int, Sequence[T]]:
    shown, page, _ = _paged(rows, max(-(-len(rows) // listed.pages), 1), t, since)
    return page, shown


def _paged(rows: Sequence[T], size: int, t: int, since: int = 0) -> tuple[Sequence[T], int, int]:
    pages = max(-(-len(rows) // size), 1)
    page = heading.page_of(pages, since, t)
    return rows[(page - 1) * size : page * size], page, pages


def _playing(now: EveningNow, wish: Wish) -> model.Playing:
    round_ = now.evening.round
    assert round_ is not None
    count = len(round_.tables)
    if alone := wish.numbers(count):
        return model.Playing(_tables(now, alone), len(alone), _buncos(now))
    others = list(range(2, count + 1))
    page, pages = 1, 1
    if count > COMPACT_TABLES:
        if count >= PAGED_TABLES:
            others.sort(key=lambda number: -max(round_.tables[number - 1].points))
        since = now.recent.opened
        shown, page, pages = _paged(others, tables.ON_A_PAGE, now.t, since)
        others = list(shown)
    return model.Playing(
        _tables(now, [1, *others]), count, _buncos(now), page, pages, holdings(now)[:1], count >= PAGED_TABLES
    )


def _tables(now: EveningNow, numbers: Sequence[int]) -> tuple[TableShown, ...]:
    return tuple(shown for number in numbers if (shown := tables.table_now(now, number)))


def _buncos(now: EveningNow) -> tuple[tuple[str, int], ...]:
    """The three with most Buncos tonight, this round's with them."""
    evening = now.evening
    counts = {name: card.buncos for name, card in evening.standings.items()}
    for table in evening.round.tables if evening.round else ():
        for name, buncos, ghost in zip(table.seats, table.buncos, table.ghosts, strict=True):
            if not ghost:
                counts[name] = counts.get(name, 0) + buncos
    calls = all_calls(now)
    best = sorted((name for name in counts if counts[name]), key=lambda name: (-counts[name], order(name)))
    return tuple((short(name, calls), counts[name]) for name in best[:3])


def _after_bell(now: EveningNow, wish: Wish) -> model.AfterBell | model.BuncoMoment:
    round_ = now.evening.round
    bell = heading.bell(now)
    assert round_ is not None
    assert bell is not None
    assert round_.bell is not None
    if bell.by == "bunco" and now.t - round_.bell.t < MOMENT_MS:
        return model.BuncoMoment(bell, round_.target)
    here = wish.numbers(len(round_.tables)) or range(1, len(round_.tables) + 1)
    tables = [round_.tables[number - 1] for number in here]
    count, busy = len(here), [table.number for table in tables if table.doing not in ("done", "final")]
    numbers = here if count <= 3 else busy
    shown, page, pages = _paged(numbers, 4 if count > 3 else 3, now.t, round_.bell.t)
    return model.AfterBell(_tables(now, shown), count, len(busy), bell, page, pages)


def _break(now: EveningNow) -> model.BreakTime:
    evening = now.evening
    assert evening.rules is not None
    timed = heading.break_phase(evening)
    left_ms = 0 if timed is None else timed.left if timed.ends is None else max(timed.ends - now.t, 0)
    left = -(-(left_ms or 0) // MINUTE_MS)
    return model.BreakTime(
        max(evening.break_minutes or 0, left),
        left,
        heading.break_end(now),
        tuple(ranks(now))[:8],
        tuple(evening.rules.champion),
        holdings(now),
        _picture(now),
        now.own_files.get("logos", ())[:MAX_LOGOS],
    )


def _picture(now: EveningNow) -> OwnFile | None:
    """The host's picture whose turn it is; None for the standings."""
    pictures = now.own_files.get("pictures", ())
    minutes, within = divmod((now.t - _shown_t(now)) // heading.PAGE_MS, 2 * EXAMPLE_STEPS)
    turn = (minutes * EXAMPLE_STEPS + within) % (len(pictures) + 1)
    return pictures[turn - 1] if turn else None


def _pictures(now: EveningNow) -> model.OwnPictures | None:
    """The host's pictures in turns with sponsors' logos; None where the host gave neither."""
    pictures, logos = now.own_files.get("pictures", ()), now.own_files.get("logos", ())[:MAX_LOGOS]
    picture = pictures[heading.page_of(len(pictures), 0, now.t) - 1] if pictures else None
    return model.OwnPictures(picture, logos) if picture or logos else None


def _wish(viewer: Viewer) -> Wish:
    return Wish(viewer.first("names"), viewer.first("tables"), viewer.first("show"))


PAGE = Page("/", lambda state, viewer, _: shown_scoreboard(state.evening_now(), _wish(viewer)))
