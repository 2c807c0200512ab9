"""Dice and panel: what they report becomes a fact of the table, a fault, or a sentence for the display."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from pi_bunco.devices.protocols import DiceState, PanelFault, Press, Stuck, Throw, ThrowVoid
from pi_bunco.game import facts
from pi_bunco.runtime.loop import Warn
from pi_bunco.table.effects import Effect, Release
from pi_bunco.table.faults import Faults
from pi_bunco.table.hand import HandEntry
from pi_bunco.table.prediction import Prediction
from pi_bunco.table.record import FactRecord
from pi_bunco.table.undecided import UndecidedThrows
from pi_bunco.table.uplink import TableOptions, Uplink
from pi_bunco.wire.topics import WireError

CLOSED = "The roll does not count: no round is open"


class Equipment:
    """What is at the table; `message` is the last thing that it has to say on the display."""

    def __init__(
        self,
        options: TableOptions,
        prediction: Prediction,
        record: FactRecord,
        undecided: UndecidedThrows,
        uplink: Uplink,
    ) -> None:
        self.message = ""
        self.faults = Faults()
        self.presses: Counter[str] = Counter()
        """How often each button was pressed."""
        self._options = options
        self._prediction = prediction
        self._record = record
        self._undecided = undecided
        self._uplink = uplink
        self._hand = HandEntry(prediction)
        self._states: dict[int, str] = {}

    @property
    def dice(self) -> tuple[str, ...]:
        """The state of each die; none where there are no dice."""
        return tuple(self._states.get(die, "ok") for die in (1, 2, 3)) if self._options.dice else ()

    def another_round(self) -> None:
        """What was said and pressed once in the round before means nothing any more."""
        self.message = ""
        self._hand.forget()

    def take(self, report: object, now: float) -> list[Effect]:
        """What is to be done about a report of a device, which came at `now` (ms of the clock)."""
        return REPORTS[type(report)](self, report, now)

    # Dice.

    def _throw(self, throw: Throw, now: float) -> list[Effect]:
        if (effects := self._record.repeated(throw.mark)) is not None or throw in self._undecided:
            return effects or []
        self._undecided.add(throw, now)
        return []

    def decide(self, now: float) -> list[Effect]:
        """Takes throws into the round in which they were made, as soon as that is known."""
        effects: list[Effect] = []
        for throw, epoch in self._undecided.decided(now):
            effects += self._roll(throw, epoch, now)
        if self._undecided:
            self.message = CLOSED
        return effects

    def _roll(self, throw: Throw, epoch: int, now: float) -> list[Effect]:
        """A throw made in round `epoch`, none if 0: a roll, a face-off, or one for a place between rounds."""
        if not epoch:
            self.message = CLOSED
            return [Release(throw.mark)] if throw.mark else []
        fact = self._thrown(throw, epoch, now)
        kept = {"mark": list(throw.mark)} if throw.mark else None
        return self._tell(fact, throw.settled, now, kept=kept, epoch=epoch, mark=throw.mark, err=throw.err)

    def _thrown(self, throw: Throw, epoch: int, now: float) -> facts.Roll | facts.Faceoff:
        table, number = self._prediction.table, self._options.number
        if table is not None and table.one_die and epoch == self._prediction.epoch:
            return facts.Faceoff(0, number, throw.faces[:2])
        began = self._uplink.evening_clock(throw.began, now)
        return facts.Roll(0, number, throw.faces, began=began[0] if began else None, source="dice")

    def _void(self, void: ThrowVoid, _now: float) -> list[Effect]:
        self.message = f"Roll all three again: {void.why}"
        return []

    def _die(self, die: DiceState, _now: float) -> list[Effect]:
        self._states[die.die] = die.state
        self.faults.die(die.die, die.why)
        return []

    # Panel.

    def _button(self, button: Stuck, _now: float) -> list[Effect]:
        self.faults.button(button.button, button.stuck)
        return []

    def _panel(self, panel: PanelFault, _now: float) -> list[Effect]:
        self.faults.panel = panel.why
        return []

    def _press(self, press: Press, now: float) -> list[Effect]:
        if (effects := self._record.repeated(press.mark)) is not None:
            return effects
        self.presses[press.button] += 1
        fact = self._pressed(press)
        if isinstance(fact, str):
            self.message = fact
            return [Release(press.mark)] if press.mark else []
        return self._tell(fact, press.at, now, mark=press.mark)

    def _pressed(self, press: Press) -> facts.Fact | str:
        """The fact that a press tells, or what the display says to it."""
        number = self._options.number
        if press.button == "help":
            self.faults.help = not self.faults.help
            return "The host is called" if self.faults.help else ""
        if press.button == "undo" and (self._prediction.table or self._prediction.awaited):
            return facts.Undo(0, number)
        if self._prediction.table is None:
            return "No round is open"
        if press.button == "ok":
            return facts.Confirm(0, number)
        return self._hand.fact(press, self._dice_work)

    @property
    def _dice_work(self) -> bool:
        return self._options.dice and all(state in ("ok", "weak", "moved") for state in self._states.values())

    def _tell(self, fact: facts.Fact, at: float, now: float, **more: Any) -> list[Effect]:
        """Records a fact made `at` (ms of the clock), and shows why it does not count if it does not."""
        try:
            self.message = self._record.tell(fact, at, now, **more)
        except WireError as error:
            self.message = "This cannot be told to the head table: call the host"
            return [Warn(str(error))]
        return []


REPORTS: dict[type, Callable[[Equipment, Any, float], list[Effect]]] = {
    Throw: Equipment._throw,
    ThrowVoid: Equipment._void,
    DiceState: Equipment._die,
    Press: Equipment._press,
    Stuck: Equipment._button,
    PanelFault: Equipment._panel,
}
"""What dice and panel report."""
