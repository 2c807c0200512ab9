"""Phone tables: the table service itself, with taps on a page in place of dice and panel."""

import threading
from collections.abc import Callable, Iterator
from typing import Any, Literal, get_args

from msgspec import Struct

from pi_bunco.devices.protocols import AllReported, Button, Faces, LightState, Press, Put, Throw, ThrowMark
from pi_bunco.game.score import CALLS
from pi_bunco.game.snapshot import restored, snapshot
from pi_bunco.game.table import Table
from pi_bunco.reason import Reason
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.loop import Stop, run
from pi_bunco.runtime.writer import Committed, Failed, Kept, Recovered
from pi_bunco.table.prediction import Prediction
from pi_bunco.table.service import Devices, TableService, TableSettings
from pi_bunco.web.site.reasons import TapOfAnotherRollOff, TapOfAnotherRound, TapOfNoWipe, TapWithoutRound
from pi_bunco.wire.messages import View

PHONES = 64
"""So many phones of one table are told apart, the latest."""
JOIN_S = 1.0
UNDO_MS = 1000
"""As long as UNDO is held at a panel."""
TAPS = "taps"
"""Under this name the outbox keeps, per phone, the number of its last tap."""


What = Literal[Button, "wipe", "dice", "faceoff"]
WHATS: frozenset[str] = frozenset((*get_args(Button), "wipe", "dice", "faceoff"))


class Tap(Struct, frozen=True):
    """A tap on a phone: its name for it (`boot`, `seq`), what was tapped, and faces where it was dice.

    `round` is that of the page that was tapped, as `PhoneState` has it; "" where nobody said.
    `answer` is called, from the table's thread, with None once the tap is on disk, else with why not.
    """

    boot: str
    seq: int
    what: What
    dice: tuple[int, ...]
    answer: Callable[[Reason | None], None]
    round: str = ""


class PhoneState(Struct, frozen=True):
    """What a phone table shows: the lights, the table as it is predicted, and how much the head lacks.

    `round` names evening and round, so that a tap that was kept on a phone is not taken for one of the next.
    """

    lights: LightState = LightState(online=False)
    table: Table | None = None
    view: View | None = None
    unsent: int = 0
    dice: tuple[int, ...] = ()
    round: str = ""


class _Nothing:
    """Dice and panel that nobody touches: taps come another way."""

    def __init__(self, put: Put) -> None:
        self._put = put

    def start(self) -> None:
        """Nothing to begin."""

    def committed(self, boot: str, seq: int) -> None:
        """Nothing to forget."""

    def report_until(self, at: float) -> None:
        """A tap is there as soon as it is made."""
        self._put(AllReported(at))

    def alive(self) -> bool:
        """Always."""
        return True

    def close(self) -> None:
        """Nothing to free."""


class _Lights:
    def __init__(self) -> None:
        self.state = LightState(online=False)

    def show(self, state: LightState) -> None:
        self.state = state

    def close(self) -> None:
        pass


