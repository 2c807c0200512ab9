"""One round at all tables: who rolls where, and the bell that ends it for everybody."""

from collections.abc import Collection, Mapping, Sequence
from itertools import permutations
from typing import Literal

from msgspec import Struct

from pi_bunco.game import facts
from pi_bunco.game.score import CALLS, score
from pi_bunco.game.seating import Names
from pi_bunco.game.table import Table, rings
from pi_bunco.rules import RuleSet

STRAIGHTS = frozenset(permutations((1, 2, 3)))
"""The six ways to roll 1-2-3."""


class EndBell(Struct, frozen=True):
    """The bell that ended a round: when it could be heard (ms), by what it rang, and who rang it."""

    t: int
    by: Literal["points", "bunco", "time", "host"]
    player: str | None


class Round:
    """The round of `target` (1-6) in set `set`, both counted from 1; `epoch` counts the opened rounds."""

    def __init__(
        self,
        rules: RuleSet,
        epoch: int,
        played: int,
        seating: Sequence[Names],
        ghosts: Collection[str],
        cards: Mapping[str, int],
    ) -> None:
        self.rules = rules
        self.epoch = epoch
        self.set, self.target = played // 6 + 1, played % 6 + 1
        self.seating = tuple(seating)
        self.ghosts = frozenset(ghosts)
        self.cards = dict(cards)
        """The card of each player of this round, however the names change later."""
        self.bell: EndBell | None = None
        self.rang_at = 0
        """The place in the log of the fact that rang the bell."""
        self.rested = False
        """Whether the opening of this round ended a break."""
        self.seated: list[Names] | None = None
        """The seating that the host set since this round was finished, in place of the moves."""
        self.replaced: list[tuple[str, str, frozenset[str]]] = []
        """Who lost the seat to whom since this round was finished, and the ghosts there were then."""
        self.tables = [
            Table(number, seats, tuple(name in ghosts for name in seats), rules, self.target)
            for number, seats in enumerate(self.seating, 1)
        ]
        self.straights: set[int] = set()
        """The places in the log of rolls of 1-2-3."""
        self._outcomes = score(rules, self.target).outcomes

    @property
    def finished(self) -> bool:
        """Whether every table has a winner."""
        return all(table.final for table in self.tables)

    @property
    def winners(self) -> list[int]:
        """The winning team of each table of a finished round, 0 US and 1 THEM."""
        return [table.winner for table in self.tables if table.winner is not None]

    def roll(self, fact: facts.Roll, n: int) -> str | None:
        """A roll at place `n` of the log: why it does not count, or None. It may ring the bell."""
        table = self.tables[fact.table - 1]
        dice = fact.dice
        outcome = self._outcomes[dice] if dice is not None else CALLS[str(fact.call)]
        if dice in STRAIGHTS:
            self.straights.add(n)
        seat = table.seat
        why = table.roll(outcome, fact.t, n)
        if self.bell is None and table.rings and why is None:
            by = rings(self.rules, table, seat, outcome)
            if by:
                self.ring(EndBell(table.entries[-1][1], by, table.seats[seat]), n)
        return why

    def ring(self, bell: EndBell, n: int) -> None:
        """The bell ends the round because of the fact at place `n` of the log."""
        self.bell = bell
        self.rang_at = n
        for table in self.tables:
            table.ring(bell.t)

    def void_bell(self) -> None:
        """The bell was a false alarm; the round is open again."""
        self.bell = None
        for table in self.tables:
            table.void()

    def last_bunco(self) -> int | None:
        """The card of who rolled the last marked Bunco of this round."""
        marked = [(table.last_bunco, table) for table in self.tables if table.last_bunco]
        if not marked:
            return None
        (_, seat), table = max(marked, key=lambda pair: pair[0])
        return self.cards[table.seats[seat]]
