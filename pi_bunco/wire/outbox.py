"""A table's durable outbox: every fact is kept until its evening is over, and sent until the head has it.

A fact is `received` once a head has it in memory, and `committed` once it is in the head's journal
(wire/README.md): until the first it is sent again, until the second it is kept for another head. Time is a
parameter (ms).
"""

import secrets
import sqlite3
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from pi_bunco.game.facts import TableFact
from pi_bunco.runtime.store import DamagedError, Schema, StoreError, rows
from pi_bunco.runtime.writer import (
    Kept,
    KeptValues,
    RecordWriter,
    Reports,
    SqlStatement,
    Start,
    Store,
    Writer,
    load_kept,
)
from pi_bunco.wire.messages import Envelope, Upto
from pi_bunco.wire.topics import WireError

MAX_AGAIN = 64
"""Facts that are sent again at once: a head that is slow must not be sent more and more."""
RESEND_AFTER_MS = 500.0
"""Milliseconds after which a fact that was not received is sent again, twice as long after each time."""
RESEND_AFTER_AT_MOST_MS = 4000.0
ASK_COMMIT_AFTER_MS = 30_000.0
"""Milliseconds after which the word of a commit may have been lost: the last fact is sent again for it."""


class OutgoingFact(Struct):
    """An envelope, since when (ms) it waits for its commit, how often it was sent and when last."""

    envelope: Envelope
    since: float
    sent: int = 0
    last: float | None = None
    again_after: float = RESEND_AFTER_MS


class Stream:
    """The facts of one stream in the order of `seq`.

    The head has received those up to `received`, and has committed those up to `committed`; some head had
    received those up to `ever_received`, which does not fall.
    """

    def __init__(self) -> None:
        self.facts: list[OutgoingFact] = []
        self.received = self.committed = self.ever_received = 0

    def after(self, seq: int) -> int:
        """The index of the first fact behind the place `seq`."""
        if not self.facts or self.facts[-1].envelope.seq <= seq:  # as it nearly always is
            return len(self.facts)
        return bisect_right(self.facts, seq, key=lambda fact: fact.envelope.seq)

    def uncommitted(self) -> list[OutgoingFact]:
        """The facts that may have to be sent to another head."""
        return self.facts[self.after(self.committed) :]

    def unreceived(self) -> list[OutgoingFact]:
        """The facts that the head does not have."""
        return self.facts[self.after(max(self.received, self.committed)) :]

    def acknowledged(self, received: int, committed: int, now: float) -> bool:
        """Takes the head's word, which may be lower than before; tells if `committed` has changed."""
        before, known = self.committed, max(self.received, self.committed)
        self.received, self.committed = max(received, committed), committed
        self.ever_received = max(self.ever_received, received)
        for fact in self.facts[self.after(self.received) : self.after(known)]:
            fact.last = None
        for fact in self.facts[self.after(committed) : self.after(before)]:
            fact.since = now
        return committed != before

    def drop(self, evening: str) -> None:
        """Drops what is committed of the evening."""
        end = self.after(self.committed)
        self.facts[:end] = [fact for fact in self.facts[:end] if fact.envelope.evening != evening]


