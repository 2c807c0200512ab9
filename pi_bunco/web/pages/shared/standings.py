"""Standings, champions and prizes; what is rolled for them between rounds, and who holds which thing."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Literal

from msgspec.structs import replace

from pi_bunco.game.contest import Awaited, Contest, Faces
from pi_bunco.game.evening import Evening
from pi_bunco.game.fairness import probability
from pi_bunco.game.prizes import Award, open_ties, results
from pi_bunco.game.ranks import StandingRow, standing_rows
from pi_bunco.game.rolloffs import awaited, tie_for
from pi_bunco.game.tournament import Tournament
from pi_bunco.web.pages.shared import model
from pi_bunco.web.pages.shared.names import all_calls, short
from pi_bunco.web.pages.shared.tables import counted, seats_by_card
from pi_bunco.web.site.evening_now import EveningNow, shared_by_round


@shared_by_round
def rolls(now: EveningNow) -> tuple[model.RollHere, ...]:
    """The throws that the game waits for now, one at most at each table."""
    found = (roll_at(now, number) for number in range(1, now.evening.tables + 1))
    return tuple(roll for roll in found if roll)


def roll_at(now: EveningNow, number: int) -> model.RollHere | None:
    """The throw that the game waits for at table `number`."""
    evening = now.evening
    if not evening.seating or number > evening.tables:
        return None
    wanted = awaited(evening, number)
    return _shown(evening, wanted, all_calls(now)) if wanted else None


def _shown(evening: Evening, wanted: Awaited, calls: Mapping[str, str]) -> model.RollHere:
    contest = _contest(evening, wanted)
    thrown = contest.thrown if contest else _latest(evening, wanted)
    people = (
        model.Roller(name, short(name, calls), thrown.get(name, ()), name in wanted.players)
        for name in wanted.tied
    )
    return model.RollHere(
        table=wanted.table,
        purpose=wanted.purpose,
        dice=1 if wanted.dice == 1 else 3,
        people=tuple(people),
        group=wanted.group or 0,
        again=contest is not None and contest.goes > 0,
        lowest=contest is not None and contest.lowest,
        tie=wanted.tie,
        undo=bool(evening.tournament and not evening.over and evening.tournament.undoable == wanted.table),
    )


def _latest(evening: Evening, wanted: Awaited) -> Mapping[str, Faces]:
    """The latest throw of everybody in a tournament's final, but for who throws now."""
    rolled = evening.tournament.rolled if evening.tournament else []
    return {name: faces for name, faces in rolled if name not in wanted.players}


def _contest(evening: Evening, wanted: Awaited) -> Contest | None:
    found = chain(evening.staged.contests if evening.staged else (), open_ties(evening))
    return next((one for one in found if one.awaited(wanted.table, wanted.tie) == wanted), None)


@shared_by_round
def holdings(now: EveningNow) -> tuple[model.Holding, ...]:
    """Holders of the things now; what nobody has got yet is left out."""
    rules, calls = now.evening.rules, all_calls(now)
    found = []
    for thing in rules.things if rules else ():
        if holder := now.evening.holder(thing):
            before = _before(now.evening, thing, holder)
            call, from_ = short(holder, calls), short(before or "", calls)
            found.append(model.Holding(thing, holder, call, from_, moved=before is not None))
    return tuple(found)


def _before(evening: Evening, thing: str, holder: str) -> str | None:
    """The holder until the last round, "" for nobody; None where that round did not hand it on."""
    if not evening.rounds or evening.rounds[-1].handed(thing) is None:
        return None
    cards = (round_.handed(thing) for round_ in reversed(evening.rounds[:-1]))
    handed = next((evening.people.holders[card] for card in cards if card is not None), None)
    before = handed or evening.brought.get(thing) or ""
    return None if before == holder else before


@shared_by_round
def ranks(now: EveningNow) -> tuple[StandingRow, ...]:
    """The standings, first to last."""
    return standing_rows(now.evening)


def finale(now: EveningNow) -> model.Finale:
    """Champions and prizes of a finished evening."""
    evening, rows = now.evening, ranks(now)
    assert evening.rules is not None
    ended, rolling = results(evening), rolls(now)
    champions = ended.champions if ended else ()
    prizes = tuple(_prize(evening, award, rolling) for award in ended.prizes) if ended else ()
    best = next((row for row in rows if row.name in champions), None)
    return model.Finale(
        champions=champions,
        best=best,
        rounds=len(evening.rounds),
        faces=tuple(_faces(now, champions[0])) if len(champions) == 1 else (),
        prizes=prizes,
        pot=(ended.pot or "") if ended else "",
        short=(ended.short or "") if ended else "",
        holdings=holdings(now),
        grand=evening.grand_prize or "",
        grand_face=grand_face(evening.tournament) if evening.grand_prize else 0,
        rows=tuple(rows),
        teams=ended.teams if ended else (),
    )


