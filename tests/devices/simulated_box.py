"""A dice box without hardware, at a pseudo terminal that any serial program can open.

`PYTHONPATH=tests python -m devices.simulated_box [--link PATH]` prints the path of its port, then obeys
lines on standard input until they end: `roll 1 4 6`, `drop 2` (a throw whose die 2 falls off the table),
`tumble 1`, `settle 1 4`, `cocked 1`, `reboot`, and with `--link` also `replug`: the port goes away
and another comes back behind the link.
"""

import argparse
import os
import pty
import random
import selectors
import signal
import sys
import tty
from collections import deque
from pathlib import Path
from typing import TextIO

from devices.box_end import RESEND_MS, BoxLink
from pi_bunco.devices.protocols import DICE, DeviceError, ThreeFaces
from pi_bunco.devices.throws.box_link import BoxMessage, CheckedLines, encode, parse, payload
from pi_bunco.devices.virtual import faces
from pi_bunco.runtime.clock import Clock, SystemClock

WAKE_S = 0.02
COMMANDS = "roll, drop, tumble, settle, cocked, reboot or replug"


class SimulatedBox:
    """The firmware's part without hardware or clock; `now` is in ms, dice tumble for `tumble_ms`."""

    def __init__(
        self, draw: random.Random, now: float, tumble_ms: float = 0, resend_ms: float = RESEND_MS
    ) -> None:
        self._draw = draw
        self._tumble_ms = tumble_ms
        self._resend_ms = resend_ms
        self._out: list[BoxMessage] = []
        self.reboot(now)

    def reboot(self, now: float) -> None:
        """Forgets everything and says hello under a new boot."""
        self._booted = now
        self._lines = CheckedLines()
        self._coming: deque[tuple[float, int, int]] = deque()
        self._link = BoxLink(f"{self._draw.getrandbits(32):08x}", "simulated", resend_ms=self._resend_ms)
        self._out = [self._link.hello()]

    def roll(self, result: ThreeFaces, now: float) -> None:
        """All three dice tumble, once those of the throw before have settled, and settle in their turn."""
        self._throw(dict(zip(DICE, result, strict=True)), now)

    def drop(self, die: int, now: float) -> None:
        """All three dice tumble, and `die` never settles."""
        self._throw({other: self._draw.randint(1, 6) for other in DICE if other != die}, now)

    def tumble(self, die: int, now: float) -> None:
        """One die begins to tumble."""
        self._out += self._link.tumbled(die, self._ms(now))

    def settle(self, die: int, face: int, now: float) -> None:
        """One die settles."""
        self._out += self._link.settled(die, face, self._ms(now))

    def unsure(self, die: int, why: str, now: float) -> None:
        """One die shows no valid face."""
        self._out += self._link.unsure(die, why, self._ms(now))

    def hear(self, data: bytes, now: float) -> None:
        """Takes what the host sent."""
        for text in self._lines.feed(data):
            if message := parse(text):
                self._out += self._link.take(message, self._ms(now))

    def outgoing(self, now: float) -> bytes:
        """Bytes to be sent by `now`."""
        while self._coming and self._coming[0][0] <= now:
            at, die, face = self._coming.popleft()
            if face:
                self.settle(die, face, at)
            else:
                self.tumble(die, at)
        lines = [*self._out, *self._link.tick(self._ms(now))]
        self._out = []
        return b"".join(encode(payload(message)) for message in lines)

    def _throw(self, results: dict[int, int], now: float) -> None:
        start = max(now, self._coming[-1][0]) if self._coming else now
        self._coming += [(start, die, 0) for die in DICE]
        self._coming += [(start + self._tumble_ms, die, face) for die, face in results.items()]

    def _ms(self, now: float) -> int:
        return int(now - self._booted)


