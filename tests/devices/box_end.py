"""The box's end of a dice box's messages, as the firmware has it."""

import math
from collections import deque

from pi_bunco.devices.throws.box_link import (
    BoxAck,
    BoxAsk,
    BoxMessage,
    DieSettled,
    Hello,
    Numbered,
    Pulse,
    Shows,
    Tumbled,
    Unsure,
)

RESEND_MS = 200
KEPT = 32


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

    def tumbled(self, die: int, ms: int) -> list[BoxMessage]:
        """The die began to tumble."""
        self._faces[die - 1] = 0
        return self._hold(Tumbled(self.boot, self._last + 1, die, ms))

    def settled(self, die: int, face: int, ms: int) -> list[BoxMessage]:
        """The die settled on `face`."""
        self._faces[die - 1] = face
        return self._hold(DieSettled(self.boot, self._last + 1, die, face, ms))

    def unsure(self, die: int, why: str, ms: int) -> list[BoxMessage]:
        """The die shows no valid face."""
        self._faces[die - 1] = 0
        return self._hold(Unsure(self.boot, self._last + 1, die, why, ms))

    def hello(self) -> Hello:
        """The greeting, with the oldest number kept (or the next one to come)."""
        oldest = self._unacknowledged[0].seq if self._unacknowledged else self._last + 1
        return Hello(1, self.boot, self._name, len(self._faces), oldest)

    def take(self, message: BoxMessage, ms: int) -> list[BoxMessage]:
        """The answers to the host."""
        if isinstance(message, BoxAsk):
            faces = [Shows(self.boot, die, face) for die, face in enumerate(self._faces, 1)]
            return [self.hello(), Pulse(self.boot, ms, self._last), *faces]
        if isinstance(message, BoxAck) and message.boot == self.boot:
            while self._unacknowledged and self._unacknowledged[0].seq <= message.seq:
                self._unacknowledged.popleft()
        return []

    def tick(self, ms: int) -> list[BoxMessage]:
        """The messages due: the pulse of this second, and every message that is kept, again."""
        due: list[BoxMessage] = []
        if ms // 1000 > self._second:
            self._second = ms // 1000
            due.append(Pulse(self.boot, ms, self._last))
        if self._unacknowledged and ms - self._sent >= self._resend_ms:
            self._sent = ms
            due += self._unacknowledged
        return due

    def _hold(self, message: Numbered) -> list[BoxMessage]:
        if not self._unacknowledged:
            self._sent = message.ms
        self._last = message.seq
        self._unacknowledged.append(message)
        if len(self._unacknowledged) <= KEPT:
            return [message]
        self._unacknowledged.popleft()
        return [message, self.hello()]
