"""A board without hardware whose time is moved by hand; runs on CPython and on MicroPython alike."""

from binascii import crc32

from box import Box
from faces import GROUPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    import parts

STEP_MS = 5
MASK = 0x3FFFFFFF
SECOND = (0, 5, 3, 1, 6, 4, 2)
"""The number on the face wires when a face is told the second time."""


class FakePort:
    """A port whose host is the test; it keeps the one line that a step may send, and allocates nothing."""

    def __init__(self) -> None:
        self._in = b""
        self._at = 0
        self._out = bytearray(128)
        self._length = 0

    def read(self) -> int:
        if self._at == len(self._in):
            return -1
        self._at += 1
        return self._in[self._at - 1]

    def write(self, line: memoryview) -> None:
        assert self._length == 0, "a step sends one line at most"
        for i in range(len(line)):
            self._out[i] = line[i]
        self._length = len(line)

    def say(self, payload: str) -> None:
        """Lets the host send a line."""
        self.say_bytes(line(payload))

    def say_bytes(self, data: bytes) -> None:
        """Lets the host send these bytes."""
        self._in = self._in[self._at :] + data
        self._at = 0

    def heard(self) -> bytes:
        """The bytes that the box sent since this was called last."""
        data = bytes(self._out[: self._length])
        self._length = 0
        return data


class FakeBoard:
    """A board that shows in its attributes what the box does to it."""

    def __init__(self, start: int = 0, seed: int = 1) -> None:
        self.name = b"test"
        self.usb = FakePort()
        self.uart = FakePort()
        self.ports: tuple[parts.Port, ...] = (self.usb, self.uart)
        self.now = start
        self.roll = False
        self.dimmer = False
        self.bright = 65535
        self.leds = [0, 0, 0, 0]
        self.faces = 0
        self.strobes = [0, 0, 0, 0]
        self.tumbling = 0
        self.fed = 0
        self.tidied = 0
        self.guarded = False
        self.noted = ""
        self.stuck_at = -1
        self.fault: Exception | None = None
        self.each_wait: Callable[[], None] = lambda: None
        self._seed = seed

    def check(self) -> None:
        if self.fault is not None:
            raise self.fault

    def guard(self) -> None:
        self.guarded = True

    def feed(self) -> None:
        self.fed += 1

    def wait(self) -> None:
        self.pass_ms(STEP_MS)
        self.each_wait()

    def pass_ms(self, ms: int) -> None:
        """Lets the time pass."""
        self.now = (self.now + ms) & MASK

    def ticks(self) -> int:
        return self.now

    def random(self, count: int) -> bytes:
        return bytes([self._byte() for _ in range(count)])

    def raw(self, count: int) -> bytes:
        return bytes([self.stuck_at] * count) if self.stuck_at >= 0 else self.random(count)

    def fine_ticks(self) -> int:
        return 4711

    def note(self, why: str) -> None:
        self.noted = why

    def tidy(self) -> None:
        self.tidied += 1

    def roll_pressed(self) -> bool:
        return self.roll

    def dim_pressed(self) -> bool:
        return self.dimmer

    def dim(self, level: int) -> None:
        self.bright = level

    def show(self, die: int, groups: int) -> None:
        self.leds[die] = groups

    def face(self, face: int) -> None:
        assert not any(self.strobes), "the face changes under a strobe"
        self.faces = face

    def strobe(self, die: int, level: int) -> None:
        self.strobes[die] = level

    def rolling(self, level: int) -> None:
        self.tumbling = level

    def _byte(self) -> int:
        self._seed = (self._seed * 1103515245 + 12345) & 0x7FFFFFFF
        return self._seed >> 16 & 0xFF


def line(payload: str) -> bytes:
    """The line with that payload."""
    data = payload.encode()
    return b"$" + data + b"*%08x\n" % crc32(data)


def unpacked(data: bytes) -> "list[str]":
    """The fields of a line, whose checksum is checked; no fields of no line."""
    if not data:
        return []
    assert data == b"$" + data[1:-10] + b"*%08x\n" % crc32(data[1:-10]), data
    return data[1:-10].decode().split(",")


def shown(groups: int) -> int:
    """The face whose LEDs are lit, -1 if it is none."""
    return GROUPS.index(groups) if groups in GROUPS else -1


class Play:
    """A box on a fake board that is played with; `said` are the fields of the lines that it sent."""

    def __init__(self, start: int = 0, seed: int = 1, step_ms: int = STEP_MS) -> None:
        self.board = FakeBoard(start, seed)
        self.box = Box(self.board)
        self.step_ms = step_ms
        self.said: list[list[str]] = []
        self.reported: list[tuple[int, int]] = []
        self.passed_ms = 0
        self._strobed = 0
        self._first = (0, 0)

    def step(self) -> None:
        """One turn of the loop."""
        self.box.step()
        self.box.rest()
        self._note()
        self.board.pass_ms(self.step_ms)
        self.passed_ms += self.step_ms

    def run(self, ms: int) -> None:
        """Lets the loop turn for so long."""
        for _ in range(ms // self.step_ms):
            self.step()

    def ready(self) -> None:
        """Lets the self-test end."""
        self.run(1000)

    def throw(self, hold_ms: int = 100) -> None:
        """Presses the roll button, lets go, and waits until the box is ready again."""
        self.press(hold_ms)
        self.run(2600)

    def press(self, ms: int) -> None:
        """Holds the roll button for so long."""
        self.board.roll = True
        self.run(ms)
        self.board.roll = False

    def ack(self, seq: int) -> None:
        """Acknowledges all up to `seq` on USB."""
        self.board.usb.say("A," + self.boot() + "," + str(seq))

    def boot(self) -> str:
        """The boot id that the hello told."""
        return [fields[2] for fields in self.said if fields[0] == "H"][-1]

    def kinds(self) -> str:
        """The kinds of all that was said."""
        return "".join([fields[0] for fields in self.said])

    def settled(self) -> "list[int]":
        """The faces that were told by numbered messages, each once, in order."""
        told = {int(fields[2]): int(fields[4]) for fields in self.said if fields[0] == "R"}
        return [told[seq] for seq in sorted(told)]

    def _note(self) -> None:
        data = self.board.usb.heard()
        assert data == self.board.uart.heard()
        if fields := unpacked(data):
            self.said.append(fields)
        strobed = self.board.strobes.index(1) if 1 in self.board.strobes else 0
        if strobed and not self._strobed:
            self._strobe(strobed, self.board.faces)
        self._strobed = strobed

    def _strobe(self, die: int, face: int) -> None:
        """Each die is told twice, the second time by its second number."""
        if self._first == (0, 0):
            self._first = (die, face)
            return
        assert (die, face) == (self._first[0], SECOND[self._first[1]])
        self.reported.append(self._first)
        self._first = (0, 0)
