"""A table's durable outbox: every fact is kept until its evening is over, and sent until the head has it."""

import secrets
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field

from pi_bunco.game.facts import TableFact
from pi_bunco.runtime.store import DamagedError, Schema, StoreError, rows
from pi_bunco.runtime.writer import Kept, KeptValues, RecordWriter, Reports, Start, Store, Writer, load_kept
from pi_bunco.wire.messages import Envelope
from pi_bunco.wire.sending import Sending
from pi_bunco.wire.topics import WireError

SCHEMA = Schema(
    "the outbox",
    0x42756E4F,
    2,
    """
CREATE TABLE envelopes (
  position INTEGER PRIMARY KEY,
  evening TEXT NOT NULL,
  stream TEXT NOT NULL,
  seq INTEGER NOT NULL,
  envelope TEXT NOT NULL,
  UNIQUE (stream, seq)
) STRICT;
CREATE TABLE acknowledged (
  stream TEXT PRIMARY KEY,
  received INTEGER NOT NULL,
  committed INTEGER NOT NULL
) STRICT;
""",
)
_COMMITTED = (
    "evening = ? AND seq <= (SELECT committed FROM acknowledged WHERE acknowledged.stream = envelopes.stream)"
)
MAX_STREAMS = 1000
"""Streams of an evening that may be named, the newest."""
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Envelope)


class Saved(Struct, frozen=True):
    """An envelope for the disk; once it is reported as committed, its fact is saved."""

    envelope: Envelope
    line: bytes

    def write(self, connection: sqlite3.Connection) -> None:
        """Adds the envelope; a repeat changes nothing."""
        one = self.envelope
        connection.execute(
            "INSERT INTO envelopes (evening, stream, seq, envelope) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            (one.evening, one.stream, one.seq, self.line.decode()),
        )


class Acknowledged(Struct, frozen=True):
    """A head had received the stream up to `received`, and has committed it up to `committed`."""

    stream: str
    received: int
    committed: int

    def write(self, connection: sqlite3.Connection) -> None:
        """Notes it, in place of what was acknowledged before."""
        connection.execute(
            "INSERT INTO acknowledged VALUES (?, ?, ?) ON CONFLICT DO UPDATE"
            " SET received = excluded.received, committed = excluded.committed",
            (self.stream, self.received, self.committed),
        )


class EveningOver(Struct, frozen=True):
    """Nothing that is committed of an evening will be asked for again: it is deleted."""

    evening: str

    def write(self, connection: sqlite3.Connection) -> None:
        """Deletes what is committed of the evening."""
        connection.execute(f"DELETE FROM envelopes WHERE {_COMMITTED}", (self.evening,))
        connection.execute("DELETE FROM acknowledged WHERE stream NOT IN (SELECT stream FROM envelopes)")


class OutboxContents(Struct):
    """An outbox as it is on disk: small values, envelopes in their order, and what was acknowledged of each
    stream, received and committed.
    """

    kept: dict[str, Any] = field(default_factory=dict)
    envelopes: list[Envelope] = field(default_factory=list)
    acknowledged: list[tuple[str, int, int]] = field(default_factory=list)


