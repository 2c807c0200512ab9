"""Decides what the page service does about each message: pure, with time as a parameter.

It follows the log, notes who is there, and carries the hosts' commands to the head and the answers back.
"""

import contextlib
from collections.abc import Iterator, Mapping
from math import inf
from typing import Any

from msgspec import Struct, ValidationError, convert

from pi_bunco.errors import FactError
from pi_bunco.log.entry import Entry
from pi_bunco.log.log_store import LogStore
from pi_bunco.reason import Reason
from pi_bunco.runtime.loop import Health, Tick, Warn
from pi_bunco.web.site import effects
from pi_bunco.web.site.changes import HEAD, of_table
from pi_bunco.web.site.folded_log import FoldedLog, StoredFacts
from pi_bunco.web.site.hall_presence import Presences
from pi_bunco.web.site.reasons import HeadAway, HeadLate, HeadUnreachable
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Connected, Disconnected, Publish
from pi_bunco.wire.gate import Delivered, Rejects, Undelivered
from pi_bunco.wire.log_exchange import LogExchange, Taken
from pi_bunco.words.sentences import received

HEAD_ANSWERS_WITHIN_MS = 5000.0
"""Milliseconds that a host waits for the head's answer."""
REPEAT_MS = 1000.0
"""Milliseconds after which a command is said again; the head does nothing twice."""
LOOK_MS = 500.0
"""Milliseconds between two looks at who is there."""
ASK_HEAD_EVERY_MS = 1000.0
SET_ANEW_S = 2.0
"""Seconds by which the head's word puts the time of day ahead where that was set anew."""


class _Pending(Struct):
    command: messages.Command
    until: float
    again: float


class PendingCommands:
    """The commands that the head has not answered yet."""

    def __init__(self, hall: str, presences: Presences) -> None:
        self._hall = hall
        self._presences = presences
        self._pending: dict[str, _Pending] = {}

    def ask(self, command: messages.Command, now: float) -> Iterator[Publish]:
        """A host's command is to go to the head."""
        self._pending[command.id] = _Pending(command, now + HEAD_ANSWERS_WITHIN_MS, now + REPEAT_MS)
        if self._presences.linked:
            yield self._published(command)

    def again(self, now: float) -> None:
        """Another head is there: all of them are said again."""
        for pending in self._pending.values():
            pending.again = now

    def answered(self, answer: messages.Answer) -> Iterator[effects.CommandDone]:
        """The head's answer."""
        if self._pending.pop(answer.id, None):
            why = received(answer.why, answer.reasons)
            yield effects.CommandDone(answer.id, answer.done, why, answer.ways)

    def tick(self, now: float) -> Iterator[Publish | effects.CommandDone]:
        """Says again what is not answered, and gives up what waits too long."""
        for id, pending in list(self._pending.items()):
            if now >= pending.until:
                del self._pending[id]
                yield effects.CommandDone(id, False, (self._why_silent(),))
            elif now >= pending.again and self._presences.linked:
                pending.again = now + REPEAT_MS
                yield self._published(pending.command)

    def _published(self, command: messages.Command) -> Publish:
        return Publish(topics.up(self._hall, effects.NODE, "command"), command, 1)

    def _why_silent(self) -> Reason:
        if not self._presences.linked:
            return HeadUnreachable(self._presences.why or "the broker is not there.")
        return HeadLate() if self._presences.head_online else HeadAway()


