"""The faces of three classic dice of seven LEDs, and the draw that decides what they show."""

from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

CENTRE = 1
DIAGONAL_1 = 2
DIAGONAL_2 = 4
SIDES = 8
ALL = 15

# The LED groups of each face; 0 is a dark die. No face lights the sides alone: that is left to faults.
GROUPS = (
    0,
    CENTRE,
    DIAGONAL_1,
    CENTRE | DIAGONAL_1,
    DIAGONAL_1 | DIAGONAL_2,
    CENTRE | DIAGONAL_1 | DIAGONAL_2,
    DIAGONAL_1 | DIAGONAL_2 | SIDES,
)

POOL = 64
LOW = 32
RAW = 32
LEAST = 16


class Fault(Exception):
    """The box must not be played with: `dice` blink the LED groups `sign`; the text says why."""

    def __init__(self, why: str, dice: "tuple[int, ...]" = (1, 2, 3), sign: int = SIDES) -> None:
        super().__init__(why)
        self.dice = dice
        self.sign = sign


def check_oscillator(raw: bytes) -> None:
    """Raises a `Fault` if these raw bits of the oscillator hardly change: it is dead, or stuck.

    Of 256 bits `LEAST` must be 0, `LEAST` must be 1, and `LEAST` must differ from the one before.
    """
    ones = changes = before = 0
    for byte in raw:
        for place in range(8):
            bit = byte >> place & 1
            ones += bit
            changes += bit != before
            before = bit
    if ones < LEAST or 8 * len(raw) - ones < LEAST or changes < LEAST:
        raise Fault("the random generator is stuck", sign=CENTRE | SIDES)


class FaceDraw:
    """Draws faces from 64 bytes that SHA-256 makes of the hardware generator and the moment of the press.

    `random(count)` gives the system's random bytes, `raw(count)` bits as the oscillator gives them.
    """

    def __init__(self, random: "Callable[[int], bytes]", raw: "Callable[[int], bytes]") -> None:
        self._random = random
        self._raw = raw
        self._before = b""
        self._pool = bytearray(POOL)
        self._left = 0
        self._ticks = 0
        self._stirred = False
        self._refill()

    @property
    def stirred(self) -> bool:
        """True if a press waits to be mixed in."""
        return self._stirred

    def stir(self, ticks: int) -> None:
        """The button was pressed at `ticks`, in the finest unit that there is."""
        self._ticks = ticks
        self._stirred = True

    def face(self) -> int:
        """A face from 1 to 6, each exactly as likely: of eight equal chances two are drawn again."""
        while True:
            if self._left == 0:
                self._refill()
            self._left -= 1
            chance = self._pool[self._left] & 7
            if chance < 6:
                return chance + 1

    def top_up(self) -> bool:
        """Makes new bytes if few are left or the button was pressed, which allocates; whether it did."""
        if self._left >= LOW and not self._stirred:
            return False
        self._refill()
        return True

    def _refill(self) -> None:
        check_oscillator(self._raw(RAW))
        fresh = self._random(POOL)
        if fresh == fresh[:1] * POOL or fresh == self._before:
            raise Fault("the random generator is stuck", sign=CENTRE | SIDES)
        self._before = fresh
        seed = fresh + bytes(self._pool) + self._ticks.to_bytes(4, "big")
        self._pool[:32] = sha256(seed + b"1").digest()
        self._pool[32:] = sha256(seed + b"2").digest()
        self._left = POOL
        self._stirred = False
