"""Tells the dice to a Pi by seven lines: a face in three bits, a strobe per die, and `rolling`.

Each face is told twice, the second time as 7 minus the face, so that the Pi notices a bad wire.
"""

from ticks import since

TYPE_CHECKING = False
if TYPE_CHECKING:
    from parts import Lines

SETUP_MS = 10
STROBE_MS = 25
HOLD_MS = 10

_IDLE, _SETUP, _STROBE, _HOLD = range(4)
_WAITS = (0, SETUP_MS, STROBE_MS, HOLD_MS)
_WAITING = 4


class Bus:
    """Reports one die after another, each with the times that the protocol asks for at least."""

    def __init__(self, lines: "Lines") -> None:
        self._lines = lines
        self._dice = bytearray(_WAITING)
        self._faces = bytearray(_WAITING)
        self._first = 0
        self._count = 0
        self._phase = _IDLE
        self._again = False
        self._at = 0

    def report(self, die: int, face: int) -> None:
        """Queues the face on which `die` settled; at most three wait, one for each die of a throw."""
        slot = (self._first + self._count) & (_WAITING - 1)
        self._dice[slot] = die
        self._faces[slot] = face
        self._count += 1

    def quiet(self) -> bool:
        """Whether all that was reported has been told."""
        return self._count == 0

    def step(self, now: int) -> None:
        """Moves the lines if it is time; a late call makes the times longer, never shorter."""
        if self._count == 0 or (self._phase != _IDLE and since(self._at, now) <= _WAITS[self._phase]):
            return
        die = self._dice[self._first]
        if self._phase == _IDLE:
            self._lines.face(self._faces[self._first])
        elif self._phase == _SETUP:
            self._lines.strobe(die, 1)
        elif self._phase == _STROBE:
            self._lines.strobe(die, 0)
        elif not self._again:
            self._lines.face(7 - self._faces[self._first])
            self._phase = _IDLE
            self._again = True
        else:
            self._lines.face(0)
            self._again = False
            self._first = (self._first + 1) & (_WAITING - 1)
            self._count -= 1
        self._phase = (self._phase + 1) & 3
        self._at = now
