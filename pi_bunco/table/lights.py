"""Lights and display of a table, computed from its state on every change."""

from collections.abc import Iterable
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.devices.protocols import LightState
from pi_bunco.game.contest import Awaited
from pi_bunco.game.facts import Roll
from pi_bunco.game.fields import Seat
from pi_bunco.game.table import Table
from pi_bunco.game.table_score import CONFIRM, FACEOFF
from pi_bunco.reason import Reason
from pi_bunco.table import reasons
from pi_bunco.table.prediction import Prediction
from pi_bunco.words.catalogue import texts
from pi_bunco.words.sentences import ended
from pi_bunco.words.terms import capital

_SEATS: tuple[Seat, ...] = get_args(Seat)
_ROUND: dict[str, Literal["running", "finish", "stop"]] = {"rolling": "running", "finishing": "finish"}


class ShowLights(Struct, frozen=True):
    """Lights show `state`, the display `lines` below it."""

    state: LightState
    lines: tuple[Reason, ...] = ()

    def in_language(self, lang: str = "en") -> LightState:
        """The state with its lines in that language."""
        shown = [line.in_words(texts(lang)) for line in self.lines]
        shown = [ended(capital(line)) for line in shown] if self.state.refused else shown
        return replace(self.state, message="\n".join(shown), language=lang)


def lights(
    prediction: Prediction, *, saved: bool, online: bool, fault: bool, ending: bool, message: Reason | None
) -> ShowLights:
    """The lights for the table's state; `message` is the last thing that it has to say.

    `ending`: the clock is about to end the round.
    """
    table, awaited = prediction.table, prediction.awaited
    if prediction.refused:
        lines: Iterable[Reason | None] = prediction.refused
    elif table is not None:
        score, rolloff = reasons.ScoreNow(prediction.target, table.score), _rolloff(table)
        lines = (message, *rolloff, score) if rolloff else (score, message, _last(prediction.last))
    elif prediction.without_seat:
        lines = reasons.NoSeatHere(prediction.number), message
    elif message:
        lines = (message,)
    else:
        lines = prompt(awaited) if awaited else (_waiting(prediction),)
    state = LightState(
        saved=saved, online=online, fault=fault, refused=bool(prediction.refused),
        **_at_table(table, ending) if table is not None else {"rolloff": awaited is not None},
    )  # fmt: skip
    return ShowLights(state, tuple(line for line in lines if line))


def _at_table(table: Table, ending: bool) -> dict[str, Any]:
    doing = table.doing
    plays = doing not in ("done", "final")
    return {
        "turn": _SEATS[table.seat] if plays and doing != "one_die" else None,
        "next": ("roll again" if table.rolls else "pass") if plays and table.entries else None,
        "round": _ROUND.get(doing, "stop"),
        "ending": ending and doing == "rolling",
        "rolloff": doing in ("roll_off", "one_die"),
        "ok_blinks": doing == "done",
    }


def prompt(awaited: Awaited) -> tuple[Reason, ...]:
    """The throw between rounds: its purpose, and whose dice are which."""
    purpose = awaited.purpose
    what = reasons.RollFor(purpose if purpose in reasons.PURPOSES else purpose.replace("_", " "))
    if awaited.dice == 3:
        return what, reasons.ThreeDiceOf(awaited.players[0])
    return what, *(reasons.DieOf(die, name) for die, name in enumerate(awaited.players, 1))


def _rolloff(table: Table) -> tuple[Reason, ...]:
    """The next throw of a roll-off, or the end of one with one die each; nothing where there is none."""
    code, _, dice = table.entries[-1] if table.entries else (CONFIRM, 0, 0)
    faces = divmod(dice, 10)
    match table.doing:
        case "final" if code == FACEOFF and table.winner is not None:
            return reasons.FacedOff(*faces), reasons.WonRolloff(table.winning or "")
        case "one_die" if code == FACEOFF:
            return (reasons.FacedOffEqual(*faces),)
        case "one_die":
            return reasons.TieOneDie(), reasons.DiceOfTeams()
        case "roll_off":
            return (reasons.TieRolloff(),)
        case _:
            return ()


def _last(roll: Roll | None) -> Reason | None:
    if roll is None:
        return None
    return reasons.LastRoll(" ".join(map(str, roll.dice)) if roll.dice else str(roll.call))


def _waiting(prediction: Prediction) -> Reason:
    if prediction.view is None:
        return reasons.LookingForHead()
    match prediction.view.phase:
        case "finished":
            return reasons.EveningHasEnded()
        case "break":
            return reasons.BreakNow()
        case _:
            return reasons.WaitForBell()
