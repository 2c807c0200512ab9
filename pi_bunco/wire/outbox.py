"""A table's durable outbox: every fact is kept until its evening is over, and sent until the head has it."""

import secrets
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.runtime.store import DamagedError, Schema, StoreError, rows
from pi_bunco.runtime.writer import Kept, Reports, Start, Store, Writer, load_kept
from pi_bunco.wire import gate
from pi_bunco.wire.messages import Envelope
from pi_bunco.wire.sending import Sending
from pi_bunco.wire.topics import WireError

SCHEMA = Schema(
    "the outbox",
    0x42756E4F,
    1,
    """
CREATE TABLE envelopes (
  position INTEGER PRIMARY KEY,
  evening TEXT NOT NULL,
  stream TEXT NOT NULL,
  seq INTEGER NOT NULL,
  envelope TEXT NOT NULL,
  UNIQUE (stream, seq)
) STRICT;
CREATE TABLE acked (stream TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
CREATE TABLE asides (position INTEGER PRIMARY KEY, evening TEXT NOT NULL, envelope TEXT NOT NULL) STRICT;
""",
)
_ARRIVED = "evening = ? AND seq <= (SELECT seq FROM acked WHERE acked.stream = envelopes.stream)"
_MOST_SENT = 10**9
_decoder = msgspec.json.Decoder(Envelope)


class Saved(Struct, frozen=True):
    """An envelope for the disk; once it is reported as committed, its fact is saved."""

    envelope: Envelope

    def write(self, connection: sqlite3.Connection) -> None:
        """Adds the envelope; a repeat changes nothing."""
        one = self.envelope
        connection.execute(
            "INSERT INTO envelopes (evening, stream, seq, envelope) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            (one.evening, one.stream, one.seq, msgspec.json.encode(one).decode()),
        )


class Acked(Struct, frozen=True):
    """The head has all of the stream up to `seq`."""

    stream: str
    seq: int

    def write(self, connection: sqlite3.Connection) -> None:
        """Notes it, in place of what the head said before."""
        connection.execute(
            "INSERT INTO acked VALUES (?, ?) ON CONFLICT DO UPDATE SET seq = excluded.seq",
            (self.stream, self.seq),
        )


class Over(Struct, frozen=True):
    """What the head has of an evening is not to be sent again; it is deleted, or kept aside for review."""

    evening: str
    aside: bool

    def write(self, connection: sqlite3.Connection) -> None:
        """Moves or deletes what is acknowledged of the evening."""
        if self.aside:
            connection.execute(
                "INSERT INTO asides (evening, envelope)"
                f" SELECT evening, envelope FROM envelopes WHERE {_ARRIVED} ORDER BY position",
                (self.evening,),
            )
        connection.execute(f"DELETE FROM envelopes WHERE {_ARRIVED}", (self.evening,))
        connection.execute("DELETE FROM acked WHERE stream NOT IN (SELECT stream FROM envelopes)")