class Port:
    """A pseudo terminal, and a link to it that stays the same however often it is replugged."""

    def __init__(self, link: Path | None = None) -> None:
        self._link = link
        self.plug()

    def plug(self) -> None:
        """Opens a terminal, and points the link to it."""
        self.fd, self._end = pty.openpty()
        tty.setraw(self._end)
        os.set_blocking(self.fd, False)
        self.path = os.ttyname(self._end)
        if self._link is not None:
            new = self._link.with_name(self._link.name + ".new")
            new.symlink_to(self.path)
            new.replace(self._link)

    def unplug(self) -> None:
        """Closes the terminal: whoever has it open gets an error."""
        os.close(self.fd)
        os.close(self._end)

    def close(self) -> None:
        """Closes the terminal and removes the link."""
        self.unplug()
        if self._link is not None:
            self._link.unlink()

    def read(self) -> bytes:
        """Bytes that have arrived."""
        try:
            return os.read(self.fd, 4096)
        except BlockingIOError:
            return b""

    def write(self, data: bytes) -> None:
        """Sends what fits; where nobody reads, bytes are lost, as on a real wire."""
        try:
            os.write(self.fd, data)
        except BlockingIOError:
            return


def obey(line: str, box: SimulatedBox, port: Port, now: float) -> None:
    """Does what one line says; `DeviceError` says what is wrong with it."""
    match line.split():
        case []:
            return
        case ["roll", *words]:
            box.roll(faces(words), now)
        case ["drop", ("1" | "2" | "3") as die]:
            box.drop(int(die), now)
        case ["tumble", ("1" | "2" | "3") as die]:
            box.tumble(int(die), now)
        case ["settle", ("1" | "2" | "3") as die, ("1" | "2" | "3" | "4" | "5" | "6") as face]:
            box.settle(int(die), int(face), now)
        case ["cocked", ("1" | "2" | "3") as die]:
            box.unsure(int(die), "cocked", now)
        case ["reboot"]:
            box.reboot(now)
        case ["replug"]:
            port.unplug()
            port.plug()
        case _:
            raise DeviceError(f"{line.strip()[:40]!r} is not understood: {COMMANDS}, for example: drop 2")


def serve(box: SimulatedBox, port: Port, commands: int, clock: Clock, complaints: TextIO) -> None:
    """Runs the box at its port until the file descriptor `commands` ends."""
    begun, ended = b"", False
    while not ended:
        ready = _ready(commands, port.fd)
        if port.fd in ready:
            box.hear(port.read(), clock.now())
        if commands in ready:
            data = os.read(commands, 4096)
            ended = not data
            *lines, begun = (begun + (data or b"\n")).split(b"\n")
            for line in lines:
                _answer(line.decode(errors="replace"), box, port, clock.now(), complaints)
                port.write(box.outgoing(clock.now()))
        port.write(box.outgoing(clock.now()))


def _ready(*files: int) -> set[int]:
    with selectors.DefaultSelector() as selector:
        for file in files:
            selector.register(file, selectors.EVENT_READ)
        return {key.fd for key, _ in selector.select(WAKE_S)}


def _answer(line: str, box: SimulatedBox, port: Port, now: float, complaints: TextIO) -> None:
    try:
        obey(line, box, port, now)
    except DeviceError as error:
        print(error, file=complaints, flush=True)


def main() -> int:
    """Runs one box until standard input ends."""
    parser = argparse.ArgumentParser(prog="simulated_box", description="A dice box at a pseudo terminal.")
    parser.add_argument(
        "--link", type=Path, help="a link to the port that stays the same when it is replugged"
    )
    parser.add_argument("--seed", type=int, help="makes boot ids and dropped throws repeatable")
    parser.add_argument("--tumble-ms", type=float, default=400, help="how long dice tumble (default 400)")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    clock, port = SystemClock(), Port(options.link)
    try:
        print(port.path, flush=True)
        box = SimulatedBox(random.Random(options.seed), clock.now(), options.tumble_ms)
        serve(box, port, sys.stdin.fileno(), clock, sys.stderr)
    finally:
        port.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
