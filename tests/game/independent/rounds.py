"""A round at all tables, and what was changed on its chairs since."""

from dataclasses import dataclass, field

from game.independent.moving import Chairs, alone, ghosts_apart, moved
from game.independent.table import Bell, Table


@dataclass
class Since:
    """Changes on the chairs since a seating was made: the host's seats, who came and who went."""

    fixed: list[Chairs] | None = None
    changes: list[tuple[int, int]] = field(default_factory=list)
    apart: bool = True

    def seats(self, base: list[Chairs]) -> list[Chairs]:
        """The chairs now, `base` being those without all that."""
        tables = self.fixed if self.fixed is not None else base
        for out, new in self.changes:
            tables = [self._changed(table, out, new) for table in tables]
        return tables

    def _changed(self, table: Chairs, out: int, new: int) -> Chairs:
        if out not in table:
            return table
        chairs = [new if chair == out else chair for chair in table]
        return ghosts_apart(chairs) if self.apart else chairs

    def follow(self, later: "Since") -> None:
        """Takes over what happened later."""
        if later.fixed is not None:
            self.fixed, self.changes = later.fixed, []
        self.changes = [*self.changes, *later.changes]


@dataclass
class Round:
    """One round, running or finished."""

    number: int
    set: int
    place: int
    target: int
    epoch: int
    stage: str | None
    chairs: list[Chairs]
    tables: list[Table]
    groups: list[list[int]]
    how: str
    team: str = "pairs"
    bell: Bell | None = None
    since: Since = field(default_factory=Since)
    ended_break: bool = False

    def final(self) -> bool:
        """True if every table has its result."""
        return all(table.now().winner for table in self.tables)

    def seats_after(self) -> list[Chairs]:
        """The chairs for the next round, as far as it is known now."""
        return self.since.seats(self.seats_at_its_end())

    def seats_at_its_end(self) -> list[Chairs]:
        """The chairs of all after it, by the results."""
        tables = list(self.chairs)
        for group in self.groups:
            before = [self.chairs[number - 1] for number in group]
            winners = [str(self.tables[number - 1].now().winner) for number in group]
            after = moved(before, winners, self.how) if self.team == "pairs" else alone(before, self.how)
            if self.team == "table":
                after = before
            for number, chairs in zip(group, after, strict=True):
                tables[number - 1] = chairs
        return tables

    def won(self, number: int, seat: int) -> bool:
        """True if a seat of a table has won."""
        table = self.tables[number - 1]
        if self.team != "table":
            return table.now().winner in ("ABCD"[seat], ("US", "THEM")[seat % 2])
        group = next(group for group in self.groups if number in group)
        mine, *_ = table.now().totals()
        return mine == max(self.tables[one - 1].now().totals()[0] for one in group)

    def winner(self, number: int) -> str | None:
        """The name of the side that won at a table, or of the table itself."""
        if self.team == "table":
            return "table" if self.won(number, 0) else None
        return self.tables[number - 1].now().winner

    def seats_again(self) -> list[Chairs]:
        """The chairs if the round never happened."""
        return self.since.seats(self.chairs)

    def person(self, table: int, seat: int) -> int:
        """The person on that seat in this round."""
        return self.chairs[table - 1][seat]
