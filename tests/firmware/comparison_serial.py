"""Throws of the real firmware over a bad serial line, as two readers take them that share no code.

`python -m tests.firmware.comparison_serial THROWS` counts what was accepted, what of it was wrong, doubled or
missing, and where the two readers differ, for each kind of damage. One of the two answers the box; both read
it, and what the other one missed by then is no difference, since the box forgets what was acknowledged.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

from firmware.comparison import Box, told
from firmware.independent import Serial, Thrown
from pi_bunco.devices.gpio.decoding import Change
from pi_bunco.devices.protocols import Throw
from pi_bunco.devices.throws.dicebox import DiceBox

BEAT_MS = 50
REST_MS = 3500
Faces = tuple[int, int, int]
Mark = tuple[str, int]
Damage = Callable[[bytes, Random], bytes]


def whole(data: bytes, _random: Random) -> bytes:
    return data


def lost(data: bytes, random: Random) -> bytes:
    return b"".join(line for line in data.splitlines(True) if random.random() > 0.3)


def doubled(data: bytes, random: Random) -> bytes:
    return b"".join(line * random.choice((1, 1, 2, 3)) for line in data.splitlines(True))


def garbled(data: bytes, random: Random) -> bytes:
    return bytes(random.randrange(256) if random.random() < 0.01 else byte for byte in data)


def dropped(data: bytes, random: Random) -> bytes:
    return bytes(byte for byte in data if random.random() > 0.005)


def chatter(data: bytes, random: Random) -> bytes:
    noise = (
        b"\r\nMicroPython v1.24\r\n>>> ",
        b"$",
        b"$R,",
        b"*\n",
        bytes(random.randrange(256) for _ in range(40)),
    )
    return b"".join(
        line + (random.choice(noise) if random.random() < 0.2 else b"") for line in data.splitlines(True)
    )


DAMAGES: dict[str, Damage] = {
    damage.__name__: damage for damage in (whole, lost, doubled, garbled, dropped, chatter)
}
OUTAGES = {"cable out": 3, "cable out for long": 8}
"""Throws that are made meanwhile; the box keeps 32 lines, the last five throws."""
EVENTS = ("none", "box restarts", *OUTAGES, "table restarts")


@dataclass
class Count:
    """The outcomes of the throws."""

    throws: int = 0
    accepted: int = 0
    wrong: int = 0
    doubled: int = 0
    cut: int = 0
    """Throws that the box could not finish: it was switched off."""
    missing: int = 0
    """Throws neither accepted nor cut short."""
    differences: list[str] = field(default_factory=list)


class Table:
    """A box, the line, and two readers of it; `answers` says which of them the box hears."""

    def __init__(self, damage: Damage, answers: str, seed: int) -> None:
        self.random = Random(seed)
        self.damage, self.answers = damage, answers
        self.first, self.second = DiceBox(), Serial()
        self.thrown: dict[str, list[tuple[Mark, Faces]]] = {"package": [], "second": []}
        self.truth: dict[Mark, Faces] = {}
        self.cut = 0
        self.now = 0.0
        self._seeds = iter(range(seed * 1000 + 1, seed * 1000 + 1000))
        self.plugged_in = True
        self._data = b""
        self.switch_on()

    def switch_on(self) -> None:
        """A new boot of the box."""
        self.box = Box(next(self._seeds))
        self._sent = b""
        self._changes: list[Change] = []
        self._numbers = 0
        self.run(1500)

    def switch_off(self) -> None:
        """Compares what it told on its lines with what it told by its lines; then it is gone."""
        self.box.close()
        boots = [line.split(b",")[2].decode() for line in self._sent.splitlines() if line.startswith(b"$H")]
        whole_throws = [change for change in self._changes if change.name != "rolling" or change.on]
        dice = sum(change.on for change in whole_throws if change.name.startswith("strobe")) // 6
        starts = sum(change.on for change in self._changes if change.name == "rolling")
        self.cut += starts - dice
        cut_at = [change.at for change in self._changes if change.name == "rolling" and change.on][dice:]
        kept = [change for change in self._changes if not cut_at or change.at < cut_at[0]]
        for place, faces in enumerate(told(kept)[1]):
            self.truth[boots[0], 6 * (place + 1)] = faces

    def run(self, ms: int, pressed: bool = False) -> None:
        """Lets the time pass."""
        for _ in range(ms // BEAT_MS):
            self.now += BEAT_MS
            sent, changes = self.box.run(BEAT_MS, pressed, self._data, late=0)
            self._sent += sent
            self._changes += changes
            self._data = self.damage(self._hear(self.damage(sent, self.random)), self.random)
            self._data = self._data if self.plugged_in else b""

    def _hear(self, data: bytes) -> bytes:
        data = data if self.plugged_in else b""
        for event in [*self.first.hear(data, self.now), *self.first.tick(self.now)]:
            if isinstance(event, Throw) and event.mark:
                self.thrown["package"].append(((event.mark.boot, event.mark.seq), event.faces))
                self.first.committed(event.mark)
        for outcome in self.second.data(self.now, data):
            if isinstance(outcome, Thrown) and outcome.mark:
                self.thrown["second"].append((outcome.mark, outcome.faces))
        answers, self.second.answers = self.second.answers, []
        package = self.first.outgoing()
        return package if self.answers == "package" else b"".join(answers)

    def restart(self) -> None:
        """The table's service starts anew, and resumes where it had stored a throw."""
        from pi_bunco.devices.protocols import ThrowMark

        marks = self.thrown["package"][-1:]
        self.first = DiceBox(ThrowMark(*marks[0][0]) if marks else None)
        self.first.plugged(self.now)
        marks = self.thrown["second"][-1:]
        self.second = Serial(*marks[0][0]) if marks else Serial()


