"""Trouble that befalls a hall, at moments by lot."""

from random import Random

from ._machines import BROKER, HEAD, Machines

DARK = 100.0, 1500.0
"""Milliseconds without power."""
HANGS = 500.0, 3000.0  # ms
PATIENCE = 500.0  # ms
KINDS = (
    "table", HEAD, BROKER, "plug", "card", "hang", "hang", "stall", "deaf", "reset", "slow", "full",
)  # fmt: skip
CARDS = 10_000.0
"""Milliseconds from one lost card to the next: one at a time is what the hall promises to survive."""


class Trouble:
    """Kills, hangs, bad links and lost cards, one about every `gap` ms; each kind comes before any again."""

    def __init__(self, machines: Machines, random: Random, gap: float) -> None:
        self.others = 0
        """The number of troubles that were no kill."""
        self.cards: list[float] = []
        """Times at which the head lost its card (ms)."""
        self._machines = machines
        self._random = random
        self._gap = gap
        self._at = self._card_at = 0.0
        self._thrown = 0
        self._bag: list[str] = []

    def tick(self, now: float) -> None:
        """Does what is due, just after a throw if one comes: then most is on its way."""
        thrown = sum(len(seats.thrown) for seats in self._machines.seats)
        if now < self._at:
            self._thrown = thrown
            return
        if thrown == self._thrown and now < self._at + PATIENCE:
            return
        self._at = now + self._gap * (0.5 + self._random.random())
        if not self._bag:
            self._bag = [*KINDS]
            self._random.shuffle(self._bag)
        what = self._bag.pop()
        self._machines.note(what)
        if what == "card":
            self._card(now)
        elif what in ("table", "plug", HEAD, BROKER):
            self._kill(what)
        else:
            self.others += 1
            self._disturb(what)

    def _kill(self, what: str) -> None:
        table = self._random.choice(self._machines.names[2:])
        names = {"table": [table], "plug": [BROKER, HEAD, "table1"]}.get(what, [what])
        for name in names:
            self._machines.kill(name, self._random.uniform(*DARK))

    def _card(self, now: float) -> None:
        """The head's files are gone, or a table's replica of the log.

        Its machine stays on, by its boot's name too: what it noted in memory is there.
        """
        if now < self._card_at or not self._machines.well:
            return
        self._card_at, self.others = now + CARDS, self.others + 1
        if self._random.random() < 0.5:
            self._machines.kill(HEAD, self._random.uniform(*DARK))
            self._machines.lose(HEAD, "*")
            self.cards.append(now)
        else:
            table = self._random.choice(self._machines.names[2:])
            self._machines.kill(table, self._random.uniform(*DARK))
            self._machines.lose(table, "replica.db*")

    def _disturb(self, what: str) -> None:
        ms = self._random.uniform(*HANGS)
        link = self._random.choice(self._machines.links.of)
        service = self._random.choice(self._machines.names[1:])
        match what:
            case "slow":
                self._machines.slow(service, ms)
            case "full":
                self._machines.full(service, ms)
            case "hang":
                self._machines.hang(self._random.choice(self._machines.names), ms)
            case "stall":
                link.stall(ms / 1000)
            case "deaf":
                link.half_open()
            case _:
                link.reset()
