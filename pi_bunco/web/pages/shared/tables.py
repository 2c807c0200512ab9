"""One table as it is shown: seats, points, the last throw, the race, the roll-off; and who sits where."""

from collections.abc import Mapping, Sequence
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.game.evening import Evening
from pi_bunco.game.seating import SeatNames
from pi_bunco.game.table import ROLLOFF, SEATS, Table
from pi_bunco.game.table import SIDES as GAME_SIDES
from pi_bunco.rules import RuleSet
from pi_bunco.rules.patterns import BAG_MINI, CALLS, MISS, Effects
from pi_bunco.rules.ruleset import Teams
from pi_bunco.web.pages.shared import heading, model
from pi_bunco.web.pages.shared.names import all_calls, looks, order, short
from pi_bunco.web.site.evening_now import EveningNow, TablePresence, shared, shared_by_round

ON_A_PAGE = 12
"""Tables on a page of a large hall."""
RESULT_OF_CALL = {number: cast(model.Result, name) for name, number in CALLS.items()} | {BAG_MINI: "mini"}


class Counted(Struct, frozen=True):
    """A roll that counted: whose, at which place `n` of the log; `rolloff` counts from 1, 0 is in play."""

    seat: int
    effects: Effects
    points: int
    n: int
    goes_on: bool
    rolloff: int

    @property
    def result(self) -> model.Result:
        """The name of the roll."""
        if self.effects.wipe != "none":
            return "wipe"
        if "bunco" in self.effects.marks:
            return "bunco"
        return "one" if self.points and self.effects.kind == MISS else RESULT_OF_CALL[self.effects.kind]


def counted(table: Table) -> list[Counted]:
    """The rolls that counted at `table` in this round, in order."""
    twin, found = table.blank_copy(), []
    for entry in table.entries:
        seat, before = twin.seat, sum(twin.points)
        rolloff = twin.rolloffs if twin.phase == ROLLOFF else 0
        twin.add(entry)
        if entry[0] >= 0:
            goes_on = twin.rolls > 0
            effects, points = table.effects(entry[0]), sum(twin.points) - before
            found.append(Counted(seat, effects, points, entry[2], goes_on, rolloff))
    return found


def _throw(
    table: Table, rolls: Sequence[Counted], dice: Mapping[int, tuple[int, ...]], calls: Mapping[str, str]
) -> model.ThrowShown | None:
    """Last roll of `rolls`, with its dice where those of its place are known."""
    if not rolls:
        return None
    last = rolls[-1]
    by, side = short(table.seats[last.seat], calls), looks(table.rules.team, last.seat)
    return model.ThrowShown(by, side, last.result, last.points, last.goes_on, dice.get(last.n, ()))


def _doing(table: Table, bypassed: bool) -> model.ShownDoing:
    """The activity at a table of a running round."""
    match table.doing:
        case "final":
            return "final"
        case "roll_off" | "one_die":
            return "rolloff"
        case _ if bypassed:
            return "out"
        case "rolling":
            return "playing"
        case "finishing" | "done" as now:
            return now


def chairs(
    names: SeatNames | tuple[str, ...],
    ghosts: Sequence[bool],
    calls: Mapping[str, str],
    turn: int | None = None,
    late: Mapping[str, str] | None = None,
    team: Teams = "pairs",
    points: Sequence[int] = (),
) -> tuple[model.Chair, ...]:
    """The four seats of a table; `points` are those of four who play alone."""
    return tuple(
        model.Chair(
            SEATS[seat], looks(team, seat), name, short(name, calls), ghosts[seat], seat == turn,
            (late or {}).get(name, ""), points[seat] if points and not ghosts[seat] else None,
        )
        for seat, name in enumerate(names)
    )  # fmt: skip


def _keeper(seats: Sequence[model.Chair]) -> str:
    """Score keeper: seat A, or the first person where a ghost sits there."""
    return next((chair.call for chair in seats if not chair.ghost), "")


def _race(rules: RuleSet, table: Table, calls: Mapping[str, str]) -> model.RaceShown | None:
    """The way to the bell at a table that rings it by points."""
    goal = rules.end.points
    if goal is None or not table.may_ring:
        return None
    if rules.team == "none":
        best = max(table.order, key=lambda seat: table.points[seat])
        return model.RaceShown(table.points[best], None, goal, short(table.seats[best], calls))
    if rules.team == "table":
        return model.RaceShown(table.points[0], None, goal)
    if rules.end.points_by == "team":
        return model.RaceShown(table.points[0], table.points[1], goal)
    pairs = [max((team, team + 2), key=lambda seat: table.seat_points[seat]) for team in (0, 1)]
    us, them = (table.seat_points[seat] for seat in pairs)
    us_name, them_name = (short(table.seats[seat], calls) for seat in pairs)
    return model.RaceShown(us, them, goal, us_name, them_name)


