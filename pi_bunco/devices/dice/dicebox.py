"""A dice box as its host sees it: bytes in, throws out; no I/O, so that any stream of bytes can carry it."""

import math
from collections import deque
from collections.abc import Iterator

from msgspec.structs import replace

from pi_bunco.devices.dice.lines import LineReader, encode
from pi_bunco.devices.dice.link import HostLink
from pi_bunco.devices.dice.messages import (
    Message,
    Numbered,
    Pulse,
    Settled,
    Shows,
    Tumbled,
    Unsure,
    parse,
    payload,
)
from pi_bunco.devices.dice.throws import DICE, Outcome, Throws
from pi_bunco.devices.protocols import DiceEvent, DiceState, DieState, Mark, Throw, ThrowVoid

GRACE_MS = 500
UNHEARD_MS = 3000
_NO_FACE: tuple[DieState, ...] = ("weak", "cocked", "moved")


class BoxTime:
    """Turns the box's milliseconds into the host's.

    A message cannot arrive before it was sent, so each arrival bounds the difference of the two clocks; the
    least of the last 64 bounds is used. Times never fall, whatever the bounds say.
    """

    def __init__(self) -> None:
        self._boot = ""
        self._bounds: deque[float] = deque(maxlen=64)
        self._latest = -math.inf

    def arrived(self, boot: str, ms: float, now: float) -> None:
        """What the box did `ms` after `boot` was heard at `now`; another boot counts afresh."""
        if boot != self._boot:
            self._boot = boot
            self._bounds.clear()
        self._bounds.append(now - ms)

    def at(self, ms: float) -> float:
        """The host's time of the box's `ms`; needs one arrival before."""
        self._latest = max(self._latest, ms + min(self._bounds))
        return self._latest


class DiceBox:
    """The host's side of one box: lines, link, clock and throws put together.

    `resume` is the mark that was stored last; `malformed` counts whole lines that were not understood.
    """

    def __init__(self, resume: Mark | None = None) -> None:
        self.malformed = 0
        self._lines = LineReader()
        self._link = HostLink(resume)
        self._time = BoxTime()
        self._throws = Throws()
        self._waiting: deque[Mark] = deque()
        self._states: dict[int, DieState] = {}
        self._latest = -math.inf
        self._started: float | None = None

    @property
    def skipped(self) -> int:
        """Bytes that were no part of a whole line."""
        return self._lines.skipped

    def plugged(self, now: float) -> None:
        """The line is open (again)."""
        self._link.replies.clear()
        self._link.plugged(now)

    def hear(self, data: bytes, now: float) -> list[DiceEvent]:
        """What `data` that arrived at `now` reports."""
        return [event for text in self._lines.feed(data) for event in self._line(text, now)]

    def tick(self, now: float) -> list[DiceEvent]:
        """What is due by `now`: a throw that took too long, dice that are not heard."""
        self._link.tick(now)
        if any(map(self._unknown, DICE)):
            self._link.ask(now)
        return [*self._overdue(now), *self._unheard(now)]

    def committed(self, mark: Mark) -> None:
        """The throw with that mark, and all before it, needs to be kept by the box no longer."""
        while self._waiting and self._waiting[0].boot == mark.boot and self._waiting[0].seq <= mark.seq:
            self._waiting.popleft()
        self._link.committed(mark.boot, mark.seq)
        self._release()

    def outgoing(self) -> bytes:
        """The lines to send, which are then forgotten."""
        replies, self._link.replies = self._link.replies, []
        return b"".join(encode(payload(message)) for message in replies)

    def _line(self, text: str, now: float) -> Iterator[DiceEvent]:
        message = parse(text)
        if message is None:
            self.malformed += 1
            return
        match self._link.take(message, now):
            case "next" if isinstance(message, Numbered):
                yield from self._next(message, now)
            case "restarted":
                yield from self._restarted(now)
            case "lost":
                yield from self._some(self._throws.void("some of what the dice reported was lost", now))
            case _:
                yield from self._aside(message, now)
        self._release()

    def _next(self, message: Numbered, now: float) -> Iterator[DiceEvent]:
        self._latest = now
        self._time.arrived(message.boot, message.ms, now)
        at = self._time.at(message.ms)
        if message.die not in DICE:
            self.malformed += 1
        elif isinstance(message, Tumbled):
            yield from self._heard(message.die)
            yield from self._some(self._throws.tumbled(message.die, at))
        elif isinstance(message, Settled) and 1 <= message.face <= 6:
            yield from self._state(message.die, "ok")
            yield from self._some(self._throws.settled(message.die, message.face, at), message)
        else:
            why = message.why if isinstance(message, Unsure) else "fault"
            yield from self._state(message.die, next((known for known in _NO_FACE if known == why), "fault"))
            yield from self._some(self._throws.invalid(message.die, why, at))

    def _some(self, outcome: Outcome, last: Numbered | None = None) -> Iterator[DiceEvent]:
        if isinstance(outcome, Throw) and last is not None:
            mark = Mark(last.boot, last.seq)
            self._waiting.append(mark)
            yield replace(outcome, mark=mark)
        elif isinstance(outcome, ThrowVoid):
            yield outcome

    def _restarted(self, now: float) -> Iterator[DiceEvent]:
        self._waiting.clear()
        yield from self._some(self._throws.void("the dice box was restarted", now))

    def _aside(self, message: Message, now: float) -> Iterator[DiceEvent]:
        if isinstance(message, Pulse):  # before the hello too: a late hello must not make old throws young
            self._time.arrived(message.boot, message.uptime * 1000, now)
        elif isinstance(message, Shows) and message.boot == self._link.boot and message.die in DICE:
            yield from self._heard(message.die)

    def _unknown(self, die: int) -> bool:
        return self._states.get(die) in (None, "unheard")

    def _heard(self, die: int) -> Iterator[DiceState]:
        if self._unknown(die):
            yield from self._state(die, "ok")

    def _state(self, die: int, state: DieState) -> Iterator[DiceState]:
        if self._states.get(die) != state:
            self._states[die] = state
            yield DiceState(die, state)

    def _overdue(self, now: float) -> Iterator[DiceEvent]:
        """While messages still come in that were held back, the end of the throw may be among them."""
        if now - self._latest >= GRACE_MS:
            yield from self._some(self._throws.tick(now))
            self._release()

    def _unheard(self, now: float) -> Iterator[DiceState]:
        """Dice of a silent link at once, a die that a speaking box never mentions after `UNHEARD_MS`."""
        if self._started is None:
            self._started = now
        if now - self._started < UNHEARD_MS:
            return
        for die in DICE:
            if not self._link.up or die not in self._states:
                yield from self._state(die, "unheard")

    def _release(self) -> None:
        """What became no throw needs no storing: the box may forget it once no throw waits for that."""
        if self._link.boot is not None and not self._waiting and not self._throws.open:
            self._link.committed(self._link.boot, self._link.received)
