"""A box that was written from the protocol's text alone plays with the package; that of the seven wires is
`gpio.cable`.
"""

import random
import zlib
from collections.abc import Callable

import pytest

from firmware.box_from_text import SerialBox
from pi_bunco.devices.protocols import DiceEvent, Throw, ThrowVoid
from pi_bunco.devices.throws.dicebox import DiceBox
from thorough import times

STEP_MS = 10.0
PATIENCE_MS = 120_000.0


class Line:
    """A box and a host at the two ends of a line that damages the `share` of all bytes."""

    def __init__(self, share: float) -> None:
        self.now = 0.0
        self.outcomes: list[Throw | ThrowVoid] = []
        self.host = DiceBox(None)
        self.box = SerialBox("00c0ffee", self.now)
        self._random = random.Random(1)
        self._share = share
        self.host.plugged(self.now)

    def until(self, done: Callable[[], bool]) -> None:
        end = self.now + PATIENCE_MS
        while not done():
            self.now += STEP_MS
            assert self.now < end, "nothing more comes of it"
            self.box.take(self._damaged(self.host.outgoing()), self.now)
            self.box.tick(self.now)
            told: list[DiceEvent] = [*self.host.hear(self._damaged(bytes(self.box.out)), self.now)]
            self.box.out.clear()
            told += self.host.tick(self.now)
            self.outcomes += [event for event in told if isinstance(event, Throw | ThrowVoid)]

    def _damaged(self, data: bytes) -> bytes:
        if not self._share:
            return data
        draw = self._random
        return bytes(draw.randrange(256) if draw.random() < self._share else byte for byte in data)


@pytest.mark.parametrize("share", [0.0, 0.01])
def test_every_throw_of_a_box_written_from_the_text_counts_once(share: float) -> None:
    line, draw, thrown = Line(share), random.Random(2), []
    line.until(lambda: line.now > 2000)
    for count in range(1, times(1000) + 1):
        thrown.append(tuple(draw.randint(1, 6) for _ in range(3)))
        line.box.throw(thrown[-1], line.now)
        line.until(lambda count=count: len(line.outcomes) == count)  # type: ignore[misc]
        throw = line.outcomes[-1]
        assert isinstance(throw, Throw), throw
        assert throw.mark
        line.host.committed(throw.mark)
        assert abs(throw.settled - line.now) < 5000
    line.until(lambda end=line.now + 5000: line.now > end)  # type: ignore[misc]
    assert [throw.faces for throw in line.outcomes if isinstance(throw, Throw)] == thrown


def test_a_box_that_says_more_than_the_text_asks_for_is_understood() -> None:
    """Further fields, words of its own, and a carriage return before the newline."""
    line = Line(0.0)
    line.until(lambda: line.now > 2000)
    line.box.throw((6, 5, 4), line.now)
    said = []
    for text in line.box.out.decode().splitlines():
        payload = text[1:].partition("*")[0] + ",more"
        said += ["Z,what", payload]
    line.box.out[:] = b"".join(
        f"noise ${payload}*{zlib.crc32(payload.encode()):08x}\r\n".encode() for payload in said
    )
    line.until(lambda: bool(line.outcomes))
    assert [type(one) for one in line.outcomes] == [Throw]
