"""Who is there, who has a card, and who sits on which chair."""

import math

from game.independent.moving import Seats, ghosts_apart, is_ghost


class People:
    """Persons by number, so that a substitute is the same person under another name."""

    def __init__(self, names: list[str], ghosts: list[str]) -> None:
        self.names = list(names)
        self.ghosts = list(ghosts)
        self.gone: set[int] = set()

    def number(self, name: str) -> int | None:
        """The person with this name, if there is a card of that name."""
        return self.names.index(name) if name in self.names else None

    def here(self) -> list[str]:
        """Who has not left."""
        return [name for number, name in enumerate(self.names) if number not in self.gone]

    def first_seating(self, tables: list[Seats], before: list[Seats] | None) -> bool:
        """Whether all who are there have one chair, and nobody else but ghosts."""
        now = len(before) if before else (len(self.here()) + len(self.ghosts)) // 4
        persons = [name for seats in tables for name in seats if not is_ghost(name)]
        return set(persons) == set(self.here()) and self.new_seating(tables, now, self.here())

    def new_seating(self, tables: list[Seats], before: int, playing: list[str]) -> bool:
        """Whether all who are there have one chair, with guests and ghosts besides."""
        sat = [name for seats in tables for name in seats]
        persons = [name for name in sat if not is_ghost(name)]
        if not sat or len(sat) != len(set(sat)) or not set(playing) <= set(persons):
            return False
        return len(tables) in (before, math.ceil(len(persons) / 4))

    def sit_down(self, tables: list[Seats]) -> None:
        """Guests that a seating names arrive by it."""
        for name in (name for seats in tables for name in seats if not is_ghost(name)):
            self.come(name)

    def come(self, name: str) -> None:
        """A person is there, with the old card or a new one."""
        number = self.number(name)
        if number is None:
            self.names.append(name)
        else:
            self.gone.discard(number)

    def leave(self, name: str, tables: list[Seats]) -> tuple[str, str] | None:
        """Which name gives way to which ghost."""
        number = self.number(name)
        if number is None or number in self.gone:
            return None
        taken = {name for seats in tables for name in seats} if tables else set(self.ghosts)
        ghost = next(f"Ghost {k}" for k in range(1, 10_000) if f"Ghost {k}" not in taken)
        self.gone.add(number)
        return name, ghost

    def arrive(self, name: str, tables: list[Seats]) -> tuple[str, str] | None:
        """Which ghost gives way to whom."""
        ghosts = [one for seats in tables for one in seats if is_ghost(one)] if tables else self.ghosts
        if is_ghost(name) or name in self.here() or not ghosts:
            return None
        self.come(name)
        return min(ghosts, key=lambda ghost: int(ghost.split()[1])), name

    def before_chairs(self, change: tuple[str, str]) -> None:
        """A ghost came or went before anybody sat."""
        if is_ghost(change[1]):
            self.ghosts.append(change[1])
        elif is_ghost(change[0]):
            self.ghosts.remove(change[0])

    def substitute(self, out: str, new: str) -> tuple[str, str] | None:
        """Who takes whose chair and card over."""
        number = self.number(out)
        if number is None or number in self.gone or new in self.names or is_ghost(new):
            return None
        self.names[number] = new
        return out, new


def renamed(tables: list[Seats], change: tuple[str, str], apart: bool) -> list[Seats]:
    """The chairs with one name in place of another; ghosts are kept apart where a ghost came or went."""
    result = []
    for seats in tables:
        if change[0] not in seats:
            result.append(seats)
            continue
        new = [change[1] if name == change[0] else name for name in seats]
        result.append(ghosts_apart(new) if apart else new)
    return result
