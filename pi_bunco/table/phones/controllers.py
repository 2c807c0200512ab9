"""All phone tables of a hall behind one link: which of them gets what came. Pure but for their outboxes."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from pi_bunco.runtime.loop import Health, Tick, Warn
from pi_bunco.runtime.writer import Committed, Failed, Record, Recovered
from pi_bunco.table.effects import RebuildLink
from pi_bunco.table.phones.messages import PhonesSeen, PhoneState, Tap
from pi_bunco.table.phones.phone_table import PhoneEffect, PhoneTable
from pi_bunco.wire.client import Connected, Disconnected, Publish
from pi_bunco.wire.gate import Delivered, Undelivered
from pi_bunco.wire.messages import View
from pi_bunco.wire.topics import WireError, parse

TICKS_EACH = 20
"""Ticks of the process between two of a table: one a second, for a beat, spread over that second."""


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
                        one.controller.phone_seen_at = now
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
        """A table plays from now on: it gets what the others know."""
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
