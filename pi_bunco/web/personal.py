"""The pages of one player, one table, and a phone that is a table."""

from collections.abc import Mapping
from itertools import takewhile

from msgspec.structs import replace

from pi_bunco.game.round import Round
from pi_bunco.game.score import BUNCO, score
from pi_bunco.game.table import ROLLOFF, Table
from pi_bunco.rules import RuleSet
from pi_bunco.web import course, tables
from pi_bunco.web.finished import ranks, revealed_finale
from pi_bunco.web.models import Me, MyRound, PhonePage, PlayerPage, TablePage, TableShown, Way, Worth
from pi_bunco.web.names import alphabetical, short
from pi_bunco.web.rolling import roll_at, rolls
from pi_bunco.web.scenes import seat_rows
from pi_bunco.web.situation import PhonePlay, Situation
from pi_bunco.web.stage import standing

SHOWN = 12
"""Tables on a player's page."""


def player(situation: Situation, name: str = "", tab: str = "me") -> PlayerPage:
    """`/me` for who chose `name`; the list of names where nobody of that name has a card."""
    evening = situation.evening
    known = evening.people.cards
    names = alphabetical(tuple(evening.people.present))
    secret = situation.revealed is not None and revealed_finale(situation).revealed is not None
    rows = () if secret else ranks(situation)
    shown = tuple(_all_tables(situation)[:SHOWN]) if tab == "tables" else ()
    me = _me(situation, name) if name in known else None
    return PlayerPage(
        heading=course.heading(situation),
        state=evening.state if evening.rules else "none",
        names=names,
        me=me,
        unknown=name if name and me is None else "",
        rows=rows,
        tables=shown,
        silent_s=situation.head.silent_s,
        secret=secret,
        tab="tables" if tab == "tables" else "standings" if tab == "standings" else "me",
    )


def _all_tables(situation: Situation) -> list[TableShown]:
    evening = situation.evening
    shown = (_table(situation, number) for number in range(1, evening.tables + 1))
    return [table for table in shown if table is not None]


def _table(situation: Situation, number: int) -> TableShown | None:
    evening = situation.evening
    calls = tables.all_calls(evening)
    if evening.round:
        seated = 0 < number <= len(evening.round.tables)
        return tables.running(situation, evening.round, number, calls) if seated else None
    seating = evening.seating if evening.state != "finished" and evening.seating else []
    if not 0 < number <= len(seating):
        return None
    return tables.waiting(situation, seating[number - 1], number, course.place(evening)[2], calls)


def _me(situation: Situation, name: str) -> Me:
    evening = situation.evening
    rows = ranks(situation)
    rank = next((row.place for row in rows if row.name == name), 0)
    seating = [table.seats for table in evening.round.tables] if evening.round else evening.seating or []
    number = next((n for n, names in enumerate(seating, 1) if name in names), 0)
    shown = _table(situation, number) if number else None
    seat = seating[number - 1].index(name) if number else 0
    calls = tables.all_calls(evening)
    return Me(
        name=name,
        rank=rank,
        of=len(rows),
        table=shown,
        partner=short(seating[number - 1][(seat + 2) % 4], calls) if number else "",
        side=tables.SIDES[seat % 2],
        rounds=tuple(_my_rounds(situation, name)),
        next=evening.round is None and bool(evening.rounds),
        way=_way(situation, name) if evening.round is None else "",
        won=_won(situation, name),
        roll=next((one for one in rolls(situation) if name in [who.name for who in one.people]), None),
        place=standing(situation.evening.tournament, name),
    )


def _way(situation: Situation, name: str) -> Way:
    rows = seat_rows(situation, situation.evening.seating)
    return next((row.way for row in rows if row.name == name), "")


def _my_rounds(situation: Situation, name: str) -> list[MyRound]:
    """Latest first."""
    card = situation.evening.people.cards[name]
    calls = tables.all_calls(situation.evening)
    found = [mine for round_ in situation.evening.rounds if (mine := _my_round(round_, card, calls))]
    return found[::-1]


def _my_round(round_: Round, card: int, calls: Mapping[str, str]) -> MyRound | None:
    for table in round_.tables:
        for seat, name in enumerate(table.seats):
            if round_.cards.get(name) == card and not table.ghosts[seat]:
                mine, theirs = table.points[seat % 2], table.points[1 - seat % 2]
                partner = short(table.seats[(seat + 2) % 4], calls)
                won = table.winner == seat % 2
                return MyRound(
                    round_.target, partner, mine, theirs, won, table.buncos[seat], table.minis[seat]
                )
    return None


def _won(situation: Situation, name: str) -> bool | None:
    """Whether `name` won the last round."""
    evening = situation.evening
    if not evening.rounds:
        return None
    last = _my_round(evening.rounds[-1], evening.people.cards[name], {})
    return last.won if last else None


def table(situation: Situation, number: int) -> TablePage:
    """`/table/N`."""
    evening = situation.evening
    rows = [row for row in seat_rows(situation, evening.seating) if row.table == number]
    return TablePage(
        heading=course.heading(situation),
        number=number,
        table=_table(situation, number),
        state=evening.state if evening.rules else "none",
        bell=course.bell(situation),
        rows=tuple(rows) if evening.round is None else (),
        silent_s=situation.head.silent_s,
        roll=roll_at(situation, number),
    )


def phone(situation: Situation, number: int, play: PhonePlay) -> PhonePage:
    """`/table/N/play`: what the table service of a phone predicts, within the evening that the head knows."""
    evening, rules = situation.evening, situation.evening.rules
    where = course.heading(situation)
    played = play.table
    shown = _table(situation, number)
    worth = Worth(1, 2, 5, 21)
    if rules is not None:
        in_session = played is not None and played.phase == ROLLOFF and rules.tie.method == "session"
        worth = tables.worth(rules, where.target, in_session)
    calls = tables.all_calls(evening)
    if rules is not None and played is not None and evening.round is not None:
        shown = tables.of_table(played, rules, where.target, (), calls)
    rolls = tables.counted(played) if played is not None and evening.round is not None else []
    turn = played.seat if played is not None else 0
    back = takewhile(lambda roll: roll.seat == turn and roll.goes_on, reversed(rolls))
    return PhonePage(
        heading=where,
        number=number,
        table=_with_dice(shown, play.dice),
        state=evening.state if rules else "none",
        worth=worth,
        next=short(played.seats[(turn + 1) % 4], calls) if played is not None else "",
        turn_points=sum(roll.points for roll in back),
        undo=shown.throw if shown and rolls and not (played and played.final) else None,
        asks=rules is not None and played is not None and _rings(rules, played, where.target),
        unsent=play.unsent,
        online=play.online,
        why=play.why,
        mode="dice" if play.mode == "dice" else "points",
        bell=course.bell(situation),
        needs_code=not play.allowed,
        code_wrong=play.code_wrong,
        round=play.round,
        roll=roll_at(situation, number),
    )


def _rings(rules: RuleSet, played: Table, target: int) -> bool:
    """Whether a Bunco would ring the bell now."""
    if not played.may_ring or played.bell_t is not None:
        return False
    if rules.end.bunco:
        return True
    by_player = rules.end.points_by == "player"
    total = played.seat_points[played.seat] if by_player else played.points[played.seat & 1]
    return rules.end.points is not None and total + score(rules, target).points[BUNCO] >= rules.end.points


def _with_dice(shown: TableShown | None, dice: tuple[int, ...]) -> TableShown | None:
    if shown is None or shown.throw is None or not dice:
        return shown
    return replace(shown, throw=replace(shown.throw, dice=dice))
