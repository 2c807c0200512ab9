"""The log of a closed evening written anew: a pseudonym where somebody's name stood, and a new chain.

Its entries have the numbers, times and origins that they had, and its opening says how many times that was
done (wire/README.md, "A name that is deleted"). Pure but for the record of the journal.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.errors import FactError
from pi_bunco.game import codec
from pi_bunco.game.facts import EveningOpen, Fact
from pi_bunco.game.fields import ListedName, Name
from pi_bunco.game.opening import same
from pi_bunco.log.chain import LogKey, rechained
from pi_bunco.log.entry import Entry
from pi_bunco.log.records import COLUMNS, entry_of
from pi_bunco.runtime.store import DamagedError


class Renaming(Struct, frozen=True):
    """Somebody's `names`, in any spelling, become the `pseudonym`."""

    names: tuple[str, ...]
    pseudonym: str

    def applied(self, fact: Fact) -> Fact:
        """The fact with the pseudonym; itself where it does not name them."""
        known = {same(name) for name in self.names}
        changed = {
            field: new
            for field in _naming(type(fact))
            if (new := self._swapped(known, old := getattr(fact, field))) != old
        }
        by = getattr(fact, "by", None)
        if isinstance(by, str):
            name, bracket, node = by.partition(" (")
            if same(name) in known:
                changed["by"] = self.pseudonym + bracket + node
        return replace(fact, **changed) if changed else fact

    def in_text(self, text: str) -> bool:
        """True if a text of JSON may have one of the names in it, in any spelling."""
        folded = same(text)
        return any(same(msgspec.json.encode(name).decode()[1:-1]) in folded for name in self.names)

    def name(self, name: str) -> str:
        """The name, or the pseudonym for it."""
        return str(self._swapped({same(one) for one in self.names}, name))

    def _swapped(self, known: set[str], value: Any) -> Any:
        if isinstance(value, str):
            return self.pseudonym if same(value) in known else value
        if isinstance(value, dict):
            return {self._swapped(known, key): self._swapped(known, one) for key, one in value.items()}
        return tuple(self._swapped(known, one) for one in value) if isinstance(value, tuple) else value


@cache
def _naming(kind: type[Fact]) -> tuple[str, ...]:
    """Fields of a kind of fact that hold names."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(field for field, hint in hints.items() if field == "to" or _of_names(hint))


def _of_names(hint: Any) -> bool:
    if get_origin(hint) is Annotated and hint in (Name, ListedName):
        return True
    return any(_of_names(part) for part in get_args(hint) if not isinstance(part, msgspec.Meta))


def drawn_pseudonym(random: Random) -> str:
    """A name that nobody has."""
    return f"Guest {random.getrandbits(32):08X}"


def written_anew(key: LogKey, entries: Sequence[Entry], renaming: Renaming) -> tuple[Entry, ...]:
    """The log of an evening with the pseudonym, chained anew; empty where the name is not in it."""
    renamed = [_renamed(entry, renaming) for entry in entries]
    if not entries or all(new is old for new, old in zip(renamed, entries, strict=True)):
        return ()
    opening = renamed[0].decoded()
    if isinstance(opening, EveningOpen):
        opening = replace(opening, rewritten=(opening.rewritten or 0) + 1, key=key.id)
        renamed[0] = _with(renamed[0], opening)
    return rechained(key, renamed)


def _renamed(entry: Entry, renaming: Renaming) -> Entry:
    if not renaming.in_text(bytes(entry.fact).decode()):
        return entry
    try:
        fact = entry.decoded()
    except FactError:  # of a newer version: the names in it are not known as such
        return entry
    new = renaming.applied(fact)
    return entry if new is fact else _with(entry, new)


def _with(entry: Entry, fact: Fact) -> Entry:
    return replace(entry, fact=msgspec.Raw(codec.encode(fact)))


class WrittenAnew(Struct, frozen=True):
    """Every evening of a journal with the name in it, written anew in one transaction.

    `evenings` then has how many times each of them was, `unread` those that are damaged and keep the name.
    """

    key: LogKey
    renaming: Renaming
    evenings: dict[str, int]
    unread: list[str]

    def write(self, connection: sqlite3.Connection) -> None:
        """Puts the new entries in place, and deletes forks, answers and warnings that name the person."""
        named = (fact for fact in connection.execute("SELECT evening, fact FROM facts").fetchall())
        evenings = dict.fromkeys(evening for evening, fact in named if self.renaming.in_text(fact))
        for evening in evenings:
            rows = connection.execute(f"SELECT {COLUMNS} FROM facts WHERE evening = ? ORDER BY n", (evening,))
            try:
                entries = [entry_of(Path("the journal"), row)[0] for row in rows.fetchall()]
            except DamagedError:
                self.unread.append(evening)
                continue
            self._replace(connection, written_anew(self.key, entries, self.renaming))
        for table, column in (("forks", "fact"), ("answers", "answer"), ("warnings", "text")):
            self._scrub(connection, table, column)

    def _replace(self, connection: sqlite3.Connection, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if entry.n == 1 and isinstance(opening := entry.decoded(), EveningOpen):
                self.evenings[entry.evening] = opening.rewritten or 0
            connection.execute(
                "UPDATE facts SET fact = ?, mac = ? WHERE evening = ? AND n = ?",
                (bytes(entry.fact).decode(), entry.mac, entry.evening, entry.n),
            )

    def _scrub(self, connection: sqlite3.Connection, table: str, column: str) -> None:
        rows = connection.execute(f"SELECT position, CAST({column} AS TEXT) FROM {table}").fetchall()
        found = [(position,) for position, text in rows if self.renaming.in_text(text)]
        connection.executemany(f"DELETE FROM {table} WHERE position = ?", found)
