"""The result sheet and the score cards of an evening as plain values; page, PDF and CSV are made of these."""

from collections.abc import Iterable, Sequence
from itertools import accumulate

from msgspec import Struct

from pi_bunco.game import facts
from pi_bunco.game.cards import marks, ranking
from pi_bunco.game.evening import Evening
from pi_bunco.game.fairness import Fairness, fairness
from pi_bunco.game.prizes import Results, results
from pi_bunco.game.round import Round
from pi_bunco.rules import title as name_of


class StandingRow(Struct, frozen=True):
    """A player's line: the place, equal ones share it; the targets of the Buncos; whether the player left."""

    place: int
    name: str
    buncos: tuple[int, ...]
    wins: int
    losses: int
    minis: int
    points: int
    left: bool


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
    """The end of an evening. `wins` has each player's wins after every round, `marks` what a card records.

    `title` is what the hall calls its evenings and `date` the day, as they are to stand there.
    """

    title: str
    date: str
    rules: str
    players: int
    rounds: int
    results: Results
    rows: tuple[StandingRow, ...]
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
    counted = fairness(fact.dice for fact in log if type(fact) is facts.Roll and fact.dice)
    return ResultSheet(
        title=title,
        date=date,
        rules=name_of(rules),
        players=len(evening.standings),
        rounds=len(evening.rounds),
        results=ended,
        rows=tuple(_rows(evening, ended.left)),
        wins={
            name: tuple(accumulate(int(_round_row(round_, number).won is True) for round_ in evening.rounds))
            for name, number in evening.people.cards.items()
            if name in evening.standings
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
        rounds = tuple(rows)
        found.append(
            PlayerCard(name, rounds, total.points, total.wins, total.losses, total.buncos, total.minis)
        )
    return found


def _rows(evening: Evening, left: Sequence[str]) -> list[StandingRow]:
    assert evening.rules is not None
    faces: dict[int, list[int]] = {}
    for mark in marks(evening.rounds, "buncos"):
        faces.setdefault(mark.card, []).append(mark.face)
    rows: list[StandingRow] = []
    for level in ranking(evening.standings, evening.rules.champion):
        place = len(rows) + 1
        for name in level:
            card = evening.standings[name]
            rolled = tuple(faces.get(evening.people.cards[name], ()))
            rows.append(
                StandingRow(
                    place, name, rolled, card.wins, card.losses, card.minis, card.points, name in left
                )
            )
    return rows


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
