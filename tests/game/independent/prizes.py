"""Champions and prizes, from the standings at the end."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from game.independent.lots import lots
from game.independent.standings import standings

if TYPE_CHECKING:
    from game.independent.evening import Evening

Standings = dict[str, dict[str, int]]
LINES = {"buncos": "buncos", "wins": "wins", "losses": "losses", "minis": "minis", "score": "points"}
NEEDS_ONE = ("buncos", "minis", "one_two_three", "score", "wins", "losses")


@dataclass
class PrizeTie:
    """Who rolls for a prize, each with so many dice; who is level for it rolls again."""

    what: str
    among: list[str]
    dice: int
    rolled: dict[str, list[int]] = field(default_factory=dict)

    def waiting(self) -> list[str]:
        """Whose dice a throw of three holds."""
        return [name for name in self.among if name not in self.rolled][: 3 // self.dice]

    def enter(self, faces: dict[str, list[int]]) -> bool:
        """Whether what was rolled fits; it counts then."""
        for name, dice in faces.items():
            if name not in self.among or name in self.rolled or len(dice) != self.dice:
                return False
        self.rolled |= faces
        if len(self.rolled) == len(self.among):
            sums = {name: sum(dice) for name, dice in self.rolled.items()}
            best = min(sums.values()) if self.what == "lowest_score" else max(sums.values())
            self.among, self.rolled = [name for name in self.among if sums[name] == best], {}
        return True


def results(evening: "Evening", cards: Standings, ranking: list[list[str]]) -> dict[str, Any]:
    """The object `results`."""
    pot = Decimal(evening.fact["pot"]) if evening.fact.get("pot") else None
    worth = _worth(evening.rules["prizes"], pot)
    prizes = []
    for (what, answer, _), amount in zip(_settled_all(evening, cards), worth, strict=True):
        prizes.append({"for": what, **answer, "each": _each(amount, len(answer["winners"]))})
    here = [[name for name in level if name in evening.people.here()] for level in ranking]
    champions = next(filter(None, here), []) if evening.finished else []
    return {
        "champions": sorted(evening.words.get("champion", champions)),
        "prizes": prizes,
        "pot": evening.fact.get("pot"),
        "grand_prize": _grand_prize(evening),
    }


def open_ties(evening: "Evening") -> list[PrizeTie]:
    """The ties for prizes that dice settle and that are not settled yet."""
    if not evening.over():
        return []
    cards = standings(evening.people, evening.finished)
    return [tie for _, _, tie in _settled_all(evening, cards) if tie and len(tie.among) > 1]


def _settled_all(
    evening: "Evening", cards: Standings
) -> Iterator[tuple[str, dict[str, Any], PrizeTie | None]]:
    marks = _marks(evening)
    won: set[str] = set()
    waiting: set[str] = set()
    for prize in evening.rules["prizes"]:
        what = prize["for"]
        people = [name for name in evening.people.here() if name not in won]
        best = _best(evening, what, people, cards, marks)
        waits = bool(waiting & set(best)) and what != "grand_prize"
        answer, tie = _settled(evening, what, [] if waits else best)
        if evening.rules["prize_once"]:
            won |= set(answer["winners"])
            waiting |= set(answer["tied"] or [])
        yield what, answer, tie


def _grand_prize(evening: "Evening") -> str | None:
    stages = evening.stages
    return stages.winner if stages and stages.stage == "done" else None


def _worth(prizes: list[dict[str, Any]], pot: Decimal | None) -> list[int | None]:
    """What each prize is worth in cents: amounts first, percent of the rest of the pot, no cent left over."""
    amounts = sum(_cents(prize["amount"]) for prize in prizes if "amount" in prize)
    percents = [prize.get("percent") for prize in prizes]
    rest = 0 if pot is None else max(int(pot * 100) - amounts, 0)
    shares = [rest * (percent or 0) // 100 for percent in percents]
    if any(percents):
        by_remainder = sorted(range(len(prizes)), key=lambda at: -(rest * (percents[at] or 0) % 100))
        for at in by_remainder[: rest - sum(shares)]:
            shares[at] += 1
    return [
        _cents(prize["amount"])
        if "amount" in prize
        else share
        if "percent" in prize and pot is not None
        else None
        for prize, share in zip(prizes, shares, strict=True)
    ]


def _cents(amount: Any) -> int:
    return int(Decimal(str(amount)) * 100)


def _each(amount: int | None, winners: int) -> str | None:
    if amount is None or not winners:
        return None
    each = amount // winners
    return f"{each // 100}.{each % 100:02}"


def _marks(evening: "Evening") -> list[tuple[int, str]]:
    """Who marked a Bunco, by line of the log."""
    marks = []
    for round_ in evening.finished:
        for table in round_.tables:
            for line, seat, roll in table.now().triples:
                card = table.card_of(line, seat)
                if roll.kind == "bunco" and card is not None:
                    marks.append((line, evening.people.names[round_.persons[table.seats[card]]]))
    return sorted(marks, key=lambda mark: mark[0])


def _one_two_three(evening: "Evening", name: str) -> int:
    return sum(
        card["one_two_three"]
        for round_ in evening.finished
        for table in round_.tables
        for seat, card in enumerate(table.cards())
        if not table.is_ghost(seat) and evening.people.names[round_.persons[table.seats[seat]]] == name
    )


def _best(
    evening: "Evening", what: str, people: list[str], cards: Standings, marks: list[tuple[int, str]]
) -> list[str]:
    """Who comes first for a prize."""
    from game.independent.report import traveler

    if not evening.finished or not people:
        return []
    single: dict[str, Callable[[], list[str | None]]] = {
        "traveling": lambda: [traveler(evening)],
        "first_bunco": lambda: [*[name for _, name in marks if name in people][:1]],
        "last_bunco": lambda: [*[name for _, name in marks if name in people][-1:]],
        "loser_lottery": lambda: [*_loser(evening, people, cards)],
        "fifty_fifty": lambda: [*lots(evening.seed, "fifty_fifty", people)[:1]],
    }
    if what == "grand_prize":
        winner = _grand_prize(evening)  # who may have gone home with it
        return [] if winner is None else [winner]
    if what in single:
        return [name for name in single[what]() if name is not None and name in people]
    if what == "one_two_three":
        numbers = {name: _one_two_three(evening, name) for name in people}
    else:
        numbers = {name: cards[name][LINES.get(what, "points")] for name in people}
    best = min(numbers.values()) if what == "lowest_score" else max(numbers.values())
    if what in NEEDS_ONE and best == 0:
        return []
    return [name for name, number in numbers.items() if number == best]


def _loser(evening: "Evening", people: list[str], cards: Standings) -> list[str]:
    most = max(cards[name]["losses"] for name in people)
    losers = [name for name in people if cards[name]["losses"] == most]
    return lots(evening.seed, "loser_lottery", losers)[:1] if most else []


def _settled(evening: "Evening", what: str, best: list[str]) -> tuple[dict[str, Any], PrizeTie | None]:
    """Winners, or who is tied and how that is settled."""
    if what in evening.words:
        return {"winners": sorted(evening.words[what]), "tied": None}, None
    how = evening.rules["prize_tie"]
    if len(best) < 2 or how == "split":
        return {"winners": sorted(best), "tied": None}, None
    if how == "ask":
        return {"winners": [], "tied": sorted(best), "by": how}, None
    tie = PrizeTie(what, best, 1 if how == "one_die" else 3)
    for purpose, faces in evening.prize_rolls:
        if purpose == what:
            tie.enter(faces)
    if len(tie.among) == 1:
        return {"winners": list(tie.among), "tied": None}, tie
    return {"winners": [], "tied": sorted(tie.among), "by": how}, tie
