"""Dice that are rolled between rounds: who rolls what for which place or prize, and at which table."""

from collections.abc import Mapping
from itertools import chain

from pi_bunco.game.contest import Awaited, Contest, Faces
from pi_bunco.game.evening import Evening
from pi_bunco.game.prizes import open_ties
from pi_bunco.game.rolloffs import awaited
from pi_bunco.web.pages.shared.model import Roller, RollHere
from pi_bunco.web.pages.shared.names import all_calls, short
from pi_bunco.web.site.evening_now import EveningNow, shared_by_round


@shared_by_round
def rolls(now: EveningNow) -> tuple[RollHere, ...]:
    """The throws that the game waits for now, one at most at each table."""
    found = (roll_at(now, number) for number in range(1, now.evening.tables + 1))
    return tuple(roll for roll in found if roll)


def roll_at(now: EveningNow, number: int) -> RollHere | None:
    """The throw that the game waits for at table `number`."""
    evening = now.evening
    if not evening.seating or number > evening.tables:
        return None
    wanted = awaited(evening, number)
    return _shown(evening, wanted, all_calls(now)) if wanted else None


def _shown(evening: Evening, wanted: Awaited, calls: Mapping[str, str]) -> RollHere:
    contest = _contest(evening, wanted)
    thrown = contest.thrown if contest else _latest(evening, wanted)
    people = (
        Roller(name, short(name, calls), thrown.get(name, ()), name in wanted.players) for name in wanted.tied
    )
    return RollHere(
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
