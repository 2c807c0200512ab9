"""Dice and panel: what they report becomes a fact of the table, a fault, or a sentence for the display."""

from collections import Counter
from typing import Any, cast

from pi_bunco.devices.protocols import CAN_BE_ROLLED, DiceState, PanelFault, Press, Stuck, Throw, ThrowVoid
from pi_bunco.game import facts
from pi_bunco.game.fields import Call
from pi_bunco.reason import InEnglish, Reason
from pi_bunco.rules.patterns import CALLS
from pi_bunco.runtime.loop import Health, Warn
from pi_bunco.table import reasons
from pi_bunco.table.effects import ForgetThrow, TableEffect, TableOptions
from pi_bunco.table.prediction import Prediction
from pi_bunco.table.reasons import ButtonStuck, CallsForHost, DiceFaulty
from pi_bunco.table.record import FactRecord, UndecidedThrows
from pi_bunco.table.uplink import Uplink
from pi_bunco.wire.client import NAME_HEALTH
from pi_bunco.wire.topics import WireError
from pi_bunco.words.sentences import received

WIPE_MS = 1000
"""MISS held for so long is a wipe, where three of a face wipe in this round."""
PRESS_AGAIN_WITHIN_MS = 5000.0
"""Milliseconds within which a hand entry that would ring the bell is pressed again."""


class Faults:
    """Kept by the controller; an English text that begins small goes on from "Table 2"."""

    def __init__(self) -> None:
        self._store: Reason | None = None
        self._panel = ""
        self._calls_host = self._keeps_throws = False
        self._stuck: set[str] = set()
        self._dice: dict[int, str] = {}
        self._health: dict[str, tuple[str, ...]] = {}

    def store_fails(self, why: str) -> Reason:
        """Nothing can be saved; returns the reason."""
        self._store = reasons.CannotSave(why)
        return self._store

    def store_works(self) -> None:
        """Facts can be saved again."""
        self._store = None

    def panel(self, why: str) -> None:
        """A fault of the panel; none if `why` is empty."""
        self._panel = why

    def call_host(self) -> bool:
        """Calls the host, or no more; returns whether the host is called now."""
        self._calls_host = not self._calls_host
        return self._calls_host

    def keeps_throws(self, kept: bool) -> None:
        """True if throws of before this evening came since its last round was opened."""
        self._keeps_throws = kept

    def button(self, name: str, stuck: bool) -> None:
        """A button is stuck, or free again."""
        (self._stuck.add if stuck else self._stuck.discard)(name)

    def die(self, die: int, why: str) -> None:
        """A fault of a die and its wires; none if `why` is empty."""
        self._dice[die] = why

    def health(self, health: Health) -> list[str]:
        """Takes what is wrong with the machine or its devices now; returns what of it is new."""
        before = self._health.get(health.of, ())
        self._health[health.of] = health.faults
        return [fault for fault in health.faults if fault not in before]

    @property
    def conflict(self) -> str:
        """A sentence for the display if another machine uses this table's name, else empty."""
        return " ".join(self._health.get(NAME_HEALTH, ()))

    @property
    def lit(self) -> bool:
        """Something is out of order."""
        wrong = (self._store, self._panel, *self._stuck, *self._dice.values(), *self._health.values())
        return any(wrong)

    def reasons(self) -> tuple[Reason, ...]:
        """All of it."""
        found: list[Reason] = [CallsForHost()] if self._calls_host else []
        found += [reasons.KeptThrows()] if self._keeps_throws else []
        found += [self._store] if self._store else []
        found += [InEnglish(self._panel)] if self._panel else []
        found += [ButtonStuck(name.upper()) for name in sorted(self._stuck)]
        found += [DiceFaulty(why) for why in dict.fromkeys(self._dice.values()) if why]
        return (*found, *(InEnglish(fault) for one in self._health.values() for fault in one))


class HandEntry:
    """Makes facts of the buttons for rolls, as the state of the table has it."""

    def __init__(self, prediction: Prediction) -> None:
        self._prediction = prediction
        self._pressed: tuple[str, float] | None = None

    def forget(self) -> None:
        """The round is another one: what was pressed once is to be pressed twice again."""
        self._pressed = None

    def fact(self, press: Press, dice_work: bool) -> facts.Rolled | facts.DiceFacedOff | Reason:
        """The fact that the press enters, or why it enters none, a sentence for the display."""
        prediction = self._prediction
        assert prediction.table is not None
        if dice_work and not prediction.by_hand:
            return reasons.DiceWork()
        if prediction.table.one_die:
            dice = {"one": (2, 1), "two": (1, 2)}.get(press.button)
            return facts.DiceFacedOff(dice) if dice else reasons.OneOrTwo()
        if prediction.would_ring(press.button) and not self._again(press):
            return reasons.PressAgain(press.button.upper())
        self._pressed = None
        wipes = press.button == "miss" and press.held_ms >= WIPE_MS and prediction.wipe is not None
        return facts.Rolled(call="wipe" if wipes else cast(Call, press.button), source="panel")

    def _again(self, press: Press) -> bool:
        """True if the button was pressed a moment ago already; if not, this press is remembered."""
        before, self._pressed = self._pressed, (press.button, press.at)
        return (
            before is not None and before[0] == press.button and press.at - before[1] <= PRESS_AGAIN_WITHIN_MS
        )


