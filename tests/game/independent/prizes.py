"""Champions and prizes, from the standings at the end."""

from decimal import Decimal
from typing import Any

from game.independent.evening import Evening

LINES = {"buncos": "buncos", "wins": "wins", "losses": "losses", "minis": "minis", "score": "points"}
NEEDS_ONE = ("buncos", "minis", "one_two_three", "score", "wins", "losses")
DRAWN = ("loser_lottery", "fifty_fifty", "grand_prize")


def results(
    evening: Evening, standings: dict[str, dict[str, int]], ranking: list[list[str]]
) -> dict[str, Any]:
    """The object `results`; drawn prizes are left out, because how they are drawn is not written down."""
    pot = Decimal(evening.fact["pot"]) if evening.fact.get("pot") else None
    worth = _worth(evening.rules["prizes"], pot)
    marks = _marks(evening)
    won: set[str] = set()
    waiting: set[str] = set()
    prizes = []
    for prize, amount in zip(evening.rules["prizes"], worth, strict=True):
        people = [name for name in evening.people.here() if name not in won]
        best = _best(evening, prize["for"], people, standings, marks)
        answer = _settled(evening, prize["for"], [] if waiting & set(best) else best)
        if evening.rules["prize_once"]:
            won |= set(answer["winners"])
            waiting |= set(answer["tied"] or [])
        prizes.append({"for": prize["for"], **answer, "each": _each(amount, len(answer["winners"]))})
    here = [[name for name in level if name in evening.people.here()] for level in ranking]
    champions = next(filter(None, here), []) if evening.finished else []
    return {"champions": champions, "prizes": prizes, "pot": evening.fact.get("pot")}


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


def _marks(evening: Evening) -> list[tuple[int, str]]:
    """Who marked a Bunco, by line of the log."""
    marks = []
    for round_ in evening.finished:
        for table in round_.tables:
            for line, seat, roll in table.now().triples:
                card = table.card_of(line, seat)
                if roll.kind == "bunco" and card is not None:
                    marks.append((line, evening.people.names[round_.persons[table.seats[card]]]))
    return sorted(marks)


def _one_two_three(evening: Evening, name: str) -> int:
    return sum(
        card["one_two_three"]
        for round_ in evening.finished
        for table in round_.tables
        for seat, card in enumerate(table.cards())
        if not table.is_ghost(seat) and evening.people.names[round_.persons[table.seats[seat]]] == name
    )


def _best(
    evening: Evening,
    what: str,
    people: list[str],
    standings: dict[str, dict[str, int]],
    marks: list[tuple[int, str]],
) -> list[str]:
    """Who comes first for a prize."""
    from game.independent.report import traveler

    if not evening.finished:
        return []
    if what == "traveling":
        bag = traveler(evening)
        return [bag] if bag in people else []
    if what in ("first_bunco", "last_bunco"):
        there = [name for _, name in marks if name in people]
        return [there[0 if what == "first_bunco" else -1]] if there else []
    if what in DRAWN:
        return []
    if what == "one_two_three":
        numbers = {name: _one_two_three(evening, name) for name in people}
    else:
        numbers = {name: standings[name][LINES.get(what, "points")] for name in people}
    if not numbers:
        return []
    best = min(numbers.values()) if what == "lowest_score" else max(numbers.values())
    if what in NEEDS_ONE and best == 0:
        return []
    return [name for name, number in numbers.items() if number == best]


def _settled(evening: Evening, what: str, best: list[str]) -> dict[str, Any]:
    """Winners, or who is tied and how that is settled."""
    for fact in evening.words:
        if fact["kind"] == "prize" and fact["for"] == what:
            to = fact["to"] if isinstance(fact["to"], list) else [fact["to"]]
            return {"winners": to, "tied": None}
    how = evening.rules["prize_tie"]
    if len(best) < 2 or how == "split":
        return {"winners": sorted(best), "tied": None}
    return {"winners": [], "tied": sorted(best), "by": how}
