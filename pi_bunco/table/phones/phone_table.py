"""Phone tables: the controller of any table with taps in place of dice and panel, and all behind one link.

Pure but for their outboxes.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from math import inf

from msgspec.structs import replace

from pi_bunco.devices.protocols import Press, ThreeFaces, Throw, ThrowMark
from pi_bunco.game.snapshot import snapshot
from pi_bunco.log.log_store import LogStore
from pi_bunco.reason import Coded, Reason
from pi_bunco.rules.patterns import CALLS
from pi_bunco.runtime.loop import Health, Tick, Warn
from pi_bunco.runtime.writer import Committed, Failed, Kept, Record, Recovered
from pi_bunco.table import reasons
from pi_bunco.table.controller import TableController
from pi_bunco.table.effects import (
    ForgetThrow,
    RebuildLink,
    ReportUntil,
    ShowLights,
    TableEffect,
    TableOptions,
)
from pi_bunco.table.phones.socket_messages import PhonesSeen, PhoneState, Tap, TapAnswer, round_name
from pi_bunco.wire.client import Connected, Disconnected, Publish
from pi_bunco.wire.gate import Delivered, Undelivered
from pi_bunco.wire.messages import View
from pi_bunco.wire.outbox import Outbox
from pi_bunco.wire.topics import WireError, parse

MAX_PHONES = 64
"""Phones of one table that are told apart, the latest."""
TICKS_EACH = 20
"""Ticks of the process between two of a table: one a second, for a beat, spread over that second."""
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
        """All that a page shows: nothing that is saved nowhere, or that the present head lacks."""
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
        """Time of the tap: not before the one before it, however old its phone says that it is."""
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
            faces: ThreeFaces = (*tap.dice, 1, 1)[:3]  # type: ignore[assignment]
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
        """Taps that are on disk; while the disk fails, those that are in memory."""
        waiting, self._waiting = self._waiting, []
        for tap in waiting:
            if self._failing or tap.seq <= self._saved.get(tap.boot, 0):
                yield TapAnswer(tap.id, page=tap.page)
            else:
                self._waiting.append(tap)


class PhoneControllers:
    """The phone tables that play, `tables`; those that do not play yet begin with the head's first view.

    Those in `leaving` are no phones any more: they only send what the head does not have, and end.
    """

    def __init__(
        self,
        made: Callable[[int, float], PhoneTable],
        shared_out: Callable[[tuple[Record, ...]], Mapping[int, tuple[Record, ...]]],
        phones: Collection[int],
        begun: Iterable[int],
        now: float,
        keeper: int = 0,
    ) -> None:
        """`made` makes a table, which those in `begun` are at once; `shared_out` says whose records are.

        `keeper` is the table that keeps the log for all, 0 for none.
        """
        made_now = {number: made(number, now) for number in begun}
        self.tables = {number: one for number, one in made_now.items() if number in phones or one.unsent}
        self.leaving = self.tables.keys() - set(phones)
        self._made = made
        self._shared_out = shared_out
        self._phones = frozenset(phones)
        self._keeper = keeper
        self._link: Connected | None = None
        self._latest: dict[str, Delivered] = {}
        self._rebuilding = False
        self._ticks = 0

    def states(self) -> list[PhoneState]:
        """Every phone table as it shows itself."""
        return [table.state for number, table in self.tables.items() if number not in self.leaving]

    def step(self, message: object, now: float) -> Iterator[PhoneEffect]:
        """The effects of `message`, which came at `now` (ms of the clock); a warning once for all tables."""
        warned: set[str] = set()
        for effect in self._steps(message, now):
            if isinstance(effect, Warn):
                if effect.text in warned:
                    continue
                warned.add(effect.text)
            elif isinstance(effect, RebuildLink):
                if self._rebuilding:
                    continue
                self._rebuilding = True
            yield effect

    def _steps(self, message: object, now: float) -> Iterator[PhoneEffect]:
        match message:
            case Tap(table):
                yield from self._table(table, message, now)  # where nobody answers the phone keeps it
            case PhonesSeen(tables):
                for number in tables:
                    if one := self.tables.get(number):
                        one.controller.phone_seen(now)
            case Delivered():
                yield from self._delivered(message, now)
            case Undelivered(topic):
                yield from self._undelivered(topic, message, now)
            case Committed(records):
                for number, mine in self._shared_out(records).items():
                    yield from self._table(number, Committed(mine), now)
            case Tick():
                yield from self._tick(now)
            case Connected():
                self._link, self._rebuilding = message, False
                yield from self._each(message, now)
                yield from self._each(Tick(), now)  # asks for the time: no fact goes out before
            case Disconnected():
                self._link = None
                self._latest.clear()
                yield from self._each(message, now)
            case Failed() | Recovered() | Health():
                yield from self._each(message, now)

    def _each(self, message: object, now: float) -> Iterator[PhoneEffect]:
        for number in list(self.tables):
            yield from self._table(number, message, now)

    def _table(self, number: int, message: object, now: float) -> Iterator[PhoneEffect]:
        table = self.tables.get(number)
        if table is None:
            return
        for effect in table.step(message, now):
            if number not in self.leaving:
                yield effect
            elif isinstance(effect, Publish) and effect.topic == table.controller.options.up("fact"):
                yield effect  # all else is said by the device that has the number now
        if number in self.leaving and not table.unsent:
            del self.tables[number]
            self.leaving.discard(number)
            yield Warn(f"Table {number} is no phone any more; all that it kept is sent.")

    def _delivered(self, came: Delivered, now: float) -> Iterator[PhoneEffect]:
        number = came.topic.table
        if number is None and came.topic.leaf == "log":
            yield from self._table(self._keeper, came, now)
            return
        if number is None:
            if came.topic.leaf in ("head", "round"):
                known, self._latest[came.topic.leaf] = self._latest.get(came.topic.leaf), came
                if known is not None and known.message == came.message:
                    return  # the head says it again to each table that comes: no news to 300 others
            yield from self._each(came, now)
            if came.topic.leaf == "head":
                yield from self._each(Tick(), now)
            return
        if number in self._phones and number not in self.tables and isinstance(came.message, View):
            yield from self._begin(number, now)
        yield from self._table(number, came, now)

    def _begin(self, number: int, now: float) -> Iterator[PhoneEffect]:
        """Starts a table: it gets what the others know."""
        self.tables[number] = self._made(number, now)
        for known in (self._link, *self._latest.values()):
            if known is not None:
                yield from self._table(number, known, now)
        yield from self._table(number, Tick(), now)

    def _undelivered(self, topic: str, came: Undelivered, now: float) -> Iterator[PhoneEffect]:
        try:
            number = parse(topic).table
        except WireError:
            number = None
        yield from self._table(number or next(iter(self.tables), 0), came, now)

    def _tick(self, now: float) -> Iterator[PhoneEffect]:
        self._ticks = (self._ticks + 1) % TICKS_EACH
        for number in list(self.tables):
            if number % TICKS_EACH == self._ticks:
                yield from self._table(number, Tick(), now)
