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
ORDERED = ("first_bunco", "last_bunco", "loser_lottery", "fifty_fifty", "traveling", "grand_prize")
NEEDS_ONE = ("buncos", "minis", "one_two_three", "score", "wins", "losses")


@dataclass
class PrizeTie:
    """Who rolls for a prize, each with so many dice; who is level for it rolls again."""

    key: tuple[Any, ...]
    among: list[str]
    dice: int
    asks: bool
    rolled: dict[str, list[int]] = field(default_factory=dict)

    def settled(self) -> bool:
        """Whether somebody has won."""
        return len(self.among) == 1

    def next(self) -> list[str]:
        """Whose dice a throw of three holds; nobody's while the host is asked."""
        if self.asks or self.settled():
            return []
        return [name for name in self.among if name not in self.rolled][: 3 // self.dice]

    def fits(self, faces: dict[str, list[int]]) -> bool:
        """Whether these may roll now."""
        return all(
            name in self.among and name not in self.rolled and len(dice) == self.dice
            for name, dice in faces.items()
        )

    def enter(self, faces: dict[str, list[int]]) -> None:
        """What was rolled, where it fits; once all have rolled the best are left."""
        if not self.fits(faces):
            return
        self.rolled |= faces
        if len(self.rolled) == len(self.among):
            sums = {name: sum(dice) for name, dice in self.rolled.items()}
            best = min(sums.values()) if self.key[0] == "lowest_score" else max(sums.values())
            self.among, self.rolled = [name for name in self.among if sums[name] == best], {}


@dataclass
class Word:
    """A prize by the host's word, and the standings then."""

    what: str
    place: int
    persons: list[int]
    behind: "Behind"


Behind = tuple[int, dict[int, Any] | None, list[int]]
"""Rounds, what each eligible person has, or for what is no number the order and who was there."""


def behind(evening: "Evening", what: str) -> Behind:
    """What a word on this prize goes by."""
    cards = standings(evening.people, evening.finished)
    here = evening.people.here()
    number = evening.people.names.index
    rounds = len(evening.finished)
    if what in ORDERED:
        marks = _marks(evening)
        left, order = list(here), []
        while left and (best := _best(evening, what, left, cards, marks)):
            order.append(number(best[0]))
            if best[0] not in left:  # who has gone home with the grand prize
                break
            left.remove(best[0])
        return rounds, dict.fromkeys(number(name) for name in here), order
    return rounds, {number(name): _number(evening, what, name, cards) for name in here}, []


def _number(evening: "Evening", what: str, name: str, cards: Standings) -> Any:
    if what == "champion":
        return [cards[name]["points" if by == "score" else by] for by in evening.rules["champion"]]
    if what == "one_two_three":
        return _one_two_three(evening, name)
    return cards[name][LINES.get(what, "points")]


def standing_word(evening: "Evening", what: str, place: int) -> list[str]:
    """The winners by the latest word that still stands."""
    now = behind(evening, what)
    for word in reversed(evening.words):
        if (word.what, word.place) == (what, place) and _as_then(word.behind, now):
            return [evening.people.names[person] for person in word.persons]
    return []


def _as_then(then: Behind, now: Behind) -> bool:
    assert then[1] is not None
    assert now[1] is not None
    if then[0] != now[0] or not now[1].keys() <= then[1].keys():
        return False
    if any(then[1][person] != value for person, value in now[1].items()):
        return False
    return [one for one in then[2] if one in now[1]] == [one for one in now[2] if one in now[1]]


def results(evening: "Evening", cards: Standings, ranking: list[list[str]]) -> dict[str, Any]:
    """The object `results`."""
    pot = Decimal(evening.fact["pot"]) if evening.fact.get("pot") else None
    worth = _worth(evening.rules["prizes"], pot)
    prizes = []
    for (prize, answer, _), amount in zip(_settled_all(evening, cards), worth, strict=True):
        prizes.append({"for": prize["for"], **answer, "each": _each(amount, len(answer["winners"]))})
    return {
        "champions": sorted(standing_word(evening, "champion", 1) or _first(evening, ranking)),
        "prizes": prizes,
        "pot": evening.fact.get("pot"),
        "grand_prize": _grand_prize(evening),
    }


def _first(evening: "Evening", ranking: list[list[str]]) -> list[str]:
    here = [[name for name in level if name in evening.people.here()] for level in ranking]
    return next(filter(None, here), []) if evening.finished else []


def prize_ties(evening: "Evening") -> list[PrizeTie]:
    """The ties for prizes that stand, settled or not, and for the champion."""
    if not evening.over():
        return []
    cards = standings(evening.people, evening.finished)
    ties = [tie for _, _, tie in _settled_all(evening, cards) if tie]
    best = [(_number(evening, "champion", name, cards), name) for name in evening.people.here()]
    first = [name for values, name in best if values == max(best)[0]] if evening.finished else []
    return ties + ([_tie(evening, "champion", 1, first)] if len(first) > 1 else [])


def open_ties(evening: "Evening") -> list[PrizeTie]:
    """The ties for prizes that dice at the table settle and that are not settled yet."""
    return [tie for tie in asked(evening) if not tie.asks]


def asked(evening: "Evening") -> list[PrizeTie]:
    """The ties for prizes that neither dice nor a word have settled."""
    if not evening.over():
        return []
    cards = standings(evening.people, evening.finished)
    return [tie for _, answer, tie in _settled_all(evening, cards) if tie and answer["tied"]]


def _settled_all(
    evening: "Evening", cards: Standings
) -> Iterator[tuple[dict[str, Any], dict[str, Any], PrizeTie | None]]:
    marks = _marks(evening)
    done: list[tuple[str, dict[str, Any]]] = []
    for prize in evening.rules["prizes"]:
        what, place = prize["for"], prize.get("place", 1)
        before = [answer for other, answer in done if other == what]
        once = [answer for _, answer in done] if evening.rules["prize_once"] and what != "grand_prize" else []
        won = {name for answer in before + once for name in answer["winners"]}
        people = [name for name in evening.people.here() if name not in won]
        best = _best(evening, what, people, cards, marks)
        waits = any(answer["tied"] or answer["waits"] for answer in before)
        waits |= any(set(answer["tied"] or []) & set(best) for answer in once)
        if waits or not all(answer["winners"] for answer in before):
            best = []
        answer, tie = _settled(evening, what, place, best)
        answer["waits"] = waits and not answer["winners"]
        done.append((what, answer))
        yield prize, {key: value for key, value in answer.items() if key != "waits"}, tie


def _grand_prize(evening: "Evening") -> str | None:
    stages = evening.stages
    return stages.winner if stages and stages.stage == "done" else None


def _worth(prizes: list[dict[str, Any]], pot: Decimal | None) -> list[int | None]:
    """What each prize is worth in cents: amounts first, percent of the rest of the pot, no cent left over."""
    amounts = [_cents(prize.get("amount", 0)) for prize in prizes]
    percents = [prize.get("percent") for prize in prizes]
    rest = 0 if pot is None else int(pot * 100)
    if pot is not None:
        for at, wanted in enumerate(amounts):
            amounts[at] = min(wanted, rest)
            rest -= amounts[at]
    shares = [rest * (percent or 0) // 100 for percent in percents]
    if any(percents):
        by_remainder = sorted(range(len(prizes)), key=lambda at: -(rest * (percents[at] or 0) % 100))
        for at in by_remainder[: rest - sum(shares)]:
            shares[at] += 1
    return [
        sure if "amount" in prize else share if "percent" in prize and pot is not None else None
        for prize, sure, share in zip(prizes, amounts, shares, strict=True)
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


def _tie(evening: "Evening", what: str, place: int, best: list[str]) -> PrizeTie:
    persons = frozenset(evening.people.names.index(name) for name in best)
    key = (what, place, persons, len(evening.finished), None, None)
    how = evening.rules["prize_tie"]
    asks = what == "champion" or (how == "ask" and key not in evening.open_dice and not evening.book.get(key))
    tie = PrizeTie(key, best, 1 if how == "one_die" else 3, asks)
    for event in evening.book.get(key, []):
        tie.enter({evening.people.names[person]: faces for person, faces in event.items()})
    return tie


def _settled(
    evening: "Evening", what: str, place: int, best: list[str]
) -> tuple[dict[str, Any], PrizeTie | None]:
    """Winners, or who is tied and how that is settled."""
    how = evening.rules["prize_tie"]
    tie = _tie(evening, what, place, best) if len(best) > 1 and how != "split" else None
    if word := standing_word(evening, what, place):
        return {"winners": sorted(word), "tied": None}, tie
    if tie is None or tie.settled():
        return {"winners": sorted(tie.among if tie else best), "tied": None}, tie
    by = "ask" if tie.asks else "three_dice" if how == "ask" else how
    return {"winners": [], "tied": sorted(tie.among), "by": by}, tie
