"""The moment at which the bell of a round rings, and the roll that rings it."""

from typing import Any

from game.independent.course import Rolled
from game.independent.rounds import Round
from game.independent.table import Bell, Table


def rings(table: Table, roll: Rolled) -> tuple[str, str] | None:
    """By what a roll that counts rings, and who rolled it."""
    if not table.names_bell():
        return None
    rules: dict[str, Any] = table.rules
    at = next(at for at, entry in enumerate(table.entries) if entry is roll)
    after = table.course(table.entries[: at + 1])
    player = table.seats[after.roller]
    if roll.outcome.bell:
        return "bunco" if roll.outcome.mark == "bunco" else "roll", player
    enough = rules["end.points"]
    if enough is None or roll.outcome.points == 0:
        return None
    points = after.points[after.roller]
    if rules["end.points_by"] == "team":
        points = after.totals()[after.side(after.roller)]
    return ("points", player) if points >= enough else None


def ring(round_: Round, bell: Bell, ringing: Rolled | None) -> None:
    """The bell rings: all that counts by now stays counted."""
    round_.bell = bell
    for table in round_.tables:
        table.bell_rang()
    if ringing is not None:
        ringing.rang = True


def who_rang(round_: Round) -> str | None:
    """The player of the ringing roll where it is now; nothing where it was taken back."""
    for table in round_.tables:
        for at, entry in enumerate(table.entries):
            if isinstance(entry, Rolled) and entry.rang:
                return table.seats[table.course(table.entries[: at + 1]).roller]
    return None
