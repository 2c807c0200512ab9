"""The store of all phone tables: an outbox for each, written together."""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from pi_bunco.runtime.store import DamagedError, Schema, StoreError, rows
from pi_bunco.runtime.writer import (
    Kept,
    Record,
    RecordWriter,
    Reports,
    SqlStatement,
    Start,
    Store,
    Writer,
    load_kept,
)
from pi_bunco.wire import outbox
from pi_bunco.wire.outbox import Outbox, OutboxContents, Saved

log = logging.getLogger(__name__)

SCHEMA = Schema(
    "the phone tables' outbox",
    0x42756E50,
    1,
    f"""{outbox.SCHEMA.tables}
CREATE TABLE streams (stream TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT;
""",
)

_ENVELOPES = "SELECT number, envelope FROM envelopes JOIN streams USING (stream) ORDER BY position"
_BEGIN = "INSERT INTO streams VALUES (?, ?) ON CONFLICT DO NOTHING"
_FORGET_UNUSED = "DELETE FROM streams WHERE stream NOT IN (SELECT stream FROM envelopes)"
_ACKNOWLEDGED = "SELECT number, stream, received, committed FROM acknowledged JOIN streams USING (stream)"


class PhonesStore(Store):
    """The store of all phone tables, one file with one writer."""

    def __init__(self, path: Path, reports: Reports, start: Start = Writer) -> None:
        """Raises `DamagedError`; from a disk that cannot be read it takes nothing, which the writer tells."""
        self.streams: dict[str, int] = {}
        """Per stream the number of its table."""
        self._contents = defaultdict[int, OutboxContents](OutboxContents)
        kept: dict[str, Any] = {}
        try:
            kept = load_kept(path, SCHEMA)
            self._load(path, kept)
        except DamagedError:
            raise
        except StoreError:
            pass
        super().__init__(path, SCHEMA, kept, reports, start)

    def begun(self, evening: str | None) -> list[int]:
        """The tables that played in that evening when it was last seen."""
        views = {number: one.kept.get("view") for number, one in self._contents.items()}
        return [number for number, view in views.items() if view and view.get("evening") == evening]

    def left(self, phones: Collection[int]) -> list[int]:
        """The tables that have facts here and are not among the `phones`."""
        return [number for number, one in self._contents.items() if one.envelopes and number not in phones]

    def forget_unused(self) -> None:
        """Forgets streams of which nothing is left."""
        self.writer.put_later(SqlStatement(_FORGET_UNUSED))

    def outbox(self, number: int, now: float, stream: str | None = None) -> Outbox:
        """The outbox of one table; `stream` is drawn if not given."""
        contents = self._contents.pop(number, None) or OutboxContents()
        return Outbox(contents, TableWriter(self.writer, number, self.streams), now, stream)

    def shared_out(self, records: tuple[Record, ...]) -> Mapping[int, tuple[Record, ...]]:
        """Per table its own of these records, as its outbox put them."""
        found: dict[int, list[Record]] = {}
        for record in records:
            match record:
                case Kept(key, value) if "/" in key:
                    number, _, name = key.partition("/")
                    found.setdefault(int(number), []).append(Kept(name, value))
                case Saved():
                    found.setdefault(self.streams[record.envelope.stream], []).append(record)
        return {number: tuple(mine) for number, mine in found.items()}

    def _load(self, path: Path, kept: dict[str, Any]) -> None:
        for number, text in rows(path, SCHEMA, _ENVELOPES):
            envelope = outbox.decoded(path, text)
            self.streams[envelope.stream] = number
            self._contents[number].envelopes.append(envelope)
        for number, *acknowledged in rows(path, SCHEMA, _ACKNOWLEDGED):
            self._contents[number].acknowledged.append(tuple(acknowledged))
        for key in [key for key in kept if "/" in key]:
            number, _, name = key.partition("/")
            self._contents[int(number)].kept[name] = kept.pop(key)


class TableWriter:
    """The writer of all tables as the outbox of one uses it."""

    def __init__(self, writer: RecordWriter, number: int, streams: dict[str, int]) -> None:
        self._writer = writer
        self._number = number
        self._streams = streams

    def put(self, *records: Record) -> None:
        """Has the records written at once, together."""
        self._writer.put(*self._named(records))

    def put_later(self, *records: Record) -> None:
        """Has the records written with what any table puts next."""
        self._writer.put_later(*self._named(records))

    def _named(self, records: tuple[Record, ...]) -> Iterator[Record]:
        for record in records:
            if isinstance(record, Kept):
                yield Kept(f"{self._number}/{record.key}", record.value)
                continue
            if isinstance(record, Saved) and record.envelope.stream not in self._streams:
                self._streams[record.envelope.stream] = self._number
                yield SqlStatement(_BEGIN, (record.envelope.stream, self._number))
            yield record