class WebController:
    """The page service without its shell: `step` is all that it does."""

    def __init__(
        self,
        options: effects.WebOptions,
        kept: dict[str, Any],
        now: float,
        replica: LogStore | None = None,
    ) -> None:
        """`kept` is what `Remember` kept, `replica` the log on disk, from which the page goes on."""
        self.options = options
        self._log = LogExchange(options.up, replica, in_memory=True)
        self.folded = FoldedLog(StoredFacts(self._log.entries) if replica else None)
        self._go_on()
        self.presences = Presences(now, _counts(kept.get("rewritten")))
        self.faults: dict[str, tuple[str, ...]] = {}
        self._time_of_day = 0.0
        self._time_of_day_at = now
        self._began: tuple[str, float] = ("", 0.0)
        if isinstance(kept.get("began"), list) and len(kept["began"]) == 2:
            self._began = (str(kept["began"][0]), float(kept["began"][1]))
        self._session = ""
        self._commands = PendingCommands(options.hall, self.presences)
        self._rejects = Rejects()
        self._looked_at = self._head_asked_at = now
        self._summary: Mapping[int, object] = {}
        self._silent = False
        self._rang: tuple[str, int, str] | None = None

    def _go_on(self) -> None:
        self.folded.begin(self._log.evening)
        with contextlib.suppress(FactError):  # the page lags until it is of a version that knows it
            for entry in self._log.known():
                self.folded.fold(entry.decoded())

    def step(self, message: object, now: float) -> Iterator[effects.WebEffect]:
        """Effects of `message`, which came at `now` (ms of the clock)."""
        match message:
            case Delivered():
                yield from self._delivered(message, now)
            case Tick():
                yield from self._tick(now)
            case Undelivered():
                if self._rejects.count(message.topic, now):
                    yield Warn(f"A message is dropped: {message.why}")
            case Connected(session):
                self._session = session
                self.presences.link(True, now)
                self._log.follower.writer_changed()
                yield self._birth()
                yield effects.Changed()
            case Disconnected(why):
                self.presences.link(False, now, why)
                yield Warn(why)
                yield effects.Changed()
            case effects.Ask(command):
                yield from self._commands.ask(command, now)
            case effects.TimeOfDay(unix):
                self._time_of_day, self._time_of_day_at = unix, now
            case Health(faults, of):
                before, self.faults[of] = self.faults.get(of, ()), faults
                for fault in set(faults) - set(before):
                    yield Warn(fault)
            case _:
                raise TypeError(f"{type(message).__name__} is no message for the page service")

    @property
    def lag(self) -> int:
        """The number of entries that the head has and that are not folded here."""
        return max(self._log.follower.newest - len(self.folded.log), 0)

    @property
    def began(self) -> float:
        """The Unix time (s) at which the evening clock was 0, as far as is known."""
        return self._began[1]

    def unix(self, now: float) -> float:
        """The time of day (s)."""
        return self._time_of_day + (now - self._time_of_day_at) / 1000

    def evening_clock(self, now: float) -> int:
        """The evening clock (ms): not before the last fact."""
        last = self.folded.last_t
        if self._began[0] != self.folded.id or not self._time_of_day:
            return last
        return max(round((self.unix(now) - self._began[1]) * 1000), last)

    # The network.

    def _delivered(self, came: Delivered, now: float) -> Iterator[effects.WebEffect]:
        match came.message:
            case Entry() as entry:
                taken = self._log.entry(entry)
                yield from self._taken(taken)
                if taken.entries and not came.retained:
                    yield from self._clocked(self.folded.last_t, now)
            case messages.Beat() as beat if (table := came.topic.table) is not None:
                self.presences.beat(table, beat, now)
            case messages.Status() as status if (table := came.topic.table) is not None:
                before = dict(self.presences.rewritten)
                self.presences.status(table, status, now, came.retained)
                if before != self.presences.rewritten:
                    yield effects.Remember("rewritten", dict(self.presences.rewritten))
            case messages.BellSignal() as bell:
                yield from self._bell(bell)
            case messages.HeadStatus() as head:
                yield from self._taken(self._log.head(head))
                yield from self._head(head, now)
            case messages.Cleared() if came.topic.leaf == topics.HEAD:
                yield from self._head(None, now)
            case messages.Answer() as answer if came.topic.node == effects.NODE:
                yield from self._commands.answered(answer)
            case messages.ClockReply() as reply:
                if self.presences.head_answers(now):
                    yield effects.Changed((HEAD,))
                if not self.presences.head_online:
                    yield self._birth()  # the broker has not told who answers, which a head does then
                if reply.evening == self.folded.id:
                    yield from self._clocked(reply.t2 - reply.began, now, SET_ANEW_S)
            case messages.LogEntries() as answer:
                yield from self._taken(self._log.answer(answer))
            case messages.LogRequest() as request:
                yield from self._log.requested(request)

    def _taken(self, taken: Taken) -> Iterator[effects.WebEffect]:
        """Folds entries, up to one of a newer head that is not understood."""
        folded = self.folded
        entries = taken.entries
        if taken.another:
            folded.begin(self._log.evening)
            entries = self._log.known() or entries
        topics: set[str] = set()
        for entry in entries:
            if entry.n == len(folded.log) + 1:
                try:
                    topics.add(folded.fold(entry.decoded()))
                except FactError as error:
                    yield Warn(f"Entry {entry.n} of the log is not understood: {error}")
        if taken.another or taken.entries:
            yield effects.LogChanged()
            yield effects.Changed() if taken.another else effects.Changed(tuple(topics))

    def _clocked(self, t: float, now: float, late_s: float = inf) -> Iterator[effects.WebEffect]:
        """Sets the start of the evening clock: it was at `t` (ms) at most `late_s` before `now`."""
        if not self._time_of_day:
            return
        began = self.unix(now) - t / 1000
        evening, known = self._began
        if evening == self.folded.id and 0 <= began - known < late_s:
            return
        self._began = (self.folded.id, began)
        if evening != self.folded.id or abs(began - known) > 1:
            yield effects.Remember("began", list(self._began))
            yield effects.Changed()

    def _bell(self, bell: messages.BellSignal) -> Iterator[effects.WebEffect]:
        rang = (bell.evening, bell.t, bell.signal)
        if bell.evening == self.folded.id and rang != self._rang:
            self._rang = rang
            yield effects.BellBegan(bell.signal)

    def _head(self, known: messages.HeadStatus | None, now: float) -> Iterator[effects.WebEffect]:
        if self.presences.head_status(known, now):
            self._commands.again(now)
            if known and known.state == "online" and self.presences.linked:
                yield self._birth()  # what the broker keeps of the page is no sign of life to a head
        yield effects.Changed((HEAD,))

    def _birth(self) -> Publish:
        """Announces the page, and what of the log is on its disk."""
        options = self.options
        birth = messages.Status(
            "online", self._session, options.version, options.boot, replica=self._log.claim()
        )
        return Publish(options.up("status"), birth, 1, True)

    # Time.

    def _tick(self, now: float) -> Iterator[effects.WebEffect]:
        yield from self._commands.tick(now)
        if self.presences.linked and now - self._head_asked_at >= ASK_HEAD_EVERY_MS:
            self._head_asked_at = now
            if self.presences.asks_head(now):
                yield effects.Changed((HEAD,))
            yield Publish(self.options.up("clock"), messages.ClockRequest(now))
        if self.presences.head_online:
            yield from self._log.ask(now)
        if self.presences.linked and self._log.grown:
            yield self._birth()
        if now - self._looked_at >= LOOK_MS:
            self._looked_at = now
            before, self._summary = self._summary, self.presences.summary(now)
            changed = {of_table(n) for n, now in self._summary.items() if now != before.get(n)}
            if self._silent != (silent := self.presences.head_presence(now).silent):
                self._silent = silent
                changed.add(HEAD)
            if changed:
                yield effects.Changed(tuple(changed))


def _counts(kept: object) -> dict[int, int]:
    """Kept numbers of tables and what each counts; empty for anything else."""
    try:
        return convert(kept, dict[int, int], strict=False)
    except ValidationError:
        return {}
