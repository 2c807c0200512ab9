"""A dice box as its host sees it: bytes in, throws out; no I/O, so that any stream of bytes can carry it."""

import math
from collections import deque
from collections.abc import Iterator

from msgspec.structs import replace

from pi_bunco.devices import protocols
from pi_bunco.devices.throws import box_link, reasons
from pi_bunco.devices.throws.throw_rule import Throws

SILENT_MS = 3000
MEASURE_MS = 30_000.0
"""Milliseconds between two questions that bound the difference of the clocks."""
DRIFT_PER_MS = 50e-6
"""The difference of two crystals per ms: 50 ppm."""
_NO_FACE: tuple[protocols.DieState, ...] = ("weak", "cocked", "moved")


class BoxTime:
    """Turns the box's milliseconds into the host's, with a bound of the error.

    A message cannot arrive before it was sent: each arrival is an upper bound of the difference of the two
    clocks, and the least of the last 64 is used. An answer was sent after its question: that is a lower
    bound. Times never fall, whatever the bounds say.
    """

    def __init__(self) -> None:
        self._boot = ""
        self._upper: deque[float] = deque(maxlen=64)
        self._lower: deque[tuple[float, float]] = deque(maxlen=8)
        self._latest = -math.inf
        self._later = 0.0

    def arrived(self, boot: str, ms: float, now: float) -> None:
        """A message about `ms` after `boot` arrived at `now`; another boot counts afresh."""
        if boot != self._boot:
            self._boot = boot
            self._upper.clear()
            self._lower.clear()
        self._upper.append(now - ms)

    def answered(self, ms: float, asked_at: float) -> None:
        """A message about `ms` is the answer to what was sent at `asked_at`, or later."""
        self._lower.append((asked_at - ms, asked_at))

    def at(self, ms: float) -> float:
        """The host's time of the box's `ms`; needs one arrival before."""
        estimate = self.estimate(ms)
        self._latest = max(self._latest, estimate)
        self._later = self._latest - estimate
        return self._latest

    def estimate(self, ms: float) -> float:
        """As `at`, whatever it was before."""
        return ms + min(self._upper)

    def err(self, now: float) -> float | None:
        """Milliseconds that the time given last may be too late; None as long as nothing bounds it.

        Where that time was moved up to the one before, so as not to fall, this is part of them.
        """
        if not self._upper or not self._lower:
            return None
        lower = max(bound - DRIFT_PER_MS * (now - asked_at) for bound, asked_at in self._lower)
        return max(min(self._upper) - lower, 0.0) + self._later