def played(damage: Damage, event: str, answers: str, throws: int, seed: int) -> Count:
    """The outcomes of `throws` throws, with the event in the midst of every seventh of them."""
    table = Table(damage, answers, seed)
    random = Random(seed)
    for number in range(throws):
        table.run(100, pressed=True)
        before = random.randrange(0, REST_MS, BEAT_MS)
        table.run(before)
        if number % 7 == 3:
            _happens(table, event)
        table.run(REST_MS - before)
    table.plugged_in = True
    table.damage = whole
    table.run(3000)
    table.switch_off()
    return _counted(table, throws)


def _happens(table: Table, event: str) -> None:
    if event == "box restarts":
        table.switch_off()
        table.switch_on()
    elif event == "table restarts":
        table.restart()
    elif event in OUTAGES:
        table.plugged_in = False
        for _ in range(OUTAGES[event]):
            table.run(REST_MS)
            table.run(100, pressed=True)
        table.run(REST_MS)
        table.plugged_in = True


def _counted(table: Table, throws: int) -> Count:
    package, second = (dict(table.thrown[who]) for who in ("package", "second"))
    count = Count(throws=len(table.truth) + table.cut, accepted=len(package), cut=table.cut)
    count.doubled = len(table.thrown["package"]) - len(package)
    count.wrong = sum(table.truth.get(mark, faces) != faces for mark, faces in package.items())
    count.wrong += sum(mark not in table.truth and mark[1] % 6 != 0 for mark in package)
    answering = package if table.answers == "package" else second
    count.missing = sum(mark not in answering for mark in table.truth)
    for mark in sorted({*package, *second, *table.truth}):
        if package.get(mark) == second.get(mark):
            continue
        if mark not in answering or (mark in package and mark in second):
            read = f"read as {package.get(mark)} and {second.get(mark)}"
            count.differences.append(f"{mark}: {table.truth.get(mark)}, {read}")
    assert throws <= count.throws
    return count


def counts(throws: int, seed: int = 1) -> Iterator[tuple[str, Count]]:
    """Each kind of damage with each event, the box answered by each reader."""
    for name, damage in DAMAGES.items():
        for event in EVENTS:
            for answers in ("package", "second"):
                yield f"{name}, {event}, answered by {answers}", played(damage, event, answers, throws, seed)


def main(throws: int) -> int:
    """Prints the counts; 1 if a roll was wrong or came twice."""
    bad = 0
    for what, count in counts(throws):
        bad += count.wrong + count.doubled
        found = [f"{name} {value}" for name, value in vars(count).items() if name != "differences"]
        print(f"{what}: {', '.join(found)}, {len(count.differences)} differences", flush=True)
        for difference in count.differences[:3]:
            print("   ", difference)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
