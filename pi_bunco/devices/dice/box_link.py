"""Both ends of the numbered, acknowledged and resent messages of a dice box; no I/O, no clock."""

import math
from collections import deque
from typing import Literal

from pi_bunco.devices.dice.box_messages import (
    BoxAck,
    BoxAsk,
    DieSettled,
    Hello,
    Message,
    Numbered,
    Pulse,
    Shows,
    Tumbled,
    Unsure,
)
from pi_bunco.devices.protocols import ThrowMark

DOWN_MS = 3000
ASK_MS = 500
RESEND_MS = 200
KEPT = 32

Took = Literal["next", "restarted", "gap"] | None


class HostLink:
    """The host's end: takes each numbered message once and in order, and says what to answer in `replies`.

    `resume` is the mark that was stored last. `up` is False when no line came for `DOWN_MS`.
    """

    def __init__(self, resume: ThrowMark | None = None) -> None:
        self.boot: str | None = None
        self.received = 0
        self.up = False
        self.replies: list[Message] = []
        self._stored = resume
        self._committed = 0
        self._line_at = -math.inf
        self._asked = -math.inf

    def take(self, message: Message, now: float) -> Took:
        """Judges a message from the box: the `next` numbered one, or a hello that tells that the box
        `restarted` or that there is a `gap` for good.

        None for a repeat, for a later one (it will come again), and for all that has no number.
        """
        self._line_at, self.up = now, True
        if isinstance(message, Hello):
            return self._greet(message)
        if isinstance(message, BoxAck | BoxAsk):
            return None
        if message.boot != self.boot:
            self.ask(now)
            return None
        return self._number(message, now) if isinstance(message, Numbered) else None

    def committed(self, boot: str, seq: int) -> None:
        """Everything up to `seq` is stored, so the box is told to forget it."""
        if boot == self.boot and self._committed < seq <= self.received:
            self._committed = seq
            self.replies.append(BoxAck(boot, seq))

    def plugged(self, now: float) -> None:
        """The line is open (again): asks what the box has."""
        self._asked = -math.inf
        self.ask(now)

    def ask(self, now: float, again: bool = False) -> bool:
        """Asks what the box has, but not again within `ASK_MS` unless told to; whether it does."""
        if now - self._asked < ASK_MS and not again:
            return False
        self._asked = now
        self.replies.append(BoxAsk())
        return True

    def tick(self, now: float) -> None:
        """Notices that the link is down, and keeps asking until the box answers."""
        self.up = self.up and now - self._line_at < DOWN_MS
        if self.boot is None or not self.up:
            self.ask(now)

    def _greet(self, hello: Hello) -> Took:
        before = self.received
        if hello.boot == self.boot:
            self.received = max(before, hello.oldest - 1)
            return "gap" if self.received > before else None
        known = self._stored.seq if self._stored and self._stored.boot == hello.boot else 0
        self.boot = hello.boot
        self.received = self._committed = max(known, hello.oldest - 1)
        return "restarted"

    def _number(self, message: Numbered, now: float) -> Took:
        if message.seq == self.received + 1:
            self.received = message.seq
            return "next"
        if message.seq > self.received:  # a missing hello must not leave us waiting for what the box gave up
            self.ask(now)
        elif message.seq <= self._committed:
            self.replies.append(BoxAck(message.boot, self._committed))
        return None


class BoxLink:
    """The box's end: numbers what its dice do, and says what to send; every `ms` is since its boot.

    It keeps the latest `KEPT` messages until they are acknowledged.
    """

    def __init__(self, boot: str, name: str, dice: int = 3, resend_ms: float = RESEND_MS) -> None:
        self.boot = boot
        self._name = name
        self._faces = [0] * dice
        self._resend_ms = resend_ms
        self._last = 0
        self._unacknowledged: deque[Numbered] = deque()
        self._sent = -math.inf
        self._second = -1

    def tumbled(self, die: int, ms: int) -> list[Message]:
        """The die began to tumble."""
        self._faces[die - 1] = 0
        return self._hold(Tumbled(self.boot, self._last + 1, die, ms))

    def settled(self, die: int, face: int, ms: int) -> list[Message]:
        """The die settled on `face`."""
        self._faces[die - 1] = face
        return self._hold(DieSettled(self.boot, self._last + 1, die, face, ms))

    def unsure(self, die: int, why: str, ms: int) -> list[Message]:
        """The die shows no valid face."""
        self._faces[die - 1] = 0
        return self._hold(Unsure(self.boot, self._last + 1, die, why, ms))

    def hello(self) -> Hello:
        """The greeting, with the oldest number kept (or the next one to come)."""
        oldest = self._unacknowledged[0].seq if self._unacknowledged else self._last + 1
        return Hello(1, self.boot, self._name, len(self._faces), oldest)

    def take(self, message: Message, ms: int) -> list[Message]:
        """The answers to the host."""
        if isinstance(message, BoxAsk):
            faces = [Shows(self.boot, die, face) for die, face in enumerate(self._faces, 1)]
            return [self.hello(), Pulse(self.boot, ms, self._last), *faces]
        if isinstance(message, BoxAck) and message.boot == self.boot:
            while self._unacknowledged and self._unacknowledged[0].seq <= message.seq:
                self._unacknowledged.popleft()
        return []

    def tick(self, ms: int) -> list[Message]:
        """The messages due: the pulse of this second, and every message that is kept, again."""
        due: list[Message] = []
        if ms // 1000 > self._second:
            self._second = ms // 1000
            due.append(Pulse(self.boot, ms, self._last))
        if self._unacknowledged and ms - self._sent >= self._resend_ms:
            self._sent = ms
            due += self._unacknowledged
        return due

    def _hold(self, message: Numbered) -> list[Message]:
        if not self._unacknowledged:
            self._sent = message.ms
        self._last = message.seq
        self._unacknowledged.append(message)
        if len(self._unacknowledged) <= KEPT:
            return [message]
        self._unacknowledged.popleft()
        return [message, self.hello()]
