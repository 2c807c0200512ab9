"""What the head tells everybody, made from the state of the evening."""

from functools import cache
from typing import Any

import msgspec

from pi_bunco.game import facts
from pi_bunco.game.evening import Evening
from pi_bunco.game.snapshot import snapshot
from pi_bunco.game.table import FINAL, PLAYING, SEATS, TEAMS, Table
from pi_bunco.rules import RuleSet, preset
from pi_bunco.rules.load import changes
from pi_bunco.wire.gate import LIMIT
from pi_bunco.wire.messages import Phase, RoundInfo, Upto, View

ROOM = 200
"""Bytes of a message beside the board."""
_PHASES: dict[str, Phase] = {
    "setup": "setup",
    "round_open": "open",
    "after_bell": "after_bell",
    "between_rounds": "between",
    "break": "break",
    "finished": "finished",
}


def phase(evening: Evening) -> Phase:
    """Where the evening stands, in the word that goes over the wire."""
    return _PHASES[evening.state]


def round_info(evening: Evening, opened_t: int | None) -> RoundInfo:
    """The payload of `all/round`."""
    round_ = evening.round or (evening.rounds[-1] if evening.rounds else None)
    bell = round_.bell if round_ else None
    return RoundInfo(
        evening=evening.id or "none",
        epoch=evening.epoch,
        set=round_.set if round_ else 0,
        round=round_.target if round_ else 0,
        phase=phase(evening),
        opened_t=opened_t,
        bell_t=bell.t if bell else None,
        rules=evening.rules.name if evening.rules else "",
    )


def view(evening: Evening, number: int, upto: Upto | None, refused: str = "") -> View:
    """The payload of `down/view` for table `number` after its fact `upto`.

    `refused` is why the bell button does nothing.
    """
    assert evening.rules is not None
    round_ = evening.round
    seats = evening.seating[number - 1] if evening.seating else None
    state: dict[str, Any] = {"by_hand": number in evening.by_hand, "closed": evening.closed}
    if refused:
        state["refused"] = refused
    if round_:
        state["table"] = snapshot(round_.tables[number - 1])
    ghosts = [name for name in seats or () if name in (round_.ghosts if round_ else evening.people.ghosts)]
    return View(
        evening=evening.id,
        epoch=evening.epoch,
        upto=upto,
        phase=phase(evening),
        rules=evening.rules.name,
        overrides=_overrides(evening.rules),
        seats=seats,
        ghosts=tuple(ghosts),
        set=round_.set if round_ else 0,
        round=round_.target if round_ else 0,
        bell_t=round_.bell.t if round_ and round_.bell else None,
        state=state,
    )


@cache
def _overrides(rules: RuleSet) -> dict[str, Any]:
    """In what the rules differ from their preset; the same for every view of an evening."""
    return changes(rules, preset(rules.name))


def fitting(board: dict[str, Any]) -> dict[str, Any]:
    """As much of a large hall's scoreboard as one message holds; `left_out` names the rest."""
    left_out: list[str] = []
    for key in ("standings", "next_seating", "tables", "waiting"):
        if len(msgspec.json.encode(board)) <= LIMIT - ROOM:
            break
        left_out.append(key)
        board = {**board, key: type(board[key])(), "left_out": left_out}
    return board


def board(
    evening: Evening, last: dict[int, facts.Roll], last_seq: dict[int, int], waiting: list[str]
) -> dict[str, Any]:
    """The scoreboard: the running round, the next seating, the standings, and who is waited for.

    `seq` of a table is the place of its last roll in its stream, by which `undo` is asked for.
    """
    round_ = evening.round
    return {
        "rules": evening.rules.name if evening.rules else None,
        "state": evening.state,
        "epoch": evening.epoch,
        "set": round_.set if round_ else None,
        "round": round_.target if round_ else None,
        "rounds_played": len(evening.rounds),
        "rounds": 6 * evening.rules.evening.sets if evening.rules else 0,
        "bell": msgspec.to_builtins(round_.bell) if round_ else None,
        "tables": [
            _table(table, last.get(table.number), last_seq.get(table.number)) for table in round_.tables
        ]
        if round_
        else [],
        "next_seating": evening.seating,
        "standings": {
            name: list(msgspec.structs.astuple(tally)) for name, tally in evening.standings.items()
        },
        "traveler": evening.traveler,
        "waiting": waiting,
    }


def _table(table: Table, last: facts.Roll | None, seq: int | None) -> dict[str, Any]:
    return {
        "table": table.number,
        "seats": table.seats,
        "points": table.points,
        "turn": None if table.phase == FINAL or table.done else SEATS[table.seat],
        "rolls": table.rolls,
        "state": _doing(table),
        "winner": None if table.winner is None else TEAMS[table.winner],
        "last": (last.dice or last.call) if last else None,
        "seq": seq,
        "marks": [sum(table.buncos), sum(table.minis)],
    }


def _doing(table: Table) -> str:
    """`playing`, `done` (waits for OK), `rolloff` or `final`."""
    if table.phase == PLAYING:
        return "done" if table.done else "playing"
    return "final" if table.phase == FINAL else "rolloff"


_WAITS = {"playing": "finish the turn", "done": "press OK", "rolloff": "roll off"}


def waits_for(table: Table) -> str:
    """What a table that is not final has to do, as a sentence."""
    who = f", {table.seats[table.seat]}'s turn" if not table.done and not table.one_die else ""
    return f"Table {table.number}: {_WAITS[_doing(table)]}{who}."
