"""The referee: takes what comes in, one message at a time, and says what is to be done.

Order of a table's fact: dedupe, judge its time, apply, ring if the state says so, journal, and after the
commit acknowledge. Pure but for the `Random` that draws ids and seats.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from msgspec import Struct

from pi_bunco.errors import FactError
from pi_bunco.game import facts
from pi_bunco.head.bell_button import BellButton
from pi_bunco.head.effects import (
    Button,
    Committed,
    Effect,
    Failed,
    Rang,
    Recovered,
    Ring,
    SetAside,
    Silent,
    Warn,
)
from pi_bunco.head.hosts import TEST, Hosts
from pi_bunco.head.judge import Judge
from pi_bunco.head.keepers import Keepers
from pi_bunco.head.ledger import Ledger
from pi_bunco.head.news import News, Options
from pi_bunco.head.presence import Presence
from pi_bunco.head.streams import Streams
from pi_bunco.journal.journal import Answered, Aside, Entry, Origin
from pi_bunco.logcopy import copy_of
from pi_bunco.runtime.loop import Health, Tick
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Connected, Disconnected, Received
from pi_bunco.wire.gate import Rejects, decode, fact_of
from pi_bunco.wire.publish import Publish
from pi_bunco.wire.topics import Topic, WireError

FRESH = 5000
"""So many ms after a bell its news still means something."""
UNSURE = 10_000.0
"""For so many ms after its machine has started anew, a head lets the tables' times put its clock forward."""


class Memory(Struct, frozen=True):
    """What the journal holds of the latest evening, to go on with after a restart."""

    entries: Sequence[Entry] = ()
    positions: Mapping[tuple[int, str], int] = {}
    answers: Mapping[str, Any] = {}
    kept: Mapping[str, Any] = {}
    sounded: Mapping[int, int] = {}
    """Per round, when its end bell was heard (ms of the evening clock), be it in `entries` or not."""
    lost: str = ""
    """Why there is nothing of what was there before, a sentence; empty where nothing is lost."""


