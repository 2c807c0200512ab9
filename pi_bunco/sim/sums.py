"""What is counted over many evenings: integer sums, so that neither order nor cores change a digit."""

from collections.abc import Iterable, Sequence
from math import sqrt
from operator import add
from typing import TypeVar

from msgspec import Struct

from pi_bunco.game.evening import Evening
from pi_bunco.game.prizes import awards
from pi_bunco.game.round import Round
from pi_bunco.game.score import BUNCO
from pi_bunco.sim.evenings import TICK

Key = TypeVar("Key", bound=int | str)


class Sum(Struct, frozen=True):
    """A number of observations, their sum and the sum of their squares."""

    count: int = 0
    total: int = 0
    squares: int = 0

    def __add__(self, other: "Sum") -> "Sum":
        return Sum(self.count + other.count, self.total + other.total, self.squares + other.squares)

    @property
    def mean(self) -> float | None:
        """The mean, None without observations."""
        return self.total / self.count if self.count else None

    @property
    def error(self) -> float | None:
        """The standard error of the mean, None for fewer than two observations."""
        if self.count < 2:
            return None
        return sqrt((self.count * self.squares - self.total**2) / (self.count - 1)) / self.count


def observed(values: Iterable[int]) -> Sum:
    """The sum of `values`."""
    values = list(values)
    return Sum(len(values), sum(values), sum(value * value for value in values))


class Face(Struct, frozen=True):
    """The rounds of one target face: rolls to the bell, and which bell rolls were US's or a Bunco."""

    rolls_to_bell: Sum = Sum()
    us_rings: Sum = Sum()
    bunco_rings: Sum = Sum()

    def __add__(self, other: "Face") -> "Face":
        return Face(
            self.rolls_to_bell + other.rolls_to_bell,
            self.us_rings + other.us_rings,
            self.bunco_rings + other.bunco_rings,
        )


class Sums(Struct, frozen=True):
    """Evenings, throws of three dice, roll-offs, and the rounds of face 1 to 6.

    `buncos` were rolled in the rounds; `lengths` are evenings by their rolls at one table after the other;
    `winners` are people who win a prize or are tied for one, and `tied` evenings with a tie for each prize.
    """

    evenings: int = 0
    rolls: int = 0
    rolloffs: int = 0
    faces: tuple[Face, ...] = (Face(),) * 6
    buncos: int = 0
    winners: int = 0
    lengths: dict[int, int] = {}
    tied: dict[str, int] = {}

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(
            self.evenings + other.evenings,
            self.rolls + other.rolls,
            self.rolloffs + other.rolloffs,
            tuple(map(add, self.faces, other.faces)),
            self.buncos + other.buncos,
            self.winners + other.winners,
            _merged(self.lengths, other.lengths),
            _merged(self.tied, other.tied),
        )


def _merged(one: dict[Key, int], other: dict[Key, int]) -> dict[Key, int]:
    return {key: one.get(key, 0) + other.get(key, 0) for key in {**one, **other}}


def summed(evening: Evening, rolls: int) -> Sums:
    """The sums of one finished evening in which three dice rolled `rolls` times."""
    tables = [table for round_ in evening.rounds for table in round_.tables]
    prizes, _ = awards(evening, None)
    names = {award.category: set(award.winners or award.tied) for award in prizes}
    by_face = [[round_ for round_ in evening.rounds if round_.target == face] for face in range(1, 7)]
    return Sums(
        evenings=1,
        rolls=rolls,
        rolloffs=sum(table.rolloffs for table in tables),
        faces=tuple(map(_face, by_face)),
        buncos=sum(sum(table.rolled_buncos) for table in tables),
        winners=len(set().union(*names.values())),
        lengths={evening.finished_t // TICK: 1},
        tied={category: int(len(tied) > 1) for category, tied in names.items()},
    )


def _face(rounds: Sequence[Round]) -> Face:
    rung = [found for round_ in rounds if (found := _ringer(round_)) is not None]
    return Face(
        # All tables roll at one pace, the head table first: it has made as many rolls as the one that rang.
        rolls_to_bell=observed(round_.tables[0].before_bell for round_ in rounds),
        us_rings=observed(seat % 2 == 0 for seat, _ in rung),
        bunco_rings=observed(outcome == BUNCO for _, outcome in rung),
    )


def _ringer(round_: Round) -> tuple[int, int] | None:
    """The seat that rang the bell and the outcome of its roll; None where the time was over."""
    assert round_.bell is not None
    player = round_.bell.player
    if player is None:
        return None
    table = next(table for table in round_.tables if player in table.seats)
    return table.seats.index(player), table.entries[table.before_bell - 1][0]
