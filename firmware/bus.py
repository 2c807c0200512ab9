"""Tells the dice to a Pi by seven lines: a face in three bits, a strobe per die, and `rolling`.

Each face is told twice, the second time as 7 minus the face with its bits moved round by one wire, and at the
start of a throw each face wire rises alone: so the Pi notices a bad wire.
"""

from ticks import since

TYPE_CHECKING = False
if TYPE_CHECKING:
    from parts import Lines

SETUP_MS = 10
STROBE_MS = 25
HOLD_MS = 10
PROOF_MS = 25
PROOF = (1, 2, 4, 0)

_IDLE, _SETUP, _STROBE, _HOLD = range(4)
_WAITS = (0, SETUP_MS, STROBE_MS, HOLD_MS)
_WAITING = 4


def second(face: int) -> int:
    """The number that tells a face the second time: 7 minus it, each bit on the next wire (b2's on b0)."""
    rest = 7 - face
    return (rest << 1 | rest >> 2) & 7


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
        self._proved = len(PROOF)
        self._at = 0

    def prove(self, now: int) -> None:
        """Begins to raise each face wire alone: two that touch tell legal faces, wrong ones."""
        self._proved = 0
        self._at = now

    def report(self, die: int, face: int) -> None:
        """Queues the face on which `die` settled; at most three wait, one for each die of a throw."""
        slot = (self._first + self._count) & (_WAITING - 1)
        self._dice[slot] = die
        self._faces[slot] = face
        self._count += 1

    def quiet(self) -> bool:
        """True if all that was reported has been told."""
        return self._count == 0 and self._proved == len(PROOF)

    def step(self, now: int) -> None:
        """Moves the lines if it is time; a late call makes the times longer, never shorter."""
        if self._proved < len(PROOF):
            self._prove(now)
        elif self._count and (self._phase == _IDLE or since(self._at, now) > _WAITS[self._phase]):
            self._tell(now)

    def _prove(self, now: int) -> None:
        if since(self._at, now) > PROOF_MS:
            self._lines.face(PROOF[self._proved])
            self._proved += 1
            self._at = now

    def _tell(self, now: int) -> None:
        die = self._dice[self._first]
        if self._phase == _IDLE:
            self._lines.face(self._faces[self._first])
        elif self._phase == _SETUP:
            self._lines.strobe(die, 1)
        elif self._phase == _STROBE:
            self._lines.strobe(die, 0)
        elif not self._again:
            self._lines.face(second(self._faces[self._first]))
            self._phase = _IDLE
            self._again = True
        else:
            self._lines.face(0)
            self._again = False
            self._first = (self._first + 1) & (_WAITING - 1)
            self._count -= 1
        self._phase = (self._phase + 1) & 3
        self._at = now
