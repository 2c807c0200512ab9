"""The dice box as a Unix process on MicroPython: its USB is standard input and output.

Its time runs as fast as the machine does. The file named by `BUTTON` brings orders of one letter: `r`, the
roll button is pressed until the dice tumble; `c`, as well, and the power is cut in that throw; `x`, the
program fails; `q`, the power is cut a second later.
What the Pi would read at the lines goes to standard error: `1 6` for die 1 on face 6.
"""

import gc
import os
import select
import sys

from firmware.fakes import FakeBoard

BEAT_MS = 10
PRESS_MS = 100
CUT_MS = 200
OFF_MS = 1000


class BoxBoard(FakeBoard):
    """A fake board with a real console and real randomness."""

    def __init__(self) -> None:
        super().__init__()
        self.name = b"unix"
        self.ports = (__import__("console").Console(),)  # see heap.py
        self._orders = open(os.getenv("BUTTON") or "", "rb", 0)  # noqa: SIM115
        self._poll = select.poll()
        self._poll.register(self._orders, select.POLLIN)
        self._wanted = False
        self._twice = False
        self._cut = False
        self._broken = False
        self._off = False
        self._off_ms = 0
        self._tumbled_ms = 0

    def random(self, count: int) -> bytes:
        return os.urandom(count)

    def raw(self, count: int) -> bytes:
        return os.urandom(count)

    def tidy(self) -> None:
        gc.collect()

    def roll_pressed(self) -> bool:
        if self._broken:
            raise ValueError("broken by order")
        return self._wanted and self.now // PRESS_MS % 2 == 1

    def strobe(self, die: int, level: int) -> None:
        super().strobe(die, level)
        if level:
            if not self._twice:
                sys.stderr.write(f"{die} {self.faces}\n")
            self._twice = not self._twice

    def wait(self) -> None:
        self.pass_ms(BEAT_MS)
        self._tumbled_ms = self._tumbled_ms + BEAT_MS if self.tumbling else 0
        if self.tumbling:
            self._wanted = False
        self._off_ms += BEAT_MS if self._off else 0
        if (self._cut and self._tumbled_ms >= CUT_MS) or self._off_ms >= OFF_MS:
            sys.exit()
        if self._poll.poll(0 if self._wanted or self.tumbling else 1):
            self._obey(self._orders.read(1))

    def _obey(self, order: bytes) -> None:
        if not order:
            sys.exit()  # nobody is left to give orders
        self._wanted = order in (b"r", b"c")
        self._cut = order == b"c"
        self._broken = order == b"x"
        self._off = order == b"q"
