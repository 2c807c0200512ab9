"""The scoreboard as it goes over the wire (`all/score`): a value that needs no evening."""

from typing import Literal

from msgspec import Struct

from pi_bunco.game.contest import Awaited
from pi_bunco.game.fields import Seat, Stage, Winner
from pi_bunco.game.round import EndBell
from pi_bunco.game.seating import SeatNames
from pi_bunco.reason import Coded

TableState = Literal["playing", "done", "rolloff", "final"]
"""`done` waits for OK."""
CardRow = tuple[int, int, int, int, int]
"""Wins, losses, Buncos, minis and points of a card."""


class TableBoard(Struct, frozen=True):
    """One table of the running round; `turn` is null where nobody is to roll.

    `last` is the latest roll (dice or call) and `n` its number in the log, by which it is undone; `marks`
    are the Buncos and minis of all four seats.
    """

    table: int
    seats: SeatNames
    points: tuple[int, ...]
    turn: Seat | None
    rolls: int
    state: TableState
    winner: Winner | None
    last: tuple[int, int, int] | str | None
    n: int | None
    marks: tuple[int, int]


class Board(Struct, frozen=True, omit_defaults=True):
    """The running round, the seating, the standings, and who is waited for.

    `rules` is the preset and `name` what the rule set is called; `round` is the place in the set and `face`
    the target.
    `left_out` names the fields that are empty only because one message would not hold them.
    """

    rules: str | None
    name: str | None
    state: str
    epoch: int
    set: int | None
    round: int | None
    face: int | None
    rounds_played: int
    rounds: int
    bell: EndBell | None
    tables: tuple[TableBoard, ...]
    next_seating: tuple[SeatNames, ...] | None
    standings: dict[str, CardRow]
    traveler: str | None
    waiting: tuple[str, ...]
    stage: Stage | None = None
    """The stage of a tournament."""
    next_stage: Stage | None = None
    """The stage that the host can confirm now."""
    rolling: tuple[Awaited, ...] = ()
    """The throws that are waited for between rounds."""
    left_out: tuple[str, ...] = ()
    waiting_at: tuple[int, ...] = ()
    """For each sentence of `waiting` the table that it is about, 0 for none."""
    reasons: tuple[Coded, ...] = ()
    """The same, one for one, with code and fields; none where they have no room."""
