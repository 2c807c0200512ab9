"""Rolls that are entered at the panel, one button each."""

from typing import cast

from pi_bunco.devices.protocols import Press
from pi_bunco.game import facts
from pi_bunco.game.fields import Call
from pi_bunco.game.score import CALLS
from pi_bunco.table.prediction import Prediction

WIPE_MS = 1000
"""MISS held for so long is a wipe, where three of a face wipe in this round."""
AGAIN = 5000.0
"""A hand entry that would ring the bell is pressed again within so many ms."""


class HandEntry:
    """What a button for a roll means in the state of the table."""

    def __init__(self, prediction: Prediction) -> None:
        self._prediction = prediction
        self._pressed: tuple[str, float] | None = None

    def forget(self) -> None:
        """The round is another one: what was pressed once is to be pressed twice again."""
        self._pressed = None

    def fact(self, press: Press, dice_work: bool) -> facts.Roll | facts.Faceoff | str:
        """The fact that the press enters, or why it enters none, a sentence for the display."""
        prediction = self._prediction
        assert prediction.table is not None
        number = prediction.table.number
        if dice_work and not prediction.by_hand:
            return "The dice work: roll them"
        if prediction.table.one_die:
            dice = {"one": (2, 1), "two": (1, 2)}.get(press.button)
            return facts.Faceoff(0, number, dice) if dice else "ONE if US won, TWO if THEM"
        if prediction.would_ring(CALLS[press.button]) and not self._again(press):
            return f"{press.button.upper()} rings the bell: press it again"
        self._pressed = None
        wipes = press.button == "miss" and press.held_ms >= WIPE_MS and prediction.wipe is not None
        return facts.Roll(0, number, call="wipe" if wipes else cast(Call, press.button), source="panel")

    def _again(self, press: Press) -> bool:
        """Whether the button was pressed a moment ago already; if not, this press is remembered."""
        before, self._pressed = self._pressed, (press.button, press.at)
        return before is not None and before[0] == press.button and press.at - before[1] <= AGAIN
