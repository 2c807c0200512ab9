"""`pi-bunco host status`: where the evening stands, in a few lines for people or as JSON for programs."""

import argparse
from collections.abc import Iterable, Iterator

from pi_bunco.cli import ask
from pi_bunco.cli.ask import Standing, add_connection, in_language, place
from pi_bunco.cli.parser import print_json
from pi_bunco.game.board import Board, TableBoard
from pi_bunco.game.contest import Awaited
from pi_bunco.game.reasons import SOUGHT, STAGES

STATES = {
    "round_open": "the round is running",
    "after_bell": "the bell has rung",
    "between_rounds": "between two rounds",
    "break": "a break",
    "finished": "the evening is over",
}
_DOES = {"playing": "plays", "final": "is done", "done": "waits for OK", "rolloff": "rolls off"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The form of the output."""
    parser.add_argument("--json", action="store_true", help="print what the head tells everybody as JSON")
    add_connection(parser)


def run(options: argparse.Namespace, wait: float) -> int:
    """Asks and prints; `NoAnswer` if no head tells within `wait` seconds."""
    standing = ask.look(place(options), wait)
    if options.json:
        print_json({"head": standing.head, "round": standing.round, "score": standing.score})
    else:
        print("\n".join(lines(standing)))
    return 0


def lines(standing: Standing) -> Iterator[str]:
    """The standing of the evening, line by line, and then all that it waits for."""
    assert standing.head is not None
    assert standing.score is not None
    board = standing.score.board
    if board.rules is None:
        yield "No evening is open."
    else:
        round_ = f", set {board.set}, round {board.round}, target {board.face}" if board.round else ""
        stage = f", {STAGES[board.stage]}" if board.stage else ""
        played = f"{board.rounds_played} of {board.rounds} rounds played"
        yield f"{board.name}{stage}{round_}: {_state(board)}; {played}."
        yield from table_lines(board.tables)
        yield from map(_rolling, board.rolling)
        yield from _seats(board)
        yield from _leaders(board)
    yield from (one for one in board.waiting if board.rules is not None or one != "No evening is open.")
    if board.left_out:  # one message has no room for all of a large hall
        named = ", ".join(name.replace("_", " ") for name in board.left_out)
        yield f"The hall is too large to list here: {named}. The host's page shows all."
    yield from in_language(standing.head.faults, standing.head.reasons)
    yield f"The head is {standing.head.host or 'there'}, version {standing.head.version}."


def table_lines(tables: Iterable[TableBoard]) -> Iterator[str]:
    """Points and doings of the tables of a running round."""
    for table in tables:
        yield f"Table {table.table}: {_score(table)}; {_doing(table)}{_last(table)}."


def _state(board: Board) -> str:
    if board.state == "setup":
        return "everybody has a seat" if board.next_seating else "the seats are not drawn yet"
    return STATES[board.state]


def _score(table: TableBoard) -> str:
    """Who has how many points: two pairs, each, or the whole table."""
    (a, b, c, d), points = table.seats, table.points
    sides = {1: (f"{a}, {b}, {c} and {d}",), 2: (f"{a} and {c}", f"{b} and {d}"), 4: table.seats}[len(points)]
    return ", ".join(f"{side} {had}" for side, had in zip(sides, points, strict=True))


def _doing(table: TableBoard) -> str:
    if table.winner:
        return f"{table.winner} wins"
    if table.turn and table.state == "playing":
        return f"{table.seats['ABCD'.index(table.turn)]}'s turn"
    return _DOES[table.state]


def _last(table: TableBoard) -> str:
    """The latest roll and its number in the log, by which it is undone."""
    if table.last is None:
        return ""
    roll = table.last if isinstance(table.last, str) else "-".join(map(str, table.last))
    return f", last roll {roll} (no. {table.n})"


def _rolling(awaited: Awaited) -> str:
    dice = "one die" if awaited.dice == 1 else f"{awaited.dice} dice"
    what = SOUGHT.get(awaited.purpose, awaited.purpose)
    return f"Table {awaited.table}: {', '.join(awaited.players)} to roll {dice} for {what}."


def _seats(board: Board) -> Iterator[str]:
    """The seats, while no round shows them."""
    if board.tables or board.state == "finished":
        return
    for number, names in enumerate(board.next_seating or (), 1):
        seated = (f"{seat} {name}" for seat, name in zip("ABCD", names, strict=True))
        yield f"Table {number}: {', '.join(seated)}."


def _leaders(board: Board) -> Iterator[str]:
    """The three best of wins and of Buncos, once there are any."""
    columns: dict[str, int] = {"wins": 0, "Buncos": 2}
    for what, column in columns.items():
        best = sorted(board.standings.items(), key=lambda card: -card[1][column])[:3]
        if named := [f"{name} {card[column]}" for name, card in best if card[column]]:
            yield f"Most {what}: {', '.join(named)}."
    if board.traveler:
        yield f"{board.traveler} holds the traveling bag."
