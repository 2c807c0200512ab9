"""Ranks for a prize from the best down, with the standings behind it; and of tables that are teams."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from pi_bunco.game.evening import Evening
from pi_bunco.game.score_cards import Card, RankedNames, levels, marks, plain, ranking, totals, value
from pi_bunco.game.stage_places import drawn
from pi_bunco.game.ties import Basis

CHAMPION = "champion"
"""The purpose of a tie for the first place in the overall ranking."""


DICE_LOTTERY = "dice_lottery"
"""The prize that everybody rolls for."""


class Ranks(Struct, frozen=True):
    """Ranks of the eligible, and their `basis`; who has nothing to show for the prize is in no level."""

    levels: RankedNames
    basis: Basis


def eligible(evening: Evening) -> Mapping[str, Card]:
    """The cards of who is still here; who has left and not come back wins nothing."""
    present = set(evening.people.present)
    return {name: card for name, card in evening.standings.items() if name in present}


def ranks(evening: Evening, category: str) -> Ranks:
    """The ranks for the prize `category`, or for the champion: nobody has one before a round is final."""
    found = _ranks(evening, category)
    return found if evening.rounds else Ranks([], found.basis)


def _ranks(evening: Evening, category: str) -> Ranks:
    cards = eligible(evening)
    numbers = evening.people.cards
    order = _order(evening, category, cards)
    if order is not None:
        basis = Basis(
            len(evening.rounds),
            dict.fromkeys((numbers[name] for name in cards), None),
            tuple(numbers[name] for name in order),
        )
        return Ranks([[name] for name in order], basis)
    values = _values(evening, category, cards)
    basis = Basis(len(evening.rounds), {numbers[name]: one for name, one in values.items()})
    if category == "lowest_score":
        return Ranks(levels({name: -one for name, one in values.items()}), basis)
    needs_one = category != CHAMPION
    return Ranks(levels({name: one for name, one in values.items() if one or not needs_one}), basis)


def _values(evening: Evening, category: str, cards: Mapping[str, Card]) -> dict[str, Any]:
    """Everybody's value for a prize that counts something."""
    if category == CHAMPION:
        order = evening.ruleset.champion
        return {name: tuple(value(card, mark) for mark in order) for name, card in cards.items()}
    if category == DICE_LOTTERY:
        return dict.fromkeys(cards, 1)
    mark = "score" if category == "lowest_score" else category
    return {name: value(card, mark) for name, card in cards.items()}


def _order(evening: Evening, category: str, cards: Mapping[str, Card]) -> list[str] | None:
    """Order of those who come into question, none of them level; None for a prize that counts."""
    match category:
        case "first_bunco" | "last_bunco":
            rolled = marks(evening.rounds, "buncos")
            if category == "last_bunco":
                rolled.reverse()
            found = (evening.people.holders[one.card] for one in rolled)
            return [name for name in dict.fromkeys(found) if name in cards]
        case "loser_lottery":  # drawn among those with most losses, then among the next, and so on
            losers = levels({name: card.losses for name, card in cards.items() if card.losses})
            return [name for level in losers for name in drawn(evening.seed, category, level)]
        case "fifty_fifty":
            return drawn(evening.seed, category, cards)
        case "traveling":
            return [name for name in cards if name == evening.traveler]
        case "grand_prize":
            return [evening.grand_prize] if evening.grand_prize else []
        case _ if category in evening.things:
            return [name for name in cards if name == evening.holder(category)]
        case _:
            return None


class StandingRow(Struct, frozen=True):
    """One line of the standings; who is level shares a `place`. `gone` left before the end."""

    place: int
    name: str
    buncos: int
    wins: int
    losses: int
    minis: int
    points: int
    gone: bool = False


def standing_rows(evening: Evening) -> tuple[StandingRow, ...]:
    """The standings, first to last; none before an evening is open."""
    standings, rows = evening.standings, list[StandingRow]()
    for level in ranking(standings, evening.rules.champion) if evening.rules else ():
        place = len(rows) + 1
        for name in level:
            gone = name not in evening.people.present
            rows.append(StandingRow(place, name, gone=gone, **plain(standings[name], ())))
    return tuple(rows)


class TeamRow(Struct, frozen=True):
    """A team's line: its place, equal ones share it, and the sums of its cards by their marks."""

    name: str
    place: int
    marks: dict[str, int]


def teams(evening: Evening) -> tuple[TeamRow, ...]:
    """The teams from first to last, by all that was rolled at their tables; none under other rules."""
    rules = evening.rules
    if rules is None or rules.team != "table":
        return ()
    summed: dict[int, Card] = {}
    for round_ in evening.rounds:
        of_round = totals([round_])
        for table in round_.tables:
            for seat, name in enumerate(table.seats):
                if not table.ghosts[seat]:
                    card = of_round[round_.cards[name]]
                    summed[table.number] = summed.get(table.number, Card()).plus(card)
    named = {name_of(evening, number): card for number, card in sorted(summed.items())}
    rows: list[TeamRow] = []
    for level in ranking(named, rules.champion):
        place = len(rows) + 1
        rows += [TeamRow(name, place, plain(named[name], rules.words)) for name in level]
    return tuple(rows)


def name_of(evening: Evening, table: int) -> str:
    """The name of the team at `table`."""
    return evening.teams[table - 1] if table <= len(evening.teams) else f"Table {table}"
