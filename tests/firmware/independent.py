"""Two readers of dice written from the protocol's text alone, to be compared with the package's readers.

They know nothing of the firmware or of `pi_bunco.devices.dice`: an error that both made together would show
as a difference here. Times are in milliseconds.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

WINDOW = 10_000
"""A throw closes within this of its opening, or is void."""
PARTNER = 400
"""The second strobe begins within this of the end of the first."""
SECOND = {1: 5, 2: 3, 3: 1, 4: 6, 5: 4, 6: 2}
"""The number that tells a face the second time."""
SPIKE = 10
"""A shorter strobe is none: three readings, 5 ms apart, span this."""


@dataclass(frozen=True)
class Thrown:
    """Three faces that count."""

    faces: tuple[int, int, int]
    began: float
    settled: float
    mark: tuple[str, int] | None = None
    """The mark that the host stores with it: the box's boot and the number of the last line."""


@dataclass(frozen=True)
class Void:
    """A throw that does not count, and what is named as the cause."""

    named: str
    at: float


Outcome = Thrown | Void


@dataclass
class Throw:
    """The throw that is open: who has tumbled, and what lies."""

    opened: float
    tumbling: set[int] = field(default_factory=set)
    faces: dict[int, int] = field(default_factory=dict)
    settled: float = 0.0

    def tumbles(self, die: int) -> None:
        self.tumbling.add(die)
        self.faces.pop(die, None)

    def settles(self, die: int, face: int, at: float) -> None:
        self.tumbling.discard(die)
        self.faces[die] = face
        self.settled = at

    def outcome(self) -> Thrown | None:
        if self.tumbling or len(self.faces) < 3:
            return None
        one, two, three = (self.faces[die] for die in (1, 2, 3))
        return Thrown((one, two, three), self.opened, self.settled)


# Seven wires.


@dataclass(frozen=True)
class Half:
    """One strobe: the number on the face wires while it was high."""

    number: int
    ended: float


class Wires:
    """Reads a box by its seven lines `b0 b1 b2 strobe1 strobe2 strobe3 rolling`."""

    def __init__(self, levels: dict[str, int] | None = None) -> None:
        self.levels = dict.fromkeys(("b0", "b1", "b2", "strobe1", "strobe2", "strobe3", "rolling"), 0) | (
            levels or {}
        )
        self.throw: Throw | None = None
        self.rose: dict[int, tuple[float, int]] = {}
        self.blurred: set[int] = set()
        self.first: dict[int, Half] = {}
        self.resting = False
        self.proof: list[int] | None = []
        """The numbers on the face wires before the first strobe of a throw; None once there was one."""
        self.shown_since = 0.0

    def edge(self, at: float, line: str, level: int) -> list[Outcome]:
        """Takes one change of a line."""
        found = self.passed(at)
        if self.levels[line] == level:
            return found
        if line.startswith("b"):
            self._shown(at)
        self.levels[line] = level
        if line == "rolling":
            found += self._rolling(at, level)
        elif line.startswith("s"):
            found += self._strobe(at, int(line[-1]), level)
        else:
            self.blurred |= set(self.rose)
        return found

    def passed(self, at: float) -> list[Outcome]:
        """All that follows from time alone."""
        for die, half in self.first.items():
            if at > half.ended + PARTNER and die not in self.rose:
                return self._void(f"die {die}: no second strobe", half.ended + PARTNER)
        if self.throw and at > self.throw.opened + WINDOW:
            return self._void(self._late(self.throw), self.throw.opened + WINDOW)
        return []

    def _late(self, throw: Throw) -> str:
        silent = [f"strobe{die}" for die in (1, 2, 3) if die not in throw.faces]
        return "no report: " + " ".join(silent) if silent else "rolling stays high"

    def _number(self) -> int:
        return sum(self.levels[f"b{bit}"] << bit for bit in range(3))

    def _rolling(self, at: float, level: int) -> list[Outcome]:
        if level:
            self.resting = False
            if self.throw is None:
                self.throw, self.proof = Throw(at), []
            self.throw.faces.clear()
            return []
        return self._closed()

    def _shown(self, at: float) -> None:
        """A number goes from the face wires, on which it stayed for a while."""
        if self.proof is not None and self._number() and at - self.shown_since >= SPIKE:
            self.proof.append(self._number())
        self.shown_since = at

    def _strobe(self, at: float, die: int, level: int) -> list[Outcome]:
        if level:
            self.rose[die] = (at, self._number())
            self.blurred.discard(die)
            proof, self.proof = self.proof, None
            shown = [] if proof is None else [*proof, self._number()][:3]  # the rest before a 4 is short
            if self.throw and proof is not None and shown != [1, 2, 4]:
                return self._void(f"face wires: {proof} instead of 1, 2, 4", at)
            if len(self.rose) > 1:
                return self._void(
                    "strobes together: " + " ".join(f"strobe{one}" for one in sorted(self.rose)), at
                )
            return []
        if die not in self.rose:
            return []
        since, number = self.rose.pop(die)
        if at - since < SPIKE:
            return []
        if at - since > PARTNER:
            return self._void(f"strobe{die} stays high", at)
        if self.throw is None:
            return [] if self.resting else self._void("rolling: a strobe without a tumble", at)
        if die in self.blurred:
            return self._void("face wires moved under a strobe", at)
        return self._half(die, number, since, at)

    def _half(self, die: int, number: int, began: float, ended: float) -> list[Outcome]:
        assert self.throw
        if die not in self.first:
            self.first[die] = Half(number, ended)
            return []
        half = self.first.pop(die)
        if SECOND.get(half.number) != number:
            return self._void(f"die {die}: told as {half.number}, then by {number}", ended)
        if began > half.ended + PARTNER:
            return self._void(f"die {die}: no second strobe", ended)
        self.throw.settles(die, half.number, ended)
        return self._closed()

    def _closed(self) -> list[Outcome]:
        thrown = (
            self.throw.outcome() if self.throw and not self.levels["rolling"] and not self.first else None
        )
        if thrown is None:
            return []
        self.throw = None
        return [thrown]

    def _void(self, named: str, at: float) -> list[Outcome]:
        self.throw = None
        self.resting = True
        self.first.clear()
        return [Void(named, at)]


