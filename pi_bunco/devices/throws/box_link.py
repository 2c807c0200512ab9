"""The host's end of a dice box's serial line (firmware/README.md); no I/O, no clock.

Lines survive a bad wire (`$payload*crc32` and a newline), their messages are numbered, acknowledged and sent
again; `ms` in a message is since the box's boot.
"""

import math
import re
from binascii import crc32
from typing import Literal

import msgspec
from msgspec import Struct

from pi_bunco.devices.protocols import DeviceError, ThrowMark

DOWN_MS = 3000
ASK_MS = 500
PAYLOAD_MAX_CHARS = 200
_PAYLOAD = rf"[ -#%-)+-~]{{0,{PAYLOAD_MAX_CHARS}}}"
_LINE = re.compile(rf"\$({_PAYLOAD})\*([0-9a-f]{{8}})\r?\n".encode())
_FRAME_CHARS = len("$*12345678\r\n")


def encode(payload: str) -> bytes:
    """The line of `payload`; `DeviceError` if that is no short printable ASCII without `$` and `*`."""
    if not re.fullmatch(_PAYLOAD, payload):
        raise DeviceError(f"{payload[:40]!r} cannot be sent: printable ASCII without $ and * is needed")
    data = payload.encode("ascii")
    return b"$%s*%08x\n" % (data, crc32(data))


class CheckedLines:
    """Finds the whole lines in a stream that comes in any pieces; `skipped` counts all other bytes."""

    def __init__(self) -> None:
        self.skipped = 0
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """The payloads of the lines that `data` completes."""
        stream = self._rest + data
        payloads, end = [], 0
        for line in _LINE.finditer(stream):
            self.skipped += line.start() - end
            end = line.end()
            if crc32(line[1]) == int(line[2], 16):
                payloads.append(line[1].decode("ascii"))
            else:
                self.skipped += len(line[0])
        self._keep(stream[end:])
        return payloads

    def _keep(self, rest: bytes) -> None:
        """Keeps the bytes from the last `$` on, which can still become a line, if no newline has ended it."""
        start = rest.rfind(b"$")
        begun = rest[start:] if start >= 0 else b""
        self._rest = b"" if b"\n" in begun or len(begun) >= PAYLOAD_MAX_CHARS + _FRAME_CHARS else begun
        self.skipped += len(rest) - len(self._rest)


class Hello(Struct, frozen=True, array_like=True, tag="H"):
    """The box names itself, its boot, its number of dice, and the oldest number that it still holds."""

    version: Literal[1]
    boot: str
    name: str
    dice: int
    oldest: int


class DieSettled(Struct, frozen=True, array_like=True, tag="R"):
    """The die settled on a face after tumbling."""

    boot: str
    seq: int
    die: int
    face: int
    ms: int


class Tumbled(Struct, frozen=True, array_like=True, tag="B"):
    """The die began to tumble."""

    boot: str
    seq: int
    die: int
    ms: int


class Unsure(Struct, frozen=True, array_like=True, tag="X"):
    """The die shows no valid face: `moved`, `cocked` or `weak`."""

    boot: str
    seq: int
    die: int
    why: str
    ms: int


class Shows(Struct, frozen=True, array_like=True, tag="F"):
    """The face that the die shows now, 0 where that is unknown; no throw."""

    boot: str
    die: int
    face: int


class Pulse(Struct, frozen=True, array_like=True, tag="P"):
    """Sent once a second, and in answer to `BoxAsk`: how many ms the box is up, and its newest number.

    `battery` is in percent where it has one.
    """

    boot: str
    uptime: int
    newest: int
    battery: str = ""


class BoxAck(Struct, frozen=True, array_like=True, tag="A"):
    """Host to box: everything up to `seq` is stored."""

    boot: str
    seq: int


class BoxAsk(Struct, frozen=True, array_like=True, tag="?"):
    """Host to box: say hello and your current faces."""


Numbered = DieSettled | Tumbled | Unsure
BoxMessage = Hello | Numbered | Shows | Pulse | BoxAck | BoxAsk


def parse(payload: str) -> BoxMessage | None:
    """The message of a line's payload; None for what is not understood; further fields are ignored."""
    try:
        message: BoxMessage = msgspec.convert(payload.split(","), BoxMessage, strict=False)
    except msgspec.ValidationError:
        return None
    return message


def payload(message: BoxMessage) -> str:
    """The payload of the line that says `message`."""
    return ",".join(map(str, msgspec.to_builtins(message)))


Took = Literal["next", "restarted", "gap"] | None


class HostLink:
    """The host's end: takes each numbered message once and in order, and says what to answer in `replies`.

    `resume` is the mark that was stored last. `up` is False when no line came for `DOWN_MS`.
    """

    def __init__(self, resume: ThrowMark | None = None) -> None:
        self.boot: str | None = None
        self.received = 0
        self.up = False
        self.replies: list[BoxMessage] = []
        self._stored = resume
        self._committed = 0
        self._line_at = -math.inf
        self._asked_at = -math.inf

    def take(self, message: BoxMessage, now: float) -> Took:
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
        self._asked_at = -math.inf
        self.ask(now)

    def ask(self, now: float, again: bool = False) -> bool:
        """Asks what the box has, but not again within `ASK_MS` unless told to; whether it does."""
        if now - self._asked_at < ASK_MS and not again:
            return False
        self._asked_at = now
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
