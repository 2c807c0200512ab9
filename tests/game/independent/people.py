"""Cards, attendance and names: a person is a number, so that a substitute is the same one."""

from game.independent.moving import Chairs


def ghost_number(name: str) -> int | None:
    """The k of `Ghost k`."""
    word, _, number = name.partition(" ")
    return int(number) if word == "Ghost" and number.isdecimal() else None


class People:
    """Persons in the order in which they got their cards."""

    def __init__(self, names: list[str]) -> None:
        self.names = list(names)
        self.there = set(range(len(names)))

    def person(self, name: str) -> int | None:
        """The person who has this name now."""
        return self.names.index(name) if name in self.names else None

    def is_there(self, name: str) -> bool:
        """True if somebody of this name plays now."""
        return self.person(name) in self.there

    def chair(self, name: str) -> int:
        """The person or the ghost of this name, as it stands on a chair."""
        ghost = ghost_number(name)
        return self.names.index(name) if ghost is None else -ghost

    def name(self, chair: int) -> str:
        """The name on a chair."""
        return f"Ghost {-chair}" if chair < 0 else self.names[chair]

    def on_chairs(self, tables: list[Chairs]) -> list[list[str]]:
        """The names at the tables."""
        return [[self.name(chair) for chair in table] for table in tables]

    def arrives(self, name: str) -> int:
        """The person of this name, there from now on, with the old card if there is one."""
        person = self.person(name)
        if person is None:
            self.names.append(name)
            person = len(self.names) - 1
        self.there.add(person)
        return person