# A serial line.


def framed(payload: str) -> bytes:
    """A line as it goes over the wire."""
    return f"${payload}*{binascii.crc32(payload.encode()):08x}\n".encode()


def payload(line: bytes) -> list[str] | None:
    """The fields of a line without its end, or None where it is no line of the protocol."""
    start = line.rfind(b"$")
    body, star, crc = line[start + 1 :].rstrip(b"\r").rpartition(b"*")
    if start < 0 or not star or f"{binascii.crc32(body):08x}".encode() != crc:
        return None
    return body.decode("ascii", "replace").split(",")


class Serial:
    """Reads a box by its serial lines; `answers` are the lines for the box."""

    LINK = 3000

    def __init__(self, boot: str | None = None, seq: int = 0) -> None:
        self.boot, self.seq = boot, seq
        self.garbage = 0
        self.answers = [framed("?")]
        self.stored = seq
        self.throw: Throw | None = None
        self.shows: dict[int, int] = {}
        self._rest = b""
        self._latest = 0.0

    def data(self, now: float, data: bytes) -> list[Outcome]:
        """Takes what arrived at `now`."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [outcome for line in lines for outcome in self._line(now, line)]

    def down(self, now: float) -> bool:
        """True if nothing has come for so long that the link counts as down."""
        return now - self._latest >= self.LINK

    def _line(self, now: float, line: bytes) -> Iterator[Outcome]:
        fields = payload(line)
        if fields is None:
            self.garbage += 1
            return
        self._latest = now
        if fields[0] == "H":
            yield from self._hello(fields[2], int(fields[5]))
        elif fields[0] in "RBX":
            yield from self._numbered(fields)
        elif fields[0] == "P":
            if fields[1] != self.boot:
                self.answers.append(framed("?"))
            elif int(fields[3]) <= self.seq:
                yield from self._passed(float(fields[2]))
        elif fields[0] == "F":
            self.shows[int(fields[2])] = int(fields[3])

    def _hello(self, boot: str, oldest: int) -> Iterator[Outcome]:
        if boot != self.boot:
            self.boot, self.seq = boot, oldest - 1
            yield from self._void("the box started anew")
        elif oldest > self.seq + 1:
            self.seq = oldest - 1
            yield from self._void("lines are missing")

    def _numbered(self, fields: list[str]) -> Iterator[Outcome]:
        boot, seq = fields[1], int(fields[2])
        if boot != self.boot:
            self.answers.append(framed("?"))
            return
        if seq > self.seq + 1:
            self.answers.append(framed("?"))
            return
        if seq == self.seq + 1:
            self.seq = seq
            yield from self._happened(fields)
            if self.throw is None:  # what became of it is stored now
                self.stored = self.seq
        if seq <= self.stored:
            self.answers.append(framed(f"A,{boot},{self.stored}"))

    def _happened(self, fields: list[str]) -> Iterator[Outcome]:
        die, at = int(fields[3]), float(fields[-1])
        yield from self._passed(at)
        if fields[0] == "B":
            self.throw = self.throw or Throw(at)
            self.throw.tumbles(die)
        elif self.throw is None:
            return
        elif fields[0] == "X":
            self.throw.tumbles(die)
        elif die in self.throw.tumbling:
            self.throw.settles(die, int(fields[4]), at)
            if thrown := self.throw.outcome():
                self.throw = None
                yield replace(thrown, mark=(fields[1], int(fields[2])))

    def _passed(self, uptime: float) -> Iterator[Outcome]:
        if self.throw and uptime > self.throw.opened + WINDOW:
            yield from self._void("late")

    def _void(self, named: str) -> Iterator[Outcome]:
        if self.throw:
            yield Void(named, self.throw.opened + WINDOW)
        self.throw = None