class Sending:
    """The streams of a table, oldest first.

    However many facts have gathered, all go at once: the first of a stream says which one it comes `after`,
    so a head that lacks some of that has the others wait. Delay is round trips, not facts times round trips.
    """

    def __init__(self) -> None:
        self._streams: dict[str, Stream] = {}
        self._now = 0.0

    def add(self, envelope: Envelope, now: float) -> None:
        """Keeps an envelope; its `seq` is greater than any before it in its stream."""
        self._now = now
        self._streams.setdefault(envelope.stream, Stream()).facts.append(OutgoingFact(envelope, now))

    def due(self, now: float) -> list[Envelope]:
        """The envelopes to send now, in this order; they count as sent by that."""
        self._now = now
        due, again, ends = list[OutgoingFact](), list[OutgoingFact](), list[OutgoingFact]()
        for stream in self._streams.values():
            if not (uncommitted := stream.uncommitted()):
                continue
            unreceived = stream.unreceived()
            if not unreceived:
                ends.append(uncommitted[-1])
            for fact in unreceived:
                if fact.last is None:
                    due.append(fact)
                    fact.again_after = RESEND_AFTER_MS
                elif now - fact.last >= fact.again_after and len(again) < MAX_AGAIN:
                    again.append(fact)
                    fact.again_after = min(2 * fact.again_after, RESEND_AFTER_AT_MOST_MS)
        due = again + due
        due += [one for one in ends if now - (one.last or one.since) >= ASK_COMMIT_AFTER_MS]
        for fact in due:
            fact.last = now
            fact.sent += 1
        return [self._marked(fact) for fact in due]

    def acknowledged(self, stream: str, received: int, committed: int) -> bool:
        """The head has the stream up to there and no further; tells if `committed` has changed."""
        known = self._streams.get(stream)
        return known is not None and known.acknowledged(received, committed, self._now)

    def was_received(self, stream: str, seq: int) -> None:
        """Some head had the facts up to `seq`, as an earlier start of this service knew."""
        if known := self._streams.get(stream):
            known.ever_received = max(known.ever_received, seq)

    def ever_received(self, stream: str) -> int:
        """The last place of the stream that any head had received."""
        return self._streams[stream].ever_received if stream in self._streams else 0

    def head_changed(self) -> None:
        """Another head has in memory nothing that is not committed: all of that is due at once."""
        for stream in self._streams.values():
            stream.received = stream.committed
            for fact in stream.uncommitted():
                fact.last = None

    def reconnected(self) -> None:
        """Messages under way may be gone: all that is not received is due at once."""
        for stream in self._streams.values():
            for fact in stream.unreceived():
                fact.last = None

    def drop(self, evening: str) -> None:
        """Drops what is committed of an evening that is over."""
        for name, stream in list(self._streams.items()):
            stream.drop(evening)
            if not stream.facts:
                del self._streams[name]

    def envelopes(self, evening: str) -> list[Envelope]:
        """All that is kept of the evening, oldest first."""
        return [fact.envelope for fact in self._all() if fact.envelope.evening == evening]

    def uncommitted(self) -> list[Envelope]:
        """The envelopes that are not committed, oldest first."""
        return [fact.envelope for stream in self._streams.values() for fact in stream.uncommitted()]

    def ends(self, evening: str) -> list[tuple[str, int]]:
        """The streams of the evening with their last places, oldest first."""
        found = ((name, stream.facts[-1].envelope) for name, stream in self._streams.items())
        return [(name, last.seq) for name, last in found if last.evening == evening]

    def evenings(self) -> list[str]:
        """The evenings of all that is kept, the oldest first."""
        return list(dict.fromkeys(fact.envelope.evening for fact in self._all()))

    def oldest_ms(self, now: float) -> int:
        """The age of the oldest fact that is not committed; 0 where there is none."""
        oldest = (fact for stream in self._streams.values() for fact in stream.uncommitted()[:1])
        return max((round(now - fact.since) for fact in oldest), default=0)

    def unreceived_ms(self, now: float) -> int:
        """The age of the oldest fact that the head has not received; 0 where there is none."""
        oldest = (fact for stream in self._streams.values() for fact in stream.unreceived()[:1])
        return max((round(now - fact.since) for fact in oldest), default=0)

    def __len__(self) -> int:
        return sum(len(stream.facts) - stream.after(stream.committed) for stream in self._streams.values())

    def _all(self) -> Iterator[OutgoingFact]:
        for stream in self._streams.values():
            yield from stream.facts

    def _marked(self, fact: OutgoingFact) -> Envelope:
        one = fact.envelope
        received = one.seq <= self._streams[one.stream].ever_received
        return replace(
            one, sent=fact.sent, received=received, after=self._after(one) if one.seq == 1 else None
        )

    def _after(self, first: Envelope) -> Upto | None:
        """The last place before a stream: by what is here now, for a card may have lost more."""
        before: Upto | None = None
        for name, stream in self._streams.items():
            if name == first.stream:
                break
            last = stream.facts[-1].envelope
            before = Upto(name, last.seq) if last.evening == first.evening else before
        return before


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
ACKNOWLEDGE = (
    "INSERT INTO acknowledged VALUES (?, ?, ?) ON CONFLICT DO UPDATE"
    " SET received = excluded.received, committed = excluded.committed"
)
"""A stream, up to where a head had received it, and up to where it has committed it."""
_DROP_COMMITTED = (
    "DELETE FROM envelopes WHERE evening = ? AND seq <="
    " (SELECT committed FROM acknowledged WHERE acknowledged.stream = envelopes.stream)"
)
_DROP_STREAMS = "DELETE FROM acknowledged WHERE stream NOT IN (SELECT stream FROM envelopes)"
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


