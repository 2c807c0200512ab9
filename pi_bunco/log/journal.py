"""The head's journal: the facts of its evenings in the order in which it accepted them, and nothing else."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from pi_bunco.errors import BuncoError
from pi_bunco.game.facts import Fact
from pi_bunco.log import records
from pi_bunco.log.chain import Chain
from pi_bunco.log.entry import Entry, Origin
from pi_bunco.log.log_store import LogStore
from pi_bunco.log.records import COLUMNS, Answered, KeepFork, StrayFact, Written, entry_of
from pi_bunco.log.rewriting import WrittenAnew
from pi_bunco.runtime.store import DamagedError, StoreError, inspect, rows, values
from pi_bunco.runtime.writer import Erase, Record, Reports, Start, Writer

SCHEMA = records.JOURNAL_SCHEMA

OPENED = "opened"
"""The kept value `opened ID` is when the evening was opened: wall time in seconds since 1970."""


def journal_at(path: Path) -> Path:
    """The path again; `StoreError` says where to look if no journal is there, or one that is damaged."""
    if not inspect(path, SCHEMA):
        raise StoreError(
            f"there is no journal {path}; it is on the head's machine, in the folder of its --data"
        )
    return path


class JournaledEvening(Struct, frozen=True):
    """An evening in the journal: its id and how many facts it has."""

    id: str
    length: int


class Journal(LogStore):
    """A head's own log, with the answers to commands and the facts that were set aside."""

    schema = SCHEMA

    def __init__(self, path: Path, reports: Reports, start: Start = Writer) -> None:
        """Checks the file and starts the writer. Raises `DamagedError`.

        If the disk cannot be read it starts from nothing, and `unread` says why.
        """
        self.unread = ""
        super().__init__(path, reports, start)

    def _load(self, path: Path) -> dict[str, Any]:
        try:
            return super()._load(path)
        except DamagedError:
            raise
        except StoreError as error:
            self._chains, self.unread = {}, str(error)
            return {}

    def _read_chains(self, path: Path) -> dict[int, Chain]:
        """The evenings as chains that go on where they end."""
        return {n: Chain(one.id, one.length + 1) for n, one in enumerate(evenings(path), 1)}

    def _read(self, number: int, start: int, _count: int) -> Iterator[Entry]:
        return iter(read(self.path, self._chains[number].evening, start))

    def _record(self, _number: int, entry: Entry) -> Record:
        return Written(entry)

    def append(self, *entries: Entry, answer: Answered | None = None) -> None:
        """Has the entries, and the answer to the command that made them, committed together, later.

        Raises `BuncoError`, and takes nothing, if a number is not the next.
        """
        lengths = dict[str, int]()
        for entry in entries:
            length = lengths.get(entry.evening, len(self.chain(entry.evening)))
            if entry.n != length + 1:
                raise BuncoError(f"fact {entry.n} of evening {entry.evening} does not follow fact {length}")
            lengths[entry.evening] = entry.n
        for entry in entries:
            self.chain(entry.evening).add(entry)
        self.put(*entries, behind=() if answer is None else (answer,))

    def take(self, entries: Sequence[Entry], answer: Answered | None = None) -> None:
        """Has entries of the head's own making, which replicas kept, committed where they go on from here.

        They are of one evening and without a gap, and committed with the answer to a command. Where they
        differ from what is here after some entry, that is kept beside the log, but for the old log of one
        that was written anew. Raises `BuncoError`, and takes nothing, if they leave a gap.
        """
        evening, first = entries[0].evening, entries[0].n
        length = len(self.chain(evening))
        if first > length + 1:
            raise BuncoError(f"fact {first} of evening {evening} does not follow fact {length}")
        chain = self._chains[self._number(evening)] = Chain(evening, first)
        for entry in entries:
            chain.add(entry)
        other = first <= length or self.unread  # the disk may be well later, and have another end
        before = (KeepFork(evening, first - 1, kept=not chain.rewritten),) if other else ()
        self.put(*entries, before=before, behind=() if answer is None else (answer,))

    def write_anew(self, record: WrittenAnew, answer: Answered | None = None) -> None:
        """Has the evenings that name somebody written anew; what stood there is in no file afterwards."""
        self.writer.put(record, *([answer] if answer else []), Erase())

    def set_aside(self, aside: StrayFact) -> None:
        """Keeps a fact that the log does not take, so that it can be acknowledged."""
        self.writer.put(aside)

    def highest_no(self) -> int:
        """The highest running number of the evenings; 0 without any."""
        numbers = (fact.get("no") for fact in self._openings())
        return max((no for no in numbers if isinstance(no, int)), default=0)

    def rewritten(self) -> dict[str, int]:
        """The evenings that were written anew, and how many times each."""
        return {str(one.get("id")): one["rewritten"] for one in self._openings() if one.get("rewritten")}

    def _openings(self) -> list[dict[str, Any]]:
        return [msgspec.json.decode(fact) for (fact,) in self._rows("SELECT fact FROM facts WHERE n = 1")]

    def answers(self) -> dict[str, Any]:
        """The answers to the newest 1000 commands, by the command's id."""
        return values(self.path, SCHEMA, "SELECT id, answer FROM answers ORDER BY position")


