"""The ties of an evening: their numbers, and the throws and words that belong to each and to no other.

Players are cards here, so that a substitute takes over what was rolled and said.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from pi_bunco.game.contest import Contest, Faces, TieKey
from pi_bunco.game.people import People

TieThrow = dict[int, Faces]
"""The dice of one throw by whose card they are; a host's word names one winner, without dice."""


class Basis(Struct, frozen=True):
    """The standings that a prize is given on: finished rounds, the value of each eligible card, an order."""

    rounds: int
    values: Mapping[int, Any]
    order: tuple[int, ...] = ()

    def same(self, now: "Basis") -> bool:
        """True if nothing has changed for those who are eligible `now`; others may have left."""
        if self.rounds != now.rounds:
            return False
        if any(card not in self.values or self.values[card] != one for card, one in now.values.items()):
            return False
        orders = ([card for card in basis.order if card in now.values] for basis in (self, now))
        return next(orders) == next(orders)


class HostWord(NamedTuple):
    """A prize that the host gave: what for, its place, the cards of the winners, and on which standings."""

    purpose: str
    place: int
    winners: tuple[int, ...]
    basis: Basis


class Ties:
    """Everything that was rolled and said for the ties and prizes of an evening, also for former ones."""

    def __init__(self, people: People) -> None:
        self._people = people
        self.numbers: dict[TieKey, int] = {}
        """The number of each tie that has one."""
        self._throws: dict[TieKey, list[TieThrow]] = {}
        self._opened: set[TieKey] = set()
        self._words: list[HostWord] = []

    @property
    def keys(self) -> dict[int, TieKey]:
        """The tie of each number."""
        return {number: key for key, number in self.numbers.items()}

    def key(self, tie: Contest) -> TieKey:
        """The identity of a tie."""
        return tie.key(self._people.cards)

    def number(self, tie: Contest) -> int | None:
        """The number of a tie; None while it has none."""
        return self.numbers.get(self.key(tie))

    # Dice.

    def open_dice(self, tie: Contest) -> None:
        """The dice at the table are for this tie from now on, though the host is asked."""
        self._opened.add(self.key(tie))

    def dice_are_open(self, tie: Contest) -> bool:
        """The host has it rolled off."""
        return self.key(tie) in self._opened

    def roll(self, tie: Contest, dice: Mapping[str, Faces]) -> None:
        """Players rolled for `tie`."""
        cards = self._people.cards
        throw = {cards[name]: tuple(faces) for name, faces in dice.items()}
        self._throws.setdefault(self.key(tie), []).append(throw)

    def take_back(self, key: TieKey, word: bool | None = None) -> bool:
        """Takes back the latest throw for a tie; False if there is none, or `word` asks for another kind."""
        throws = self._throws.get(key)
        if not throws:
            return False
        is_word = not any(throws[-1].values())
        if word is not None and word != is_word:
            return False
        throws.pop()
        return True

    def throws(self, tie: Contest) -> Sequence[Mapping[str, Faces]]:
        """Everything that was rolled for `tie`, oldest first."""
        holders = self._people.holders
        return [
            {holders[card]: faces for card, faces in throw.items()}
            for throw in self._throws.get(self.key(tie), ())
        ]

    # Words.

    def give(self, purpose: str, place: int, winners: Sequence[str], basis: Basis) -> None:
        """The host gives a prize, or with no winners takes the word back."""
        cards = tuple(self._people.cards[name] for name in winners)
        self._words.append(HostWord(purpose, place, cards, basis))

    def given(self, purpose: str, place: int, now: Basis) -> tuple[str, ...]:
        """The winners by the latest word that stands: the standings are those it was given on."""
        for word in self._on(purpose, place):
            if word.basis.same(now):
                return tuple(self._people.holders[card] for card in word.winners)
        return ()

    def lapsed(self, purpose: str, place: int, now: Basis) -> bool:
        """The host's latest word stands no more, as it was given on other standings."""
        latest = next(self._on(purpose, place), None)
        return latest is not None and bool(latest.winners) and not latest.basis.same(now)

    def _on(self, purpose: str, place: int) -> Iterator[HostWord]:
        return (word for word in reversed(self._words) if (word.purpose, word.place) == (purpose, place))
