"""The evening log on its way between the head and the replicas, in whatever order its entries come."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import inf

from msgspec import UNSET, Raw, Struct

from pi_bunco.errors import FactError
from pi_bunco.log.chain import Chain, Judged
from pi_bunco.log.entry import Entry, ReplicaClaim
from pi_bunco.log.log_store import LogStore
from pi_bunco.log.recovery import missing, of_a_head
from pi_bunco.runtime.loop import Warn
from pi_bunco.runtime.store import StoreError
from pi_bunco.wire.client import Publish
from pi_bunco.wire.gate import BATCH_BYTES
from pi_bunco.wire.messages import HeadStatus, LogEntries, LogLine, LogRequest

BESIDE_FACT_BYTES = 200
"""Bytes of an entry beside its fact, at most."""
HAND_BACK_EVERY_MS = 2000.0
"""Milliseconds after which an end that the head's log left is handed back again."""
ASK_EVERY_MS = 1000.0
"""Milliseconds between two questions for what is missing."""
MAX_EARLY = 5000
"""Entries that came before their turn and are kept, at most."""
TELL_EVERY = 50
"""Entries by which a replica grows until it is told of again."""


class Follower:
    """Takes entries into `chain` as they follow each other, and knows what to ask for."""

    def __init__(self) -> None:
        self.begin(Chain())

    def begin(self, chain: Chain) -> None:
        """Another evening, of which the chain is here already."""
        self.newest = 0
        """The greatest number that the writer is known to have given."""
        self.begin_again(chain)
        self._doubts = False

    def begin_again(self, chain: Chain) -> None:
        """The writer goes on from a log that differs: all of it is asked for, from the first entry on."""
        self.chain = chain
        self._early: dict[int, Entry] = {}
        self._doubts = False
        self.ask_at_once()

    @property
    def lag(self) -> int:
        """The number of entries that the writer has and that are not here."""
        return max(self.newest - len(self.chain), 0)

    def take(self, entry: Entry) -> tuple[Judged, Sequence[Entry]]:
        """Takes an entry of this evening; the entries that follow now, in order.

        One that came early is kept if it says behind which it stands: of another log it may be, too.
        """
        self.newest = max(self.newest, entry.n)
        judged = self.chain.judge(entry)
        if judged == "repeats":
            self._doubts = self._doubts and entry.n < len(self.chain)
        elif judged == "gap" and entry.before is not UNSET and len(self._early) < MAX_EARLY:
            self._early[entry.n] = entry
        following: list[Entry] = []
        next_: Entry | None = entry if judged == "continues" else None
        while next_ is not None:
            self.chain.add(next_)
            following.append(next_)
            next_ = self._early.pop(len(self.chain) + 1, None)
            if next_ is not None and self.chain.judge(next_) != "continues":
                next_ = None  # it is of another writer, and is asked for
        return judged, following

    def writer_has(self, length: int) -> None:
        """The length of the writer's log, which is shorter than before where the host chose another one."""
        self.newest = max(length, *self._early, 0)

    def writer_changed(self) -> None:
        """Another writer is there: its log is compared from the last entry on."""
        self._early.clear()
        self._doubts = len(self.chain) > 0
        self.ask_at_once()

    def ask_at_once(self) -> None:
        """The last question is answered, or is no longer the right one."""
        self._asked_at = -inf

    def wanted(self, now: float) -> int | None:
        """The number from which on to ask the writer now, None for nothing to ask.

        The last entry that is here is asked for again: what comes behind it may be of another log.
        """
        if not (self.newest and (self._doubts or self.lag)) or now - self._asked_at < ASK_EVERY_MS:
            return None
        self._asked_at = now
        return max(min(len(self.chain), self.newest), 1)


class Taken(Struct, frozen=True):
    """The entries that follow now; of `another` log than before, behind those that are `known` of it."""

    entries: Sequence[Entry] = ()
    another: bool = False


