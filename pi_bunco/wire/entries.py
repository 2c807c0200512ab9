"""Entries of the evening log in one message, on their way between the head and the replicas."""

from collections.abc import Iterable, Sequence

from msgspec import Raw

from pi_bunco.log.entry import Entry
from pi_bunco.wire.gate import BATCH
from pi_bunco.wire.messages import LogEntries, LogLine, LogRequest

AROUND = 200
"""Bytes of an entry beside its fact, at most."""


def answer_of(request: LogRequest, entries: Iterable[Entry]) -> LogEntries:
    """As many of the entries as fit into one answer, at least one if there is any."""
    lines: list[LogLine] = []
    size = 0
    for entry in entries:
        size += len(bytes(entry.fact)) + AROUND
        if lines and size > BATCH:
            break
        lines.append(LogLine(entry.n, Raw(bytes(entry.fact)), entry.origin, entry.mac))
    return LogEntries(request.evening, tuple(lines))


def entries_of(answer: LogEntries) -> Sequence[Entry]:
    """The entries of an answer."""
    return [Entry(answer.evening, one.n, Raw(bytes(one.fact)), one.origin, one.mac) for one in answer.entries]