class Equipment:
    """The dice and the panel; `message` is the last thing that they have to say on the display."""

    def __init__(
        self,
        options: TableOptions,
        prediction: Prediction,
        record: FactRecord,
        undecided: UndecidedThrows,
        uplink: Uplink,
    ) -> None:
        self.message: Reason | None = None
        self.faults = Faults()
        self.presses: Counter[str] = Counter()
        """Number of presses of each button."""
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

    def say(self, message: Reason) -> None:
        """The last thing that the display has to say."""
        self.message = message

    def another_round(self) -> None:
        """Forgets messages and first presses of the round before."""
        self.message = None
        self.faults.keeps_throws(False)
        self._hand.forget()

    def take(self, report: object, now: float) -> list[TableEffect]:
        """The effects of a device's report, which came at `now` (ms of the clock)."""
        match report:
            case Throw():
                if (effects := self._record.repeated(report.mark)) is not None:
                    return effects
                if report not in self._undecided:
                    self._undecided.add(report, now)
            case Press():
                return self._press(report)
            case ThrowVoid(why, _, reason):
                self.message = reasons.RollAllAgain(*received([why], [reason] if reason else []))
            case DiceState(die, state, why):
                self._states[die] = state
                self.faults.die(die, why)
            case Stuck(button, stuck):
                self.faults.button(button, stuck)
            case PanelFault(why):
                self.faults.panel(why)
            case _:
                raise TypeError(f"{type(report).__name__} is no report of dice or panel")
        return []

    # Dice.

    def decide(self, now: float) -> list[TableEffect]:
        """Takes throws into the round in which they were made, as soon as that is known."""
        effects: list[TableEffect] = []
        for throw, epoch, late in self._undecided.decided(now):
            effects += self._roll(throw, epoch, late)
        if self._undecided:
            self.message = reasons.RollOutsideRound()
        return effects

    def _roll(self, throw: Throw, epoch: int, late: bool) -> list[TableEffect]:
        """A throw made in round `epoch`, none if 0: a roll, a face-off, or one for a place between rounds.

        Of one that came `late` and is of no round the host hears.
        """
        if not epoch:
            self.message = reasons.RollOutsideRound()
            if late:
                self.faults.keeps_throws(True)
            return [ForgetThrow(throw.mark)] if throw.mark else []
        fact = self._thrown(throw, epoch)
        kept = {"mark": list(throw.mark)} if throw.mark else None
        return self._tell(fact, throw.settled, kept=kept, epoch=epoch, mark=throw.mark, err=throw.err)

    def _thrown(self, throw: Throw, epoch: int) -> facts.Rolled | facts.DiceFacedOff:
        table = self._prediction.table
        if table is not None and table.one_die and epoch == self._prediction.epoch:
            return facts.DiceFacedOff(throw.faces[:2])
        began = self._uplink.evening_clock(throw.began)
        awaited = self._prediction.awaited
        return facts.Rolled(
            throw.faces,
            began=began[0] if began else None,
            source="dice",
            tie=awaited.tie if awaited else None,
        )

    # Panel.

    def _press(self, press: Press) -> list[TableEffect]:
        if (effects := self._record.repeated(press.mark)) is not None:
            return effects
        self.presses[press.button] += 1
        if press.button in CALLS and (epoch := self._undecided.earlier(press.at)):
            late = facts.Rolled(call=cast(Call, press.button), source="panel")
            return self._tell(late, press.at, epoch=epoch, mark=press.mark)
        fact = self._pressed(press)
        if fact is None or isinstance(fact, Reason):
            self.message = fact
            return [ForgetThrow(press.mark)] if press.mark else []
        return self._tell(fact, press.at, mark=press.mark)

    def _pressed(self, press: Press) -> facts.TableFact | Reason | None:
        """The fact that a press tells, or what the display says to it."""
        if press.button == "help":
            return reasons.HostIsCalled() if self.faults.call_host() else None
        if press.button == "undo" and (self._prediction.table or self._prediction.awaited):
            return facts.UndoPressed()
        if self._prediction.table is None:
            return reasons.NothingIsOpen()
        if press.button == "ok":
            return facts.OkPressed()
        work = self._options.dice and all(die in CAN_BE_ROLLED for die in self._states.values())
        return self._hand.fact(press, work)

    def _tell(self, fact: facts.TableFact, at: float, **more: Any) -> list[TableEffect]:
        """Records a fact made `at` (ms of the clock), and shows why it does not count if it does not."""
        try:
            self.message = self._record.tell(fact, at, **more)
        except WireError as error:
            self.message = reasons.CannotBeSent()
            return [Warn(str(error))]
        return []