class PhoneTable(TableService):
    """The service of a phone table; `changed` is called, from its thread, with each new state."""

    def __init__(self, settings: TableSettings, clock: Clock, changed: Callable[[PhoneState], None]) -> None:
        self._lights = _Lights()
        super().__init__(settings, clock, self._made)
        self._changed = changed
        self._shown: tuple[object, ...] = ()
        self._waiting: list[Tap] = []
        self._saved: dict[str, int] = dict(self._outbox.kept.get(TAPS) or {})
        self._failing = False

    def serve(self, ready: Callable[[], None], ticked: Callable[[], None] = lambda: None) -> None:
        """Works until a `Stop` is in the inbox."""
        ready()
        run(self.inbox, self.clock, self.step, self.perform, ticked)

    def _made(self, put: Put, _mark: ThrowMark | None) -> Devices:
        return Devices(_Nothing(put), _Nothing(put), self._lights)

    def step(self, message: object, now: float) -> Iterator[Any]:
        """What is to be done about `message`: a tap becomes what it stands for."""
        if isinstance(message, Tap):
            yield from self._tapped(message, now)
        else:
            yield from self.controller.step(message, now)
        if isinstance(message, Committed | Failed | Recovered):
            self._note_saved(message)
        if self._waiting:
            self._answer_saved()

    def perform(self, effect: Any) -> None:
        """Carries out one effect."""
        super().perform(effect)
        shown = (self._lights.state, len(self._outbox))
        if shown != self._shown:
            self._shown = shown
            self._changed(self._state())

    def _state(self) -> PhoneState:
        prediction = self.controller.prediction
        last = prediction.last
        return PhoneState(
            lights=self._lights.state,
            table=_copied(prediction),
            view=prediction.view,
            unsent=len(self._outbox),
            dice=last.dice or () if last else (),
            round=self._round,
        )

    @property
    def unsent(self) -> int:
        """How many facts the head does not have on disk, as far as is known here."""
        return len(self._outbox)

    @property
    def _round(self) -> str:
        view = self.controller.prediction.view
        return f"{view.evening}.{view.epoch}" if view else ""

    # Taps.

    def _tapped(self, tap: Tap, now: float) -> Iterator[Any]:
        taps: dict[str, int] = dict(self._outbox.kept.get(TAPS) or {})
        if tap.seq > taps.pop(tap.boot, 0):
            if why := self._why_not(tap):
                tap.answer(why)
                return
            kept = dict([*taps.items(), (tap.boot, tap.seq)][-PHONES:])
            self._outbox.keep_later(TAPS, kept)  # goes to disk with the tap's own fact
            for event in self._events(tap, now):
                yield from self.controller.step(event, now)
            self._outbox.keep(TAPS, kept)  # though the tap was none for the head
        self._waiting.append(tap)

    def _why_not(self, tap: Tap) -> Reason | None:
        table = self.controller.prediction.table
        if tap.what == "help":
            return None
        if tap.round not in ("", self._round):
            return TapOfAnotherRound()
        if table is None:
            return TapWithoutRound()
        if (tap.what == "faceoff") != table.one_die and tap.what in ("faceoff", "dice"):
            return TapOfAnotherRollOff()
        if tap.what == "wipe" and self.controller.prediction.wipe is None:
            return TapOfNoWipe()
        return None

    def _events(self, tap: Tap, now: float) -> list[Throw | Press]:
        mark = ThrowMark(tap.boot, tap.seq)
        if tap.what == "wipe":
            face = self.controller.prediction.wipe or 1
            return [Throw((face, face, face), now, now, mark)]
        if tap.what == "dice" or tap.what == "faceoff":
            faces: Faces = (*tap.dice, 1, 1)[:3]  # type: ignore[assignment]
            return [Throw(faces, now, now, mark)]
        press = Press(tap.what, now, UNDO_MS if tap.what == "undo" else 0, mark)
        asks = tap.what in CALLS and self.controller.prediction.would_ring(CALLS[tap.what])
        return [press, press] if asks else [press]  # the page has asked already

    def _note_saved(self, message: Committed | Failed | Recovered) -> None:
        self._failing = isinstance(message, Failed)
        for record in message.records if isinstance(message, Committed) else ():
            if isinstance(record, Kept) and record.key == TAPS:
                self._saved = record.value

    def _answer_saved(self) -> None:
        """A tap is answered once it is on disk; while the disk fails, once it is in memory."""
        waiting, self._waiting = self._waiting, []
        for tap in waiting:
            if self._failing or tap.seq <= self._saved.get(tap.boot, 0):
                tap.answer(None)
            else:
                self._waiting.append(tap)


class PhoneThread:
    """A phone table at work in a thread of its own, so that no page holds its bell up.

    `state` is the latest; `changed` is called after each new one, from that thread.
    """

    def __init__(self, settings: TableSettings, clock: Clock, changed: Callable[[], None]) -> None:
        """Opens its outbox; `StoreError` if that cannot be read."""
        self.state = PhoneState()
        self._changed = changed
        self._table = PhoneTable(settings, clock, self._show)
        self._thread = threading.Thread(target=self._run, name=f"phone-{settings.number}", daemon=True)

    @property
    def unsent(self) -> int:
        """How many facts the head does not have on disk, as far as is known here."""
        return self._table.unsent

    @property
    def alive(self) -> bool:
        """Whether the thread works."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Begins to work; `RuntimeError` where there is no room for a thread."""
        self._table.client.start()
        self._thread.start()

    def tap(self, tap: Tap) -> None:
        """Hands a tap over."""
        self._table.inbox.put(tap)

    def stop(self) -> None:
        """Ends the work and has all taps on disk."""
        if self._thread.ident is not None:
            self._table.inbox.put(Stop())
            self._thread.join(JOIN_S)
        self._table.close()

    def _run(self) -> None:
        self._table.serve(lambda: None)

    def _show(self, state: PhoneState) -> None:
        self.state = state
        self._changed()


def _copied(prediction: Prediction) -> Table | None:
    """The table apart from the service's own, for another thread."""
    table = prediction.table
    if table is None or prediction.rules is None:
        return None
    plain = snapshot(table)
    return restored(plain, table.number, table.seats, table.ghosts, prediction.rules, prediction.target)