class Referee:
    """The head service without its shell: `step` is all that it does."""

    def __init__(self, options: Options, random: Random, memory: Memory, now: float) -> None:
        self.options = options
        self.ledger = Ledger(now)
        self.presence = Presence(options.version)
        self.news = News(options, self.ledger, self.presence)
        self.news.lost = memory.lost
        self.hosts = Hosts(options.hall, options.boot, self.ledger, self.presence, random, memory.answers)
        self._rejects = Rejects()
        self._streams = Streams(memory.positions)
        self._ready: deque[tuple[int, messages.Envelope]] = deque()
        self._committed = dict(memory.positions)
        self._judge = Judge()
        self._silent_at = 0
        self._done_since: dict[int, float] = {}
        self._keepers = Keepers(options.hall, self.ledger)
        self._bell_button = BellButton(self.ledger, self.presence, random)
        self.ledger.remember(memory.entries)
        self.ledger.sounded = dict(memory.sounded)
        for entry in memory.entries:
            if entry.origin:
                self._judge.note(entry.origin.table, entry.origin.stream, entry.fact.t)
        self._set_clock(memory, now)

    def _set_clock(self, memory: Memory, now: float) -> None:
        """The evening clock goes on: on another boot from the journal, until a table knows better."""
        match memory.kept.get("began"):
            case {"boot": self.options.boot, "evening": self.ledger.evening.id, "at": int() | float() as at}:
                self.ledger.began, self._sure_at = at, now
            case _:
                self.ledger.began = now - max((entry.fact.t for entry in memory.entries), default=0)
                self._sure_at = now + UNSURE

    def resume(self) -> list[Effect]:
        """What a crash left undone: a bell whose reason is in the journal and that is not noted as rung."""
        if not self.ledger.log:
            return []
        unrung = [self.ledger.signal("end")] if self.ledger.rings else self._start_bell()
        return [*unrung, self.hosts.began()]

    def _start_bell(self) -> list[Effect]:
        """The start bell of a round of which no table has told anything yet."""
        for entry in reversed(self.ledger.log):
            if isinstance(entry.fact, facts.RoundOpen):
                return [self.ledger.signal("start")] if self.ledger.evening.round else []
            if getattr(entry.fact, "epoch", None) == self.ledger.evening.epoch:
                return []
        return []

    def step(self, message: object, now: float) -> Iterator[Effect]:
        """What is to be done about `message`, which came at `now` (ms of the clock).

        The news are worked out when all else is done; after a bell, when it has been told of.
        """
        effects = _STEPS[type(message)](self, message, now)
        yield from effects
        if not any(type(effect) is Ring for effect in effects):
            yield from self.news.due(now)

    # What comes over the wire.

    def _received(self, message: Received, now: float) -> list[Effect]:
        try:
            payload = decode(message.topic, message.payload, message.retained)
        except WireError as error:
            return self._rejected(message.topic, str(error), now)
        topic = topics.parse(message.topic)
        receive = _RECEIVERS.get(type(payload))
        return receive(self, topic, payload, now) if receive and topic.direction == "up" else []

    def _rejected(self, topic: str, why: str, now: float) -> list[Effect]:
        return [Warn(f"a message is dropped: {why}")] if self._rejects.count(topic, now) else []

    def _envelope(self, topic: Topic, envelope: messages.Envelope, now: float) -> list[Effect]:
        table, evening = topic.table or 0, self.ledger.evening
        if evening.rules is None or envelope.evening != evening.id:
            return self._aside(table, envelope)
        if table > evening.tables:
            return self._rejected(str(topic), f"table {table} does not play this evening", now)
        ready = self._streams.take(table, envelope)
        if not ready:
            return [self._ack(table, envelope.evening, envelope.stream)]
        self._ready.extend((table, one) for one in ready)
        return self._drain(now)

    def _drain(self, now: float) -> list[Effect]:
        """Takes the facts that are in order, up to one that rings: behind it comes the bell's own."""
        effects: list[Effect] = []
        while self._ready and (not self.ledger.rings or self.ledger.evening.facts == self._silent_at):
            effects += self._fact(*self._ready.popleft(), now)
        return effects

    def _aside(self, table: int, envelope: messages.Envelope) -> list[Effect]:
        """A fact of another evening is set aside, and acknowledged when that is on disk."""
        if not self._streams.skip(table, envelope):
            return [self._ack(table, envelope.evening, envelope.stream)]
        return [SetAside(Aside(envelope.evening, _origin(table, envelope), envelope.fact))]

    def _fact(self, table: int, envelope: messages.Envelope, now: float) -> list[Effect]:
        ledger = self.ledger
        if now < self._sure_at and envelope.t is not None and envelope.err is not None:
            ledger.began = min(ledger.began, now - envelope.t)
        round_ = ledger.evening.round
        bell_t = round_.bell.t if round_ and round_.bell else None
        t = self._judge.t(table, envelope, ledger.t(now), bell_t, ledger.heard)
        origin = _origin(table, envelope)
        try:
            return ledger.took(fact_of(envelope, table, t), origin)
        except FactError as error:
            told = self._rejects.count(topics.up(self.options.hall, f"table{table}", "fact"), now)
            warning = [Warn(f"table {table}: a fact is set aside: {error}")] if told else []
            return [SetAside(Aside(envelope.evening, origin, envelope.fact)), *warning]

    def _ack(self, table: int, evening: str, stream: str) -> Publish:
        ack = messages.Ack(evening, stream, self._committed.get((table, stream), 0))
        return Publish(topics.down(self.options.hall, f"table{table}", "ack"), ack)

    def _status(self, topic: Topic, status: messages.Status, now: float) -> list[Effect]:
        """A table that comes is told what the journal has of its stream: a head with a new card has less."""
        table, evening = topic.table or 0, self.ledger.evening
        self.ledger.stale = True
        self.presence.status(table, status, now)
        if status.state == "online":
            self.news.greet(table)
        if status.stream is None or evening.rules is None:
            return []
        return [self._ack(table, evening.id, status.stream)]

    def _beat(self, topic: Topic, beat: messages.Beat, now: float) -> list[Effect]:
        self.presence.beat(topic.table or 0, beat, now)
        return []

    def _clock(self, topic: Topic, request: messages.ClockRequest, now: float) -> list[Effect]:
        t = now - self.ledger.began
        reply = messages.ClockReply(request.n, request.t0, t, t)
        return [Publish(topics.down(self.options.hall, topic.node, "clock"), reply)]

    def _need(self, topic: Topic, need: messages.Need, now: float) -> list[Effect]:
        return self._keepers.need(topic, need, now)

    def _command(self, topic: Topic, command: messages.Command, now: float) -> list[Effect]:
        return self._obey(topic.node, command, now)

    def _obey(self, node: str, command: messages.Command, now: float) -> list[Effect]:
        """What the command does; while the disk fails nothing waits for it, a new round neither."""
        durable = not self.news.unwritten
        effects = self.hosts.obey(node, command, now, durable)
        return effects if durable or not self.ledger.opening else [*effects, *self._announce()]

    def _came(self, _message: Connected, _now: float) -> list[Effect]:
        self.news.came()
        return []

    def _went(self, message: Disconnected, _now: float) -> list[Effect]:
        self.news.went()
        return [Warn(message.why)]

    # The bell.

    def _rang(self, message: Rang, now: float) -> list[Effect]:
        if message.id.startswith(TEST):
            return self.hosts.tested(message.id)
        ledger = self.ledger
        round_, t = ledger.evening.round, min(ledger.t(message.at), ledger.t(now))
        if round_ is None:
            return []
        if round_.bell is None:
            started = message.id == ledger.signal("start").id
            return [self.news.bell("start", t, "start", FRESH)] if started else []
        if not ledger.rings or message.id != ledger.signal("end").id:
            return []
        effects = ledger.own(facts.Bell(max(t, round_.bell.t), ledger.evening.epoch))
        ledger.dirty = ledger.everywhere
        return [self.news.bell("end", round_.bell.t, round_.bell.by, FRESH), *effects, *self._drain(now)]

    def _silent(self, message: Silent, now: float) -> list[Effect]:
        """The bell cannot sound: the round ends all the same, at the time of its reason."""
        if message.id.startswith(TEST):
            return self.hosts.tested(message.id, message.why)
        self._silent_at = self.ledger.evening.facts
        self.ledger.dirty = self.ledger.everywhere
        return [Warn(f"The bell stays silent: {message.why}."), *self._drain(now)]

    def _button(self, message: Button, now: float) -> list[Effect]:
        effects = self._obey(topics.HEAD, self._bell_button.asks(message.held, now), now)
        self._bell_button.answered(effects, now)
        return effects

    # The journal.

    def _on_disk(self, message: Committed, _now: float) -> list[Effect]:
        effects: list[Effect] = []
        acks: dict[tuple[int, str], str] = {}
        for record in message.records:
            if isinstance(record, Entry):
                effects += self._entry_on_disk(record)
            elif isinstance(record, Answered):
                effects += self.hosts.on_disk(record.id)
            origin = getattr(record, "origin", None)
            if isinstance(record, Entry | Aside) and origin:
                key = (origin.table, origin.stream)
                self._committed[key] = max(origin.seq, self._committed.get(key, 0))
                acks[key] = record.evening
        return effects + [self._ack(table, evening, stream) for (table, stream), evening in acks.items()]

    def _entry_on_disk(self, entry: Entry) -> list[Effect]:
        copied = self.news.everyone("log", copy_of(entry), qos=1)
        return [copied, *self._announce()] if entry is self.ledger.opening else [copied]

    def _announce(self) -> list[Effect]:
        """A round that is in the journal begins for everybody."""
        self.ledger.opening = None
        self.ledger.dirty = self.ledger.everywhere
        return [self.ledger.signal("start")]

    def _failed(self, message: Failed, _now: float) -> list[Effect]:
        """The disk fails: play goes on from memory, and everybody can see that."""
        self.news.unwritten = f"The journal cannot be written: {message.why}."
        opened = self._announce() if self.ledger.opening else []
        return [Warn(self.news.unwritten), *opened, *self.hosts.give_up_waiting()]

    def _recovered(self, _message: Recovered, _now: float) -> list[Effect]:
        self.news.unwritten = ""
        return [Warn("The journal can be written again.")]

    # As time passes.

    def _health(self, health: Health, _now: float) -> list[Effect]:
        before, self.news.health[health.of] = self.news.health.get(health.of, ()), health.faults
        return [Warn(fault) for fault in health.faults if fault not in before]

    def _tick(self, _tick: Tick, now: float) -> list[Effect]:
        ledger = self.ledger
        round_, rules = ledger.evening.round, ledger.evening.rules
        if now >= ledger.horn_silent_until:
            ledger.horn_silent_until = 0.0
        self.news.glance(now)
        self._bell_button.tick(now)
        if round_ is None or rules is None or ledger.opening:
            return []
        if round_.bell:
            return self._confirm_for_tables(now)
        minutes, opened_t, t = rules.end.minutes, ledger.opened_t, ledger.t(now)
        if minutes and opened_t is not None and t - opened_t >= minutes * 60_000:
            return ledger.own(facts.RoundClose(t, "time", ledger.evening.epoch))
        return []

    def _confirm_for_tables(self, now: float) -> list[Effect]:
        """Says OK for tables that are done, have told all that they rolled, and do not say it themselves."""
        effects: list[Effect] = []
        ledger = self.ledger
        epoch = ledger.evening.epoch
        for table in list(ledger.evening.round.tables if ledger.evening.round else ()):
            if not table.done or ledger.heard.get(table.number) != epoch:
                self._done_since.pop(table.number, None)
            elif now - self._done_since.setdefault(table.number, now) >= self.options.auto_confirm:
                effects += ledger.own(facts.Confirm(ledger.t(now), table.number, epoch, "head"))
        return effects


def _origin(table: int, envelope: messages.Envelope) -> Origin:
    return Origin(table, envelope.stream, envelope.seq)


_STEPS: dict[type, Callable[[Referee, Any, float], list[Effect]]] = {
    Received: Referee._received,
    Connected: Referee._came,
    Disconnected: Referee._went,
    Rang: Referee._rang,
    Silent: Referee._silent,
    Committed: Referee._on_disk,
    Failed: Referee._failed,
    Recovered: Referee._recovered,
    Button: Referee._button,
    Health: Referee._health,
    Tick: Referee._tick,
}
_RECEIVERS: dict[type, Callable[[Referee, Topic, Any, float], list[Effect]]] = {
    messages.Envelope: Referee._envelope,
    messages.Status: Referee._status,
    messages.Beat: Referee._beat,
    messages.ClockRequest: Referee._clock,
    messages.Need: Referee._need,
    messages.Command: Referee._command,
}
