"""A replica of the evening log, taken from `all/log`: from it a head that has lost its journal goes on.

It is never cut. Entries go in where they continue what is there; where the head's log turns out to be
another one, that is taken from its first entry on as another chain, and the old one stays beside it.
The replica has no key, so it believes what the head publishes, and a head verifies what a replica hands back.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

from pi_bunco.log.chain import Chain
from pi_bunco.log.entry import Entry, Origin
from pi_bunco.runtime.store import DamagedError, Schema, rows
from pi_bunco.runtime.writer import Reports, Start, Store, Writer, load_kept

SCHEMA = Schema(
    "the replica of the log",
    0x42756E52,
    2,
    """
CREATE TABLE entries (
  chain INTEGER NOT NULL,
  evening TEXT NOT NULL,
  n INTEGER NOT NULL CHECK (n > 0),
  fact TEXT NOT NULL,
  origin TEXT NOT NULL,
  mac TEXT NOT NULL,
  PRIMARY KEY (chain, n)
) STRICT, WITHOUT ROWID;
""",
)
EVENINGS = 3
"""Chains of so many evenings are kept, those with the highest running numbers, and the newest always."""


class Stored(Struct, frozen=True):
    """An entry of a chain on its way to the disk."""

    chain: int
    entry: Entry

    def write(self, connection: sqlite3.Connection) -> None:
        """Adds the entry; a repeat changes nothing."""
        one = self.entry
        origin = msgspec.json.encode(one.origin).decode()
        connection.execute(
            "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (self.chain, one.evening, one.n, bytes(one.fact).decode(), origin, one.mac),
        )


class Forgotten(Struct, frozen=True):
    """A chain of an evening that is long over."""

    chain: int

    def write(self, connection: sqlite3.Connection) -> None:
        """Deletes the chain."""
        connection.execute("DELETE FROM entries WHERE chain = ?", (self.chain,))


class Replica(Store):
    """The chains on disk; the newest of an evening is the one that the head's entries continue."""

    def __init__(self, path: Path, reports: Reports, start: Start = Writer) -> None:
        """Checks the file and starts the writer; `DamagedError` or `StoreError` if it cannot be read."""
        kept = load_kept(path, SCHEMA)
        self._chains: dict[int, Chain] = {}
        for number, entry in _stored(path):
            chain = self._chains.setdefault(number, Chain(entry.evening))
            if entry.n == len(chain) + 1:
                chain.add(entry)
        self._doubted = True
        super().__init__(path, SCHEMA, kept, reports, start)

    def take(self, entry: Entry) -> bool:
        """Takes an entry of the head's log if it continues what is here; whether it is new and was taken."""
        number, chain = self._newest(entry.evening)
        judged = chain.judge(entry)
        if judged == "repeats":
            self._doubted = self._doubted and entry.n < len(chain)
        if judged == "fork":
            number, chain = self._begun(entry.evening)
            self._chains[number] = chain
            judged = chain.judge(entry)
        if judged != "continues":
            return False
        self._chains[number] = chain
        chain.add(entry)
        self.writer.put(Stored(number, entry))
        self._forget()
        return True

    def doubt(self) -> None:
        """Another head is there: whether its log is the one that is kept is to be asked."""
        self._doubted = True

    def missing_from(self, evening: str, length: int) -> int | None:
        """From which entry on to ask the head, whose log of `evening` is `length` long; None: all is here.

        The last entry that is here is asked for again: what comes behind it may be of another log.
        """
        have = self.length(evening)
        return max(min(have, length), 1) if have < length or (self._doubted and length) else None

    def best(self) -> Chain | None:
        """The chain of the highest rank that is here."""
        whole = [chain for chain in self._chains.values() if len(chain)]
        return max(whole, key=lambda chain: chain.rank, default=None)

    def length(self, evening: str) -> int:
        """How many entries are here of the evening's newest chain."""
        return len(self._newest(evening)[1])

    def read(self, evening: str, start: int = 1) -> Iterator[Entry]:
        """What is on disk of the evening's best chain from entry `start` on; raises as `inspect` does."""
        chains = [one for one in self._chains.items() if one[1].evening == evening and len(one[1])]
        if chains:
            number, _ = max(chains, key=lambda one: one[1].rank)
            yield from (entry for _, entry in _stored(self.path, number, start))

    def _newest(self, evening: str) -> tuple[int, Chain]:
        found = [number for number, chain in self._chains.items() if chain.evening == evening]
        return (max(found), self._chains[max(found)]) if found else self._begun(evening)

    def _begun(self, evening: str) -> tuple[int, Chain]:
        return max(self._chains, default=0) + 1, Chain(evening)

    def _forget(self) -> None:
        evenings: dict[str, int] = {}
        for chain in self._chains.values():
            evenings[chain.evening] = max(chain.rank.no, evenings.get(chain.evening, 0))
        newest = self._chains[max(self._chains)].evening
        ranked: Sequence[str] = sorted(evenings, key=lambda evening: -evenings[evening])
        for number, chain in list(self._chains.items()):
            if chain.evening not in ranked[:EVENINGS] and chain.evening != newest:
                del self._chains[number]
                self.writer.put(Forgotten(number))


def _stored(path: Path, chain: int | None = None, start: int = 1) -> Iterator[tuple[int, Entry]]:
    where = "" if chain is None else "WHERE chain = ? AND n >= ?"
    found = rows(
        path,
        SCHEMA,
        f"SELECT chain, evening, n, fact, origin, mac FROM entries {where} ORDER BY chain, n",
        () if chain is None else (chain, start),
    )
    for row in found:
        yield row[0], _entry(path, row[1:])


def _entry(path: Path, row: tuple[Any, ...]) -> Entry:
    evening, n, fact, origin, mac = row
    try:
        return Entry(evening, n, Raw(fact.encode()), msgspec.json.decode(origin, type=Origin | None), mac)
    except msgspec.MsgspecError as error:
        raise DamagedError(
            f"{path}: entry {n} of evening {evening} is unreadable: {error}; it is kept"
        ) from error
