"""A head that has lost its journal, or the end of it, takes the evening from the copies that tables keep.

It asks every table that shows itself what it holds, takes the latest evening's longest copy without a gap,
compares it with the others by their checksums, and reads on from another table if one goes away. What one
table says and others do not is bounded: such a table may be a stolen one. Pure: one message at a time, time
is a parameter (ms).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from pi_bunco.errors import FactError
from pi_bunco.head.copies import OWN, Copies, Copy, heard
from pi_bunco.head.effects import Committed, Effect, Failed, Recovered, Warn
from pi_bunco.head.ledger import Ledger
from pi_bunco.head.playable import playable, signals
from pi_bunco.journal.journal import Entry
from pi_bunco.logcopy import KEEPERS, entry_of
from pi_bunco.runtime.loop import Tick
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Connected, Disconnected, Received
from pi_bunco.wire.gate import Rejects, decode
from pi_bunco.wire.messages import BATCH
from pi_bunco.wire.publish import Publish
from pi_bunco.wire.topics import Topic, WireError

WAIT = 60_000.0
"""For so many ms after it has reached the broker, a head waits for a table that holds something."""
LATE = 5000.0
"""For so many ms, if it has waited before and asks a table that came later."""
OTHERS = 3000.0
"""For so many ms after a table has answered, it waits for others."""
AGAIN = 1000.0
"""Milliseconds until a question is asked again."""
GONE = 5000.0
"""A table that sends nothing of its copy for so many ms has gone away."""
AWAY = 10_000.0
"""For so many ms a table that went away with the longest copy is waited for, where others have one too."""
LIMIT = 300_000.0
"""So many ms after the first answer a head takes what has come, whatever else a table promises."""
SILENCES = 3
"""A table that says so often that it is there, and then sends nothing, has no more than it has sent."""


class Rebuilt(Struct, frozen=True):
    """The evening to go on with.

    `signals` are those of the running round that have sounded, `sounded` per round when its end was heard.
    """

    entries: tuple[Entry, ...]
    signals: tuple[str, ...]
    sounded: Mapping[int, int]


class Over(Struct, frozen=True):
    """The evening is in the journal, as far as there is one."""


class Rebuild:
    """What is known of the tables' copies; `step` is all that it does."""

    def __init__(
        self, hall: str, own: Sequence[Entry] = (), evenings: Sequence[str] = (), late: bool = False
    ) -> None:
        """`own` is what the journal has of its latest evening, `evenings` the ids of all, the latest last."""
        self.over = False
        """Whether it has come to its end."""
        self.found = False
        """Whether any table held something; the one on the head's own Pi may have lost its card as well."""
        self._wait = LATE if late else WAIT
        self._hall = hall
        self._connected = False
        self._deadline: float | None = None
        self._answered_at: float | None = None
        self._asked: dict[int, float] = {}
        self._rejects = Rejects()
        self._copies = Copies(own, evenings)
        self._own = len(own)
        self._limit = float("inf")
        self._bells: dict[int, messages.HeardBell | None] = {}
        self._reading: Copy | None = None
        self._asked_at = self._progress_at = 0.0
        self._up_to = 0
        self._saving = False
        self._fails = False
        self._lost_at = 0.0

    @property
    def asked(self) -> set[int]:
        """The tables that have been asked what they hold, and have not gone away since."""
        return set(self._asked)

    def step(self, message: object, now: float) -> list[Effect | Rebuilt | Over]:
        """What is to be done about `message`, which came at `now` (ms of the clock)."""
        if self.over:
            return []
        take = _STEPS.get(type(message))
        effects: list[Effect | Rebuilt | Over] = list(take(self, message, now)) if take else []
        return effects if self._saving or self.over else [*effects, *self._go_on(now)]

    # What comes in.

    def _came(self, _message: Connected, now: float) -> Iterable[Effect]:
        self._connected, self._asked_at = True, -AGAIN
        self._asked.clear()
        if self._deadline is None:
            self._deadline = now + self._wait
        self._progress_at = now
        return []

    def _went(self, message: Disconnected, _now: float) -> Iterable[Effect]:
        self._connected = False
        return [Warn(message.why)]

    def _received(self, message: Received, now: float) -> Iterable[Effect]:
        try:
            payload = decode(message.topic, message.payload, message.retained)
        except WireError as error:
            told = self._rejects.count(message.topic, now)
            return [Warn(f"A message is dropped: {error}.")] if told else []
        topic = topics.parse(message.topic)
        take = _RECEIVERS.get(type(payload))
        return take(self, topic, payload, now) if take and topic.table and topic.direction == "up" else []

    def _status(self, topic: Topic, status: messages.Status, now: float) -> Iterable[Effect]:
        if status.state == "online":
            self._asked.pop(topic.table or 0, None)
            return self._ask(topic.table or 0, now)
        return self._lost(topic.table or 0, now)

    def _beat(self, topic: Topic, _beat: messages.Beat, now: float) -> Iterable[Effect]:
        return self._ask(topic.table or 0, now)

    def _ask(self, table: int, now: float) -> list[Effect]:
        """Asks the table what it holds, unless that was asked a moment ago or is known."""
        if now - self._asked.get(table, -AGAIN) < AGAIN:
            return []
        self._asked[table] = now
        return [self._need(table, None, 1)]

    def _need(self, table: int, evening: str | None, start: int) -> Publish:
        topic = topics.down(self._hall, topics.table_node(table), "need")
        return Publish(topic, messages.Need(evening, start), 1)

    def _held(self, topic: Topic, held: messages.Held, now: float) -> Iterable[Effect]:
        table = topic.table or 0
        self._asked[table] = float("inf")
        self._bells[table] = held.bell
        if table > KEEPERS or now >= self._limit:
            return []
        self.found |= any(one.length for one in held.evenings)
        if self._copies.hear(table, held.evenings):
            self._answered_at, self._limit = now, min(self._limit, now + LIMIT)
        if self._reading and self._reading not in self._copies:
            self._stop_reading(table)  # it has another copy by now
        return []

    def _entry(self, topic: Topic, copy: messages.LogCopy, now: float) -> Iterable[Effect]:
        reading = self._reading
        if reading is None or (topic.table, copy.evening) != (reading.table, reading.evening):
            return []
        if copy.n != len(reading.entries) + 1:
            return []
        try:
            reading.add(entry_of(copy))
        except FactError as error:
            reading.cut()
            return [Warn(f"Table {reading.table}: fact {copy.n} is not understood: {error}")]
        self._progress_at = now
        return []

    def _lost(self, table: int, now: float) -> list[Effect]:
        """The table went away: what it holds cannot be had before it is back."""
        self._asked.pop(table, None)
        self._copies.leave(table)
        self._lost_at = now
        if self._reading is None or self._reading.table != table or self._reading.whole:
            return []
        again = self._copies.has_failed(table)
        self._stop_reading(table)
        return [] if again else [Warn(f"Table {table} went away before all of its copy was taken.")]

    def _stop_reading(self, table: int) -> None:
        self._reading = None
        self._copies.failed(table)

    def _on_disk(self, message: Committed, _now: float) -> Iterable[Effect]:
        saved = any(isinstance(record, Entry) for record in message.records)
        return self._end() if self._saving and saved else []

    def _failed(self, _message: Failed, _now: float) -> Iterable[Effect]:
        """The evening goes on from memory, as it would without a rebuild."""
        self._fails = True
        return self._end() if self._saving else []

    def _recovered(self, _message: Recovered, _now: float) -> Iterable[Effect]:
        self._fails = False
        return []

    def _end(self) -> list[Any]:
        self.over = True
        return [Over()]

    # What follows every message.

    def _go_on(self, now: float) -> list[Effect | Rebuilt | Over]:
        if not self._connected or self._deadline is None:
            return []
        if self._answered_at is None:
            return self._take() if now >= self._deadline else []
        if now >= self._limit:
            self._copies.close()
            return self._take()
        if now - self._answered_at < OTHERS and self._reading is None:
            return []
        if self._reading and not self._reading.whole:
            return self._read_on(self._reading, now)
        return self._choose(now)

    def _read_on(self, copy: Copy, now: float) -> list[Effect | Rebuilt | Over]:
        have = len(copy.entries)
        if now - self._progress_at >= GONE:
            copy.silences += 1
            if copy.silences >= SILENCES:
                copy.cut()
            return list(self._lost(copy.table, now))
        if have < self._up_to and now - max(self._asked_at, self._progress_at) < AGAIN:
            return []
        self._asked_at, self._up_to = now, have + BATCH
        return [self._need(copy.table, copy.evening, have + 1)]

    def _choose(self, now: float) -> list[Effect | Rebuilt | Over]:
        """Reads the next copy that has to be known, or takes the best of them when all are."""
        copy = self._copies.unread()
        if copy is None:
            return self._take()
        if not copy.there:
            patience = self._lost_at + AWAY
            if now < (patience if self._copies.best() else max(patience, self._deadline or 0.0)):
                return []
            copy.cut()
            return self._choose(now)
        self._reading, self._progress_at, self._asked_at, self._up_to = copy, now, -AGAIN, 0
        said = Warn(f"Table {copy.table} holds {copy.length} facts of evening {copy.evening}; taking them.")
        return [*([] if self._copies.has_failed(copy.table) else [said]), *self._read_on(copy, now)]

    def _take(self) -> list[Effect | Rebuilt | Over]:
        best = self._copies.best()
        if best is None:
            return self._without()
        entries, ledger = playable(best.entries)
        if not entries:
            self._copies.drop(best)
            return [Warn(f"What table {best.table} holds of evening {best.evening} is no evening.")]
        self._saving = True
        rebuilt = Rebuilt(tuple(entries), tuple(signals(ledger)), self._sounded(ledger))
        told = [Warn(text) for text in self._copies.told(best, len(entries))]
        nothing_new = best.table == OWN or len(entries) == self._own
        return [*told, rebuilt, *(self._end() if self._fails or nothing_new else [])]

    def _sounded(self, ledger: Ledger) -> dict[int, int]:
        """When the end of the running round was heard at the tables that play."""
        evening = ledger.evening
        told = [bell for table, bell in self._bells.items() if table <= evening.tables]
        t = heard(told, str(evening.id), evening.epoch)
        return {} if t is None else {evening.epoch: t}

    def _without(self) -> list[Effect | Rebuilt | Over]:
        later = "" if self.found else ", and asks the tables that come later"
        return [
            Warn(f"No table holds a copy of an evening: the head begins without one{later}."),
            *self._end(),
        ]


_STEPS: dict[type, Callable[[Rebuild, Any, float], Iterable[Any]]] = {
    Received: Rebuild._received,
    Connected: Rebuild._came,
    Disconnected: Rebuild._went,
    Committed: Rebuild._on_disk,
    Failed: Rebuild._failed,
    Recovered: Rebuild._recovered,
    Tick: lambda _rebuild, _tick, _now: (),
}
_RECEIVERS: dict[type, Callable[[Rebuild, Topic, Any, float], Iterable[Effect]]] = {
    messages.Status: Rebuild._status,
    messages.Beat: Rebuild._beat,
    messages.Held: Rebuild._held,
    messages.LogCopy: Rebuild._entry,
}
