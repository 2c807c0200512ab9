"""One phone table: the controller of any table, with taps in place of dice and panel. Pure."""

from collections.abc import Iterator
from math import inf

from msgspec.structs import replace

from pi_bunco.devices.protocols import Faces, Press, Throw, ThrowMark
from pi_bunco.game.snapshot import snapshot
from pi_bunco.log.store import LogStore
from pi_bunco.reason import Coded, Reason
from pi_bunco.rules.patterns import CALLS
from pi_bunco.runtime.writer import Committed, Failed, Kept, Recovered
from pi_bunco.table import reasons
from pi_bunco.table.controller import TableController
from pi_bunco.table.effects import ForgetThrow, ReportUntil, ShowLights, TableEffect, TableOptions
from pi_bunco.table.phones.messages import PhoneState, Tap, TapAnswer, round_name
from pi_bunco.wire.outbox import Outbox

MAX_PHONES = 64
"""Phones of one table that are told apart, the latest."""
UNDO_HELD_MS = 1000
"""Milliseconds for which UNDO is held at a panel."""
TAPS = "taps"
"""The name under which the outbox keeps, per phone, the number of its last tap."""

PhoneEffect = TableEffect | TapAnswer | PhoneState


class PhoneTable:
    """A table at which a tap becomes what it stands for, answered once it is on disk."""

    def __init__(self, options: TableOptions, outbox: Outbox, replica: LogStore | None, now: float) -> None:
        self.controller = TableController(options, outbox, replica, now, phone=True)
        self._outbox = outbox
        self._number = options.number
        self._lights: ShowLights | None = None
        self._shown: tuple[object, ...] = ()
        self._waiting: list[Tap] = []
        self._saved: dict[str, int] = dict(outbox.kept.get(TAPS) or {})
        self._failing = False
        self._made_at: dict[str, float] = {}
        """Per phone when its last tap was made (ms of the clock)."""

    @property
    def unsent(self) -> int:
        """The facts that the head does not have on disk, as far as is known here."""
        return len(self._outbox)

    @property
    def state(self) -> PhoneState:
        """The table as it shows itself."""
        prediction = self.controller.prediction
        view, last = prediction.view, prediction.last
        if view is not None:
            table = None if prediction.table is None else snapshot(prediction.table)
            view = replace(view, state=replace(view.state, table=table))
        online = self._lights is not None and self._lights.state.online
        return PhoneState(self._number, view, self.unsent, (last.dice if last else None) or (), online)

    def step(self, message: object, now: float) -> Iterator[PhoneEffect]:
        """The effects of `message`, a tap or what any table's controller takes."""
        if isinstance(message, Tap):
            yield from self._tapped(message, now)
        else:
            yield from self._controlled(message, now)
        if isinstance(message, Committed | Failed | Recovered):
            self._note_saved(message)
        yield from self._answers()
        shown = self._what_is_shown()
        if shown != self._shown:
            self._shown = shown
            yield self.state

    def _what_is_shown(self) -> tuple[object, ...]:
        """All that a page shows: what is saved, and what a head that is there lacks, is shown nowhere."""
        if self._lights is None:
            return ()
        lights = self._lights.state
        unsent = 0 if lights.online else self.unsent
        name = round_name(self.controller.prediction.view)
        return replace(lights, saved=True), self._lights.lines, unsent, name

    def _controlled(self, message: object, now: float) -> Iterator[PhoneEffect]:
        for effect in self.controller.step(message, now):
            if isinstance(effect, ShowLights):
                self._lights = effect
            elif not isinstance(effect, ForgetThrow | ReportUntil):  # a phone is answered by `TapAnswer`
                yield effect

    def _tapped(self, tap: Tap, now: float) -> Iterator[PhoneEffect]:
        taps: dict[str, int] = dict(self._outbox.kept.get(TAPS) or {})
        if tap.seq > taps.pop(tap.boot, 0):
            if why := self._why_not(tap):
                yield TapAnswer(tap.id, why.english(), Coded.of(why), tap.page)
                return
            kept = dict([*taps.items(), (tap.boot, tap.seq)][-MAX_PHONES:])
            self._outbox.keep_later(TAPS, kept)  # goes to disk with the tap's own fact
            for event in self._events(tap, self._at(tap, now)):
                yield from self._controlled(event, now)
            self._outbox.keep(TAPS, kept)  # though the tap was none for the head
        self._waiting.append(tap)

    def _at(self, tap: Tap, now: float) -> float:
        """When the tap was made: not before the one before it, however old its phone says that it is."""
        at = max(now - tap.age, self._made_at.pop(tap.phone, -inf))
        self._made_at = dict([*self._made_at.items(), (tap.phone, at)][-MAX_PHONES:])
        return at

    def _why_not(self, tap: Tap) -> Reason | None:
        prediction = self.controller.prediction
        if tap.what == "help":
            return None
        name = round_name(prediction.view)
        if tap.round not in ("", name):
            kept = tap.age and (tap.what in CALLS or tap.what == "dice")
            earlier = tap.round.rpartition(".")[0] == name.rpartition(".")[0]
            return None if kept and earlier else reasons.TapOfAnotherRound()
        if prediction.table is None:
            return reasons.TapWithoutRound()
        if (tap.what == "faceoff") != prediction.table.one_die and tap.what in ("faceoff", "dice"):
            return reasons.TapOfAnotherRollOff()
        if tap.what == "wipe" and prediction.wipe is None:
            return reasons.TapOfNoWipe()
        return None

    def _events(self, tap: Tap, at: float) -> list[Throw | Press]:
        mark = ThrowMark(tap.boot, tap.seq)
        if tap.what == "wipe":
            face = self.controller.prediction.wipe or 1
            return [Throw((face, face, face), at, at, mark)]
        if tap.what == "dice" or tap.what == "faceoff":
            faces: Faces = (*tap.dice, 1, 1)[:3]  # type: ignore[assignment]
            return [Throw(faces, at, at, mark)]
        press = Press(tap.what, at, UNDO_HELD_MS if tap.what == "undo" else 0, mark)
        asks = tap.what in CALLS and self.controller.prediction.would_ring(tap.what)
        return [press, press] if asks else [press]  # the page has asked already

    def _note_saved(self, message: Committed | Failed | Recovered) -> None:
        self._failing = isinstance(message, Failed)
        for record in message.records if isinstance(message, Committed) else ():
            if isinstance(record, Kept) and record.key == TAPS:
                self._saved = record.value

    def _answers(self) -> Iterator[TapAnswer]:
        """The taps that are on disk; while the disk fails, those that are in memory."""
        waiting, self._waiting = self._waiting, []
        for tap in waiting:
            if self._failing or tap.seq <= self._saved.get(tap.boot, 0):
                yield TapAnswer(tap.id, page=tap.page)
            else:
                self._waiting.append(tap)
