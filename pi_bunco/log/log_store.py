"""The log on disk: evenings as chains of entries, of which none is cut.

Entries go in behind those that are there; where the log turns out to be another one, that is another chain,
and the old one stays beside it. A replica has no key, so it believes what a head publishes, and a head
verifies what a replica hands back.
"""

import logging
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from pi_bunco.log import records
from pi_bunco.log.chain import Chain
from pi_bunco.log.entry import Entry
from pi_bunco.log.records import Forgotten, Stored
from pi_bunco.runtime.store import Schema, StoreError, rows, sound
from pi_bunco.runtime.writer import Erase, Record, Reports, Start, Store, Writer, load_kept

log = logging.getLogger(__name__)

MAX_ENTRIES = 1_000_000_000
"""More entries than any chain has."""


class LogStore(Store):
    """The chains of evenings on disk; the newest of an evening is the one that goes on."""

    schema: ClassVar[Schema]
    evenings: ClassVar[int] = 0
    """Number of evenings whose chains are kept, by the highest number, and the one that goes on; all if 0."""

    def __init__(self, path: Path, reports: Reports, start: Start = Writer) -> None:
        """Checks the file and starts the writer; `DamagedError` or `StoreError` if it cannot be read."""
        self._chains: dict[int, Chain] = {}
        super().__init__(path, self.schema, self._load(path), reports, start)

    def _load(self, path: Path) -> dict[str, Any]:
        kept = load_kept(path, self.schema)
        self._chains = self._read_chains(path)
        return kept

    @abstractmethod
    def _read_chains(self, path: Path) -> dict[int, Chain]:
        """The chains in the file by number."""

    @abstractmethod
    def _read(self, number: int, start: int, count: int) -> Iterator[Entry]:
        """The next `count` entries of a chain in the file, from `start` on."""

    @abstractmethod
    def _record(self, number: int, entry: Entry) -> Record:
        """An entry of a chain on its way to the file."""

    def chain(self, evening: str) -> Chain:
        """The newest chain of the evening, which may have nothing in it yet."""
        number = self._number(evening)
        return self._chains[number] if number else self.fork(evening)

    def fork(self, evening: str) -> Chain:
        """Begins another chain of the evening."""
        chain = self._chains[max(self._chains, default=0) + 1] = Chain(evening)
        return chain

    def put(self, *entries: Entry, before: Sequence[Record] = (), behind: Sequence[Record] = ()) -> None:
        """Has entries that the newest chain has written, in one with what is `before` and `behind`."""
        written = [self._record(self._number(one.evening), one) for one in entries]
        self.writer.put(*before, *written, *behind)
        if 0 < self.evenings < len(self._chains):
            self._forget(entries[-1].evening)

    def drop_old(self, rewritten: Mapping[str, int], following: str) -> bool:
        """Deletes chains of evenings that were `rewritten` that many times since; True if none is left.

        One of the evening that is `following` goes once the new one is as long.
        """
        left = False
        for number, chain in list(self._chains.items()):
            evening, times = chain.evening, rewritten.get(chain.evening, 0)
            if chain.rewritten >= times:
                continue
            newer = [
                one for one in self._chains.values() if one.evening == evening and one.rewritten >= times
            ]
            if evening == following and not any(len(one) >= len(chain) for one in newer):
                left = left or len(chain) > 0
                continue
            del self._chains[number]
            self.writer.put(Forgotten(number), Erase())
        return not left

    def beside(self, chain: Chain) -> list[Chain]:
        """The other chains of its evening; none where this one was deleted."""
        chains = [one for one in self._chains.values() if one.evening == chain.evening]
        return [one for one in chains if one is not chain] if chain in chains else []

    def best(self) -> Chain | None:
        """The chain of the highest rank that is here."""
        return max(filter(len, self._chains.values()), key=lambda chain: chain.rank, default=None)

    def read(self, evening: str, start: int = 1) -> Iterator[Entry]:
        """The evening's best chain from entry `start` on; raises as `inspect` does."""
        chains = [chain for chain in self._chains.values() if chain.evening == evening]
        return self.entries(max(chains, key=lambda chain: chain.rank), start) if chains else iter(())

    def entries(self, chain: Chain, start: int = 1, count: int = MAX_ENTRIES) -> Iterator[Entry]:
        """The chain from entry `start` on, on disk or, of a replica, on its way; raises as `inspect` does."""
        return islice(self._entries(chain, start, count), count)

    def _entries(self, chain: Chain, start: int, count: int) -> Iterator[Entry]:
        (number,) = (number for number, one in self._chains.items() if one is chain)
        waiting = [one for one in self.writer.unwritten() if isinstance(one, Stored) and one.chain == number]
        for entry in self._read(number, start, count):
            start = entry.n + 1
            yield entry
        yield from (one.entry for one in waiting if one.entry.n >= start)

    def _number(self, evening: str) -> int:
        return max((number for number, chain in self._chains.items() if chain.evening == evening), default=0)

    def _forget(self, going_on: str) -> None:
        evenings: dict[str, int] = {}
        for chain in self._chains.values():
            evenings[chain.evening] = max(chain.rank.no, evenings.get(chain.evening, 0))
        ranked = sorted(evenings, key=lambda evening: -evenings[evening])[: self.evenings]
        kept = {*ranked, going_on}
        for number in [number for number, chain in self._chains.items() if chain.evening not in kept]:
            del self._chains[number]
            self.writer.put(Forgotten(number))


class Replica(LogStore):
    """The log as a table or the page keeps it."""

    schema = records.REPLICA_SCHEMA
    evenings = 3

    def _read_chains(self, path: Path) -> dict[int, Chain]:
        chains: dict[int, Chain] = {}
        for row in rows(path, self.schema, f"{_ENTRIES} ORDER BY chain, n"):
            one = records.stored_of(path, row)
            chain = chains.setdefault(one.chain, Chain(one.entry.evening))
            if one.entry.n == len(chain) + 1:
                chain.add(one.entry)
        return chains

    def _read(self, number: int, start: int, count: int) -> Iterator[Entry]:
        sql = f"{_ENTRIES} WHERE chain = ? AND n >= ? ORDER BY n LIMIT ?"
        for row in rows(self.path, self.schema, sql, (number, start, count)):
            yield records.stored_of(self.path, row).entry

    def _record(self, number: int, entry: Entry) -> Record:
        return Stored(number, entry)


def kept_replica(path: Path) -> LogStore | None:
    """The replica of the log at `path`; who cannot keep one works all the same."""
    reports = Reports(lambda _: None, lambda why: log.warning("the replica of the log: %s", why))
    try:
        return sound(path, lambda path: Replica(path, reports), log.error)
    except StoreError as error:
        log.warning("%s; no replica is kept", error)
        return None


_ENTRIES = "SELECT chain, evening, n, fact, origin, mac FROM entries"