def _rolloff(
    rules: RuleSet, table: Table, rolls: Sequence[Counted], calls: Mapping[str, str]
) -> model.RollOffShown | None:
    """The roll-off that is open at `table`."""
    if table.phase != ROLLOFF:
        return None
    method = rules.tie.method
    now = [roll for roll in rolls if roll.rolloff == table.rolloffs]
    got = [sum(roll.points for roll in now if roll.seat == seat) for seat in range(4)]
    if method == "one_die":
        return model.RollOffShown(method, table.points[0], table.rolloffs)
    order = table.rolling_off
    side = order[0] & table.side_bits
    at = table.points[side] - sum(got[seat] for seat in table.seats_of(side))
    now_at = order.index(table.seat)
    turns = (
        model.RollOffTurn(
            short(table.seats[seat], calls), looks(rules.team, seat),
            "ok" if place < now_at else "now" if place == now_at else "then", got[seat],
        )
        for place, seat in enumerate(order)
    )  # fmt: skip
    return model.RollOffShown(method, at, table.rolloffs, tuple(turns))


def of_table(
    table: Table,
    rules: RuleSet,
    target: int,
    dice: Mapping[int, tuple[int, ...]],
    calls: Mapping[str, str],
    bypassed: bool = False,
) -> model.TableShown:
    """A table of the game, whoever folded it."""
    rolls = counted(table)
    now = _doing(table, bypassed)
    turn = table.seat if now in ("playing", "finishing") or (now == "rolloff" and not table.one_die) else None
    alone = table.points if rules.team == "none" else ()
    seats = chairs(table.seats, table.ghosts, calls, turn, team=rules.team, points=alone)
    return model.TableShown(
        number=table.number,
        target=target,
        chairs=seats,
        doing=now,
        points=tuple(table.points),
        throw=_throw(table, rolls, dice, calls),
        race=_race(rules, table, calls),
        rolloff=_rolloff(rules, table, rolls, calls),
        winner=table.winner,
        team=rules.team,
        keeper=_keeper(seats),
    )


def team_of(evening: Evening) -> Teams:
    """Teams at a table."""
    return evening.rules.team if evening.rules else "pairs"


def waiting(now: EveningNow, names: SeatNames, number: int) -> model.TableShown:
    """Table `number` before its round begins."""
    ghosts, target = [name in now.evening.people.ghosts for name in names], heading.place(now.evening)[2]
    team = team_of(now.evening)
    seats = chairs(names, ghosts, all_calls(now), None, dict(now.late), team)
    points = (0,) * len(GAME_SIDES[team])
    shown = model.TableShown(number, target, seats, "ready", points, keeper=_keeper(seats), team=team)
    return _known(shown, now)


def _known(shown: model.TableShown, now: EveningNow) -> model.TableShown:
    """The table with what is known of it beside the game: its name, and whether it is there."""
    presence = now.tables.get(shown.number, TablePresence())
    named = now.evening.teams[shown.number - 1 : shown.number]
    return replace(shown, name="".join(named), online=presence.online)


def tables_now(now: EveningNow, most: int = 1000) -> list[model.TableShown]:
    """The tables as they are, `most` of them; none while nobody has a seat."""
    shown = (table_now(now, number) for number in range(1, min(most, now.evening.tables) + 1))
    return [table for table in shown if table]


@shared
def table_now(now: EveningNow, number: int) -> model.TableShown | None:
    """Table `number` as it is, running or waiting; None where there is none."""
    evening, round_ = now.evening, now.evening.round
    if round_ is None:
        seating = evening.seating if evening.state != "finished" and evening.seating else []
        return waiting(now, seating[number - 1], number) if 0 < number <= len(seating) else None
    if not 0 < number <= len(round_.tables):
        return None
    bypassed = number in evening.bypassed
    table = round_.tables[number - 1]
    shown = of_table(table, round_.rules, round_.target, now.recent.dice, all_calls(now), bypassed)
    return _known(shown, now)


@shared
def seat_rows(now: EveningNow) -> list[model.SeatRow]:
    """Everybody who has a seat by name, with the way from the last round's table where one was played."""
    people, calls, late = now.evening.people, all_calls(now), dict(now.late)
    was, team = _last_tables(now.evening), team_of(now.evening)
    rows = [
        model.SeatRow(
            name, short(name, calls), number, looks(team, seat),
            short(names[(seat + 2) % 4], calls) if team == "pairs" else "",
            _direction(was.get(name), number), late.get(name, ""),
        )
        for number, names in enumerate(now.evening.seating or (), 1)
        for seat, name in enumerate(names)
        if name not in people.ghosts
    ]  # fmt: skip
    return sorted(rows, key=lambda row: order(row.name))


def _last_tables(evening: Evening) -> Mapping[str, int]:
    if not evening.rounds:
        return {}
    last, renamed = evening.rounds[-1], evening.seats.taken_over
    return {renamed.get(name, name): table.number for table in last.tables for name in table.seats}


def _direction(was: int | None, now: int) -> model.MoveDirection:
    if was is None:
        return ""
    return "stay" if was == now else "up" if now < was else "down"


@shared_by_round
def seats_by_card(now: EveningNow) -> list[Mapping[int, tuple[Table, int]]]:
    """Of each round that is over: per card the table and the seat of its player, where that was no ghost."""
    return [
        {
            round_.cards[name]: (table, seat)
            for table in round_.tables
            for seat, name in enumerate(table.seats)
            if name in round_.cards and not table.ghosts[seat]
        }
        for round_ in now.evening.rounds
    ]


def where(evening: Evening) -> dict[str, int]:
    """The table at which everybody sits: of the running round, else of the next one, if one comes."""
    if evening.closed:
        return {}
    seating = [table.seats for table in evening.round.tables] if evening.round else evening.seating or []
    return {name: number for number, names in enumerate(seating, 1) for name in names}
