"""Where the evening stands, in a few lines for people or as the head tells it for programs."""

from collections.abc import Iterator
from typing import Any

import msgspec

from pi_bunco.cli.ask import Standing

SAID = {
    "setup": "seats are to be drawn and the first round is to be started",
    "round_open": "the round is open",
    "after_bell": "the bell has rung",
    "between_rounds": "between two rounds",
    "break": "a break",
    "finished": "the evening is over",
}
_DOES = {"playing": "plays", "final": "is done", "done": "waits for OK", "rolloff": "rolls off"}


def show(standing: Standing, as_json: bool) -> int:
    """Prints it; always 0."""
    if as_json:
        plain = {"head": standing.head, "round": standing.round, "score": standing.score}
        print(msgspec.json.encode(plain).decode())
    else:
        print("\n".join(lines(standing)))
    return 0


def lines(standing: Standing) -> Iterator[str]:
    """Where the evening stands, line by line."""
    assert standing.head is not None
    assert standing.score is not None
    board = standing.score.board
    if board["rules"] is not None:
        yield _where(board)
        yield from map(_table, board["tables"])
        yield from _seats(board)
        yield from _leaders(board)
    yield from board["waiting"]
    yield from standing.head.faults
    yield f"The head is {standing.head.host or 'there'}, version {standing.head.version}."


def _where(board: dict[str, Any]) -> str:
    round_ = f", set {board['set']}, round {board['round']}" if board["round"] else ""
    played = f"{board['rounds_played']} of {board['rounds']} rounds played"
    return f"{board['name']}{round_}: {SAID[board['state']]}; {played}."


def _table(table: dict[str, Any]) -> str:
    seats, (us, them) = table["seats"], table["points"]
    teams = f"{seats[0]} and {seats[2]} {us}, {seats[1]} and {seats[3]} {them}"
    return f"Table {table['table']}: {teams}; {_doing(table)}."


def _doing(table: dict[str, Any]) -> str:
    if table["winner"]:
        return f"{table['winner']} wins"
    if table["turn"] and table["state"] == "playing":
        return f"{table['seats']['ABCD'.index(table['turn'])]}'s turn"
    return _DOES[table["state"]]


def _seats(board: dict[str, Any]) -> Iterator[str]:
    """Who sits where, while no round shows it."""
    if board["tables"] or board["state"] == "finished":
        return
    for number, names in enumerate(board["next_seating"] or (), 1):
        seated = (f"{seat} {name}" for seat, name in zip("ABCD", names, strict=True))
        yield f"Table {number}: {', '.join(seated)}."


def _leaders(board: dict[str, Any]) -> Iterator[str]:
    """The three best of wins and of Buncos, once there are any."""
    for column, what in ((0, "wins"), (2, "Buncos")):
        best = sorted(board["standings"].items(), key=lambda card: -card[1][column])[:3]
        if told := [f"{name} {card[column]}" for name, card in best if card[column]]:
            yield f"Most {what}: {', '.join(told)}."
    if board["traveler"]:
        yield f"{board['traveler']} holds the traveling bag."
