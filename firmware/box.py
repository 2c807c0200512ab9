"""The dice box: a press of the button lets three dice tumble, and each settles on a face that was drawn."""

from binascii import hexlify

from bus import Bus
from faces import ALL, CENTRE, DIAGONAL_1, DIAGONAL_2, GROUPS, SIDES, FaceDraw
from link import Link
from ticks import Uptime, since

TYPE_CHECKING = False
if TYPE_CHECKING:
    from parts import BoxBoard

PRESS_MS = 5
RELEASE_MS = 20
TEST_MS = 150
TUMBLE_MS = 700
HOLD_MS = 3000
SETTLE_MS = (400, 650, 900)
REST_MS = 500
FRAME_MS = 60
SLOWING = 4
BRIGHTNESS = (65535, 24000, 8000, 2500)

_TEST = (CENTRE, DIAGONAL_1, DIAGONAL_2, SIDES, ALL, 0)
_FRAMES = (3, 6, 1, 5, 2, 4)
_TESTING, _READY, _TUMBLING, _SETTLING, _RESTING = range(5)


class RollButton:
    """A button without bounces: a spike shorter than `PRESS_MS` is no press."""

    def __init__(self, now: int) -> None:
        self.down = True
        self._seen = True
        self._at = now

    def sample(self, closed: bool, now: int) -> bool:
        """True if this reading completes a press; one that was held down from the start is none."""
        if closed != self._seen:
            self._seen = closed
            self._at = now
        if closed == self.down or since(self._at, now) < (PRESS_MS if closed else RELEASE_MS):
            return False
        self.down = closed
        return closed


class Die:
    """One die of seven LEDs; while it tumbles it runs through the faces, which decides nothing."""

    def __init__(self, board: "BoxBoard", number: int) -> None:
        self.number = number
        self.tumbling = False
        self._board = board
        self._frame = 2 * (number - 1)
        self._at = 0

    def show(self, face: int) -> None:
        """Lights the face."""
        self.tumbling = False
        self._board.show(self.number, GROUPS[face])

    def tumble(self, now: int) -> None:
        """Begins to run through the faces."""
        self.tumbling = True
        self._next(now)

    def animate(self, frame_ms: int, now: int) -> None:
        """Shows the next face if the last was lit for `frame_ms`."""
        if since(self._at, now) >= frame_ms:
            self._next(now)

    def _next(self, now: int) -> None:
        self._at = now
        self._frame = self._frame + 1 if self._frame < 5 else 0
        self._board.show(self.number, GROUPS[_FRAMES[self._frame]])


class Box:
    """The whole box on its `board`: `step` often, and `rest` after each step."""

    def __init__(self, board: "BoxBoard") -> None:
        now = board.ticks()
        self._board = board
        self._uptime = Uptime(now)
        self._draw = FaceDraw(board.random, board.raw)
        self._link = Link(hexlify(board.random(4)), board.name, board.ports, self._uptime)
        self._bus = Bus(board)
        self._dice = (Die(board, 1), Die(board, 2), Die(board, 3))
        self._roll = RollButton(now)
        self._dim = RollButton(now)
        self._bright = 0
        self._state = _TESTING
        self._test = 0
        self._at = now
        self._show_test()

    def step(self) -> None:
        """Reads the buttons and the ports, and does what is due; allocates nothing."""
        now = self._board.ticks()
        self._uptime.advance(now)
        pressed = self._roll.sample(self._board.roll_pressed(), now)
        if self._dim.sample(self._board.dim_pressed(), now):
            self._bright = self._bright + 1 if self._bright + 1 < len(BRIGHTNESS) else 0
            self._board.dim(BRIGHTNESS[self._bright])
        self._play(pressed, now)
        self._bus.step(now)
        self._link.step(now)

    def rest(self) -> None:
        """Does what allocates, while the dice lie still or just after the press, and frees it at once."""
        if (self._state == _READY or self._draw.stirred) and self._draw.top_up():
            self._board.tidy()

    def _play(self, pressed: bool, now: int) -> None:
        age = since(self._at, now)
        if self._state == _TUMBLING:
            self._tumble(age, now)
        elif self._state == _SETTLING:
            self._settle(age, now)
        elif self._state == _RESTING:
            if age >= REST_MS and self._bus.quiet():
                self._enter(_READY, now)
        elif self._state == _TESTING:
            if age >= TEST_MS:
                self._next_test(now)
        elif pressed:
            self._throw(now)

    def _enter(self, state: int, now: int) -> None:
        self._state = state
        self._at = now

    def _next_test(self, now: int) -> None:
        self._test += 1
        self._enter(_TESTING if self._test < len(_TEST) else _READY, now)
        if self._state == _TESTING:
            self._show_test()

    def _show_test(self) -> None:
        for die in self._dice:
            self._board.show(die.number, _TEST[self._test])

    def _throw(self, now: int) -> None:
        self._enter(_TUMBLING, now)
        self._draw.stir(self._board.fine_ticks())
        self._board.rolling(1)
        self._bus.prove(now)
        for die in self._dice:
            die.tumble(now)
            self._link.tumbled(die.number, now)

    def _tumble(self, age: int, now: int) -> None:
        for die in self._dice:
            die.animate(FRAME_MS, now)
        if age >= HOLD_MS or (age >= TUMBLE_MS and not self._roll.down):
            self._enter(_SETTLING, now)

    def _settle(self, age: int, now: int) -> None:
        """Each die slows down and settles at its time; the face is drawn only then."""
        last = True
        for die in self._dice:
            if not die.tumbling:
                continue
            if age >= SETTLE_MS[die.number - 1]:
                self._land(die, now)
            else:
                last = False
                die.animate(FRAME_MS + age // SLOWING, now)
        if last:
            self._board.rolling(0)
            self._enter(_RESTING, now)

    def _land(self, die: Die, now: int) -> None:
        face = self._draw.face()
        die.show(face)
        self._link.settled(die.number, face, now)
        self._bus.report(die.number, face)
