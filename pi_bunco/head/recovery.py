"""How a head finds the end of its log: one way for a restart, a new card, a card that lied, a late table.

Replicas hand back what the head wrote. Only entries that continue the chain under the hall's key are taken,
so nobody has to be believed (PROTOCOL.md section 2, Recovery). Pure: times are ms of the clock.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from msgspec import Struct, field

from pi_bunco.errors import FactError
from pi_bunco.game import facts
from pi_bunco.game.log import Entry
from pi_bunco.journal.chain import LogKey, Rank, continues, rank
from pi_bunco.wire import topics
from pi_bunco.wire.messages import LogRequest, ReplicaClaim

WITH_A_JOURNAL = 5000.0
"""For so many ms a head with an evening waits for replicas to come and answer."""
NO_REPLICA = 1000.0
"""A head without an evening begins empty if for so many ms nobody names a replica."""
WITHOUT = 20_000.0
"""For so many ms a head without an evening waits for all replicas of the one that is named."""
SILENCE = 2000.0
"""A replica that sends nothing for so many ms is passed over."""
MOST_FOREIGN = 20_000
"""Entries of a chain that nobody can verify, at most."""


class Reading(Struct):
    """What comes of one replica: the entries of `evening` from `start` on that have verified so far."""

    evening: str
    start: int
    asked_at: float
    entries: list[Entry] = field(default_factory=list)
    foreign: bool = False
    """Whether its entries are of another key, so that nobody can verify them."""
    done: bool = False


class Request(Struct, frozen=True):
    """Ask the node for its log."""

    node: str
    request: LogRequest


class Found(Struct, frozen=True):
    """Entries of the hall's own making that the log lacks, in order.

    They continue the log behind its entry `start` - 1, or begin another evening; `node` keeps them.
    """

    node: str
    start: int
    entries: tuple[Entry, ...]


class Offer(Struct, frozen=True):
    """A log that only the host can choose: it differs in facts of a head, or is of another key."""

    node: str
    start: int
    entries: tuple[Entry, ...]
    why: Literal["fork", "key"]

    def sentence(self) -> str:
        """What the host is asked."""
        who = place(self.node)
        if self.why == "key":
            return (
                f"{who} has an evening of {len(self.entries)} entries that another head's key made: choose it"
                f" with branch {number(self.node)}, or start the next round to go on without it."
            )
        return (
            f"{who} has another end of this evening from entry {self.start} on, with {len(self.entries)}"
            f" entries: choose it with branch {number(self.node)}, or start the next round to keep this one."
        )


Result = Request | Found | Offer


def place(node: str) -> str:
    """A replica's node in a sentence."""
    table = topics.table_number(node)
    return "The page" if table is None else f"Table {table}"


def number(node: str) -> int:
    """What `branch` calls a replica: the number of its table, 0 for the page."""
    return topics.table_number(node) or 0