class DiceBox:
    """The host's side of one box: lines, link, clock and throws put together.

    `resume` is the mark that was stored last.
    """

    def __init__(self, resume: protocols.ThrowMark | None = None) -> None:
        self._lines = box_link.CheckedLines()
        self._link = box_link.HostLink(resume)
        self._time = BoxTime()
        self._throws = Throws()
        self._waiting: deque[protocols.ThrowMark] = deque()
        self._states: dict[int, protocols.DieState] = {}
        self._complete = -math.inf
        self._started: float | None = None
        self._asked_at: float | None = None
        self._measured = -math.inf
        self._greeted = False
        self._until: deque[float] = deque()
        self._closing: dict[float, int] = {}

    @property
    def skipped(self) -> int:
        """Bytes that were no part of a whole line."""
        return self._lines.skipped

    def plugged(self, now: float) -> None:
        """The line is open (again)."""
        self._link.replies.clear()
        self._link.plugged(now)
        self._asked_at = now

    def hear(self, data: bytes, now: float) -> list[protocols.DiceEvent]:
        """The events that `data`, arrived at `now`, reports."""
        return [event for text in self._lines.feed(data) for event in self._line(text, now)]

    def tick(self, now: float) -> list[protocols.DiceEvent]:
        """The events due by `now`: a throw that took too long, dice that are silent, a link that is down."""
        self._link.tick(now)
        due = any(map(self._unknown, protocols.DICE)) or self._until or now - self._measured >= MEASURE_MS
        if due and self._link.ask(now) and self._asked_at is None:
            self._asked_at = now
        # a throw of which lines are still with the box may have ended in time, however late they come
        overdue = self._throws.tick(self._complete)
        self._release()
        return [*overdue, *self._silent(now), *self._all_reported(now)]

    def report_until(self, at: float, now: float) -> None:
        """`AllReported` of `at` follows when all that the box had by then is here, or the link is down.

        The first pulse made later tells the number of the box's newest message.
        """
        self._until.append(at)
        self._link.ask(now, again=True)
        self._asked_at = self._asked_at if self._asked_at is not None else now

    def _all_reported(self, now: float) -> Iterator[protocols.DiceEvent]:
        """Requests after which the box has told all; a link that is down tells nothing more."""
        down = not self._link.up and self._started is not None and now - self._started >= SILENT_MS
        while self._until:
            newest = self._closing.get(self._until[0])
            if not down and (newest is None or self._link.received < newest):
                return
            self._closing.pop(self._until[0], None)
            yield protocols.AllReported(self._until.popleft())

    def committed(self, mark: protocols.ThrowMark) -> None:
        """The throw with that mark, and all before it, needs to be kept by the box no longer."""
        while self._waiting and self._waiting[0].boot == mark.boot and self._waiting[0].seq <= mark.seq:
            self._waiting.popleft()
        self._link.committed(mark.boot, mark.seq)
        self._release()

    def outgoing(self) -> bytes:
        """The lines to send, which are then forgotten."""
        replies, self._link.replies = self._link.replies, []
        return b"".join(box_link.encode(box_link.payload(message)) for message in replies)

    def _line(self, text: str, now: float) -> Iterator[protocols.DiceEvent]:
        message = box_link.parse(text)
        if message is None:
            return
        before = self._link.boot
        match self._link.take(message, now):
            case "next" if isinstance(message, box_link.Numbered):
                yield from self._next(message, now)
            case "restarted":
                self._waiting.clear()
                if before is not None:  # what the box had is gone
                    self._closing = dict.fromkeys(self._until, 0)
                yield from self._throws.void(reasons.BoxRestarted(), now)
            case "gap":
                yield from self._throws.void(reasons.ReportsMissing(), now)
            case _:
                if isinstance(
                    message, box_link.Pulse
                ):  # before the hello too: a late hello must not make old throws young
                    self._pulse(message, now)
                elif (
                    isinstance(message, box_link.Shows)
                    and message.boot == self._link.boot
                    and message.die in protocols.DICE
                ):
                    yield from self._mentioned(message.die)
        self._greeted = isinstance(message, box_link.Hello)
        self._release()
        yield from self._all_reported(now)

    def _next(self, message: box_link.Numbered, now: float) -> Iterator[protocols.DiceEvent]:
        self._time.arrived(message.boot, message.ms, now)
        at = self._time.at(message.ms)
        if message.die not in protocols.DICE:
            return
        if isinstance(message, box_link.Tumbled):
            yield from self._mentioned(message.die)
            yield from self._throws.tumbled(message.die, at)
        elif isinstance(message, box_link.DieSettled) and 1 <= message.face <= 6:
            yield from self._state(message.die, "ok")
            for outcome in self._throws.settled(message.die, message.face, at):
                if isinstance(outcome, protocols.Throw):
                    mark = protocols.ThrowMark(message.boot, message.seq)
                    self._waiting.append(mark)
                    yield replace(outcome, mark=mark, err=self._time.err(now))
                else:
                    yield outcome
        else:
            why = message.why if isinstance(message, box_link.Unsure) else "fault"
            yield from self._state(message.die, next((known for known in _NO_FACE if known == why), "fault"))
            yield from self._throws.invalid(message.die, why, at)

    def _pulse(self, pulse: box_link.Pulse, now: float) -> None:
        self._time.arrived(pulse.boot, pulse.uptime, now)
        if self._greeted and self._asked_at is not None:  # a greeting and a pulse answer a question
            self._time.answered(pulse.uptime, self._asked_at)
            self._asked_at, self._measured = None, now
        if pulse.boot != self._link.boot:
            return
        made = self._time.estimate(pulse.uptime)
        if self._link.received >= pulse.newest:
            self._complete = max(self._complete, made)
        for until in self._until:
            if made >= until:
                self._closing.setdefault(until, pulse.newest)

    def _unknown(self, die: int) -> bool:
        return self._states.get(die) in (None, "unheard")

    def _mentioned(self, die: int) -> Iterator[protocols.DiceState]:
        if self._unknown(die):
            yield from self._state(die, "ok")

    def _state(self, die: int, state: protocols.DieState) -> Iterator[protocols.DiceState]:
        if self._states.get(die) != state:
            self._states[die] = state
            yield protocols.DiceState(die, state)

    def _silent(self, now: float) -> Iterator[protocols.DiceState]:
        """Events for dice that are not heard: of a silent link, or never mentioned within `SILENT_MS`."""
        if self._started is None:
            self._started = now
        if now - self._started < SILENT_MS:
            return
        for die in protocols.DICE:
            if not self._link.up or die not in self._states:
                yield from self._state(die, "unheard")

    def _release(self) -> None:
        """Lets the box forget what became no throw, once no throw waits to be stored."""
        if self._link.boot is not None and not self._waiting and not self._throws.open:
            self._link.committed(self._link.boot, self._link.received)