def steps(shown: model.Finale) -> tuple[str, ...]:
    """Steps of the finale in order: the prizes from the last to the first, then the champion.

    The grand prize of a tournament is no step: everybody has seen it being won.
    """
    kinds = [
        prize.award.category for prize in reversed(shown.prizes) if prize.award.category != "grand_prize"
    ]
    return (*kinds, *(("champion",) if shown.champions and not shown.grand else ()))


def revealed_finale(now: EveningNow) -> model.Finale:
    """The finale as far as the host has had it told."""
    shown = finale(now)
    if now.revealed is None or now.revealed >= len(steps(shown)):
        return shown
    grand_last = sorted(shown.prizes, key=lambda prize: prize.award.category == "grand_prize")
    hidden = sum(prize.award.category != "grand_prize" for prize in shown.prizes) - now.revealed
    prizes = tuple(
        model.PrizeRow(Award(prize.award.category, (), place=prize.award.place), hidden=True)
        if place < hidden
        else prize
        for place, prize in enumerate(grand_last)
    )
    if shown.grand:
        return replace(shown, prizes=prizes, revealed=now.revealed)
    return model.Finale((), None, shown.rounds, (), prizes, shown.pot, revealed=now.revealed)


def _prize(evening: Evening, award: Award, rolling: Sequence[model.RollHere]) -> model.PrizeRow:
    if not award.tied:
        return model.PrizeRow(award)
    tie = tie_for(evening, award.category, place=award.place)
    return model.PrizeRow(award, next((roll for roll in rolling if roll.tie == tie), None), tie)


def _faces(now: EveningNow, name: str) -> list[int]:
    """The targets of the rounds in which `name` rolled Buncos, one for each."""
    evening = now.evening
    card = evening.people.cards.get(name)
    found = []
    for round_ in evening.rounds:
        for table in round_.tables:
            seats = [seat for seat, who in enumerate(table.seats) if round_.cards.get(who) == card]
            rolls = counted(table) if seats and table.buncos[seats[0]] else []
            found += [round_.target for roll in rolls if roll.seat in seats and "bunco" in roll.effects.marks]
    return found


def stage_now(evening: Evening) -> model.ShownStage | Literal[""]:
    """The stage of a tournament in which no round comes next; the semi-final once it is played."""
    tournament = evening.tournament
    if tournament is None or evening.over or evening.round:
        return ""
    match tournament.stage:
        case "qualification" | "order" | "final":
            return tournament.stage
        case "semi_final" if tournament.finalists:
            return "semi_final"
    return ""


def standing(tournament: Tournament | None, name: str) -> model.StageStanding:
    """State of `name` in the tournament; empty while rounds of it are played, and after it."""
    if tournament is None or tournament.stage in ("groups", "done"):
        return ""
    if name in [place.player for place in tournament.finalists]:
        return "final"
    if tournament.stage in ("order", "final"):
        return "out"
    if name not in [place.player for place in tournament.places]:
        return "waits" if any(name in contest.players for contest in tournament.contests) else "out"
    if tournament.stage == "qualification":
        return "semi_final"
    return "waits" if tournament.finalists else ""


def grand_face(tournament: Tournament | None) -> int:
    """The face of the three of a kind that won the grand prize; 0 without."""
    if tournament is None or not tournament.winner or not tournament.rolled:
        return 0
    return tournament.rolled[-1][1][0]


def race(now: EveningNow) -> model.Chart:
    """Wins round by round, or the mark that decides first; the best players' lines come first."""
    evening = now.evening
    rows = [row for row in ranks(now) if not row.gone]
    mark = "wins" if not evening.rules or evening.rules.champion[0] != "buncos" else "buncos"
    series = []
    for row in rows:
        card, total, line = evening.people.cards.get(row.name, -1), 0, [0]
        for seats in seats_by_card(now):
            if found := seats.get(card):
                table, seat = found
                total += table.won(seat) if mark == "wins" else table.buncos[seat]
            line.append(total)
        series.append(tuple(line))
    calls = all_calls(now)
    return model.Chart(tuple(short(row.name, calls) for row in rows), tuple(series), mark)


def by_roll(now: EveningNow) -> list[int]:
    """Numbers of throws that were a miss, a one, a two, a mini, a Bunco."""
    counts: Counter[int] = Counter()
    evening = now.evening
    for round_ in [*evening.rounds, *([evening.round] if evening.round else [])]:
        for table in round_.tables:
            counts.update(roll.effects.kind for roll in counted(table) if not roll.rolloff)
    return [counts[outcome] for outcome in range(5)]


def dice(now: EveningNow) -> list[model.DiceCount]:
    """Counts of the faces, in all and at each table; entered throws have no faces."""
    by_table = sorted(now.recent.fell.items())
    every = tuple(sum(fell[face] for _, fell in by_table) for face in range(6))
    fell = {0: every} | {table: tuple(fell) for table, fell in by_table}
    return [
        model.DiceCount(table, faces, probability(faces) if any(faces) else 1.0)
        for table, faces in fell.items()
    ]


NO_FINALE = model.Finale((), None, 0, (), ())
"""The finale while no evening is open."""
