"""Scoreboards as a head publishes them, of which a test says only what matters to it."""

from typing import Any

from msgspec import convert

from pi_bunco.game.board import Board, TableBoard

SEATS = ("Ann", "Bob", "Cat", "Dee")


def board(state: str = "setup", **changes: Any) -> Board:
    """The scoreboard of an evening of `classic` with one table."""
    plain = {
        "rules": "classic",
        "name": "classic",
        "state": state,
        "epoch": 0,
        "set": 1,
        "round": 1,
        "face": 1,
        "rounds_played": 0,
        "rounds": 6,
        "bell": None,
        "tables": (),
        "next_seating": (SEATS,),
        "standings": {},
        "traveler": None,
        "waiting": (),
    }
    return convert(plain | changes, Board, from_attributes=True)


def table(state: str = "playing", number: int = 1, **changes: Any) -> TableBoard:
    """A table where THEM are ahead and nobody has rolled of late."""
    plain = {
        "table": number,
        "seats": SEATS,
        "points": (3, 7),
        "turn": None,
        "rolls": 0,
        "state": state,
        "winner": None,
        "last": None,
        "n": None,
        "marks": (0, 0),
    }
    return convert(plain | changes, TableBoard)
