"""A round at all tables, and the chairs after it."""

from dataclasses import dataclass, field

from game.independent.moving import Seats, moved
from game.independent.people import renamed
from game.independent.table import Bell, Table


@dataclass
class Round:
    """One round, running or finished, with the chairs' changes since it was over."""

    set: int
    place: int
    target: int
    epoch: int
    seating: list[Seats]
    tables: list[Table]
    groups: list[list[int]]
    bell: Bell | None = None
    since: list[tuple[tuple[str, str], bool]] = field(default_factory=list)
    chairs: list[Seats] | None = None
    persons: dict[str, int] = field(default_factory=dict)
    paused: bool = False

    def final(self) -> bool:
        """Whether every table has its result."""
        return all(table.now().winner for table in self.tables)

    def moved(self) -> list[Seats]:
        """Where everybody goes by the results."""
        groups = self.groups or [[table.number for table in self.tables]]
        how = self.tables[0].rules["move.tables"]
        seating = list(self.seating)
        for group in groups:
            tables = [self.seating[number - 1] for number in group]
            winners = [str(self.tables[number - 1].now().winner) for number in group]
            for number, seats in zip(group, moved(tables, winners, how), strict=True):
                seating[number - 1] = seats
        return seating


def since(tables: list[Seats], changes: list[tuple[tuple[str, str], bool]]) -> list[Seats]:
    """The chairs after all who came, went or were replaced."""
    for change, apart in changes:
        tables = renamed(tables, change, apart)
    return tables
