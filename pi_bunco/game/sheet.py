"""The result sheet and the score cards of an evening as plain values; page, PDF and CSV are made of these."""

from collections.abc import Iterable
from itertools import accumulate

from msgspec import Struct

from pi_bunco.game import facts
from pi_bunco.game.evening import Evening
from pi_bunco.game.fairness import Fairness, fairness
from pi_bunco.game.prizes import Results, results
from pi_bunco.game.ranks import StandingRow, standing_rows
from pi_bunco.game.round import Round
from pi_bunco.game.score_cards import marks, plain
from pi_bunco.rules import title as name_of


class RoundRow(Struct, frozen=True):
    """One round of a score card; `won` is None where the player had no seat."""

    set: int
    face: int
    partner: str
    points: int
    won: bool | None
    buncos: int
    minis: int


class PlayerCard(Struct, frozen=True):
    """A player's score card: every round, and the sums."""

    name: str
    rounds: tuple[RoundRow, ...]
    points: int
    wins: int
    losses: int
    buncos: int
    minis: int


class ResultSheet(Struct, frozen=True):
    """The end of an evening; of each player the targets of all Buncos (`faces`) and `wins` after every round.

    `marks` is what a card records; `title` is what the hall calls its evenings and `date` the day, as they
    are to stand there.
    """

    title: str
    date: str
    rules: str
    players: int
    rounds: int
    results: Results
    rows: tuple[StandingRow, ...]
    faces: dict[str, list[int]]
    wins: dict[str, tuple[int, ...]]
    marks: tuple[str, ...]
    dice: Fairness | None


NO_RESULTS = Results((), (), None, None, None, ())
"""Of an evening that goes on."""


def result_sheet(
    evening: Evening,
    log: Iterable[facts.Fact],
    *,
    title: str = "",
    date: str = "",
    pot: str | None = None,
    early: bool = False,
) -> ResultSheet | None:
    """The result sheet; None while there are no results, but the standings alone with `early`.

    `log` has the dice that were thrown.
    """
    ended, rules = results(evening, pot) or (NO_RESULTS if early else None), evening.rules
    if ended is None or rules is None:
        return None
    faces: dict[str, list[int]] = {name: [] for name in evening.people.cards}
    for mark in marks(evening.rounds, "buncos"):
        faces[evening.people.holders[mark.card]].append(mark.face)
    counted = fairness(fact.dice for fact in log if type(fact) is facts.Roll and fact.dice)
    return ResultSheet(
        title=title,
        date=date,
        rules=name_of(rules),
        players=len(evening.standings),
        rounds=len(evening.rounds),
        results=ended,
        rows=standing_rows(evening),
        faces=faces,
        wins={
            name: tuple(accumulate(int(_round_row(round_, number).won is True) for round_ in evening.rounds))
            for name, number in evening.people.cards.items()
        },
        marks=tuple(rules.card),
        dice=counted if counted.throws else None,
    )


def score_cards(evening: Evening) -> list[PlayerCard]:
    """Everybody's score card of the finished rounds, in the order of the names."""
    found = []
    for name in sorted(evening.standings, key=str.casefold):
        number = evening.people.cards[name]
        total = evening.standings[name]
        rows = [_round_row(round_, number) for round_ in evening.rounds]
        while evening.tournament and rows and rows[-1].won is None:
            rows.pop()  # a semi-final of others
        found.append(PlayerCard(name, tuple(rows), **plain(total, ())))
    return found


def _round_row(round_: Round, card: int) -> RoundRow:
    for table in round_.tables:
        for seat, name in enumerate(table.seats):
            if table.ghosts[seat] or round_.cards[name] != card:
                continue
            partner = table.seats[seat ^ 2] if round_.rules.team == "pairs" else ""
            return RoundRow(
                round_.set, round_.target, partner, table.seat_points[seat], table.won(seat),
                table.buncos[seat], table.minis[seat],
            )  # fmt: skip
    return RoundRow(round_.set, round_.target, "", 0, None, 0, 0)