class LogExchange:
    """Follows the head's log, into `store` if there is one, asks for what did not come, and hands it back."""

    def __init__(self, up: Callable[[str], str], store: LogStore | None, in_memory: bool = False) -> None:
        """It goes on from the best chain in the store; without one it follows nothing but `in_memory`.

        `up` is the topic on which the node says a leaf.
        """
        self.follower = Follower()
        self._up = up
        self._store = store
        self._follows = store is not None or in_memory
        self._session = ""
        self._claimed = 0
        self._handed_at = -inf
        self._settled: list[Chain] = []
        """Chains of which the head's log lacks nothing that counts."""
        self._rewritten: Mapping[str, int] = {}
        self._dropped = self._dropped_claimed = 0
        """The sum of `rewritten` of which no older log is here, and what of that was told."""
        if best := self._best:
            self.follower.begin(self._chain(best.evening))

    @property
    def evening(self) -> str:
        """The evening that is followed; "" while none is known."""
        return self.follower.chain.evening

    @property
    def length(self) -> int:
        """The length of the best chain in the store."""
        return len(self._best or ())

    @property
    def dropped(self) -> bool:
        """True if old logs are gone of which that was not told yet."""
        return self._dropped != self._dropped_claimed

    @property
    def grown(self) -> bool:
        """True if what is in the store is to be told again: its length, or that old logs are gone."""
        return abs(self.length - self._claimed) >= TELL_EVERY or self.dropped

    def head(self, status: HeadStatus) -> Taken:
        """A head is there, and has a log; of another session it may be another one."""
        session, self._session = self._session, status.session if status.state == "online" else ""
        if not (self._session and self._follows):
            return Taken()
        evening = status.evening or self.evening
        another = evening != self.evening
        if another:
            self.follower.begin(self._chain(evening))
        if status.session != session:
            self.follower.writer_changed()
        self.follower.writer_has(status.length)
        self._rewritten = status.rewritten
        self._drop_old()
        return Taken(another=another)

    def entry(self, entry: Entry) -> Taken:
        """An entry that the head publishes, of whatever evening."""
        if not self._follows:
            return Taken()
        if entry.evening == self.evening:
            return self._take([entry])
        self.follower.begin(self._chain(entry.evening))
        return Taken(self._take([entry]).entries, another=True)

    def answer(self, answer: LogEntries) -> Taken:
        """The head's answer; what comes behind it is asked for at once.

        One that begins behind the last entry here answers a question about another log: see `wanted`.
        """
        entries = entries_of(answer)
        if answer.evening != self.evening or (entries and entries[0].n > len(self.follower.chain) > 0):
            return Taken()
        taken = self._take(entries)
        if taken.entries:
            self.follower.ask_at_once()
        return taken

    def ask(self, now: float) -> list[Publish]:
        """Asks the head, if it is there, for what is missing, or hands back what its log has left."""
        if not (self._session and self._follows):
            return []
        if (start := self.follower.wanted(now)) is not None:
            return [Publish(self._up("log_request"), LogRequest(self.evening, start), 1)]
        if self._store is None or self.follower.lag or now - self._handed_at < HAND_BACK_EVERY_MS:
            return []
        self._handed_at = now
        return [Publish(self._up("log"), end, 1) for end in self._left(self._store)]

    def _left(self, store: LogStore) -> Iterator[LogEntries]:
        """The ends here that the head's log left: each until that lacks no fact of a table in it.

        Where an end has facts of a head too, also until the host has chosen. None that parts at the first
        entry: no head can verify it.
        """
        chain = self.follower.chain
        for other in store.beside(chain):
            if other in self._settled:
                continue
            start, lacks = other.parts(chain), False
            with suppress(StoreError, FactError):
                end = list(store.entries(other, start))
                unchosen = other.branches >= chain.branches and of_a_head(end)
                lacks = start > 1 and (unchosen or any(missing(store.entries(chain, start), end)))
            if lacks:
                yield answer_of(LogRequest(self.evening, start), end)
            else:
                self._settled.append(other)

    def requested(self, request: LogRequest) -> Sequence[Publish | Warn]:
        """Hands a head what it lacks; nothing, said so, where nothing is here."""
        try:
            entries = self._store.read(request.evening, request.start) if self._store else ()
            return [Publish(self._up("log"), answer_of(request, entries), 1)]
        except StoreError as error:
            return [Warn(f"The replica of the log cannot be read: {error}")]

    def claim(self) -> ReplicaClaim | None:
        """The best chain in the store, to be told to the head."""
        best, self._claimed = self._best, self.length
        self._dropped_claimed = self._dropped
        if best is None:
            return None
        return ReplicaClaim(best.evening, best.rank.no, best.branches, len(best), best.newest, self._dropped)

    def entries(self, start: int, count: int) -> Iterator[Entry]:
        """The next `count` entries in the store of this evening, from `start` on; `StoreError`."""
        return self._store.entries(self.follower.chain, start, count) if self._store else iter(())

    def known(self) -> Sequence[Entry]:
        """The entries in the store of this evening; where one is damaged, all are fetched anew."""
        store, evening = self._store, self.evening
        if store is None or not evening:
            return ()
        try:
            return list(store.entries(self.follower.chain))
        except StoreError:
            self.follower.begin_again(store.fork(evening))
            return ()

    @property
    def _best(self) -> Chain | None:
        return self._store.best() if self._store else None

    def _chain(self, evening: str) -> Chain:
        return self._store.chain(evening) if self._store else Chain(evening)

    def _take(self, entries: Iterable[Entry]) -> Taken:
        new: list[Entry] = []
        another = False
        for entry in entries:
            judged, following = self.follower.take(entry)
            if judged == "fork":
                store, evening = self._store, self.evening
                self.follower.begin_again(store.fork(evening) if store else Chain(evening))
                _, following = self.follower.take(entry)
                new, another = [], True
            if self._store and following:
                self._store.put(*following)
            new += following
        if new and self.evening in self._rewritten:
            self._drop_old()
        return Taken(new, another)

    def _drop_old(self) -> None:
        """Deletes what is here of logs that were written anew."""
        if self._store and self._store.drop_old(self._rewritten, self.evening):
            self._dropped = sum(self._rewritten.values())


def answer_of(request: LogRequest, entries: Iterable[Entry]) -> LogEntries:
    """As many of the entries as fit into one answer, at least one if there is any."""
    lines: list[LogLine] = []
    size = 0
    for entry in entries:
        size += len(bytes(entry.fact)) + BESIDE_FACT_BYTES
        if lines and size > BATCH_BYTES:
            break
        lines.append(LogLine(entry.n, Raw(bytes(entry.fact)), entry.origin, entry.mac))
    return LogEntries(request.evening, tuple(lines))


def entries_of(answer: LogEntries) -> Sequence[Entry]:
    """The entries of an answer."""
    return [Entry(answer.evening, one.n, Raw(bytes(one.fact)), one.origin, one.mac) for one in answer.entries]
