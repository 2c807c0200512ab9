"""The referee: takes what comes in, one message at a time, and says what is to be done.

Order of a table's fact: dedupe, judge its time, apply, ring if the state says so, journal, and acknowledge it
after the commit; as received at once if it rings, else by the next tick. Before it applies anything it has
the end of its log (`recovery`). Pure but for the `Random` that draws ids and seats.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from math import floor
from random import Random

import msgspec

from pi_bunco.game import facts
from pi_bunco.head.answers import BellButton, Commands
from pi_bunco.head.bell import BellFirst, RoundBell
from pi_bunco.head.catch_up import CatchUp, Memory
from pi_bunco.head.commands.registry import TaskContext
from pi_bunco.head.conductor import Conductor
from pi_bunco.head.effects import (
    Append,
    BellButtonPress,
    HeadEffect,
    Keep,
    Rang,
    Rewrite,
    Ring,
    Silent,
    TakeOver,
)
from pi_bunco.head.evening_log import EveningLog
from pi_bunco.head.intake import Intake
from pi_bunco.head.outcomes import BellStaysSilent
from pi_bunco.head.presence import Blinking, Presence
from pi_bunco.head.publisher import HeadOptions, Publisher, Replicas
from pi_bunco.head.reasons import JournalUnwritten, ended
from pi_bunco.log.entry import Entry
from pi_bunco.log.records import Answered, StrayFact, Written
from pi_bunco.log.rewriting import WrittenAnew
from pi_bunco.reason import InEnglish, Reason
from pi_bunco.runtime.loop import Health, Tick, Warn
from pi_bunco.runtime.writer import Committed, Failed, Recovered
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Connected, Disconnected, Publish
from pi_bunco.wire.gate import Delivered, Rejects, Undelivered
from pi_bunco.wire.messages import Envelope, FactPlace
from pi_bunco.wire.offset import agreed, with_links
from pi_bunco.wire.topics import Topic

_LINKS = "clock_links:"


class Referee:
    """The head service without its shell: `step` is all that it does."""

    def __init__(self, options: HeadOptions, random: Random, memory: Memory, now: float) -> None:
        self.options = options
        bell = RoundBell({**dict.fromkeys(memory.rung, 0.0), **memory.noted})
        self.log = EveningLog(memory.key, bell, now, memory.no, memory.rewritten)
        self.presence = Presence(options.version)
        self.publisher = Publisher(options, self.log, self.presence)
        self._rejects = Rejects()
        self._intake = Intake(options.hall, self.log, self._rejects)
        self.catch_up = CatchUp(options, memory, self.log, self._intake, self.publisher, now)
        self._blinking = Blinking()
        context = TaskContext(
            options.hall, options.boot, self.log, self.presence, self._blinking, self.catch_up, random, random
        )
        self.commands = Commands(context, memory.answers)
        for key, value in memory.kept.items():
            with suppress(msgspec.ValidationError):
                if key.startswith(_LINKS):
                    links = msgspec.convert(value, tuple[messages.BootOffset, ...])
                    self.log.compared(key.removeprefix(_LINKS), links)
        self._links = agreed(self.log.links_of.values())
        self._clock_requests: dict[str, tuple[float, float]] = {}
        """Per node the `t0` of its last question for the time, and when that came."""
        self._told_began = self.log.began
        self._replicas = Replicas(options.hall, self.log)
        self._bell_button = BellButton(self.log, self.presence, random, self._blinking)
        self.conductor = Conductor(self.log, self.presence, options.auto_confirm)
        self._unwritten: Reason | None = None
        self._health: dict[str, tuple[str, ...]] = {}
        self._faults: tuple[Reason, ...] = ()
        self._begun = False
        self._bell_first = BellFirst(self.log.bell)
        self._early: list[BellButtonPress | tuple[Topic, messages.Command]] = []

    # What happens.

    def step(self, message: object, now: float) -> Iterator[HeadEffect]:
        """Yields the effects of `message`, which came at `now` (ms of the clock).

        What changed is published when all else is done; behind a bell with the next message, so that no table
        reads views before it has shown what it makes of the bell.
        """
        if isinstance(message, Rang):
            yield from _in_one_append(self._rang(message, now))
        else:
            effects = self._bell_first.of(self._take(message, now))
            yield from self._clock_moved(now)
            yield from _in_one_append(effects)
        if not self._begun:
            if self.catch_up.pending:
                yield from self.publisher.recovering(self._look_for_faults())
                return
            self._begun = True
            yield from self._begin(now)
            self._faults = self._look_for_faults()
        elif not isinstance(message, Delivered | Committed):  # of those hundreds come between two ticks
            self._faults = self._look_for_faults()
        if self.log.bell.waiting or isinstance(message, Rang):
            return
        if isinstance(message, Delivered) and isinstance(message.message, Envelope):
            yield from self.publisher.views(now)
        else:
            yield from self.publisher.due(self._faults, self._blinking.shown, now)

    def _take(self, message: object, now: float) -> list[HeadEffect]:
        match message:
            case Delivered():
                return self._delivered(message, now)
            case Committed():
                return self._on_disk(message, now)
            case Tick():
                return self._tick(now)
            case Undelivered():
                return self._undelivered(message, now)
            case BellButtonPress():
                return self._button(message, now)
            case Silent():
                return self._silent(message, now)
            case Connected():
                self.catch_up.recovery.connected(now)
                last = self.publisher.connected(message.session)
                return last if self._begun else []
            case Disconnected():
                self.publisher.disconnected()
                return [Warn(message.why)]
            case Failed():
                return self._failed(message)
            case Recovered():
                return self._well_again()
            case Health(faults, of):
                before, self._health[of] = self._health.get(of, ()), faults
                return [Warn(fault) for fault in faults if fault not in before]
        raise TypeError(f"{type(message).__name__} is no message for a head")

    def _look_for_faults(self) -> tuple[Reason, ...]:
        health = [InEnglish(fault) for faults in self._health.values() for fault in faults if fault]
        unwritten = [self._unwritten] if self._unwritten else []
        return (*unwritten, *self.catch_up.faults(), *self._intake.faults(), *health)

    def _begin(self, now: float) -> Iterator[HeadEffect]:
        """Starts play at the end of the log: takes what came meanwhile."""
        yield from self.catch_up.begun(now)
        early, self._early = self._early, []
        for one in early:
            match one:
                case BellButtonPress():
                    yield from _in_one_append(self._button(one, now))
                case topic, command:
                    yield from _in_one_append(self._obey(topic.node, command, now))

    def _delivered(self, came: Delivered, now: float) -> list[HeadEffect]:
        topic, message = came.topic, came.message
        if isinstance(message, Entry):
            if came.retained:
                self.catch_up.recovery.retained(message)
            return []
        if came.retained and isinstance(message, messages.Status):
            return self._status(topic, message, now, retained=True)
        if topic.direction != "up":
            return []
        match message:
            case Envelope():
                return self._envelope(topic, message, now)
            case messages.Beat():
                if topic.table is not None:
                    self.presence.tables[topic.table].take_beat(message, now)
                return self.catch_up.beat(topic, message, now)
            case messages.ClockRequest():
                return self._clock(topic, message, now)
            case messages.Command():
                return self._command(topic, message, now)
            case messages.Status():
                return self._status(topic, message, now)
            case messages.LogRequest() if not self.catch_up.pending:
                return self._replicas.request(topic, message, now)
            case messages.LogEntries():
                return self.catch_up.entries(topic, message, now)
        return []

    def _undelivered(self, came: Undelivered, now: float) -> list[HeadEffect]:
        """Keeps the place of a fact that is not understood in its stream; answers a command."""
        effects = self._rejected(came.topic, came.why, now)
        if came.command_id is not None:
            effects += self.commands.unreadable(topics.parse(came.topic).node, came.command_id, came.why)
        elif came.place is not None:
            effects += self._envelope(topics.parse(came.topic), came.place, now)
        return effects

    def _rejected(self, topic: str, why: str, now: float) -> list[HeadEffect]:
        return [Warn(f"a message is dropped: {why}")] if self._rejects.count(topic, now) else []

    def _envelope(self, topic: Topic, envelope: Envelope | FactPlace, now: float) -> list[HeadEffect]:
        table, evening = topics.table_number(topic.node) or 0, self.log.evening
        if not self._begun:
            return []  # tables send all of it when they read that this head has its log
        if evening.rules is not None and envelope.evening == evening.id and table > evening.tables:
            return self._rejected(str(topic), f"table {table} does not play this evening", now)
        clock = envelope.clock if isinstance(envelope, Envelope) and envelope.evening == evening.id else None
        if clock not in (None, (self.options.boot, floor(self.log.began))):
            return self._clock_again(topic.node, now)  # its table sends it by the present clock then
        effects = self.catch_up.end_without_reason() if self.log.end_claimed else []
        effects += self._intake.take(table, envelope, now)
        return [*effects, *self.catch_up.doubt(now)] if table in self._intake.ahead else effects

    # What tables and the page say of themselves.

    def _status(
        self, topic: Topic, status: messages.Status, now: float, retained: bool = False
    ) -> list[HeadEffect]:
        if topic.table is not None:
            self.presence.tables[topic.table].take_status(status, now)
            self.publisher.presence_changed()
        if status.state == "online":
            self.publisher.repeat_for(topic.table)
        return self.catch_up.status(topic, status, now, retained)

    def _clock(self, topic: Topic, request: messages.ClockRequest, now: float) -> list[HeadEffect]:
        if self.catch_up.pending:
            return []  # a table may know the clock of an evening that this head has still to find
        effects: list[HeadEffect] = []
        before = self.log.links_of.get(topic.node, ())
        if (links := with_links(before, request.links)) != before:
            self.log.compared(topic.node, links)
            self._links = agreed(self.log.links_of.values())
            effects.append(Keep(f"{_LINKS}{topic.node}", msgspec.to_builtins(links)))
        self._clock_requests[topic.node] = request.t0, now
        return [*effects, *self._clock_again(topic.node, now)]

    def _clock_again(self, node: str, now: float) -> list[HeadEffect]:
        """The answer to the node's last question for the time, as the clock is now."""
        if node not in self._clock_requests:
            return []
        t0, t1 = self._clock_requests[node]
        log, boot = self.log, self.options.boot
        reply = messages.ClockReply(
            t0, boot, t1, now, log.evening.id if log.entries else None, log.began, log.since,
            log.clocks_before(boot), self._links,
        )  # fmt: skip
        return [Publish(topics.down(self.options.hall, node, "clock"), reply)]

    def _clock_moved(self, now: float) -> list[HeadEffect]:
        """Tells all that asked of a clock that went on by another end, before bells and views by that."""
        moved, self._told_began = self.log.began != self._told_began, self.log.began
        return [one for node in self._clock_requests for one in self._clock_again(node, now)] if moved else []

    # Commands.

    def _command(self, topic: Topic, command: messages.Command, now: float) -> list[HeadEffect]:
        if self.catch_up.pending and not self.catch_up.recovery.asks:
            self._early.append((topic, command))  # in a second it is known whether there is an evening
            return []
        return self._obey(topic.node, command, now)

    def _obey(self, node: str, command: messages.Command, now: float) -> list[HeadEffect]:
        """Carries out the command; while the disk fails nothing waits for it, a new round neither."""
        recovering = self.catch_up.waits_for() if self.catch_up.pending else None
        before = self._round
        return self._done(self.commands.obey(node, command, now, not self._unwritten, recovering), before)

    @property
    def _round(self) -> tuple[int, int]:
        """The branches of the log, and its last round."""
        return self.log.branches, self.log.evening.epoch

    def _done(self, effects: list[HeadEffect], before: tuple[int, int]) -> list[HeadEffect]:
        """Adds the effects of what host or clock have caused; `before` is the last round before.

        Who starts a round keeps this log; one that came with a log that the host chose was not started.
        """
        branches, epoch = self._round
        if branches == before[0] and epoch > before[1]:
            self.catch_up.recovery.offers.clear()
        return [*effects, *self._on_disk_or_not(len(self.log.entries))] if self._unwritten else effects

    def _button(self, message: BellButtonPress, now: float) -> list[HeadEffect]:
        if self.catch_up.pending and not self.catch_up.recovery.asks:
            self._early.append(message)
            return []
        effects = self._obey(topics.HEAD, self._bell_button.asks(message.long, now), now)
        self._bell_button.answered(effects, now)
        return effects

    # The bell.

    def _rang(self, message: Rang, now: float) -> Iterator[HeadEffect]:
        """Tells all tables of the bell before its fact is hashed, encoded and journaled."""
        log = self.log
        round_ = log.evening.round
        # Of an end that no note tells the time of, those know who heard it: what was made before it counts.
        t = min(log.t(message.at) if message.at else log.end_bell_t, log.t(now))
        if log.bell.started(log.evening, message):
            yield self.publisher.bell("start", t, "start")
            yield self.catch_up.start_sounded(message.id, message.at)
            yield from self.catch_up.start_was_late()
            yield from self.commands.rang(message.id)
            return
        rang: list[HeadEffect] = []
        if log.bell.ended(log.evening, message) and round_ is not None and round_.bell is not None:
            t = max(t, round_.bell.t)
            yield self.publisher.bell("end", t, round_.bell.by)
            rang = log.behind_bell() + self._bell_first.rest()
            rang += log.rang_at(t)
        rest = [*rang, *log.behind_bell(), *self._bell_first.rest(), *self._intake.drain(now)]
        yield from self._bell_first.of([*rest, *self.commands.rang(message.id)])

    def _silent(self, message: Silent, now: float) -> list[HeadEffect]:
        """Ends the round without a sounding bell, at the time of its reason."""
        self.log.bell.silent(message.id)
        answers = self.commands.silent(message.id, message.why)
        warning = Warn(ended(BellStaysSilent(message.why).english()))
        entered = self.log.behind_bell()
        return [*entered, *self._bell_first.rest(), warning, *answers, *self._intake.drain(now)]

    # The journal.

    def _on_disk(self, message: Committed, now: float) -> list[HeadEffect]:
        effects: list[HeadEffect] = []
        for record in message.records:
            if isinstance(record, WrittenAnew):
                effects += self._written_anew(record, now)
            elif isinstance(record, Written):
                effects += self._entry_on_disk(record.entry)
            elif isinstance(record, Answered):
                effects += self.commands.on_disk(record.id)
        kept = [one.entry if isinstance(one, Written) else one for one in message.records]
        return effects + self._intake.on_disk(one for one in kept if isinstance(one, Entry | StrayFact))

    def _written_anew(self, record: WrittenAnew, now: float) -> list[HeadEffect]:
        self.commands.written_anew()
        self.log.count_rewritten(record.evenings)
        unread = [
            Warn(f"The log of evening {one} cannot be read: a name stays in it.") for one in record.unread
        ]
        anew = self.catch_up.written_anew(record.renaming, now)
        rewrite = [Rewrite(tuple(self.log.entries))] if self.log.entries else []  # of a file lost meanwhile
        return [*unread, *anew, *rewrite]

    def _entry_on_disk(self, entry: Entry) -> list[HeadEffect]:
        entries = self.log.entries
        if entry.n > len(entries) or entries[entry.n - 1].mac != entry.mac:
            return []
        return self._on_disk_or_not(entry.n)

    def _on_disk_or_not(self, n: int) -> list[HeadEffect]:
        """Lets entries up to `n` go out; a round among them begins, and rings before it is told of."""
        fresh = self.log.publishable(n)
        opened = any(isinstance(one.decoded(), facts.RoundOpen) for one in fresh if one.origin is None)
        start = self.log.bell.opened(self.log.evening) if opened else []
        return [*start, *self.publisher.entries(fresh)]

    def _failed(self, message: Failed) -> list[HeadEffect]:
        """Plays on from memory while the disk fails; everybody can see that."""
        self._unwritten = JournalUnwritten(message.why)
        effects = self._on_disk_or_not(len(self.log.entries))
        return [Warn(self._unwritten.english()), *effects, *self.commands.give_up_waiting()]

    def _well_again(self) -> list[HeadEffect]:
        """Writes all once more that a failed disk may have lost of the evening."""
        self._unwritten = None
        anew = self.commands.writes_anew  # what is on disk then is not what is here yet
        rewrite = [Rewrite(tuple(self.log.entries))] if self.log.entries and not anew else []
        return [Warn("The journal can be written again."), *rewrite]

    # As time passes.

    def _tick(self, now: float) -> list[HeadEffect]:
        effects = self.catch_up.tick(now)
        if not self._begun:
            return effects
        self.log.bell.tick(now)
        self.publisher.check_waiting(now)
        self._blinking.tick(now)
        before = self._round
        return [*effects, *self._intake.acknowledge(), *self._done(self.conductor.tick(now), before)]


def _in_one_append(effects: Iterable[HeadEffect]) -> Iterator[HeadEffect]:
    """The effects of one message, of which all entries are journaled together: no cut falls between them.

    Bell and words do not wait for that; entries that go out, and what else is for the disk, keep their place.
    """
    kind: type[Append | TakeOver] = Append
    entries, answer = list[Entry](), None
    for effect in effects:
        words = isinstance(effect, Publish) and not isinstance(effect.message, Entry)
        if entries and not words and not isinstance(effect, Append | Ring | Warn):
            yield kind(tuple(entries), answer)
            kind, entries, answer = Append, [], None
        if isinstance(effect, Append | TakeOver):
            kind = TakeOver if isinstance(effect, TakeOver) else kind
            entries += effect.entries
            answer = effect.answer or answer
        else:
            yield effect
    if entries:
        yield kind(tuple(entries), answer)
