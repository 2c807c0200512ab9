"""A host without hands: looks at the scoreboard, and says what to ask the head for next. Pure."""

from collections.abc import Callable
from itertools import count
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from pi_bunco.game.board import Board, TableBoard
from pi_bunco.wire.messages import Answer, Command

HostWish = tuple[str, dict[str, Any]]
"""A command and its arguments."""


class HostPlan(Struct, frozen=True):
    """The evening that is to be played: a preset, what is changed in it, who plays how long, and the lots."""

    rules: str
    players: tuple[str, ...]
    sets: int = 1
    seed: int = 1
    overrides: dict[str, Any] = {}


class Waits(Struct, frozen=True):
    """The waits of a host (ms)."""

    between: float = 2000.0
    """From the end of a round to the start of the next."""
    missing: float = 5000.0
    """For a table that is not ready, before the head is asked all the same."""
    ok: float = 20_000.0
    """For the OK of a table that is done."""
    table: float = 60_000.0
    """For anything to happen at a table after the bell."""
    dice: float = 120_000.0
    """For anything to happen anywhere before the bell."""
    answer: float = 1000.0
    """For an answer, before the same command is sent again."""


class Autohost:
    """Opens the evening, draws the seats, starts rounds and stages, helps hanging tables, and closes.

    `board` and `answer` tell what the head says, `due` has what to ask next; all times are ms. It asks one
    thing at a time, and again until it is answered. Where it is not `alone` a person hosts: then it asks only
    for what `start_round`, `end_round` and `close` say.
    """

    def __init__(self, plan: HostPlan, waits: Waits, name: str, *, alone: bool = True) -> None:
        """`name` begins the ids of its commands and must be new to the head."""
        self.why: tuple[str, ...] = ()
        """The reasons for which the last command was refused."""
        self.closed = False
        """True once the head has closed the evening."""
        self._plan = plan
        self._waits = waits
        self._alone = alone
        self._ids = (f"{name}-{n}" for n in count(1))
        self._board: Board | None = None
        self._command: Command | None = None
        self._board_then: Board | None = None
        self._sent_at = 0.0
        self._not_before = 0.0
        self._seen: Callable[[Board], bool] = lambda _: True
        self._start = self._end = self._close = False
        self._since: dict[int, tuple[Any, float]] = {}
        self._idle_since = 0.0

    @property
    def played(self) -> bool:
        """True once every round of the evening has been played."""
        return self._board is not None and self._board.state == "finished"

    def start_round(self) -> None:
        """The person at the keyboard wants a round to start."""
        self._start = True

    def end_round(self) -> None:
        """The person at the keyboard wants the round to end."""
        self._end = True

    def close(self) -> None:
        """The evening is to be closed."""
        self._close = True

    def board(self, board: Board, now: float) -> None:
        """Looks at the scoreboard as it is now."""
        before, self._board = self._board, board
        if before is None or _place(before) != _place(board):
            self._idle_since = now
            self._since.clear()
        for table in board.tables:
            if self._since.get(table.table, (None, now))[0] != table:
                self._since[table.table] = (table, now)
                self._idle_since = now

    def answer(self, answer: Answer, now: float) -> None:
        """Takes the head's answer; one to another command means nothing."""
        command = self._command
        if command is None or answer.id != command.id:
            return
        self._command, self.why = None, answer.why
        if answer.done:
            self._seen = _effect(command, self._board_then)
            self.closed |= command.command == "evening_close"
        elif command.command == "evening_close" and self.played:  # the person has closed it already
            self.closed = True
        else:
            self._not_before = now + self._waits.answer

    def due(self, now: float) -> Command | None:
        """The command for the head now, if any."""
        if self._command is None:
            wish = self._wish(now)
            if wish is None:
                return None
            self._command = Command(next(self._ids), wish[0], wish[1], "demo")
            self._board_then = self._board
        elif now - self._sent_at < self._waits.answer:
            return None
        self._sent_at = now
        return self._command

    def _wish(self, now: float) -> HostWish | None:
        board = self._board
        if board is None or self.closed or now < self._not_before or not self._seen(board):
            return None
        if board.rules is None:
            if not self._alone or self._close:
                return None
            return "evening_open", {**asdict(self._plan), "players": list(self._plan.players)}
        if self._close:
            return "evening_close", {"unfinished": True}
        if not self._alone:
            return self._pressed(board)
        if board.next_seating is None:
            return "seats_draw", {}
        match board.state:
            case "round_open":
                return ("round_end", {}) if now - self._idle_since >= self._waits.dice else None
            case "after_bell":
                return self._help(board, now)
            case "finished":
                return None
            case _:
                return self._between_rounds(board, now)

    def _pressed(self, board: Board) -> HostWish | None:
        """The wish of the person at the keyboard, where it makes sense now."""
        start, end = self._start, self._end
        self._start = self._end = False
        if board.state == "round_open":
            return ("round_end", {}) if end else None
        return ("round_start", {}) if start and board.state != "after_bell" else None

    def _between_rounds(self, board: Board, now: float) -> HostWish | None:
        waited = now - self._idle_since
        if board.next_stage:
            return ("stage", {}) if waited >= self._waits.between else None
        if board.rolling:
            return None
        # The reasons on the board can be old ones; the head says what is true when it is asked.
        enough = self._waits.missing if board.waiting else self._waits.between
        return ("round_start", {}) if waited >= enough else None

    def _help(self, board: Board, now: float) -> HostWish | None:
        """Gives the table that has waited too long its OK, or the host's word for who is ahead."""
        for table in board.tables:
            number, waited = table.table, now - self._since[table.table][1]
            if table.state == "done" and waited >= self._waits.ok:
                return "confirm", {"table": number}
            if (
                table.state in ("playing", "rolloff")
                and waited >= self._waits.table
                and len(table.points) > 1
            ):
                return "decide", {"table": number, "winner": _ahead(table)}
        return None


def _ahead(table: TableBoard) -> str:
    """Side with the most points, the first of equal ones; an empty chair is none."""
    names = ("US", "THEM") if len(table.points) == 2 else "ABCD"
    ghosts = [name.startswith("Ghost ") for name in table.seats] if len(table.points) == 4 else [False] * 2
    sides = zip(names, table.points, ghosts, strict=False)
    return max((side for side in sides if not side[2]), key=lambda side: side[1])[0]


def _place(board: Board) -> tuple[Any, ...]:
    return board.state, board.epoch, board.next_seating is None, board.stage


def _effect(command: Command, board: Board | None) -> Callable[[Board], bool]:
    """Tells from a scoreboard that `command`, asked for on sight of `board`, was done.

    That can be before the answer comes; until it does, what is on the scoreboard is old news.
    """
    epoch = board.epoch if board else 0
    match command.command:
        case "evening_open":
            return lambda new: new.rules is not None
        case "seats_draw":
            return lambda new: new.next_seating is not None
        case "round_start":
            return lambda new: new.epoch > epoch
        case "stage":
            stage = board.stage if board else None
            return lambda new: new.stage != stage
        case "round_end":
            return lambda new: new.epoch > epoch or new.state != "round_open"
        case "confirm" | "decide":
            before = _tables(board)[command.args["table"]].state
            number = command.args["table"]
            return lambda new: (
                new.epoch > epoch or number not in _tables(new) or _tables(new)[number].state != before
            )
        case _:
            return lambda _: True


def _tables(board: Board | None) -> dict[int, TableBoard]:
    return {table.table: table for table in board.tables} if board else {}
