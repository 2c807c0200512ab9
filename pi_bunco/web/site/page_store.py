"""The page service's file: small values, warnings, and every evening that it has followed to its end."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.errors import FactError
from pi_bunco.game import codec
from pi_bunco.game.facts import Fact
from pi_bunco.log.rewriting import Renaming
from pi_bunco.runtime.store import Schema
from pi_bunco.runtime.writer import Reports, Store, load_kept

SCHEMA = Schema(
    "the page's store",
    0x42756E57,
    1,
    """
CREATE TABLE evenings (
  id TEXT PRIMARY KEY, began REAL NOT NULL, summary BLOB NOT NULL, log BLOB NOT NULL
) STRICT;
""",
)


class EveningSummary(Struct, frozen=True):
    """A past evening in a line: `began` is Unix time (s), `players` and `rounds` count."""

    id: str
    began: float
    title: str
    rules: str
    players: tuple[str, ...]
    rounds: int
    champions: tuple[str, ...]


class Archived(Struct, frozen=True):
    """A past evening with its log, as `pi-bunco export` writes one."""

    summary: EveningSummary
    log: bytes

    def write(self, connection: sqlite3.Connection) -> None:
        """Puts it in place of what was there of the same evening."""
        one = self.summary
        connection.execute(
            "INSERT INTO evenings VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE"
            " SET began = excluded.began, summary = excluded.summary, log = excluded.log",
            (one.id, one.began, msgspec.json.encode(one), self.log),
        )


class EveningsRenamed(Struct, frozen=True):
    """Past evenings as they are without somebody's name."""

    renaming: Renaming

    def write(self, connection: sqlite3.Connection) -> None:
        """Puts the pseudonym into every summary and every log with the name in it."""
        known = connection.execute("SELECT id, began, summary, log FROM evenings").fetchall()
        for _, _, summary, log in known:
            if self.renaming.in_text((summary + log).decode("utf-8", "replace")):
                one = msgspec.json.decode(summary, type=EveningSummary)
                players, champions = (
                    tuple(map(self.renaming.name, names)) for names in (one.players, one.champions)
                )
                lines = b"".join(self._line(line) + b"\n" for line in log.splitlines())
                Archived(replace(one, players=players, champions=champions), lines).write(connection)

    def _line(self, line: bytes) -> bytes:
        try:
            fact = codec.decode(line)
        except FactError:  # of another version: it is shown as it is
            return line
        renamed = self.renaming.applied(fact)
        return line if renamed is fact else codec.encode(renamed)


class WebStore(Store):
    """The store of the page service."""

    def __init__(self, path: Path, reports: Reports) -> None:
        """Checks the file and starts the writer; `DamagedError` or `StoreError` if it cannot be read."""
        super().__init__(path, SCHEMA, load_kept(path, SCHEMA), reports)

    def archive(self, summary: EveningSummary, log: bytes) -> None:
        """Keeps an evening as it is now; `log` as `jsonl` writes one."""
        self.writer.put(Archived(summary, log))

    def rename(self, renaming: Renaming) -> None:
        """Has a pseudonym stand for somebody in all past evenings, and the name in no file."""
        self.writer.put(EveningsRenamed(renaming))
        self.erase()

    def evenings(self) -> list[EveningSummary]:
        """Every evening on disk, the latest first."""
        found = self._rows("SELECT summary FROM evenings ORDER BY began DESC")
        return [msgspec.json.decode(summary, type=EveningSummary) for (summary,) in found]

    def log(self, id: str) -> bytes | None:
        """The log of a past evening, one fact a line; None if it is not known."""
        found = self._rows("SELECT log FROM evenings WHERE id = ?", id)
        return bytes(found[0][0]) if found else None


def jsonl(log: Iterable[Fact]) -> bytes:
    """The facts one a line, the format of an evening log."""
    return b"".join(codec.encode(fact) + b"\n" for fact in log)


def kept_dict(kept: Any) -> dict[str, Any]:
    """A kept value that must be an object; empty for anything else."""
    return kept if isinstance(kept, dict) else {}
