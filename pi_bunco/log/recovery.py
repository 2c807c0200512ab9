"""A head finds the end of its log: one way for a restart, a new card, a card that lied, a late table.

It asks the replicas, and waits no longer than is worth it. A replica hands back what the head wrote: only
entries that continue the chain under the hall's key are taken, so nobody has to be believed (wire/README.md,
"The log"). Pure: times are ms of the clock, a replica is the number of its table.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.errors import FactError
from pi_bunco.game import facts
from pi_bunco.log.chain import Chain, LogKey, continues, rank
from pi_bunco.log.entry import FIRST_TABLES, Entry, Origin, ReplicaClaim

MAX_FOREIGN = 20_000
"""Entries of a chain that nobody can verify, at most."""
MAX_FOREIGN_BYTES = 16 * 1024 * 1024
"""Bytes of their facts, at most."""
MAX_FOREIGN_NO = 2**31
"""The greatest number of an evening or a round in it."""
REPLICAS_BACK_WITHIN_MS = 600.0
"""A head with a journal waits this long for replicas that are not there: they are back within 500."""
MACHINE_BACK_WITHIN_MS = 1500.0
"""A head whose machine was off waits that long: the table on the same one has only begun to start."""
WAIT_WITH_LOG_MS = 5000.0
"""A head that has an evening waits this long at most."""
BEGIN_EMPTY_AFTER_MS = 1000.0
"""A head without an evening begins empty if nobody names a replica until then."""
WAIT_WITHOUT_LOG_MS = 20_000.0
"""A head without an evening waits this long for all replicas of the one that is named."""
QUESTION_LOST_AFTER_MS = 500.0
"""A replica that sends nothing for this long is asked again, once: a broker may have lost the question."""
ASK_REPLICA_AGAIN_MS = 2000.0
"""A replica that sends nothing for this long is asked again, and nobody waits for it any more."""


class AskReplica(Struct, frozen=True):
    """Ask the replica for its log of the evening from entry `start` on."""

    replica: int
    evening: str
    start: int


class ReplicaFinding(Struct, frozen=True):
    """Entries of a replica that the log has not, in order; they stand from its entry `start` on.

    Of the hall's own making, behind the log or another evening: a "better" end, or a "shorter" one of tables'
    facts alone, some of which may lack here. Only the host can choose one that differs in facts of a head
    (a "fork"), or that is of another "key".
    """

    replica: int
    start: int
    entries: tuple[Entry, ...]
    kind: Literal["better", "shorter", "fork", "key"]

    @property
    def offered(self) -> bool:
        """True if the host is asked."""
        return self.kind in ("fork", "key")


ReadStep = AskReplica | ReplicaFinding


class ReplicaReading:
    """The entries of `evening` from `start` on that a replica has sent and that verify behind `before`."""

    def __init__(self, replica: int, evening: str, start: int, before: str, asked_at: float) -> None:
        self.replica = replica
        self.evening = evening
        self.start = start
        self.asked_at = asked_at
        self.entries: list[Entry] = []
        self.foreign = False
        """Its entries are of another key, so that nobody can verify them."""
        self.done = False
        self.asked_twice = False
        self.silent = False
        """Nobody waits for it any more; what it sends is taken all the same."""
        self._bytes = 0
        self._before = before
        self._chain = Chain(evening, start, before)

    @property
    def next(self) -> int:
        """The number of the entry that is asked for."""
        return len(self._chain) + 1

    def request(self) -> AskReplica:
        """The next question."""
        return AskReplica(self.replica, self.evening, self.next)

    def add(self, key: LogKey, entry: Entry) -> bool:
        """Takes the entry if it is the next one, and this hall's head wrote it behind the one before."""
        if entry.evening != self.evening:
            return False
        try:
            fact = entry.decoded()
        except FactError:
            return False
        judged = self._chain.judge(entry, None if self.foreign else key)
        if judged == "fork" and entry.n == self.start == 1:
            self.foreign = (
                isinstance(fact, facts.EveningOpen) and fact.id == entry.evening and fact.key != key.id
            )
        if judged != "continues" and not (self.foreign and entry.n == 1):
            return False
        self._bytes += len(bytes(entry.fact))
        if self.foreign and (entry.n > MAX_FOREIGN or self._bytes > MAX_FOREIGN_BYTES):
            return False
        self.entries.append(entry)
        self._chain.add(entry)
        return True

    def follows(self, log: Sequence[Entry]) -> bool:
        """True if it still begins behind an entry of the log, which may be another one by now."""
        return self.start == 1 or has(log, self.evening, self.start - 1, self._before)

    def outcome(self, log: Sequence[Entry]) -> ReplicaFinding | None:
        """The entries that `log` has not."""
        entries = self.entries
        if not entries or not self.follows(log):
            return None
        if not log or self.foreign or entries[0].evening != log[0].evening:
            better = has_more(entries, log) if self.foreign else rank(entries) > rank(log)
            kind: Literal["key", "better"] = "key" if self.foreign else "better"
            return ReplicaFinding(self.replica, 1, tuple(entries), kind) if better or not log else None
        start = next((one.n for one in entries if not has(log, one.evening, one.n, one.mac)), None)
        return None if start is None else self._fork(log, start)

    def _fork(self, log: Sequence[Entry], start: int) -> ReplicaFinding | None:
        """The log and this one differ from entry `start` on, or the log ends there.

        A log that was written anew is taken for the old one without a question, and never the other way.
        """
        theirs = tuple(one for one in self.entries if one.n >= start)
        ours = log[start - 1 :]
        now, then = rank([*log[: start - 1], *theirs]), rank(log)
        if now.rewritten < then.rewritten:
            return None
        better = not ours or now > then
        kind: Literal["better", "shorter"] = "better" if better else "shorter"
        anew = better and now.rewritten > then.rewritten
        doubtful = not anew and of_a_head(ours if better else theirs)
        return ReplicaFinding(self.replica, start, theirs, "fork" if doubtful else kind)


