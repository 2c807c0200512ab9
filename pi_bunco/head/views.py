"""What the head tells everybody, made from the state of the evening."""

from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from pi_bunco.game.board import Board
from pi_bunco.game.evening import Evening
from pi_bunco.game.snapshot import TableView, snapshot
from pi_bunco.game.throws import awaited
from pi_bunco.head.evening_log import EveningLog
from pi_bunco.rules import RuleSet, preset
from pi_bunco.rules.load import changes
from pi_bunco.wire.gate import LIMIT
from pi_bunco.wire.messages import Phase, RoundInfo, View

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
        round=round_.place if round_ else 0,
        phase=phase(evening),
        opened_t=opened_t,
        bell_t=bell.t if bell else None,
        rules=evening.rules.preset if evening.rules else "",
    )


def view(log: EveningLog, session: str, number: int, refused: str = "") -> View:
    """The payload of `down/view` for table `number`, of the head's `session`.

    While it is not empty the table blinks and shows `refused`.
    """
    evening = log.evening
    assert evening.rules is not None
    round_ = evening.round
    seats = evening.seating[number - 1] if evening.seating else None
    table = snapshot(round_.tables[number - 1]) if round_ else None
    state = TableView(number in evening.by_hand, evening.closed, refused, table, awaited(evening, number))
    ghosts = [name for name in seats or () if name in (round_.ghosts if round_ else evening.people.ghosts)]
    return View(
        evening=evening.id,
        session=session,
        branches=log.branches,
        n=len(log.entries),
        epoch=evening.epoch,
        upto=log.upto.get(number),
        phase=phase(evening),
        rules=evening.rules.preset,
        overrides=_overrides(evening.rules),
        seats=seats,
        ghosts=tuple(ghosts),
        set=round_.set if round_ else 0,
        round=round_.place if round_ else 0,
        bell_t=round_.bell.t if round_ and round_.bell else None,
        state=state,
    )


@cache
def _overrides(rules: RuleSet) -> dict[str, Any]:
    """In what the rules differ from their preset; the same for every view of an evening."""
    return changes(rules, preset(rules.preset))


def fitting(board: Board) -> Board:
    """As much of a large hall's scoreboard as one message holds; `left_out` names the rest."""
    left_out: list[str] = []
    empty: dict[str, Any] = {"standings": {}, "next_seating": (), "tables": (), "waiting": ()}
    for key, nothing in empty.items():
        if len(msgspec.json.encode(board)) <= LIMIT - ROOM:
            break
        left_out.append(key)
        board = replace(board, **{key: nothing}, left_out=tuple(left_out))
    return board
