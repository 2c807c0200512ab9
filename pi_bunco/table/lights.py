"""What the table shows, computed from its state on every change."""

from typing import Literal, get_args

from pi_bunco.devices.protocols import LightState
from pi_bunco.game.contest import Awaited
from pi_bunco.game.fields import Seat
from pi_bunco.game.table import FINAL, PLAYING, ROLLOFF, TEAMS, Table
from pi_bunco.game.table_score import CONFIRM, FACEOFF
from pi_bunco.table.prediction import Prediction

_SEATS: tuple[Seat, ...] = get_args(Seat)


def lights(prediction: Prediction, *, saved: bool, online: bool, fault: bool, message: str) -> LightState:
    """The lights for the table's state; `message` is the last thing that it has to say."""
    table, refused = prediction.table, bool(prediction.refused)
    if table is None:
        awaited = prediction.awaited
        text = prediction.refused or message or (prompt(awaited) if awaited else _waiting(prediction))
        if prediction.without_seat and message:
            text = f"{_waiting(prediction)}\n{message}"
        return LightState(
            rolloff=awaited is not None,
            saved=saved,
            online=online,
            fault=fault,
            refused=refused,
            message=text,
        )
    plays = table.phase != FINAL and not table.done
    return LightState(
        turn=_SEATS[table.seat] if plays and not table.one_die else None,
        next=("roll again" if table.rolls else "pass") if plays and table.entries else None,
        round=_round(table),
        rolloff=table.phase == ROLLOFF,
        saved=saved,
        online=online,
        fault=fault,
        ok_blinks=table.done,
        refused=refused,
        message=prediction.refused or "\n".join(filter(None, _lines(prediction, table, message))),
    )


def prompt(awaited: Awaited) -> str:
    """Who rolls which dice for what between rounds, as a table shows it."""
    what = f"Roll for {_FOR.get(awaited.purpose, awaited.purpose.replace('_', ' '))}"
    if awaited.dice == 3:
        return f"{what}\n{awaited.players[0]}: three dice"
    return "\n".join([what, *(f"Die {k}: {name}" for k, name in enumerate(awaited.players, 1))])


_FOR = {
    "wins": "most wins",
    "buncos": "most Buncos",
    "losses": "most losses",
    "minis": "most minis",
    "score": "the highest score",
    "lowest_score": "the lowest score: low wins",
    "order": "who begins: low begins",
    "final": "three of a kind",
}


def _lines(prediction: Prediction, table: Table, message: str) -> tuple[str, ...]:
    score, rolloff = _score(prediction, table), _rolloff(table)
    if rolloff:
        return message, *rolloff.split("\n"), score
    return score, message, _last(prediction)


def _rolloff(table: Table) -> str:
    """What a roll-off asks for, and how one with one die each ended; empty where there is none."""
    code, _, dice = table.entries[-1] if table.entries else (CONFIRM, 0, 0)
    us, them = divmod(dice, 10)
    thrown = f"Die 1 (US) {us}, die 2 (THEM) {them}" if code == FACEOFF else ""
    if table.phase == FINAL:
        return (
            f"{thrown}\n{TEAMS[table.winner]} won the roll-off" if thrown and table.winner is not None else ""
        )
    if table.one_die:
        return f"{thrown}: again" if thrown else "Tie: roll one die each\nDie 1 is US, die 2 is THEM"
    return "Tie: roll-off" if table.phase == ROLLOFF else ""


def _round(table: Table) -> Literal["running", "finish", "stop"]:
    if table.bell_t is None:
        return "running" if table.phase == PLAYING else "stop"
    return "finish" if table.phase == PLAYING and not table.done else "stop"


def _score(prediction: Prediction, table: Table) -> str:
    us, them = table.points
    return f"Roll {prediction.target}s  US {us}  THEM {them}"


def _last(prediction: Prediction) -> str:
    if prediction.last is None:
        return ""
    dice = prediction.last.dice
    return f"Last: {' '.join(map(str, dice)) if dice else prediction.last.call}"


def _waiting(prediction: Prediction) -> str:
    if prediction.without_seat:
        return f"Table {prediction.number} has no seat in this evening"
    if prediction.view is None:
        return "Looking for the head table"
    match prediction.view.phase:
        case "finished":
            return "The evening is over"
        case "break":
            return "Break"
        case _:
            return "Wait for the bell"
