"""Runs the box safely: a fault shows on the LEDs and is said on the link, and then the box starts afresh."""

from binascii import hexlify

from box import Box
from faces import SIDES, Fault
from link import Link
from ticks import Uptime, since

TYPE_CHECKING = False
if TYPE_CHECKING:
    import parts

FAULT_MS = 10_000
BLINK_MS = 250
SAY_MS = 1000


def run(board: "parts.BoxBoard") -> None:
    """Plays until something fails; the button held at start leaves the port to mpremote."""
    if board.roll_pressed():
        for die in (1, 2, 3):
            board.show(die, SIDES)
        return
    board.guard()
    try:
        board.check()
        box = Box(board)
        while True:
            box.step()
            box.rest()
            board.feed()
            board.wait()
    except Exception as error:
        tell(board, error if isinstance(error, Fault) else Fault("the program failed: " + repr(error)))
        raise  # the watchdog restarts the box while the console shows what happened


def tell(board: "parts.BoxBoard", fault: Fault) -> None:
    """Blinks, and says which dice are out of order and why, for `FAULT_MS`; keeps the reason."""
    board.tidy()
    why = str(fault)
    board.note(why)
    line = memoryview(("# fault: " + why + "\n").encode())
    began = written = board.ticks()
    uptime = Uptime(began)
    link = Link(hexlify(board.random(4)), board.name, board.ports, uptime)
    _release(board)
    for die in fault.dice:
        link.broken(die, began)
    while since(began, board.ticks()) < FAULT_MS:
        now = board.ticks()
        uptime.advance(now)
        lit = since(began, now) // BLINK_MS & 1
        for die in (1, 2, 3):
            board.show(die, fault.sign if lit and die in fault.dice else 0)
        if since(written, now) >= SAY_MS:
            written = now
            for port in board.ports:
                port.write(line)
        else:
            link.step(now)
        board.feed()
        board.wait()


def _release(board: "parts.BoxBoard") -> None:
    """Takes every line to the Pi down, in the middle of a report too."""
    board.rolling(0)
    for die in (1, 2, 3):
        board.strobe(die, 0)
    board.face(0)
