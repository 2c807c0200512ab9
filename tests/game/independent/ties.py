"""Ties: what they are for, who is in them, and what was thrown for them."""

from dataclasses import dataclass, field

Key = tuple[str, int, str | None, int | None, frozenset[int], int]
"""The identity of a tie: purpose, place, stage, group, persons, rounds finished."""
Throw = dict[int, int] | int
"""The worth of one throw for each person; a number is the person whom the host named."""


@dataclass
class Tie:
    """Persons who are equal, and how it is settled."""

    purpose: str
    persons: list[int]
    rounds: int
    dice: int
    place: int = 1
    stage: str | None = None
    group: int | None = None
    lowest: bool = False

    def key(self) -> Key:
        """Its identity."""
        return (self.purpose, self.place, self.stage, self.group, frozenset(self.persons), self.rounds)


@dataclass
class Standing:
    """The standing of a tie after its throws."""

    still: list[int]
    thrown: dict[int, int] = field(default_factory=dict)
    again: int = 0

    def awaited(self) -> list[int]:
        """Persons who have to throw."""
        return [] if len(self.still) == 1 else [person for person in self.still if person not in self.thrown]

    def winner(self) -> int | None:
        """The winner, once there is one."""
        return self.still[0] if len(self.still) == 1 else None

    def without(self, person: int, lowest: bool) -> "Standing":
        """The same without somebody who has gone."""
        still = [one for one in self.still if one != person]
        thrown = {one: value for one, value in self.thrown.items() if one != person}
        return _compared(Standing(still, thrown, self.again), lowest)


def _compared(now: Standing, lowest: bool) -> Standing:
    """The next go where all have thrown."""
    if not now.thrown or now.awaited():
        return now
    best = (min if lowest else max)(now.thrown.values())
    return Standing([person for person in now.still if now.thrown[person] == best], again=now.again + 1)


def stepped(tie: Tie, now: Standing, throw: Throw) -> Standing:
    """The standing of the tie after one more throw or the host's word."""
    if isinstance(throw, int):
        return Standing([throw], again=now.again)
    thrown = now.thrown | {person: value for person, value in throw.items() if person in now.still}
    return _compared(Standing(now.still, thrown, now.again), tie.lowest)


@dataclass
class Throws:
    """All that was thrown and said for ties, and their numbers."""

    thrown: dict[Key, list[Throw]] = field(default_factory=dict)
    numbers: dict[int, Key] = field(default_factory=dict)
    opened: set[Key] = field(default_factory=set)

    def standing(self, tie: Tie) -> Standing:
        """The standing of the tie after all its throws."""
        now = Standing(list(tie.persons))
        for throw in self.thrown.get(tie.key(), []):
            now = stepped(tie, now, throw)
        return now

    def are_open(self, tie: Tie) -> bool:
        """True if the host, who was asked, has it rolled."""
        return tie.key() in self.opened or bool(self.thrown.get(tie.key()))

    def dice(self, tie: Tie) -> int:
        """The number of dice that each rolls; three where the host was asked."""
        return tie.dice or 3

    def add(self, tie: Tie, throw: Throw) -> None:
        """Adds what was rolled, or whom the host named."""
        self.thrown.setdefault(tie.key(), []).append(throw)

    def take_back(self, tie: Tie) -> bool:
        """Takes the latest throw back; not where there is none."""
        thrown = self.thrown.get(tie.key(), [])
        if not thrown:
            return False
        thrown.pop()
        return True