def has(log: Sequence[Entry], evening: str, n: int, mac: str) -> bool:
    """True if entry `n` of the log is the one with this mac."""
    return 0 < n <= len(log) and log[n - 1].evening == evening and log[n - 1].mac == mac


def has_more(entries: Iterable[Entry], log: Iterable[Entry]) -> bool:
    """True if entries of another key have more than the log, whatever the host chose before it saw them."""
    return replace(rank(entries), branches=0) > replace(rank(log), branches=0)


def of_a_head(entries: Iterable[Entry]) -> bool:
    """True if facts of a head are among the entries that nothing but its host can choose between.

    Its bells and the numbers of ties follow from tables' facts, its clock is set anew by the next head, and
    a bell that had sounded has done so at any end.
    """
    follows = facts.BellRang | facts.ClockSet | facts.TieFormed
    words = (fact for one in entries if one.origin is None and not isinstance(fact := one.decoded(), follows))
    return any(not isinstance(fact, facts.RoundClose) or fact.by != facts.SOUNDED for fact in words)


class Recovery:
    """Looks for entries that replicas have and the log has not; `pending` until the head may apply facts."""

    def __init__(self, key: LogKey, log: Callable[[], Sequence[Entry]], clock: bool = True) -> None:
        """`log` gives the head's own, which grows while it works; `clock` is whether it knows the time."""
        self.pending = True
        self.offers: dict[int, ReplicaFinding] = {}
        """Per replica the log that only the host can choose."""
        self._key = key
        self._current = log
        self._journal = bool(log())
        self._clock = clock
        self._since: float | None = None
        self._readings: dict[int, ReplicaReading] = {}
        self._claims: dict[int, ReplicaClaim] = {}
        self._there: set[int] = set()
        self._elsewhere = False
        """The broker keeps an entry that this log has not."""

    @property
    def asks(self) -> bool:
        """True if there is an evening, here or at a replica, whose end may be missing."""
        return bool(self._log or self._claims or self._elsewhere)

    @property
    def awaited(self) -> list[int]:
        """The replicas whose answer is waited for."""
        return [one.replica for one in self._readings.values() if not (one.done or one.silent)]

    @property
    def passed_over(self) -> list[int]:
        """The replicas that promised entries and send none."""
        return [reading.replica for reading in self._readings.values() if reading.silent and not reading.done]

    @property
    def _log(self) -> Sequence[Entry]:
        return self._current()

    def claims(self, n: int) -> bool:
        """True if a replica says that it has entry `n` of the log."""
        return any(
            claim.length >= n and has(self._log, claim.evening, claim.length, claim.mac)
            for claim in self._claims.values()
        )

    def connected(self, now: float) -> None:
        """The broker is there; what was asked before may be gone, and who was there has to say so again."""
        self._since = now if self._since is None else self._since
        self._there.clear()
        self._readings = {replica: one for replica, one in self._readings.items() if one.done}

    def retained(self, entry: Entry) -> None:
        """The broker's last entry: one of the log ends the wait.

        A head that does not know the time waits on: a table that answers has told it before.
        """
        self._elsewhere = not has(self._log, entry.evening, entry.n, entry.mac)
        self.pending = self.pending and (self._elsewhere or not self._clock)

    def claimed(self, replica: int, claim: ReplicaClaim | None) -> None:
        """The broker remembers what a replica had, which may or may not be there."""
        if claim and claim.length:
            self._claims.setdefault(replica, claim)

    def online(self, replica: int, claim: ReplicaClaim | None, now: float) -> list[AskReplica]:
        """A replica says what it has: it is asked for what may be missing here."""
        self._there.add(replica)
        if claim is None or not claim.length:
            self._claims.pop(replica, None)
            return []
        known, self._claims[replica] = self._claims.get(replica), claim
        reading = self._readings.get(replica)
        if reading and (not reading.done or claim == known):
            return []
        return [] if self._nothing_new(claim) else [self._read(replica, claim, now)]

    def sign_of_life(self, replica: int, length: int, now: float) -> list[AskReplica]:
        """A sign of life of a replica: of one whose birth was lost it is asked what the broker remembers.

        Else, where it is longer than the log, what it has more of that.
        """
        if replica in self._there:
            return []
        if claim := self._claims.get(replica):
            return self.online(replica, claim, now)
        if not self._log or length <= len(self._log):
            return []
        self._there.add(replica)
        return [self._read_from(replica, self._log[0].evening, len(self._log) + 1, now)]

    def doubt(self, now: float) -> list[AskReplica]:
        """Somebody knows of more than the log: every replica that is there is asked again."""
        requests: list[AskReplica] = []
        for replica in self._there & set(self._claims):
            reading = self._readings.get(replica)
            if reading is None or (reading.done and now - reading.asked_at >= ASK_REPLICA_AGAIN_MS):
                requests.append(self._read(replica, self._claims[replica], now))
        return requests

    def offline(self, replica: int) -> None:
        """A replica is gone."""
        self._there.discard(replica)
        self._readings.pop(replica, None)

    def entries(self, replica: int, evening: str, entries: Sequence[Entry], now: float) -> list[ReadStep]:
        """An answer: entries that verify are kept, more are asked for; the last one says what was found."""
        reading = self._readings.get(replica)
        if reading is None or reading.done or (entries and entries[0].n != reading.next):
            return self._left_end(replica, evening, entries, now)
        if reading.evening != evening:
            return []
        whole = all(reading.add(self._key, entry) for entry in entries)
        if whole and entries:
            reading.asked_at, reading.asked_twice, reading.silent = now, False, False
            return [reading.request()]
        # What does not continue the log may be another chain; what is no chain ends where it fails.
        if not reading.follows(self._log) or (not whole and reading.start > 1 and not reading.entries):
            return [self._read_from(replica, evening, 1, now)]
        reading.done = True
        return self._outcome(reading)

    def _left_end(self, replica: int, evening: str, entries: Sequence[Entry], now: float) -> list[ReadStep]:
        """Takes the unasked end of a replica that the log left behind one of its entries.

        Of one with facts of a head the host is asked, once, unless another end was chosen since they part.
        """
        start = entries[0].n if entries else 0
        if self.pending or not 1 < start <= len(self._log) or has(self._log, evening, start, entries[0].mac):
            return []
        ours = self._log[start - 1 :]
        reading = ReplicaReading(replica, evening, start, self._log[start - 2].mac, now)
        if not all(reading.add(self._key, entry) for entry in entries):
            return []
        found = reading.outcome(self._log)
        if found and found.offered:
            if not of_a_head(entries) or rank(ours).branches > rank(entries).branches:
                found = replace(found, kind="shorter")  # what counts of that end are tables' facts
            elif found == self.offers.get(replica):
                found = None
            else:
                self.offers[replica] = found
        return [found] if found else []

    def tick(self, now: float) -> list[ReadStep]:
        """Waits no longer for who is silent, but asks again; ends the wait in time."""
        results: list[ReadStep] = []
        for reading in self._readings.values():
            waited = 0.0 if reading.done else now - reading.asked_at
            if waited >= ASK_REPLICA_AGAIN_MS:
                results += [] if reading.silent else self._outcome(reading)
                results.append(reading.request())
                reading.asked_at, reading.silent = now, True
            elif waited >= QUESTION_LOST_AFTER_MS and not reading.asked_twice:
                reading.asked_twice = True
                results.append(reading.request())
        if self.pending and self._since is not None and self._over(now - self._since):
            self.pending = False
        return results

    def go_on(self) -> None:
        """The host does not want to wait."""
        self.pending = False

    def choose(self, replica: int) -> ReplicaFinding | None:
        """The offer of the replica that the host calls by its number; it is over.

        One that parts from what the log is no more is none: it comes again. Nor is one of another key that is
        no evening, which anybody can make.
        """
        offer = self.offers.pop(replica, None)
        if offer and offer.kind == "key" and not _can_be(offer.entries):
            return None
        if offer and offer.start > 1:
            before = self._log[: offer.start - 1]
            if not before or not continues(self._key, before[-1].mac, offer.entries[0]):
                return None
        return offer

    def chosen(self) -> None:
        """The log is what the host chose: the host is asked still about those of another key that have more.

        Other ends of this one that are not done with are handed back.
        """
        offers = self.offers.items()
        self.offers = {n: one for n, one in offers if one.kind == "key" and has_more(one.entries, self._log)}

    def _nothing_new(self, claim: ReplicaClaim) -> bool:
        """True if the claim is of no more than the log."""
        if self._log and claim.evening != self._log[0].evening:
            return claim.no < rank(self._log[:1]).no
        return not self.pending and has(self._log, claim.evening, claim.length, claim.mac)

    def _read(self, replica: int, claim: ReplicaClaim, now: float) -> AskReplica:
        same = bool(self._log) and claim.evening == self._log[0].evening
        start = min(len(self._log) + 1, claim.length) if same else 1  # a shorter one may differ, too
        return self._read_from(replica, claim.evening, start, now)

    def _read_from(self, replica: int, evening: str, start: int, now: float) -> AskReplica:
        before = self._log[start - 2].mac if start > 1 else ""
        reading = self._readings[replica] = ReplicaReading(replica, evening, start, before, now)
        return reading.request()

    def _outcome(self, reading: ReplicaReading) -> list[ReadStep]:
        found = reading.outcome(self._log)
        if found and found.offered:
            self.offers[found.replica] = found
        return [found] if found else []

    def _over(self, waited: float) -> bool:
        if not self.asks:
            return waited >= BEGIN_EMPTY_AFTER_MS
        awaited = self.awaited or (not self._log and self.passed_over)
        if not awaited and self._there >= self._expected():
            return True
        if not self._log:
            return waited >= WAIT_WITHOUT_LOG_MS
        back = REPLICAS_BACK_WITHIN_MS if self._clock else MACHINE_BACK_WITHIN_MS
        enough = self._journal and waited >= back
        sure = enough and not awaited and not self._more_elsewhere()
        return sure or waited >= WAIT_WITH_LOG_MS

    def _more_elsewhere(self) -> bool:
        """True if a replica that is not there had more of this evening, as the broker remembers."""
        ours = rank(self._log)
        return any(
            claim.evening == self._log[0].evening
            and (claim.branches, claim.length) > (ours.branches, ours.length)
            for replica, claim in self._claims.items()
            if replica not in self._there
        )

    def _expected(self) -> set[int]:
        """Replicas of the evening: of its first five tables; the page may not be there at all."""
        firsts = [one.entries[:1] for one in self._readings.values() if one.start == 1 and one.entries]
        tables = max([_tables(self._log), *map(_tables, firsts)])
        if not tables and self.asks:
            tables = FIRST_TABLES
        return set(range(1, min(tables, FIRST_TABLES) + 1))


