"""How a head finds the end of its log: one way for a restart, a new card, a card that lied, a late table.

It asks the replicas, and waits no longer than is worth it (PROTOCOL.md section 2, Recovery). Pure: times are
ms of the clock.
"""

from collections.abc import Callable, Sequence

from pi_bunco.game import facts
from pi_bunco.head.reading import Ending, Reading, Request, Result, has, number, place, ranked
from pi_bunco.log.chain import LogKey
from pi_bunco.log.entry import Entry
from pi_bunco.wire import topics
from pi_bunco.wire.messages import ReplicaClaim

BACK = 600.0
"""For so many ms a head with a journal waits for replicas that are not there: they are back within 500."""
WITH_A_LOG = 5000.0
"""For so many ms a head that has an evening waits at most."""
NO_REPLICA = 1000.0
"""A head without an evening begins empty if for so many ms nobody names a replica."""
WITHOUT = 20_000.0
"""For so many ms a head without an evening waits for all replicas of the one that is named."""
SILENCE = 2000.0
"""A replica that sends nothing for so many ms is asked again, and nobody waits for it any more."""


class Recovery:
    """What the replicas have that the log has not; `pending` until the head may apply facts."""

    def __init__(self, key: LogKey, log: Callable[[], Sequence[Entry]], clock: bool = True) -> None:
        """`log` gives the head's own, which grows while it works; `clock` is whether it knows the time."""
        self.pending = True
        self.offers: dict[str, Ending] = {}
        """Per replica the log that only the host can choose."""
        self._key = key
        self._current = log
        self._journal = bool(log())
        self._clock = clock
        self._since: float | None = None
        self._readings: dict[str, Reading] = {}
        self._claims: dict[str, ReplicaClaim] = {}
        self._there: set[str] = set()
        self._elsewhere = False
        """Whether the broker keeps an entry that this log has not."""

    @property
    def asks(self) -> bool:
        """Whether there is an evening, here or at a replica, whose end may be missing."""
        return bool(self._log or self._claims or self._elsewhere)

    @property
    def passed_over(self) -> list[str]:
        """The replicas that promised entries and send none."""
        return [reading.node for reading in self._readings.values() if reading.silent and not reading.done]

    @property
    def _log(self) -> Sequence[Entry]:
        return self._current()

    def connected(self, now: float) -> None:
        """The broker is there; what was asked before may be gone."""
        self._since = now if self._since is None else self._since
        self._readings = {node: one for node, one in self._readings.items() if one.done}

    def retained(self, entry: Entry) -> None:
        """The broker's last entry: one of the log ends the wait.

        A head that does not know the time waits on: a table that answers has told it before.
        """
        self._elsewhere = not has(self._log, entry.evening, entry.n, entry.mac)
        self.pending = self.pending and (self._elsewhere or not self._clock)

    def named(self, node: str, claim: ReplicaClaim | None) -> None:
        """The broker remembers what a replica had, which may or may not be there."""
        if claim and claim.length:
            self._claims.setdefault(node, claim)

    def online(self, node: str, claim: ReplicaClaim | None, now: float) -> list[Request]:
        """A replica says what it has: it is asked for what may be missing here."""
        self._there.add(node)
        if claim is None or not claim.length:
            self._claims.pop(node, None)
            return []
        known, self._claims[node] = self._claims.get(node), claim
        reading = self._readings.get(node)
        if reading and (not reading.done or claim == known):
            return []
        return [] if self._nothing_new(claim) else self._read(node, claim, now)

    def doubt(self, now: float) -> list[Request]:
        """Somebody knows of more than the log: every replica that is there is asked again."""
        requests: list[Request] = []
        for node in self._there & set(self._claims):
            reading = self._readings.get(node)
            if reading is None or (reading.done and now - reading.asked_at >= SILENCE):
                requests += self._read(node, self._claims[node], now)
        return requests

    def offline(self, node: str) -> None:
        """A replica is gone."""
        self._there.discard(node)
        self._readings.pop(node, None)

    def entries(self, node: str, evening: str, entries: Sequence[Entry], now: float) -> list[Result]:
        """An answer: entries that verify are kept, more are asked for; the last one says what was found."""
        reading = self._readings.get(node)
        if reading is None or reading.done or reading.evening != evening:
            return []
        if not all(reading.add(self._key, self._log, entry) for entry in entries):
            return self._again_from_the_first(reading, now)
        if entries:
            reading.asked_at, reading.silent = now, False
            return [reading.request()]
        reading.done = True
        return self._outcome(reading)

    def tick(self, now: float) -> list[Result]:
        """Waits no longer for who is silent, but asks again; ends the wait in time."""
        results: list[Result] = []
        for reading in self._readings.values():
            if not reading.done and now - reading.asked_at >= SILENCE:
                results += [] if reading.silent else self._outcome(reading)
                results.append(reading.request())
                reading.asked_at, reading.silent = now, True
        if self.pending and self._since is not None and self._over(now - self._since):
            self.pending = False
        return results

    def go_on(self) -> None:
        """The host does not want to wait."""
        self.pending = False

    def waits_for(self) -> str:
        """Why nothing is done yet, a sentence."""
        asked = sorted(place(one.node).lower() for one in self._awaited())
        whom = f" from {', '.join(asked)}" if asked else ""
        return f"The head reads the end of the evening{whom}; wait a moment, or go on with what is here."

    def choose(self, table: int) -> Ending | None:
        """The offer of the replica that the host calls by its table's number; it and the others are over."""
        offer = next((one for node, one in self.offers.items() if number(node) == table), None)
        if offer:
            self.offers.clear()
        return offer

    def _nothing_new(self, claim: ReplicaClaim) -> bool:
        """Whether the claim is of no more than the log."""
        if self._log and claim.evening != self._log[0].evening:
            return claim.no < ranked(self._log[:1]).no
        return not self.pending and has(self._log, claim.evening, claim.length, claim.mac)

    def _read(self, node: str, claim: ReplicaClaim, now: float) -> list[Request]:
        same = bool(self._log) and claim.evening == self._log[0].evening
        start = min(len(self._log) + 1, claim.length) if same else 1  # a shorter one may differ, too
        reading = self._readings[node] = Reading(node, claim.evening, start, now)
        return [reading.request()]

    def _again_from_the_first(self, reading: Reading, now: float) -> list[Result]:
        """What does not continue the log may be another chain; what is no chain ends where it fails."""
        if reading.start > 1 and not reading.entries:
            again = self._readings[reading.node] = Reading(reading.node, reading.evening, 1, now)
            return [again.request()]
        reading.done = True
        return self._outcome(reading)

    def _outcome(self, reading: Reading) -> list[Result]:
        found = reading.outcome(self._log)
        if found and found.offered:
            self.offers[found.node] = found
        return [found] if found else []

    def _awaited(self) -> list[Reading]:
        return [one for one in self._readings.values() if not (one.done or one.silent)]

    def _over(self, waited: float) -> bool:
        """Whether nobody is waited for any more."""
        if not self.asks:
            return waited >= NO_REPLICA
        awaited = self._awaited() or (not self._log and self.passed_over)
        if not awaited and self._there >= self._expected():
            return True
        if not self._log:
            return waited >= WITHOUT
        sure = self._journal and not awaited and (self._confirmed() or waited >= BACK)
        return sure or waited >= WITH_A_LOG

    def _confirmed(self) -> bool:
        """Whether a replica that has answered ends where the log does, as the broker's last entry would."""
        last = self._log[-1]
        ends = [(one.length, one.mac) for node, one in self._claims.items() if node in self._there]
        return (last.n, last.mac) in ends

    def _expected(self) -> set[str]:
        """The replicas of the evening: its first five tables; the page may not be there at all."""
        firsts = [one.entries[:1] for one in self._readings.values() if one.start == 1 and one.entries]
        tables = max([_tables(self._log), *map(_tables, firsts)])
        if not tables and self.asks:
            tables = topics.REPLICAS
        return {topics.table_node(table) for table in range(1, min(tables, topics.REPLICAS) + 1)}


def _tables(log: Sequence[Entry]) -> int:
    opening = log[0].decoded() if log else None
    if not isinstance(opening, facts.EveningOpen):
        return 0
    return (len(opening.players) + len(opening.ghosts or ()) + 3) // 4
