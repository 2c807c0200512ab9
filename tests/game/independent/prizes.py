"""Champions and prizes, from the standings at the end."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from game.independent.lots import lots
from game.independent.ruleset import things
from game.independent.standings import Card
from game.independent.ties import Throws, Tie

ANY = ("lowest_score", "champion", "dice_lottery")
"""Prizes that somebody wins who has none of what they are for."""
IN_ORDER = ("first_bunco", "last_bunco", "loser_lottery", "fifty_fifty")
"""Prizes of which only an order is known."""

Place = tuple[str, int]
"""A prize's subject, and its place."""


@dataclass
class Ground:
    """All that prizes are decided from."""

    rules: dict[str, Any]
    names: list[str]
    eligible: list[int]
    cards: list[Card]
    buncos: list[int]
    holders: dict[str, str | None]
    grand: int | None
    seed: str
    rounds: int

    def value(self, what: str, person: int) -> Any:
        """The person's amount of that for which the prize is; more is better."""
        card = self.cards[person]
        if what == "champion":
            return tuple(card["points" if key == "score" else key] for key in self.rules["champion"])
        if what == "lowest_score":
            return -card["points"]
        if what == "traveling" or what in things(self.rules):
            return self.holders["bag" if what == "traveling" else what] == self.names[person]
        if what == "grand_prize":
            return self.grand == person
        if what == "dice_lottery":
            return True
        return card["points" if what == "score" else what]

    def ranked(self, what: str, among: Iterable[int]) -> list[list[int]]:
        """Groups of equals, the best first, without those who cannot win it."""
        if what == "grand_prize":
            return [] if self.grand is None else [[self.grand]]
        among = list(among) if self.rounds or what == "champion" else []
        if what in IN_ORDER:
            return [[person] for person in self._in_order(what, among)]
        values = {person: self.value(what, person) for person in among}
        if what not in ANY:
            values = {person: value for person, value in values.items() if value}
        return [
            [person for person in values if values[person] == value]
            for value in sorted(set(values.values()), reverse=True)
        ]

    def _in_order(self, what: str, among: list[int]) -> list[int]:
        if what in ("first_bunco", "last_bunco"):
            order = self.buncos if what == "first_bunco" else self.buncos[::-1]
            return [person for person in dict.fromkeys(order) if person in among]
        by_name = {self.names[person]: person for person in among}
        order = [by_name[name] for name in lots(self.seed, what, by_name)]
        if what == "fifty_fifty":
            return order
        losers = [person for person in order if self.cards[person]["losses"]]
        return sorted(losers, key=lambda person: -self.cards[person]["losses"])

    def seen(self, what: str) -> dict[int, Any]:
        """The values on which a host's word on this prize rests."""
        if what in IN_ORDER:
            return dict(enumerate(self._in_order(what, self.eligible)))
        return {person: self.value(what, person) for person in self.eligible}

    def unchanged(self, what: str, seen: dict[int, Any], rounds: int) -> bool:
        """True if all is as it was but for who has left."""
        if rounds != self.rounds:
            return False
        if what in IN_ORDER:
            order = [person for _, person in sorted(seen.items()) if person in self.eligible]
            return order == self._in_order(what, self.eligible)
        return all(person in seen and seen[person] == self.value(what, person) for person in self.eligible)


@dataclass
class Word:
    """A host's word on a prize, and what it was said of."""

    winners: list[int]
    seen: dict[int, Any]
    rounds: int


@dataclass
class Prize:
    """The standing of one prize of the list."""

    what: str
    place: int
    winners: list[int] = field(default_factory=list)
    by: str | None = None
    tie: Tie | None = None
    tied: list[int] = field(default_factory=list)
    waits_for: str | None = None
    each: bool = False
    lapsed: bool = False

    def could_go_to(self, best: list[int], ground: Ground) -> bool:
        """True if one of these rolls for it, or is in rank for it while it waits itself."""
        ranked = ground.ranked(self.what, ground.eligible) if self.waits_for else [self.tied]
        return any(person in best for level in ranked for person in level)

    def settled(self) -> bool:
        """True if it is known who has it, or that nobody has."""
        return self.waits_for is None and (bool(self.winners) or self.tie is None)


def standing_word(words: list[Word], what: str, ground: Ground) -> Word | None:
    """The latest word of which all is as it was."""
    standing = [word for word in words if ground.unchanged(what, word.seen, word.rounds)]
    return standing[-1] if standing else None


def decided(ground: Ground, words: dict[Place, list[Word]], throws: Throws) -> list[Prize]:
    """All prizes, in the order of the list."""
    prizes: list[Prize] = []
    for declared in ground.rules["prizes"]:
        prize = Prize(declared["for"], declared.get("place", 1), each=declared.get("each", False))
        said = words.get((prize.what, prize.place), [])
        word = standing_word(said, prize.what, ground)
        prize.lapsed = bool(said) and word is None
        _decide(prize, prizes, ground, throws)
        if word is not None:
            prize.winners, prize.by, prize.waits_for = word.winners, "host", None
        prizes.append(prize)
    return prizes


def _decide(prize: Prize, before: list[Prize], ground: Ground, throws: Throws) -> None:
    if prize.each:
        ranked = ground.ranked(prize.what, ground.eligible)
        prize.winners = sorted(person for level in ranked for person in level)
        return
    before = [one for one in before if not one.each]
    once = ground.rules["prize_once"] and prize.what != "grand_prize"
    same = [one for one in before if one.what == prize.what]
    binding = before if once else same
    gone = {person for one in binding for person in one.winners}
    ranked = ground.ranked(prize.what, [person for person in ground.eligible if person not in gone])
    best = ranked[0] if ranked else []
    waiting = [one for one in same if not one.settled()]
    waiting = waiting or [one for one in binding if not one.settled() and one.could_go_to(best, ground)]
    if waiting:
        prize.waits_for = waiting[0].what
        return
    if not all(one.winners for one in same):
        return
    if not ranked:
        return
    method = "one_die" if prize.what == "dice_lottery" else ground.rules["prize_tie"]
    if len(ranked[0]) == 1 or method == "split":
        prize.winners, prize.by = ranked[0], "split" if len(ranked[0]) > 1 else None
        return
    dice = {"one_die": 1, "three_dice": 3, "ask": 0}[method]
    prize.tie = Tie(
        prize.what, ranked[0], ground.rounds, dice, prize.place, lowest=prize.what == "lowest_score"
    )
    asked = method == "ask" and not throws.are_open(prize.tie)
    prize.by = method if method != "ask" or asked else "three_dice"
    prize.tied = throws.standing(prize.tie).still
    winner = throws.standing(prize.tie).winner()
    if winner is not None:
        prize.winners = [winner]