def asides(path: Path) -> list[StrayFact]:
    """The facts that the journal at `path` has set aside, at most 20,000, oldest first.

    One that came into the log after all, with the end that another head had written, is no longer aside.
    """
    sql = (
        "SELECT evening, origin_table, stream, seq, fact FROM asides WHERE NOT EXISTS (SELECT 1 FROM facts"
        " WHERE (facts.evening, facts.origin_table, facts.stream, facts.seq)"
        " = (asides.evening, asides.origin_table, asides.stream, asides.seq)) ORDER BY position"
    )
    return [
        StrayFact(row[0], Origin(*row[1:4]), msgspec.json.decode(row[4])) for row in rows(path, SCHEMA, sql)
    ]


def positions(path: Path, playing: str = "") -> dict[tuple[int, str], int]:
    """Per (table, stream) the greatest `seq` in the journal at `path`.

    Of the evening that is `playing` its log alone says that: what was set aside of it may have come while the
    head played another one, and is asked for again.
    """
    found = rows(
        path,
        SCHEMA,
        "SELECT origin_table, stream, max(seq) FROM (SELECT origin_table, stream, seq FROM facts"
        " WHERE seq IS NOT NULL UNION ALL SELECT origin_table, stream, seq FROM asides WHERE evening != ?)"
        " GROUP BY 1, 2",
        (playing,),
    )
    return {(table, stream): seq for table, stream, seq in found}


def evenings(path: Path) -> list[JournaledEvening]:
    """The evenings in the store at `path`, the one that began first coming first."""
    found = rows(path, SCHEMA, "SELECT evening, max(n) FROM facts GROUP BY evening ORDER BY min(position)")
    return [JournaledEvening(*row) for row in found]


def latest(path: Path) -> list[Entry]:
    """The entries of the evening that began last; none without one. Raises as `read` does."""
    known = evenings(path)
    return read(path, known[-1].id) if known else []


def read(path: Path, evening: str, start: int = 1) -> list[Entry]:
    """The entries of an evening from `start` on; `DamagedError` if one is missing or unreadable."""
    return [entry for entry, _ in read_facts(path, evening, start)]


def read_facts(path: Path, evening: str, start: int = 1) -> list[tuple[Entry, Fact]]:
    """The entries as `read` gives them, each with its fact."""
    sql = f"SELECT {COLUMNS} FROM facts WHERE evening = ? AND n >= ? ORDER BY n"
    entries = [entry_of(path, row) for row in rows(path, SCHEMA, sql, (evening, start))]
    for n, (entry, _) in enumerate(entries, start):
        if entry.n != n:
            raise DamagedError(f"the journal {path}: fact {n} of evening {evening} is missing; it is kept")
    return entries


def export(path: Path, evening: str | None = None) -> Iterator[bytes]:
    """The evening log, one line of JSON per fact, of one evening or the latest; `StoreError` without one."""
    known = [one.id for one in evenings(path)]
    if not known:
        raise StoreError(f"there is no evening in the journal {path}")
    if evening is not None and evening not in known:
        raise StoreError(f"there is no evening {evening} in the journal {path}; it has {', '.join(known)}")
    for entry in read(path, evening or known[-1]):
        yield bytes(entry.fact) + b"\n"
