"""The host's end of the numbered, acknowledged and resent messages of a dice box; no I/O, no clock."""

import math
from typing import Literal

from pi_bunco.devices.protocols import ThrowMark
from pi_bunco.devices.throws.box_messages import (
    BoxAck,
    BoxAsk,
    Hello,
    Message,
    Numbered,
)

DOWN_MS = 3000
ASK_MS = 500

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
