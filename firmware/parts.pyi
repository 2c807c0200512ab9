"""What the firmware needs of a board; for type checkers only, it is never put on a Pico."""

from typing import Protocol

class Port(Protocol):
    """A serial line to a host that may not be there."""

    def read(self) -> int:
        """The next byte that arrived, -1 if there is none; never waits."""

    def write(self, line: memoryview) -> None:
        """Sends the line, or as much of it as can be taken now."""

class Lines(Protocol):
    """The lines of the bus; all are low at start."""

    def face(self, face: int) -> None:
        """Puts the face on b0, b1, b2."""

    def strobe(self, die: int, level: int) -> None:
        """Sets the strobe of the die (1-3)."""

    def rolling(self, level: int) -> None:
        """Sets the line that is high while any die tumbles."""

class BoxBoard(Lines, Protocol):
    """All hardware of the box."""

    name: bytes
    @property
    def ports(self) -> tuple[Port, ...]:
        """The serial lines; every one of them is told everything."""

    def check(self) -> None:
        """Raises `Fault` if a line does not follow; only before anything was shown."""

    def guard(self) -> None:
        """From now on the box restarts if it is not fed, and no byte on a port interrupts it."""

    def feed(self) -> None:
        """Puts the restart off."""

    def wait(self) -> None:
        """Lets a few ms pass until the next step."""

    def ticks(self) -> int:
        """The time in ms, modulo 2**30."""

    def random(self, count: int) -> bytes:
        """Random bytes of the system."""

    def raw(self, count: int) -> bytes:
        """Eight bits of the oscillator in each byte, as it gives them."""

    def fine_ticks(self) -> int:
        """The time in the finest unit that there is, modulo 2**30."""

    def note(self, why: str) -> None:
        """Keeps the reason of a fault over a restart."""

    def tidy(self) -> None:
        """Frees memory that is no longer used."""

    def roll_pressed(self) -> bool:
        """Whether the contact of the roll button is closed now."""

    def dim_pressed(self) -> bool:
        """Whether the contact of the brightness button is closed now."""

    def dim(self, level: int) -> None:
        """Sets the brightness, 0-65535."""

    def show(self, die: int, groups: int) -> None:
        """Lights these LED groups of the die (1-3)."""
