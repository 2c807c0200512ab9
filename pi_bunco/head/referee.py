"""The referee: takes what comes in, one message at a time, and says what is to be done.

Order of a table's fact: dedupe, judge its time, apply, ring if the state says so, acknowledge as received,
journal, and after the commit acknowledge as committed. Before it applies anything it has the end of its log
(`recovery`). Pure but for the `Random` that draws ids and seats.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from statistics import median
from typing import Any

from msgspec import Struct

from pi_bunco.game import facts
from pi_bunco.game.log import Entry
from pi_bunco.head.bell import RoundBell
from pi_bunco.head.bell_button import BellButton
from pi_bunco.head.blinking import Blinking
from pi_bunco.head.clock_judge import FAR
from pi_bunco.head.commands import Commands
from pi_bunco.head.effects import (
    Button,
    Committed,
    Effect,
    Failed,
    Rang,
    Recovered,
    Rewrite,
    Silent,
    TakeOver,
    Warn,
)
from pi_bunco.head.evening_log import EveningLog
from pi_bunco.head.intake import Intake, Positions, positions
from pi_bunco.head.presence import Presence
from pi_bunco.head.publisher import HeadOptions, Publisher
from pi_bunco.head.recovery import Found, Offer, Recovery, Request, place
from pi_bunco.head.replicas import Replicas
from pi_bunco.journal.chain import LogKey, rechained
from pi_bunco.journal.journal import Answered, Aside, Written
from pi_bunco.runtime.loop import Health, Tick
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Connected, Disconnected, Received
from pi_bunco.wire.entries import entries_of
from pi_bunco.wire.gate import Rejects, decode, place_of
from pi_bunco.wire.messages import Envelope, FactPlace
from pi_bunco.wire.publish import Publish
from pi_bunco.wire.topics import Topic, WireError

FRESH = 5000
"""So many ms after a bell its message still means something."""


class Memory(Struct, frozen=True):
    """What is on disk of the latest evening, to go on with after a restart, and which signals have sounded.

    `no` is the highest running number of the journal's evenings, `noted` per signal when it sounded (ms of
    the clock) since this machine started.
    """

    key: LogKey
    entries: Sequence[Entry] = ()
    positions: Mapping[tuple[int, str], int] = {}
    answers: Mapping[str, Any] = {}
    kept: Mapping[str, Any] = {}
    noted: Mapping[str, float] = {}
    no: int = 0
    damage: str = ""
    """Why the journal began anew, a sentence; empty where it did not."""


class Referee:
    """The head service without its shell: `step` is all that it does."""

    def __init__(self, options: HeadOptions, random: Random, memory: Memory, now: float) -> None:
        self.options = options
        self._memory = memory
        self.log = EveningLog(memory.key, RoundBell(memory.noted), now)
        self.log.highest_no = max(memory.no, memory.key.base)
        self.presence = Presence(options.version)
        self.publisher = Publisher(options, self.log, self.presence)
        self._blinking = Blinking()
        self.commands = Commands(
            options.hall,
            options.boot,
            self.log,
            self.presence,
            self._blinking,
            self,
            random,
            memory.answers,
        )
        self.recovery = Recovery(memory.key, lambda: self.log.entries)
        self._replicas = Replicas(options.hall, self.log)
        self._bell_button = BellButton(self.log, self.presence, random, self._blinking)
        self._rejects = Rejects()
        self._intake = Intake(options.hall, self.log, self._rejects)
        self._unwritten = ""
        self._health: dict[str, tuple[str, ...]] = {}
        self._done_since: dict[int, float] = {}
        self._early: list[Button | tuple[Topic, Envelope | FactPlace | messages.Command]] = []
        self._births: dict[int, messages.Status] = {}
        self._start(memory.entries, memory.positions, now)
        self._set_clock(now)

    def _start(self, entries: Sequence[Entry], committed: Positions, now: float) -> None:
        """Begins with these entries as the log, of which those up to `committed` are on disk."""
        self.log.replay(entries, now)
        self._intake.begin(entries, committed)

    def _set_clock(self, now: float) -> None:
        """The evening clock goes on; after a reboot from the log and from what most tables say."""
        match self._memory.kept.get("began"):
            case {"boot": self.options.boot, "evening": self.log.evening.id, "at": int() | float() as at}:
                self.log.began = at
            case _:
                last = self.log.last_t
                times = [birth.t for birth in self._births.values() if (birth.t or 0) <= last + FAR]
                known = [t for t in times if t is not None]
                self.log.began = now - max(last, median(known) if known else 0)

    # What happens.

    def step(self, message: object, now: float) -> Iterator[Effect]:
        """What is to be done about `message`, which came at `now` (ms of the clock).

        What changed is published when all else is done; after a bell, when that has been told of.
        """
        effects = _STEPS[type(message)](self, message, now)
        yield from effects
        if self.recovery.pending:
            yield from self.publisher.recovering(self._faults())
        elif not self.log.bell.waiting:
            yield from self.publisher.due(self._faults(), self._blinking.shown, now)

    def _faults(self) -> tuple[str, ...]:
        """What is wrong with the head, each a sentence."""
        waits = self.recovery.waits_for() if self.recovery.pending else ""
        damage = "" if self.log.entries else self._memory.damage
        silent = [
            f"{place(node)} sent nothing of its log and was passed over."
            for node in self.recovery.passed_over
        ]
        offers = [offer.sentence() for offer in self.recovery.offers.values()]
        health = [fault for faults in self._health.values() for fault in faults]
        ahead = self._intake.sentences()
        return tuple(filter(None, (waits, self._unwritten, damage, *offers, *ahead, *silent, *health)))

    def _received(self, message: Received, now: float) -> list[Effect]:
        try:
            payload = decode(message.topic, message.payload, message.retained)
        except WireError as error:
            return [*self._rejected(message.topic, str(error), now), *self._misread(message, now)]
        topic = topics.parse(message.topic)
        if isinstance(payload, Entry):
            return self._retained(payload, now) if message.retained and self.recovery.pending else []
        receive = _RECEIVERS.get(type(payload))
        return receive(self, topic, payload, now) if receive and topic.direction == "up" else []

    def _rejected(self, topic: str, why: str, now: float) -> list[Effect]:
        return [Warn(f"a message is dropped: {why}")] if self._rejects.count(topic, now) else []

    def _misread(self, message: Received, now: float) -> list[Effect]:
        """A fact that is not understood keeps its place in its stream, so that it blocks nothing."""
        try:
            at = place_of(message.topic, message.payload)
        except WireError:
            return []
        return self._envelope(topics.parse(message.topic), at, now) if at else []

    def _envelope(self, topic: Topic, envelope: Envelope | FactPlace, now: float) -> list[Effect]:
        table, evening = topic.table or 0, self.log.evening
        if self.recovery.pending:
            self._early.append((topic, envelope))
            return []
        if evening.rules is not None and envelope.evening == evening.id and table > evening.tables:
            return self._rejected(str(topic), f"table {table} does not play this evening", now)
        effects = self._intake.take(table, envelope, now)
        return effects if table not in self._intake.ahead else self._asked(self.recovery.doubt(now))

    # What tables and the page say of themselves.

    def _status(self, topic: Topic, status: messages.Status, now: float) -> list[Effect]:
        """A node that comes is told how far its streams are taken, and asked for what its replica has."""
        effects: list[Effect] = []
        if topics.is_replica(topic.node):
            if status.state == "online":
                effects += self._asked(self.recovery.online(topic.node, status.replica, now))
            else:
                self.recovery.offline(topic.node)
        if status.replica:
            self.log.highest_no = max(self.log.highest_no, status.replica.no)
        if topic.table is not None:
            effects += self._table_status(topic.table, status, now)
        return effects

    def _table_status(self, table: int, status: messages.Status, now: float) -> list[Effect]:
        self.presence.status(table, status, now)
        self.publisher.presence_changed()
        if status.state == "online":
            self._births[table] = status
            self.publisher.born(table)
        if self.recovery.pending or self.log.evening.rules is None:
            return []
        self._learn_epochs()
        return self._acks(table, status)

    def _acks(self, table: int, birth: messages.Status) -> list[Effect]:
        """How far each stream of a table is taken: what the log does not have is sent again."""
        if self.log.evening.rules is None:
            return []
        return [self._intake.ack(table, self.log.evening.id, stream) for stream, _ in birth.streams]

    def _learn_epochs(self) -> None:
        """The next round is above every one that a table of this evening has told of."""
        log = self.log
        told = [
            birth.epoch or 0
            for birth in self._births.values()
            if birth.replica and birth.replica.evening == log.evening.id
        ]
        log.highest_epoch = max([log.highest_epoch, *told])

    def _beat(self, topic: Topic, beat: messages.Beat, now: float) -> list[Effect]:
        if topic.table is not None:
            self.presence.beat(topic.table, beat, now)
        return []

    def _clock(self, topic: Topic, request: messages.ClockRequest, now: float) -> list[Effect]:
        if self.recovery.pending:
            return []
        t = now - self.log.began
        reply = messages.ClockReply(request.n, request.t0, t, t)
        return [Publish(topics.down(self.options.hall, topic.node, "clock"), reply)]

    def _log_request(self, topic: Topic, request: messages.LogRequest, now: float) -> list[Effect]:
        return [] if self.recovery.pending else self._replicas.request(topic, request, now)

    # Commands.

    def _command(self, topic: Topic, command: messages.Command, now: float) -> list[Effect]:
        if self.recovery.pending and not self.recovery.asks:
            self._early.append((topic, command))  # in a second it is known whether there is an evening
            return []
        return self._obey(topic.node, command, now)

    def _obey(self, node: str, command: messages.Command, now: float) -> list[Effect]:
        """What the command does; while the disk fails nothing waits for it, a new round neither."""
        self.commands.recovering = self.recovery.waits_for() if self.recovery.pending else ""
        epoch, durable = self.log.evening.epoch, not self._unwritten
        effects = self.commands.obey(node, command, now, durable)
        if self.log.evening.epoch > epoch:
            self.recovery.offers.clear()
        return effects if durable else [*effects, *self._on_disk_or_not(len(self.log.entries))]

    def _button(self, message: Button, now: float) -> list[Effect]:
        if self.recovery.pending and not self.recovery.asks:
            self._early.append(message)
            return []
        effects = self._obey(topics.HEAD, self._bell_button.asks(message.held, now), now)
        self._bell_button.answered(effects, now)
        return effects

    # Recovery.

    def _retained(self, entry: Entry, now: float) -> list[Effect]:
        """The broker's last entry of the log: where it is the journal's, nothing is missing."""
        requests = self.recovery.retained(entry, now)
        return self._asked(requests) if self.recovery.pending else self._recovered_now(now)

    def _entries(self, topic: Topic, answer: messages.LogEntries, now: float) -> list[Effect]:
        found = self.recovery.entries(topic.node, answer.evening, entries_of(answer), now)
        return self._results(found, now)

    def _results(self, results: Iterable[Request | Found | Offer], now: float) -> list[Effect]:
        effects: list[Effect] = []
        for one in results:
            match one:
                case Request():
                    effects += self._asked([one])
                case Found():
                    effects += self._take_over(one, now)
                case Offer():
                    effects.append(Warn(one.sentence()))
        return effects

    def _asked(self, requests: Iterable[Request]) -> list[Effect]:
        hall = self.options.hall
        return [Publish(topics.down(hall, one.node, "log_request"), one.request, 1) for one in requests]

    def _take_over(self, found: Found | Offer, now: float) -> list[Effect]:
        """Goes on with what a replica kept; the tables' facts that it lacks are applied again behind it."""
        log, began = self.log, self.log.began
        same = bool(log.entries) and log.evening.id == found.entries[0].evening
        before = log.entries[: found.start - 1] if same else []
        ours = log.entries[found.start - 1 :] if same else []
        entries = [*before, *found.entries]
        self._start(entries, positions(before), now)
        if same:
            log.began = began
        text = (
            f"{place(found.node)} had {len(found.entries)} entries of evening {log.evening.id} that the"
            f" journal lacked, from {found.start} on; they are taken."
        )
        taken = TakeOver(found.entries, positions(entries))
        merged = log.merge(one for one in ours if one.origin)
        return [Warn(text), taken, *merged, *self.publisher.entries(found.entries[-1:])]

    def branch(self, table: int, now: float) -> list[Effect] | None:
        """Takes the log that a replica offers, because the host says so; None if that table offers none."""
        offer = self.recovery.choose(table)
        if offer is None:
            return None
        entries = offer.entries
        if offer.why == "key":
            entries = rechained(self.log.key, entries)
        effects = self._take_over(Offer(offer.node, offer.start, entries, offer.why), now)
        return [*effects, *self.log.record(facts.Branch(self.log.t(now), table))]

    def go_on(self, now: float) -> list[Effect] | None:
        """Begins with what is here of the log, because the host says so; None if nothing is waited for."""
        if not self.recovery.pending:
            return None
        self.recovery.go_on()
        return self._recovered_now(now)

    def _recovered_now(self, now: float) -> list[Effect]:
        """The log is as long as it gets: what came meanwhile is taken, a bell that a crash cut off rings."""
        self._set_clock(now)
        log = self.log
        same_boot = self._memory.kept.get("began", {}).get("boot") == self.options.boot
        newest = log.entries[-1].decoded() if log.entries else None
        effects: list[Effect] = [*log.bell.restore(log.evening, newest, same_boot)] if log.entries else []
        if log.entries:
            effects.append(self.commands.began())
            effects += self.publisher.entries(log.entries[-1:])
        for table, birth in self._births.items():
            self.publisher.born(table)
            effects += self._acks(table, birth)
        self._learn_epochs()
        early, self._early = self._early, []
        for one in early:
            match one:
                case Button():
                    effects += self._button(one, now)
                case topic, messages.Command() as command:
                    effects += self._obey(topic.node, command, now)
                case topic, envelope:
                    effects += self._envelope(topic, envelope, now)
        return effects

    # The link.

    def _connected(self, message: Connected, now: float) -> list[Effect]:
        self.recovery.connected(now)
        return self.publisher.connected(message.session)

    def _disconnected(self, message: Disconnected, _now: float) -> list[Effect]:
        self.publisher.disconnected()
        return [Warn(message.why)]

    # The bell.

    def _rang(self, message: Rang, now: float) -> list[Effect]:
        return [*self._rang_in_round(message, now), *self.commands.rang(message.id)]

    def _rang_in_round(self, message: Rang, now: float) -> list[Effect]:
        log = self.log
        round_, t = log.evening.round, min(log.t(message.at), log.t(now))
        if log.bell.started(log.evening, message):
            return [self.publisher.bell("start", t, "start", FRESH)]
        if not log.bell.ended(log.evening, message) or round_ is None or round_.bell is None:
            return self._intake.drain(now)
        effects = log.record(facts.Bell(max(t, round_.bell.t), log.evening.epoch))
        return [
            self.publisher.bell("end", round_.bell.t, round_.bell.by, FRESH),
            *effects,
            *self._intake.drain(now),
        ]

    def _silent(self, message: Silent, now: float) -> list[Effect]:
        """The bell cannot sound: the round ends all the same, at the time of its reason."""
        self.log.bell.silent(message.id)
        answers = self.commands.silent(message.id, message.why)
        return [Warn(f"The bell stays silent: {message.why}."), *answers, *self._intake.drain(now)]

    # The journal.

    def _on_disk(self, message: Committed, _now: float) -> list[Effect]:
        effects: list[Effect] = []
        for record in message.records:
            if isinstance(record, Written):
                effects += self._entry_on_disk(record.entry)
            elif isinstance(record, Answered):
                effects += self.commands.on_disk(record.id)
        kept = [one.entry if isinstance(one, Written) else one for one in message.records]
        return effects + self._intake.on_disk(one for one in kept if isinstance(one, Entry | Aside))

    def _entry_on_disk(self, entry: Entry) -> list[Effect]:
        entries = self.log.entries
        if entry.n > len(entries) or entries[entry.n - 1].mac != entry.mac:
            return []
        return self._on_disk_or_not(entry.n)

    def _on_disk_or_not(self, n: int) -> list[Effect]:
        """Entries up to `n` may go out; a round among them begins, and rings before it is told of."""
        fresh = self.log.publishable(n)
        opened = any(isinstance(one.decoded(), facts.RoundOpen) for one in fresh if one.origin is None)
        start = self.log.bell.opened(self.log.evening) if opened else []
        return [*start, *self.publisher.entries(fresh)]

    def _failed(self, message: Failed, _now: float) -> list[Effect]:
        """The disk fails: play goes on from memory, and everybody can see that."""
        self._unwritten = f"The journal cannot be written: {message.why}."
        effects = self._on_disk_or_not(len(self.log.entries))
        return [Warn(self._unwritten), *effects, *self.commands.give_up_waiting()]

    def _well_again(self, _message: Recovered, _now: float) -> list[Effect]:
        """The disk works: all that it may have lost of the evening is written once more."""
        self._unwritten = ""
        rewrite = [Rewrite(tuple(self.log.entries))] if self.log.entries else []
        return [Warn("The journal can be written again."), *rewrite]

    # As time passes.

    def _health_changed(self, health: Health, _now: float) -> list[Effect]:
        before, self._health[health.of] = self._health.get(health.of, ()), health.faults
        return [Warn(fault) for fault in health.faults if fault not in before]

    def _tick(self, _tick: Tick, now: float) -> list[Effect]:
        pending = self.recovery.pending
        effects = self._results(self.recovery.tick(now), now)
        if self.recovery.pending:
            return effects
        if pending:
            effects += self._recovered_now(now)
        self.log.bell.tick(now)
        self.publisher.glance(now)
        self._blinking.tick(now)
        return [*effects, *self._round_in_time(now)]

    def _round_in_time(self, now: float) -> list[Effect]:
        """Ends a round whose time is over, and says OK for tables that do not."""
        log = self.log
        round_, rules, opened_t, t = log.evening.round, log.evening.rules, log.opened_t, log.t(now)
        if round_ is None or rules is None or log.bell.start_is_due:
            return []
        if round_.bell:
            return self._confirm_for_tables(now)
        minutes = rules.end.minutes
        if minutes and opened_t is not None and t - opened_t >= minutes * 60_000:
            return log.record(facts.RoundClose(t, "time", log.evening.epoch))
        return []

    def _confirm_for_tables(self, now: float) -> list[Effect]:
        """Says OK for tables that are done, have told all that they rolled, and do not say it themselves."""
        effects: list[Effect] = []
        log = self.log
        epoch = log.evening.epoch
        for table in list(log.evening.round.tables if log.evening.round else ()):
            if not table.done or log.bell_seen.get(table.number) != epoch:
                self._done_since.pop(table.number, None)
            elif now - self._done_since.setdefault(table.number, now) >= self.options.auto_confirm:
                effects += log.record(facts.Confirm(log.t(now), table.number, epoch, "head"))
        return effects


_STEPS: dict[type, Callable[[Referee, Any, float], list[Effect]]] = {
    Received: Referee._received,
    Connected: Referee._connected,
    Disconnected: Referee._disconnected,
    Rang: Referee._rang,
    Silent: Referee._silent,
    Committed: Referee._on_disk,
    Failed: Referee._failed,
    Recovered: Referee._well_again,
    Button: Referee._button,
    Health: Referee._health_changed,
    Tick: Referee._tick,
}
_RECEIVERS: dict[type, Callable[[Referee, Topic, Any, float], list[Effect]]] = {
    Envelope: Referee._envelope,
    messages.Status: Referee._status,
    messages.Beat: Referee._beat,
    messages.ClockRequest: Referee._clock,
    messages.LogRequest: Referee._log_request,
    messages.LogEntries: Referee._entries,
    messages.Command: Referee._command,
}
