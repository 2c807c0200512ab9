"""`serial:PATH`: the dice box at a serial port; `serial` alone is the first USB port at which one answers.

A thread around `DiceBox` reads, answers, and opens the port again after faults.
"""

import logging
import os
import queue
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pi_bunco.devices.kinds import DICE_KINDS, DeviceFile, DeviceKind
from pi_bunco.devices.pins import Part
from pi_bunco.devices.protocols import DICE, Put, ThrowMark
from pi_bunco.devices.threads import Complaint, ReopeningThread
from pi_bunco.runtime.clock import Clock

if TYPE_CHECKING:
    from serial import Serial

BAUD = 115_200
READ_S = 0.1
WRITE_S = 0.5
GREETING_WITHIN_MS = 2500.0
"""A box tells its pulse every second, and greets at once when it is asked."""
SERIAL_PORTS = ("dev/serial/by-id/*", "dev/ttyACM*", "dev/ttyUSB*")
"""Every serial port at USB, below /; the last two for a system without udev."""

_log = logging.getLogger(__name__)


class SerialDice(ReopeningThread):
    """Dice behind the serial port `path`, "" for the first port below `root` at which a box answers.

    A missing one is waited for, and looked for anew each time that it went away.
    `resume` is the mark that was stored last: what the box still keeps after it is reported first.
    """

    def __init__(
        self, path: str, put: Put, clock: Clock, resume: ThrowMark | None = None, root: Path = Path("/")
    ) -> None:
        from pi_bunco.devices.throws.dicebox import DiceBox

        if sys.platform != "win32":
            import termios

            self.errors = (OSError, termios.error)
        super().__init__(f"dice {path}".strip(), put, clock)
        self._path = path
        self._root = root
        self._box = DiceBox(resume)
        self._commits: queue.SimpleQueue[ThrowMark] = queue.SimpleQueue()
        self._until: queue.SimpleQueue[float] = queue.SimpleQueue()
        self._complaint = Complaint(_log, logging.WARNING)

    @property
    def skipped(self) -> int:
        """Bytes that were no part of a whole line, since the start."""
        return self._box.skipped

    def committed(self, boot: str, seq: int) -> None:
        """Says that the throw marked (boot, seq) is stored; the box is told within `READ_S`."""
        self._commits.put(ThrowMark(boot, seq))

    def report_until(self, at: float) -> None:
        """Asks the box for its newest message within `READ_S`."""
        self._until.put(at)

    def _read(self) -> None:
        path = self._path or next((port for port in self._ports() if self._answers(port)), "")
        if not path:
            raise FileNotFoundError("no dice box answers at a USB port")
        with _opened(path) as port:
            self._box.plugged(self._clock.now())
            while not self._stop.is_set():
                self._take_requests()
                if lines := self._box.outgoing():
                    port.write(lines)
                data = port.read(max(1, port.in_waiting))
                now = self._clock.now()
                self._report(self._box.hear(data, now))
                self._report(self._box.tick(now))
                if data:
                    self._works()
                    self._complaint.works()

    def _ports(self) -> Iterator[str]:
        """Serial ports, each once although it has several names."""
        seen = set[Path]()
        for path in (path for pattern in SERIAL_PORTS for path in sorted(self._root.glob(pattern))):
            if (port := path.resolve()) not in seen:
                seen.add(port)
                yield str(path)

    def _answers(self, path: str) -> bool:
        """True if a dice box answers at the port within `GREETING_WITHIN_MS`."""
        from pi_bunco.devices.throws.box_link import BoxAsk, CheckedLines, Hello, encode, parse, payload

        lines = CheckedLines()
        try:
            with _opened(path) as port:
                port.write(encode(payload(BoxAsk())))
                ends = self._clock.now() + GREETING_WITHIN_MS
                while not self._stop.is_set() and self._clock.now() < ends:
                    payloads = lines.feed(port.read(max(1, port.in_waiting)))
                    if any(isinstance(parse(text), Hello) for text in payloads):
                        return True
        except self.errors:  # of another program, or gone
            return False
        return False

    def _unplugged(self) -> None:
        self._take_requests()
        self._report(self._box.tick(self._clock.now()))
        self._box.outgoing()

    def _take_requests(self) -> None:
        while not self._commits.empty():
            self._box.committed(self._commits.get())
        while not self._until.empty():
            self._box.report_until(self._until.get(), self._clock.now())

    def _complain(self, error: Exception) -> None:
        # pyserial's own text names the path twice, and the system's text in it once more
        errno = getattr(error, "errno", None)
        why = os.strerror(errno) if errno else error
        self._complaint.tell("dice at %s: %s; trying again until they are back", self._path or "USB", why)


def _opened(path: str) -> "Serial":
    """Opens the port for this program alone."""
    import serial

    return serial.Serial(path, BAUD, timeout=READ_S, write_timeout=WRITE_S, exclusive=True)


def parts(path: str) -> tuple[Part, ...]:
    """Three dice in a box at the serial port `path`."""
    place = f" at {path}" if path else ""
    return tuple(Part(str(die), f"Die {die}", f"the dice box and its USB cable{place}") for die in DICE)


def _files(path: str) -> tuple[DeviceFile, ...]:
    missing = f"The dice box is not plugged in: there is no {path or 'serial port at USB'}."
    mend = "Plug the dice box in, with a cable that carries data (not only power)."
    return (DeviceFile("dice port", path, missing, mend, SERIAL_PORTS[0]),)


DICE_KINDS.register(
    DeviceKind(
        "serial",
        lambda path, setup: SerialDice(path, setup.put, setup.clock, setup.resume),
        argument="PATH",
        optional=True,
        files=_files,
        parts=lambda path, _hardware: parts(path),
    )
)