class Recovery:
    """What the replicas have that the log has not; `pending` until the head may apply facts."""

    def __init__(self, key: LogKey, log: Callable[[], Sequence[Entry]]) -> None:
        """`log` gives the head's own, which grows while it works."""
        self.pending = True
        self.passed_over: list[str] = []
        """The replicas that promised entries and sent none."""
        self.offers: dict[str, Offer] = {}
        """Per replica the log that only the host can choose."""
        self._key = key
        self._current = log
        self._since: float | None = None
        self._readings: dict[str, Reading] = {}
        self._claims: dict[str, ReplicaClaim] = {}
        self._there: set[str] = set()
        self._newest: ReplicaClaim | None = None
        """What the broker keeps of the log that this one has not."""

    @property
    def asks(self) -> bool:
        """Whether there is an evening, here or at a replica, whose end may be missing."""
        return bool(self._log or self._claims or self._newest)

    @property
    def _log(self) -> Sequence[Entry]:
        return self._current()

    def connected(self, now: float) -> None:
        """The broker is there; what was asked before may be gone."""
        self._since = now if self._since is None else self._since
        for name, one in list(self._readings.items()):
            if not one.done:
                del self._readings[name]

    def retained(self, entry: Entry, now: float) -> list[Request]:
        """The broker's last entry: one of the log ends the wait; of another one every replica is asked.

        What a replica has said of itself when it came may be older than that.
        """
        if self._has(entry.evening, entry.n, entry.mac):
            self.pending = False
            return []
        self._newest = ReplicaClaim(entry.evening, 0, 0, entry.n, entry.mac)
        return [one for node in sorted(self._there) for one in self.online(node, self._claims.get(node), now)]

    def online(self, node: str, claim: ReplicaClaim | None, now: float) -> list[Request]:
        """A replica says what it has: it is asked for what may be missing here."""
        self._there.add(node)
        if self._newest and (claim is None or claim.evening != self._newest.evening):
            claim = self._newest
        if claim is None or not claim.length:
            self._claims.pop(node, None)
            return []
        known, self._claims[node] = self._claims.get(node), claim
        reading = self._readings.get(node)
        if reading and (not reading.done or claim == known):
            return []
        if self._nothing_new(claim):
            return []
        return self._read(node, claim, now)

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
        for entry in entries:
            if not self._add(reading, entry):
                return self._again_from_the_first(node, reading, now)
        if entries:
            reading.asked_at = now
            return [self._ask(node, reading)]
        reading.done = True
        return self._outcome(node, reading)

    def tick(self, now: float) -> list[Result]:
        """Passes over who is silent, and ends the wait in time."""
        results: list[Result] = []
        for node, reading in self._readings.items():
            if not reading.done and now - reading.asked_at >= SILENCE:
                reading.done = True
                self.passed_over.append(node)
                results += self._outcome(node, reading)
        if self.pending and self._since is not None and self._over(now - self._since):
            self.pending = False
        return results

    def go_on(self) -> None:
        """The host does not want to wait."""
        self.pending = False

    def waits_for(self) -> str:
        """Why nothing is done yet, a sentence."""
        asked = sorted(place(node).lower() for node, one in self._readings.items() if not one.done)
        whom = f" from {', '.join(asked)}" if asked else ""
        return (
            f"The head reads the end of the evening{whom}; wait a moment,"
            " or say go_on to begin with what is here."
        )

    def choose(self, table: int) -> Offer | None:
        """The offer of the replica that the host calls by its table's number; it and the others are over."""
        offer = next((one for node, one in self.offers.items() if number(node) == table), None)
        if offer:
            self.offers.clear()
        return offer

    # Reading.

    def _nothing_new(self, claim: ReplicaClaim) -> bool:
        """Whether the claim is of no more than the log; a replica may have grown since its birth."""
        if self._log and claim.evening != self._log[0].evening:
            return claim is not self._newest and claim.no < ranked(self._log[:1]).no
        return not self.pending and self._has(claim.evening, claim.length, claim.mac)

    def _has(self, evening: str, n: int, mac: str) -> bool:
        log = self._log
        return 0 < n <= len(log) and log[n - 1].evening == evening and log[n - 1].mac == mac

    def _read(self, node: str, claim: ReplicaClaim, now: float) -> list[Request]:
        start = len(self._log) + 1 if self._log and claim.evening == self._log[0].evening else 1
        reading = self._readings[node] = Reading(claim.evening, start, now)
        return [self._ask(node, reading)]

    def _ask(self, node: str, reading: Reading) -> Request:
        return Request(node, LogRequest(reading.evening, reading.start + len(reading.entries)))

    def _add(self, reading: Reading, entry: Entry) -> bool:
        """Whether the entry is the next one, and this hall's head wrote it behind the one before."""
        n = reading.start + len(reading.entries)
        if entry.n != n or entry.evening != reading.evening:
            return False
        before = reading.entries[-1] if reading.entries else self._log[n - 2] if n > 1 else None
        try:
            entry.decoded()
        except FactError:
            return False
        verified = continues(self._key, before.mac if before else "", entry)
        if not verified and n == 1:
            reading.foreign = _of_another_key(entry, self._key)
        if not verified and not (reading.foreign and n <= MOST_FOREIGN):
            return False
        reading.entries.append(entry)
        return True

    def _again_from_the_first(self, node: str, reading: Reading, now: float) -> list[Result]:
        """What does not continue the log may be another chain; what is no chain ends where it fails."""
        if reading.start > 1 and not reading.entries:
            self._readings[node] = again = Reading(reading.evening, 1, now)
            return [self._ask(node, again)]
        reading.done = True
        return self._outcome(node, reading)

    def _outcome(self, node: str, reading: Reading) -> list[Result]:
        entries = reading.entries
        if not entries:
            return []
        if reading.foreign:
            better = not self._log or ranked(entries) > ranked(self._log)
            return [self._offer(Offer(node, 1, tuple(entries), "key"))] if better else []
        if self._log and entries[0].evening != self._log[0].evening:
            better = ranked(entries) > ranked(self._log)
            return [Found(node, 1, tuple(entries))] if better else []
        return self._compared(node, entries)

    def _compared(self, node: str, entries: Sequence[Entry]) -> list[Result]:
        """What another chain of the same evening has that the log has not."""
        log = self._log
        start = next((one.n for one in entries if not self._has(one.evening, one.n, one.mac)), None)
        if start is None:
            return []
        theirs = tuple(one for one in entries if one.n >= start)
        ours = log[start - 1 :]
        if not ours:
            return [Found(node, start, theirs)]
        better = ranked([*log[: start - 1], *theirs]) > ranked(log)
        if _of_the_head(ours) or (not better and _of_the_head(theirs)):
            return [self._offer(Offer(node, start, theirs, "fork"))]
        return [Found(node, start, theirs)] if better else []

    def _offer(self, offer: Offer) -> Offer:
        self.offers[offer.node] = offer
        return offer

    def _over(self, waited: float) -> bool:
        reading = any(not one.done for one in self._readings.values())
        if self._log:
            everybody = self._there >= self._expected()
            return waited >= WITH_A_JOURNAL if reading or not everybody else True
        if not self._claims and not self._newest:
            return waited >= NO_REPLICA
        answered = not reading and self._there >= self._expected()
        return answered or waited >= WITHOUT

    def _expected(self) -> set[str]:
        """The replicas of the evening: its first five tables; the page may not be there at all."""
        firsts = [one.entries[:1] for one in self._readings.values() if one.start == 1 and one.entries]
        tables = max([_tables(self._log), *map(_tables, firsts)])
        if not tables and self.asks:
            tables = topics.REPLICAS
        return {topics.table_node(table) for table in range(1, min(tables, topics.REPLICAS) + 1)}


def _of_the_head(entries: Iterable[Entry]) -> bool:
    """Whether facts of a head are among the entries; its bells follow from tables' facts."""
    return any(one.origin is None and not isinstance(one.decoded(), facts.BellRang) for one in entries)


def ranked(entries: Iterable[Entry]) -> Rank:
    """The rank of a chain."""
    return rank(entry.decoded() for entry in entries)


def _tables(log: Sequence[Entry]) -> int:
    opening = log[0].decoded() if log else None
    if not isinstance(opening, facts.EveningOpen):
        return 0
    return (len(opening.players) + len(opening.ghosts or ()) + 3) // 4


def _of_another_key(entry: Entry, key: LogKey) -> bool:
    fact = entry.decoded()
    return isinstance(fact, facts.EveningOpen) and fact.id == entry.evening and fact.key != key.id
