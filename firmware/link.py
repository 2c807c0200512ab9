"""The box's end of the serial link: every message is numbered, kept, and sent again until acknowledged."""

from array import array

from line import LineReader, LineWriter
from ticks import Uptime, since

TYPE_CHECKING = False
if TYPE_CHECKING:
    from parts import Port

HELD = 32
RESEND_MS = 200
BITE = 64

_ACK, _ASK = 65, 63
_BEGAN, _SETTLED, _UNSURE = 66, 82, 88
_HELLO, _PULSE, _FACE = 72, 80, 70
_FAULT = b"fault"
_VERSION = 1


class Link:
    """Tells one boot's messages about `dice` dice to whoever listens at the `ports`.

    It holds the latest `HELD` messages; where more are not acknowledged, the oldest are given up.
    """

    def __init__(
        self, boot: bytes, name: bytes, ports: "tuple[Port, ...]", uptime: Uptime, dice: int = 3
    ) -> None:
        self._boot = boot
        self._name = name
        self._uptime = uptime
        self._ports = ports
        self._readers = [LineReader() for _ in ports]
        self._line = LineWriter()
        self._shown = bytearray(dice)
        self._kinds = bytearray(HELD)
        self._dice = bytearray(HELD)
        self._faces = bytearray(HELD)
        self._seconds = array("i", [0] * HELD)
        self._ms = array("h", [0] * HELD)
        self._oldest = 1
        self._last = 0
        self._next = 1
        self._sent_at = 0
        self._greet = True
        self._second = -1
        self._to_show = dice

    def tumbled(self, die: int, now: int) -> None:
        """The die began to tumble."""
        self._shown[die - 1] = 0
        self._hold(_BEGAN, die, 0, now)

    def settled(self, die: int, face: int, now: int) -> None:
        """The die settled on `face`."""
        self._shown[die - 1] = face
        self._hold(_SETTLED, die, face, now)

    def broken(self, die: int, now: int) -> None:
        """The die shows no face because of a fault."""
        self._shown[die - 1] = 0
        self._hold(_UNSURE, die, 0, now)

    def step(self, now: int) -> None:
        """Takes a bite of what arrived, and sends one line if one is due."""
        for i in range(len(self._ports)):
            self._hear(self._ports[i], self._readers[i])
        line = self._due(now)
        if line is not None:
            for port in self._ports:
                port.write(line)

    def _hear(self, port: "Port", reader: LineReader) -> None:
        for _ in range(BITE):
            byte = port.read()
            if byte < 0:
                return
            if reader.feed(byte):
                self._take(reader)

    def _take(self, line: LineReader) -> None:
        if line.kind() == _ASK:
            self._greet = True
            self._second = -1
            self._to_show = 0
        elif line.kind() == _ACK and line.says(1, self._boot):
            self._forget(min(line.number(2), self._last))

    def _forget(self, seq: int) -> None:
        self._oldest = max(self._oldest, seq + 1)
        self._next = max(self._next, self._oldest)

    def _hold(self, kind: int, die: int, face: int, now: int) -> None:
        if self._oldest > self._last:
            self._sent_at = now
        self._last += 1
        slot = self._last & (HELD - 1)
        self._kinds[slot] = kind
        self._dice[slot] = die
        self._faces[slot] = face
        self._seconds[slot] = self._uptime.seconds
        self._ms[slot] = self._uptime.ms
        if self._last - self._oldest >= HELD:
            self._forget(self._oldest)
            self._greet = True

    def _due(self, now: int) -> "memoryview | None":
        if self._greet:
            return self._hello()
        if self._uptime.seconds != self._second:
            return self._pulse()
        if self._to_show < len(self._shown):
            return self._show()
        if self._next > self._last and since(self._sent_at, now) >= RESEND_MS:
            self._next = self._oldest
            self._sent_at = now
        return self._message() if self._next <= self._last else None

    def _hello(self) -> memoryview:
        self._greet = False
        line = self._begin(_HELLO, number=_VERSION)
        line.text(self._name)
        line.number(len(self._shown))
        line.number(self._oldest)
        return line.end()

    def _pulse(self) -> memoryview:
        self._second = self._uptime.seconds
        line = self._begin(_PULSE)
        line.ms(self._second, self._uptime.ms)
        line.number(self._last)
        line.text(b"")
        return line.end()

    def _show(self) -> memoryview:
        self._to_show += 1
        line = self._begin(_FACE)
        line.number(self._to_show)
        line.number(self._shown[self._to_show - 1])
        return line.end()

    def _message(self) -> memoryview:
        slot = self._next & (HELD - 1)
        kind = self._kinds[slot]
        line = self._begin(kind)
        line.number(self._next)
        line.number(self._dice[slot])
        if kind == _SETTLED:
            line.number(self._faces[slot])
        elif kind == _UNSURE:
            line.text(_FAULT)
        line.ms(self._seconds[slot], self._ms[slot])
        self._next += 1
        return line.end()

    def _begin(self, kind: int, number: int = 0) -> LineWriter:
        self._line.begin(kind)
        if number:
            self._line.number(number)
        self._line.text(self._boot)
        return self._line