class OutboxContents(Struct):
    """An outbox as it is on disk: small values, envelopes in their order, and what was acknowledged of each
    stream, received and committed.
    """

    kept: dict[str, Any] = field(default_factory=dict)
    envelopes: list[Envelope] = field(default_factory=list)
    acknowledged: list[tuple[str, int, int]] = field(default_factory=list)


class Outbox(Sending, KeptValues):
    """The facts of one table on their way to the head, under a stream of their own."""

    def __init__(
        self, contents: OutboxContents, writer: RecordWriter, now: float, stream: str | None = None
    ) -> None:
        """Takes up what earlier starts have left; `now` in ms, `stream` is drawn if not given."""
        super().__init__()
        self.kept, self.writer = contents.kept, writer
        self.stream = stream or secrets.token_hex(5)
        self._seq = 0
        self._marks: set[tuple[str, int]] = set()
        self._over: list[str] = []
        for envelope in contents.envelopes:
            self.add(envelope, now)
        for name, received, committed in contents.acknowledged:
            super().acknowledged(name, 0, committed)
            self.was_received(name, received)

    def append(
        self,
        *,
        evening: str,
        epoch: int,
        err: float | None,
        up: int,
        boot: str,
        fact: TableFact,
        t: int | None = None,
        mark: tuple[str, int] | None = None,
        guessed: bool = False,
        kept: Mapping[str, Any] | None = None,
    ) -> Envelope:
        """Takes a fact at once, and `kept` values that are committed together with it; the next `due` has it.

        Fields as in wire/README.md; `t` is what it cannot be before. Raises `WireError`, taking nothing, if
        a head would drop it.
        """
        try:
            envelope = Envelope(
                1, evening, self.stream, self._seq + 1, 1, epoch, t, err, up, boot, fact, mark=mark,
                guessed=guessed,
            )  # fmt: skip
            line = _encoder.encode(envelope)
            _decoder.decode(line)
        except (msgspec.MsgspecError, ValueError, TypeError) as error:
            # What is dropped on its way holds up all that comes after it for ever.
            raise WireError(f"the fact cannot be sent: {error}") from error
        self._seq += 1
        self.add(envelope, up)
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

    def acknowledged(self, stream: str, received: int, committed: int) -> bool:
        """The head has the stream up to `received`, up to `committed` on disk; tells if that has changed."""
        before = self.ever_received(stream)
        news = super().acknowledged(stream, received, committed)
        if news or self.ever_received(stream) > before:
            # A repeat after a restart does no harm, so an acknowledgement is not worth a write of its own.
            acknowledged = stream, self.ever_received(stream), committed
            self.writer.put_later(SqlStatement(ACKNOWLEDGE, acknowledged))
        for evening in list(self._over) if news else ():
            self.evening_over(evening)
        return news

    def evening_over(self, evening: str) -> None:
        """Deletes the facts of an evening that cannot be reopened, each once it is committed."""
        self.drop(evening)
        self.writer.put(SqlStatement(_DROP_COMMITTED, (evening,)), SqlStatement(_DROP_STREAMS))
        if evening not in self.evenings():
            self._over = [other for other in self._over if other != evening]
        elif evening not in self._over:
            self._over.append(evening)

    def streams(self, evening: str | None) -> tuple[tuple[str, int], ...]:
        """The streams of the evening with their last places, oldest first; the current one is the last."""
        earlier = self.ends(evening) if evening else []
        return (*(end for end in earlier if end[0] != self.stream), (self.stream, self._seq))[-MAX_STREAMS:]

    def add(self, envelope: Envelope, now: float) -> None:
        """Keeps an envelope, and the mark of its throw or tap."""
        super().add(envelope, now)
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