class Outbox(Store):
    """The facts of one table's service on their way to the head, under a stream of their own."""

    def __init__(
        self, path: Path, reports: Reports, now: float, stream: str | None = None, start: Start = Writer
    ) -> None:
        """Takes up what earlier starts have left at `path`; `now` in ms, `stream` is drawn if not given.

        Raises `DamagedError`; if the disk cannot be read it starts from nothing, and the writer says so.
        """
        self.stream = stream or secrets.token_hex(5)
        self._seq = 0
        self._sending = Sending(self.stream)
        self._over: dict[str, Over] = {}
        kept: dict[str, Any] = {}
        try:
            kept = load_kept(path, SCHEMA)
            self._load(path, now)
        except DamagedError:
            raise
        except StoreError:
            pass
        super().__init__(path, SCHEMA, kept, reports, start)

    def unheard_ms(self, now: float) -> int:
        """The age of the oldest fact that the head has not heard of; 0 where there is none."""
        return self._sending.unheard_ms(now)

    def __len__(self) -> int:
        """How many facts are not acknowledged."""
        return len(self._sending)

    def append(
        self,
        *,
        evening: str,
        epoch: int,
        t: int | None,
        err: float | None,
        up: int,
        boot: str,
        fact: dict[str, Any],
        kept: Mapping[str, Any] | None = None,
    ) -> Envelope:
        """Takes a fact at once, and `kept` values that are committed together with it; the next `due` has it.

        Fields as in PROTOCOL.md section 2. Raises `WireError`, taking nothing, if a head would drop it.
        """
        try:
            envelope = Envelope(1, evening, self.stream, self._seq + 1, 1, epoch, t, err, up, boot, fact)
            _decoder.decode(gate.encode(replace(envelope, sent=_MOST_SENT)))
        except (msgspec.MsgspecError, ValueError, TypeError) as error:
            # What is dropped on its way holds up all that comes after it for ever.
            raise WireError(f"the fact cannot be sent: {error}") from error
        self._seq += 1
        self._sending.add(envelope, up)
        self.kept.update(kept or {})
        self.writer.put(Saved(envelope), *(Kept(key, value) for key, value in (kept or {}).items()))
        return envelope

    def renew(self, stream: str | None = None) -> str:
        """Begins another stream, as a new start would, and returns it: then a stream is of one evening."""
        self.stream = self._sending.stream = stream or secrets.token_hex(5)
        self._seq = 0
        return self.stream

    def due(self, now: float) -> list[Envelope]:
        """What is to be sent now (ms), in this order; it counts as sent by that."""
        return self._sending.due(now)

    def reconnected(self) -> None:
        """The broker is back: all that is not acknowledged is due at once."""
        self._sending.reconnected()

    def acked(self, stream: str, seq: int) -> None:
        """The head has all of the stream up to `seq`, and nothing after it, whatever it had before."""
        if not self._sending.acked(stream, seq):
            return
        # A repeat after a restart does no harm, so an acknowledgement is not worth a write of its own.
        self.writer.put_later(Acked(stream, seq))
        for over in list(self._over.values()):
            self._end(over)

    def heard(self, evening: str, stream: str, seq: int) -> None:
        """The head knows all of the evening up to this place, although it may not be able to keep it."""
        self._sending.heard(evening, stream, seq)

    def unheard(self) -> None:
        """The head is gone, and with it what it could not keep."""
        self._sending.unheard()

    def lost(self) -> None:
        """The head may have nothing any more: all that is held is due, until it says what it has."""
        self.writer.put_later(*(Acked(stream, 0) for stream in self._sending.lost()))

    def evening_closed(self, evening: str) -> None:
        """Deletes the facts of an evening that is over, each once it is acknowledged."""
        self._end(Over(evening, aside=False))

    def set_aside(self, evening: str) -> None:
        """As `evening_closed`, for an evening that the head has lost: the file keeps the facts for review."""
        self._end(Over(evening, aside=True))

    def held(self) -> list[Envelope]:
        """What is not acknowledged, oldest first."""
        return self._sending.held()

    def streams(self) -> tuple[tuple[str, int], ...]:
        """The streams of what is kept for sending with their last place, the table's own last."""
        ends = self._sending.ends()
        return (
            *((stream, seq) for stream, seq in ends.items() if stream != self.stream),
            (self.stream, self._seq),
        )

    def evenings(self) -> list[str]:
        """The evenings of the facts that are held for sending, the oldest first."""
        return self._sending.evenings()

    def oldest_ms(self, now: float) -> int:
        """The age of the oldest fact that is not acknowledged; 0 where there is none."""
        return self._sending.oldest_ms(now)

    def asides(self) -> list[Envelope]:
        """The facts on disk that were set aside, oldest first."""
        found = self._rows("SELECT envelope FROM asides ORDER BY position")
        return [_decoder.decode(envelope) for (envelope,) in found]

    def _load(self, path: Path, now: float) -> None:
        for (text,) in rows(path, SCHEMA, "SELECT envelope FROM envelopes ORDER BY position"):
            self._sending.add(_decoded(path, text), now)
        for stream, seq in rows(path, SCHEMA, "SELECT stream, seq FROM acked"):
            self._sending.acked(stream, seq)

    def _end(self, over: Over) -> None:
        self._sending.drop(over.evening)
        self.writer.put(over)
        if over.evening in self._sending.evenings():
            self._over[over.evening] = over
        else:
            self._over.pop(over.evening, None)


def _decoded(path: Path, text: str) -> Envelope:
    try:
        return _decoder.decode(text)
    except msgspec.MsgspecError as error:
        raise DamagedError(f"the outbox {path} has an unreadable fact ({error}); it is kept") from error
