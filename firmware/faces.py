"""The faces of three classic dice of seven LEDs, and the draw that decides what they show."""

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


class Fault(Exception):
    """The box must not be played with: `dice` blink the LED groups `sign`; the text says why."""

    def __init__(self, why: str, dice: "tuple[int, ...]" = (1, 2, 3), sign: int = SIDES) -> None:
        super().__init__(why)
        self.dice = dice
        self.sign = sign


class Draw:
    """Draws faces from random bytes of the hardware generator, which `random(count)` gives."""

    def __init__(self, random: "Callable[[int], bytes]") -> None:
        self._random = random
        self._pool = bytearray(POOL)
        self._left = 0
        self._refill()

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
        """Fetches new bytes if few are left, which allocates; whether it did."""
        low = self._left < LOW
        if low:
            self._refill()
        return low

    def _refill(self) -> None:
        fresh = self._random(POOL)
        if fresh == fresh[:1] * POOL or fresh == bytes(self._pool):
            raise Fault("the random generator is stuck", sign=CENTRE | SIDES)
        self._pool[:] = fresh
        self._left = POOL
