"""Dice as their makers document them: each says what happens to it, and answers what it is asked."""

from struct import pack

from pi_bunco.devices.throws.godice import GODICE
from pi_bunco.devices.throws.pixels import PIXELS
from pi_bunco.devices.throws.radio_dice import RadioModel

GRAVITY = {1: (-64, 0, 0), 2: (0, 0, 64), 3: (0, 64, 0), 4: (0, -64, 0), 5: (0, 0, -64), 6: (64, 0, 0)}
"""Of a GoDice that lies with that face up."""


def gravity(face: int, kind: bytes = b"S") -> bytes:
    return kind + bytes(part & 0xFF for part in GRAVITY[face])


def i_am_a_die(die_type: int = 2) -> bytes:
    """The answer of a Pixels to `WhoAreYou`: chunks, each with its length first."""
    version = pack("<BHIHHHH", 15, 0x101, 1_733_000_000, 1, 0x100, 0x100, 0x100)
    die = pack("<BIBBBBB", 10, 0xC0FFEE, 1, die_type, 6, 9, 0)
    names = bytes([4]) + b"abc" + bytes([6]) + b"Pixel"
    return b"\x02" + version + die + names + pack("<BIII", 13, 0, 0, 0) + pack("<BBBBB", 5, 77, 0, 5, 2)


def i_am_an_old_die(die_type: int = 2) -> bytes:
    """The same of a firmware of 2023."""
    return b"\x02" + pack("<BBBIIHIBBBB", 6, 9, die_type, 1, 0xC0FFEE, 99, 1_690_000_000, 1, 2, 77, 0)


def telemetry(face: int, along: int = 998, state: int = 5) -> bytes:
    """The first numbers of a Pixels' telemetry, and what else is in it."""
    return b"\x04" + pack("<3hiIBB", 12, -33, 998, along, 123_456, state, face - 1) + bytes(19)


class GoDie:
    """A GoDice."""

    model = GODICE
    leans = b"S" + bytes([45, 45, 0])

    def rolls(self) -> list[bytes]:
        return [b"R"]

    def lies(self, face: int, flat: bool = True) -> list[bytes]:
        return [gravity(face) if flat else self.leans]

    def moved(self, face: int) -> list[bytes]:
        return [gravity(face, b"MS")]

    def answer(self, question: bytes) -> list[bytes]:
        return [b"Bat\x63"] if question == GODICE.battery else []


class PixelDie:
    """A Pixels of today's firmware: it rolls over faces, and is `rolled` however it lies."""

    model = PIXELS

    def __init__(self) -> None:
        self.face, self.flat, self.state = 1, True, 5

    def _says(self, state: int, face: int) -> bytes:
        self.face, self.state = face, state
        return bytes([3, state, face - 1])

    def rolls(self) -> list[bytes]:
        return [self._says(2, self.face), *(self._says(3, face) for face in (3, 2, 6))]

    def lies(self, face: int, flat: bool = True) -> list[bytes]:
        self.flat = flat
        return [self._says(1, face)]

    def moved(self, face: int) -> list[bytes]:
        return [self._says(2, face), self._says(5, face)]

    def answer(self, question: bytes) -> list[bytes]:
        if question == PIXELS.identify:
            return [i_am_a_die()]
        if question == PIXELS.measure:
            return [telemetry(self.face, 998 if self.flat else 720, self.state)]
        return [b"\x22\x63\x01"] if question == PIXELS.battery else []


Die = GoDie | PixelDie
DIES: dict[str, type[GoDie] | type[PixelDie]] = {"godice": GoDie, "pixels": PixelDie}
MODELS: dict[str, RadioModel] = {word: die.model for word, die in DIES.items()}
