"""What the table shows, computed from its state on every change."""

from typing import Literal, get_args

from pi_bunco.devices.protocols import LightState
from pi_bunco.game.facts import Seat
from pi_bunco.game.table import FINAL, PLAYING, ROLLOFF, Table
from pi_bunco.table.local import Local

_SEATS: tuple[Seat, ...] = get_args(Seat)


def lights(local: Local, *, saved: bool, online: bool, fault: bool, message: str) -> LightState:
    """The lights for the table's state; `message` is the last thing that it has to say."""
    table, refused = local.table, bool(local.refused)
    if table is None:
        text = local.refused or message or _waiting(local)
        return LightState(saved=saved, online=online, fault=fault, refused=refused, message=text)
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
        message=local.refused
        or "\n".join(line for line in (_score(local, table), message, _last(local)) if line),
    )


def _round(table: Table) -> Literal["running", "finish", "stop"]:
    if table.bell_t is None:
        return "running" if table.phase == PLAYING else "stop"
    return "finish" if table.phase == PLAYING and not table.done else "stop"


def _score(local: Local, table: Table) -> str:
    us, them = table.points
    return f"Roll {local.target}s  US {us}  THEM {them}"


def _last(local: Local) -> str:
    if local.last is None:
        return ""
    dice = local.last.dice
    return f"Last: {' '.join(map(str, dice)) if dice else local.last.call}"


def _waiting(local: Local) -> str:
    if local.view is None:
        return "Looking for the head table"
    match local.view.phase:
        case "finished":
            return "The evening is over"
        case "break":
            return "Break"
        case _:
            return "Wait for the bell"
