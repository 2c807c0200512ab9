"""Standings, champions and prizes."""

from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from pi_bunco.game.cards import ranking
from pi_bunco.game.evening import Evening
from pi_bunco.game.prizes import Award, results
from pi_bunco.game.score import BUNCO
from pi_bunco.web.models import Finale, PrizeRow, RankRow, RollHere
from pi_bunco.web.rolling import rolls
from pi_bunco.web.situation import Situation
from pi_bunco.web.stage import grand_face
from pi_bunco.web.tables import counted


def ranks(situation: Situation) -> tuple[RankRow, ...]:
    """The standings, first to last."""
    return _ranks(situation.evening, len(situation.log))


@lru_cache(maxsize=2)
def _ranks(evening: Evening, _facts: int) -> tuple[RankRow, ...]:
    """Once for the pages of all players, until another fact is known."""
    if evening.rules is None:
        return ()
    standings = evening.standings
    rows: list[RankRow] = []
    for level in ranking(standings, evening.rules.champion):
        place = len(rows) + 1
        for name in level:
            card = standings[name]
            gone = name not in evening.people.present
            rows.append(
                RankRow(place, name, card.buncos, card.wins, card.losses, card.minis, card.points, gone)
            )
    return tuple(rows)


def finale(situation: Situation) -> Finale:
    """Champions and prizes of a finished evening."""
    evening, rows = situation.evening, ranks(situation)
    assert evening.rules is not None
    ended, rolling = results(evening), rolls(situation)
    champions = ended.champions if ended else ()
    prizes = tuple(_prize(award, rolling) for award in ended.prizes) if ended else ()
    best = next((row for row in rows if row.name in champions), None)
    return Finale(
        champions=champions,
        best=best,
        rounds=len(evening.rounds),
        faces=tuple(_faces(situation, champions[0])) if len(champions) == 1 else (),
        prizes=prizes,
        pot=(ended.pot or "") if ended else "",
        traveler=evening.traveler or "",
        grand=evening.grand_prize or "",
        grand_face=grand_face(evening.tournament) if evening.grand_prize else 0,
        rows=tuple(rows),
    )


def steps(shown: Finale) -> tuple[str, ...]:
    """What is told one after the other: the prizes from the last to the first, then the champion.

    The grand prize of a tournament is no step: everybody has seen it being won.
    """
    kinds = [prize.kind for prize in reversed(shown.prizes) if prize.kind != "grand_prize"]
    return (*kinds, *(("champion",) if shown.champions and not shown.grand else ()))


def revealed_finale(situation: Situation) -> Finale:
    """The finale as far as the host has had it told."""
    if situation.revealed is None:
        return finale(situation)
    shown = finale(situation)
    if situation.revealed >= len(steps(shown)):
        return shown
    count = sum(prize.kind != "grand_prize" for prize in shown.prizes)
    prizes = tuple(
        _hidden(prize, k, count - situation.revealed) for k, prize in enumerate(_grand_last(shown))
    )
    if shown.grand:
        return replace(shown, prizes=prizes, revealed=situation.revealed)
    return Finale((), None, shown.rounds, (), prizes, shown.pot, revealed=situation.revealed)


def _grand_last(shown: Finale) -> list[PrizeRow]:
    return sorted(shown.prizes, key=lambda prize: prize.kind == "grand_prize")


def _hidden(prize: PrizeRow, place: int, hidden: int) -> PrizeRow:
    """The prize at `place` of all, of which the first `hidden` are not told yet."""
    return PrizeRow(prize.kind, (), hidden=True) if place < hidden else prize


def _prize(award: Award, rolling: Sequence[RollHere]) -> PrizeRow:
    return PrizeRow(
        kind=award.category,
        winners=award.winners,
        each=(award.each or "") if award.winners else "",
        whole=award.amount or "",
        thing=award.award or "",
        tied=award.tied,
        tie=(award.by or "ask") if award.tied else "",
        waits=award.waits_for or "",
        roll=next((roll for roll in rolling if award.tied and roll.purpose == award.category), None),
    )


def _faces(situation: Situation, name: str) -> list[int]:
    """The targets of the rounds in which `name` rolled Buncos, one for each."""
    evening = situation.evening
    card = evening.people.cards.get(name)
    found = []
    for round_ in evening.rounds:
        for table in round_.tables:
            seats = [seat for seat, who in enumerate(table.seats) if round_.cards.get(who) == card]
            rolls = counted(table) if seats and table.buncos[seats[0]] else []
            found += [round_.target for roll in rolls if roll.seat in seats and roll.outcome == BUNCO]
    return found