class Outbox(KeptValues):
    """The facts of one table on their way to the head, under a stream of their own."""

    def __init__(
        self, contents: OutboxContents, writer: RecordWriter, now: float, stream: str | None = None
    ) -> None:
        """Takes up what earlier starts have left; `now` in ms, `stream` is drawn if not given."""
        self.kept, self.writer = contents.kept, writer
        self.stream = stream or secrets.token_hex(5)
        self._seq = 0
        self._sending = Sending()
        self._marks: set[tuple[str, int]] = set()
        self._over: list[str] = []
        for envelope in contents.envelopes:
            self._add(envelope, now)
        for name, received, committed in contents.acknowledged:
            self._sending.acknowledged(name, committed, committed)
            self._sending.was_received(name, received)

    def __len__(self) -> int:
        """The number of facts that are not committed."""
        return len(self._sending)

    def append(
        self,
        *,
        evening: str,
        epoch: int,
        err: float | None,
        up: int,
        boot: str,
        fact: TableFact,
        mark: tuple[str, int] | None = None,
        kept: Mapping[str, Any] | None = None,
    ) -> Envelope:
        """Takes a fact at once, and `kept` values that are committed together with it; the next `due` has it.

        Fields as in wire/README.md. Raises `WireError`, taking nothing, if a head would drop it.
        """
        try:
            envelope = Envelope(
                1, evening, self.stream, self._seq + 1, 1, epoch, None, err, up, boot, fact, mark=mark
            )
            line = _encoder.encode(envelope)
            _decoder.decode(line)
        except (msgspec.MsgspecError, ValueError, TypeError) as error:
            # What is dropped on its way holds up all that comes after it for ever.
            raise WireError(f"the fact cannot be sent: {error}") from error
        self._seq += 1
        self._add(envelope, up)
        self.kept.update(kept or {})
        self.writer.put(Saved(envelope, line), *(Kept(key, value) for key, value in (kept or {}).items()))
        return envelope

    def has(self, mark: tuple[str, int] | None) -> bool:
        """The throw or tap with this mark is in here already."""
        return mark is not None and tuple(mark) in self._marks

    def renew(self, stream: str | None = None) -> str:
        """Begins another stream, as a new start would, and returns it: then a stream is of one evening.

        One that is empty goes on.
        """
        if not self._seq:
            return self.stream
        self.stream = stream or secrets.token_hex(5)
        self._seq = 0
        return self.stream

    def due(self, now: float) -> list[Envelope]:
        """The envelopes to send now (ms), in this order; they count as sent by that."""
        return self._sending.due(now)

    def reconnected(self) -> None:
        """The broker is back: all that is not received is due at once."""
        self._sending.reconnected()

    def head_changed(self) -> None:
        """Another head is there, or the same one came back: all that is not committed is due at once."""
        self._sending.head_changed()

    def acknowledged(self, stream: str, received: int, committed: int) -> None:
        """The head has the stream up to `received`, up to `committed` on disk; either may fall."""
        before = self._sending.ever_received(stream)
        news = self._sending.acknowledged(stream, received, committed)
        if news or self._sending.ever_received(stream) > before:
            # A repeat after a restart does no harm, so an acknowledgement is not worth a write of its own.
            self.writer.put_later(Acknowledged(stream, self._sending.ever_received(stream), committed))
        for evening in list(self._over) if news else ():
            self.evening_over(evening)

    def evening_over(self, evening: str) -> None:
        """Deletes the facts of an evening that cannot be reopened, each once it is committed."""
        self._sending.drop(evening)
        self.writer.put(EveningOver(evening))
        if evening not in self._sending.evenings():
            self._over = [other for other in self._over if other != evening]
        elif evening not in self._over:
            self._over.append(evening)

    def envelopes(self, evening: str) -> list[Envelope]:
        """All facts of the evening that are kept, committed or not, oldest first."""
        return self._sending.envelopes(evening)

    def uncommitted(self) -> list[Envelope]:
        """The envelopes that are not committed, oldest first."""
        return self._sending.uncommitted()

    def streams(self, evening: str | None) -> tuple[tuple[str, int], ...]:
        """The streams of the evening with their last places, oldest first; the current one is the last."""
        earlier = self._sending.streams(evening) if evening else []
        return (*(end for end in earlier if end[0] != self.stream), (self.stream, self._seq))[-MAX_STREAMS:]

    def evenings(self) -> list[str]:
        """The evenings of the facts that are kept, the oldest first."""
        return self._sending.evenings()

    def oldest_ms(self, now: float) -> int:
        """The age of the oldest fact that is not committed; 0 where there is none."""
        return self._sending.oldest_ms(now)

    def unreceived_ms(self, now: float) -> int:
        """The age of the oldest fact that the head has not received; 0 where there is none."""
        return self._sending.unreceived_ms(now)

    def _add(self, envelope: Envelope, now: float) -> None:
        self._sending.add(envelope, now)
        if envelope.mark is not None:
            self._marks.add((envelope.mark[0], envelope.mark[1]))


class OutboxFile(Outbox, Store):
    """The outbox of one table's service in a file of its own."""

    def __init__(
        self, path: Path, reports: Reports, now: float, stream: str | None = None, start: Start = Writer
    ) -> None:
        """Raises `DamagedError`; from a disk that cannot be read it takes nothing, which the writer tells."""
        try:
            contents = read_contents(path)
        except DamagedError:
            raise
        except StoreError:
            contents = OutboxContents()
        Store.__init__(self, path, SCHEMA, contents.kept, reports, start)
        Outbox.__init__(self, contents, self.writer, now, stream)


def read_contents(path: Path) -> OutboxContents:
    """The outbox at `path`; raises `DamagedError`, and `StoreError` if it cannot be read."""
    return OutboxContents(
        load_kept(path, SCHEMA),
        [
            decoded(path, text)
            for (text,) in rows(path, SCHEMA, "SELECT envelope FROM envelopes ORDER BY position")
        ],
        rows(path, SCHEMA, "SELECT * FROM acknowledged"),
    )


def decoded(path: Path, text: str) -> Envelope:
    """The envelope of a row; `DamagedError` if it is none."""
    try:
        return _decoder.decode(text)
    except msgspec.MsgspecError as error:
        raise DamagedError(f"the outbox {path} has an unreadable fact ({error}); it is kept") from error


def unsent(path: Path) -> int:
    """The facts in the outbox at `path` that no head has committed; raises as `rows` does."""
    sql = (
        "SELECT count(*) FROM envelopes LEFT JOIN acknowledged USING (stream)"
        " WHERE seq > coalesce(committed, 0)"
    )
    return sum(n for (n,) in rows(path, SCHEMA, sql))
