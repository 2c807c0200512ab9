"""The picture in the terminal: tables, whose turn it is, dice, scores, the bell. Pure."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from pi_bunco.game.board import Board, TableBoard
from pi_bunco.game.cards import Card, ranking
from pi_bunco.game.round import EndBell
from pi_bunco.play.chaos import BROKER_PROCESS
from pi_bunco.wire.messages import BellSignal
from pi_bunco.wire.topics import HEAD, WEB, table_node

FACE_SIGNS = " ⚀⚁⚂⚃⚄⚅"
TEAMS = ("US", "THEM")
WIDTH = 26
NEWS = 4
"""The latest events that are shown."""
BELL_MS = 2500.0
"""Milliseconds that the bell is seen to ring."""


class Picture(Struct):
    """All that is on the screen; times are ms of the clock."""

    rules: str
    champion: tuple[str, ...]
    """The marks that the ranking goes by."""
    board: Board | None = None
    began: float | None = None
    bell: str = ""
    bell_at: float = -BELL_MS
    down: frozenset[str] = frozenset()
    """The names of processes that do not run."""
    news: tuple[str, ...] = ()
    hint: str = ""

    def tell(self, text: str) -> None:
        """Adds an event."""
        self.news = (*self.news, text)[-NEWS:]

    def ring(self, bell: BellSignal, now: float) -> None:
        """The bell rings."""
        self.bell_at = now
        if bell.signal == "start":
            self.bell = "the round begins"
        elif self.board and self.board.bell and self.board.epoch == bell.epoch:
            self.bell = bell_words(self.board.bell)
        else:
            self.bell = _CAUSES.get(bell.cause, "the round is over")


class Spectator:
    """The one who looks on; this one does not look."""

    def say(self, text: str) -> None:
        """Hears what happened."""

    def chime(self) -> None:
        """Hears a bell."""

    def draw(self, picture: Picture, now: float) -> None:
        """Sees the picture at `now` (ms)."""


def render(picture: Picture, now: float) -> RenderableType:
    """The whole screen at `now`."""
    board = picture.board
    parts: list[RenderableType] = [_title(picture, now), _bell(picture, now)]
    if board and board.tables:
        panels = [_table(table, picture.down) for table in board.tables]
        parts.append(Columns(panels, padding=(0, 0)))
    elif board and board.next_seating:
        panels = [_seats(number, seats, picture.down) for number, seats in enumerate(board.next_seating, 1)]
        parts.append(Columns(panels, padding=(0, 0)))
    if board:
        parts += _waiting(board)
        parts.append(_standings(board, picture.champion))
    parts += [Text(line, style="dim", no_wrap=True, overflow="ellipsis") for line in picture.news]
    parts.append(Text(picture.hint, style="bold cyan"))
    return Group(*parts)


def _title(picture: Picture, now: float) -> Text:
    text = Text(" Bunco ", style="bold reverse", no_wrap=True, overflow="ellipsis")
    rest = f"  rules {picture.rules}"
    board = picture.board
    if board and board.round:
        rest += f"   set {board.set}, round {board.round}: roll {board.face}s"
    elif board and board.rounds:
        rest += f"   {board.rounds_played} of {board.rounds} rounds played"
    if picture.began is not None:
        rest += f"   {clock(now - picture.began)}"
    return text.append(rest, style="not reverse")


def clock(ms: float) -> str:
    """Minutes and seconds."""
    return f"{int(ms) // 60_000}:{int(ms) // 1000 % 60:02}"


def _bell(picture: Picture, now: float) -> Text:
    if now - picture.bell_at < BELL_MS:
        return Text(f" ♪ {picture.bell} ♪ ", style="bold black on yellow")
    dark = [name for name in (HEAD, BROKER_PROCESS) if name in picture.down]
    if dark and picture.began is not None:
        return Text(f" no power: the {' and the '.join(dark)}; the tables play on", style="red")
    return Text("")


_LOOKS = {
    "playing": ("green", ""),
    "done": ("yellow", "done, waits for OK"),
    "rolloff": ("magenta", "a tie: roll-off"),
}


def _table(table: TableBoard, down: Iterable[str]) -> Panel:
    result = f"{table.winner} win" if table.winner else "played"
    looks, says = _LOOKS.get(table.state, ("blue", result))
    grid = _grid()
    for row in (0, 2):
        grid.add_row(*(_seat(table, seat) for seat in (row, row + 1)))
    status = Text(says or _turn(table), style=looks, no_wrap=True, overflow="ellipsis")
    body = Group(
        _points(table.points),
        grid,
        Text.assemble((dice(table.last), "bold white"), f"  {_marks(table)}"),
        status,
    )
    return _panel(table.table, body, looks, down)


def _points(points: tuple[int, ...]) -> Text:
    """The points of two teams between their names, of four seats in a row, or of the table."""
    if len(points) != 2:
        return Text(" ".join(map(str, points)), "bold")
    both = " to ".join(map(str, points))
    return Text.assemble((f"{'US':<5}", "dim"), (f"{both:^12}", "bold"), (f"{'THEM':>5}", "dim"))


def _seats(number: int, seats: Iterable[str], down: Iterable[str]) -> Panel:
    a, b, c, d = seats
    grid = _grid()
    grid.add_row(f"  {a}", f"  {b}")
    grid.add_row(f"  {c}", f"  {d}")
    body = Group(Text.assemble((f"{'US':<11}", "dim"), ("THEM", "dim")), grid)
    return _panel(number, body, "white", down)


def _panel(number: int, body: RenderableType, looks: str, down: Iterable[str]) -> Panel:
    name = "Table 1, head" if number == 1 else f"Table {number}"
    dark = table_node(number) in down
    return Panel(
        body,
        title=f"{name}: no power" if dark else name,
        border_style="red" if dark else looks,
        width=WIDTH,
        title_align="left",
    )


def _grid() -> Grid:
    grid = Grid.grid(padding=(0, 1))
    grid.add_column(width=10, no_wrap=True, overflow="ellipsis")
    grid.add_column(width=10, no_wrap=True, overflow="ellipsis")
    return grid


def _seat(table: TableBoard, seat: int) -> Text:
    turn = table.turn == "ABCD"[seat]
    won = table.winner in (TEAMS[seat % 2], "ABCD"[seat], "table")
    style = "bold green" if turn else "bold blue" if won else ""
    return Text(f"{'▸' if turn else '✓' if won else ' '} {table.seats[seat]}", style=style)


def _turn(table: TableBoard) -> str:
    name = table.seats["ABCD".index(table.turn)] if table.turn else ""
    return f"{name} rolls again" if table.rolls else f"{name} has the dice"


def dice(last: Any) -> str:
    """The last roll: three dice, or what was entered by hand."""
    if last is None:
        return "- - -"
    return str(last) if isinstance(last, str) else " ".join(FACE_SIGNS[face] for face in last)


def _marks(table: TableBoard) -> str:
    parts = zip(table.marks, ("Bunco", "mini"), strict=True)
    return ", ".join(f"{number} {mark}{'s' * (number > 1)}" for number, mark in parts if number)


def _waiting(board: Board) -> list[RenderableType]:
    if not board.waiting or board.state in ("round_open", "finished"):
        return []
    return [Text(f"Waiting: {' '.join(board.waiting)}", style="yellow", no_wrap=True, overflow="ellipsis")]


def _standings(board: Board, champion: Sequence[str]) -> RenderableType:
    """The leading twelve with their wins and Buncos."""
    if not board.rounds_played:
        return Text("")
    cards = {name: Card(*values) for name, values in board.standings.items()}
    names = [name for level in ranking(cards, champion) for name in level]
    cells = [Text(f"{name} {cards[name].wins}/{cards[name].buncos}", style="cyan") for name in names[:12]]
    return Columns([Text("Wins/Buncos:", style="dim"), *cells], padding=(0, 2))


_CAUSES = {
    "bunco": "a Bunco at the head table",
    "roll": "the head table rolled what rings",
    "points": "the head table has the points",
    "time": "the time is over",
    "host": "the host ends the round",
}


def bell_words(bell: EndBell) -> str:
    """The reason why the bell rang."""
    match bell.by:
        case "bunco":
            return f"{bell.player} rolled a Bunco"
        case "roll":
            return f"{bell.player} rolled what rings"
        case "points":
            return f"{bell.player} reached the points"
        case by:
            return _CAUSES[by]


def spoken(name: str) -> str:
    """A process as people call it, at the beginning of a sentence."""
    if name == WEB:
        return "The page"
    return f"Table {name.removeprefix('table')}" if name.startswith("table") else f"The {name}"
