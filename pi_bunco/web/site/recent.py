"""What pages need of the facts beside the evening itself, held while it may be shown."""

from collections import deque

from msgspec import Struct, field

from pi_bunco.game import facts
from pi_bunco.game.facts import Fact

LATELY = 12
"""Facts that are held as the latest ones."""


def _latest() -> deque[tuple[int, Fact]]:
    return deque(maxlen=LATELY)


class Recent(Struct):
    """Times (ms of the evening clock), the dice of the latest round, and the latest facts.

    `opened` is when the latest round was opened, `changed` when that was or the latest seats were drawn. Of
    the latest round `dice` has what fell at a place of the log, `last_rolls` per table the place of the last
    roll that counted. `fell` counts the faces of the evening from 1 to 6 by tables, `lately` has places and
    facts, but not that a table knows of a bell.
    """

    opened: int = 0
    changed: int = -1_000_000
    dice: dict[int, tuple[int, ...]] = {}
    last_rolls: dict[int, int] = {}
    fell: dict[int, list[int]] = {}
    lately: deque[tuple[int, Fact]] = field(default_factory=_latest)

    def add(self, n: int, fact: Fact, counts: bool = True) -> None:
        """The fact at place `n`; not one that `counts` if it changed nothing."""
        if not isinstance(fact, facts.BellSeen):
            self.lately.append((n, fact))
        match fact:
            case facts.Roll(table=table, dice=dice) if counts:
                self.last_rolls[table] = n
                if dice:
                    self.dice[n] = dice
                    fell = self.fell.setdefault(table, [0] * 6)
                    for face in dice:
                        fell[face - 1] += 1
            case facts.RoundOpen():
                self.opened = self.changed = fact.t
                self.dice, self.last_rolls = {}, {}
            case facts.Seating():
                self.changed = fact.t