def _tables(log: Sequence[Entry]) -> int:
    opening = log[0].decoded() if log else None
    if not isinstance(opening, facts.EveningOpen):
        return 0
    return (len(opening.players) + len(opening.ghosts or ()) + 3) // 4


def _can_be(log: Sequence[Entry]) -> bool:
    """True if these entries are the log of an evening: its head would have taken none that is not.

    The numbers behind those of its evening and its rounds must be acceptable, too, and those behind them.
    """
    from pi_bunco.game.apply import apply  # a table, which has no use for it, loads this file too
    from pi_bunco.game.evening import Evening

    evening = Evening()
    try:
        for entry in log:
            apply(evening, entry.decoded())
    except FactError:
        return False
    return max(evening.epoch, rank(log).no) <= MAX_FOREIGN_NO


class MissingFact(Struct, frozen=True):
    """An entry of another end; `last` there, or with the bell behind it that rang at `rang_t`."""

    entry: Entry
    origin: Origin
    last: bool
    rang_t: int | None


def missing(log: Iterable[Entry], other: Sequence[Entry]) -> Iterator[MissingFact]:
    """The facts of tables in the `other` end that are neither in the log nor came before, in order."""
    known = {name for entry in log if entry.origin for name in _names(entry.origin)}
    for entry, behind in zip_longest(other, other[1:]):
        if entry.origin is None or not known.isdisjoint(_names(entry.origin)):
            continue
        known.update(_names(entry.origin))
        bell = behind.decoded() if behind else None
        rang_t = bell.t if isinstance(bell, facts.BellRang) else None
        yield MissingFact(entry, entry.origin, behind is None, rang_t)


def _names(origin: Origin) -> list[tuple[object, ...]]:
    """Place of the fact in its stream, and the dice box's name for its throw."""
    place = (origin.table, origin.stream, origin.seq)
    return [place] if origin.mark is None else [place, (origin.table, origin.mark)]
