"""Three dice of a table that are thrown again and again, each at a radio that breaks."""

import heapq
import itertools
import random
from collections.abc import Callable

from msgspec import Struct

from devices.radio_dies import DIES, MODELS, Die
from pi_bunco.devices.protocols import DICE, DiceEvent, Throw, ThrowVoid
from pi_bunco.devices.throws.radio_dice import LINK_MS, ONE_HAND_MS, RadioThrows


class Count(Struct):
    """The outcomes of the throws that were made: `wrong` ones have other faces than those thrown then."""

    made: int
    counted: int = 0
    void: int = 0
    wrong: int = 0
    double: int = 0


def played(table: "Table", throws: int) -> Count:
    """A throw that is told lies within one that was made, has its faces, and is told once."""
    table.play(throws)
    count, told = Count(len(table.truth)), set[float]()
    for event in table.told:
        count.void += isinstance(event, ThrowVoid)
        if isinstance(event, Throw):
            at = event.settled - (event.err or 0)
            made = [(began, faces) for began, ended, faces in table.truth if began <= at <= ended]
            count.counted += 1
            count.wrong += [faces for _, faces in made] != [event.faces]
            count.double += any(began in told for began, _ in made)
            told |= {began for began, _ in made}
    return count


def swapped(table: "Table", throws: int) -> list[str]:
    """The reason why throws of two dice here and one over there, and the other way round, gave nothing."""
    for die in DICE:
        table.link(die, 0.0)
    now = 1000.0
    for number in range(throws):
        for die in (1, 2) if number % 2 else (3,):
            table.at(now + 30 * die, table.says(die, "rolls"))
            table.at(now + 900 + 30 * die, table.says(die, "lies", table.random.randint(1, 6), True))
        now += table.random.uniform(ONE_HAND_MS + 2 * LINK_MS, 12_000)
    table.run(now + 60_000)
    assert not [event for event in table.told if isinstance(event, Throw)]
    return [event.why for event in table.told if isinstance(event, ThrowVoid)]


class Table:
    """The dice and their radios in virtual time: `told` is what the table makes of them."""

    def __init__(self, word: str, seed: int) -> None:
        self.random = random.Random(seed)
        self.dice: dict[int, Die] = {die: DIES[word]() for die in DICE}
        self.throws = RadioThrows(MODELS[word])
        self.told: list[DiceEvent] = []
        self.truth: list[tuple[float, float, tuple[int, ...]]] = []
        """From when to when each throw went, and what it showed; nothing where a die leaned."""
        self._due: list[tuple[float, int, Callable[[float], object]]] = []
        self._order = itertools.count()
        self._broken = dict.fromkeys(DICE, 0)
        self._latest = dict.fromkeys(DICE, 0.0)

    def at(self, when: float, happens: Callable[[float], object]) -> None:
        heapq.heappush(self._due, (when, next(self._order), happens))

    def play(self, count: int) -> None:
        """Throws the dice; now and then a link breaks for a while, or a message comes twice."""
        now = 1000.0
        for die in DICE:
            self.link(die, 0.0)
        for _ in range(count):
            now = self._thrown(now) + self.random.choice((600, 2000, 9000))
            if self.random.random() < 0.3:
                begins, die = now + self.random.uniform(-6000, 3000), self.random.choice(DICE)
                self.at(begins, lambda at, die=die: self._break(die, at))  # type: ignore[misc]
                back = begins + self.random.uniform(2000, 9000)
                self.at(back, lambda at, die=die: self._mend(die, at))  # type: ignore[misc]
        self.run(now + 60_000)

    def _thrown(self, now: float) -> float:
        faces = tuple(self.random.randint(1, 6) for _ in DICE)
        flat = [self.random.random() > 0.03 for _ in DICE]
        ends = []
        for die, face, level in zip(DICE, faces, flat, strict=True):
            begins = now + self.random.uniform(0, 400)
            ends.append(begins + self.random.uniform(400, 2500))
            self.at(begins, self.says(die, "rolls"))
            self.at(ends[-1], self.says(die, "lies", face, level))
            if self.random.random() < 0.05:
                self.at(ends[-1] + self.random.uniform(50, 500), self.says(die, "moved", face))
        self.truth.append((now, max(ends), faces if all(flat) else ()))
        return max(ends)

    def run(self, end: float) -> None:
        while self._due:
            at, _, happens = heapq.heappop(self._due)
            self.tick(at)
            happens(at)
        self.tick(end)

    def says(self, die: int, what: str, *more: object) -> Callable[[float], None]:
        def happens(at: float) -> None:
            self._send(die, getattr(self.dice[die], what)(*more), at)

        return happens

    def _send(self, die: int, messages: list[bytes], at: float) -> None:
        """Each message arrives in its die's order, and now and then twice; none while the link is broken."""
        for data in messages if not self._broken[die] else ():
            arrives = self._latest[die] = max(self._latest[die], at + self.random.choice((8, 30, 400)))
            for _ in range(2 if self.random.random() < 0.05 else 1):
                self.at(arrives, lambda at, data=data: self.take(die, data, at))  # type: ignore[misc]

    def asked(self, die: int, question: bytes, at: float) -> None:
        """The question is on its way to the die."""
        later = at + self.random.choice((8, 30, 400))
        self.at(later, lambda at: self._send(die, self.dice[die].answer(question), at))

    def _break(self, die: int, at: float) -> None:
        self._broken[die] += 1
        seen = self._latest[die] = max(self._latest[die], at + 420)
        self.at(seen, lambda at: self.unlink(die, at))

    def _mend(self, die: int, at: float) -> None:
        self._broken[die] -= 1
        if not self._broken[die]:
            self.at(max(self._latest[die], at), lambda at: self.link(die, at))

    def tick(self, at: float) -> None:
        """The time is `at`."""
        self.told += self.throws.tick(at)

    def take(self, die: int, data: bytes, at: float) -> None:
        """The message has come."""
        self.told += self.throws.take(die, data, at)
        self._ask(die, at)

    def link(self, die: int, at: float) -> None:
        """The link is there."""
        self.told += self.throws.linked(die, at)
        self._ask(die, at)

    def unlink(self, die: int, at: float) -> None:
        """The link is known to be down."""
        self.told += self.throws.unlinked(die, at, "")

    def _ask(self, die: int, at: float) -> None:
        for question in self.throws.questions.pop(die, ()):
            self.asked(die, question, at)
