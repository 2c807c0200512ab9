"""Facts on their way to the head: the next to be sent, and when again; time is a parameter (ms).

A fact is `received` once a head has it in memory, and `committed` once it is in the head's journal
(wire/README.md): until the first it is sent again, until the second it is kept for another head.
"""

from bisect import bisect_right
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.wire.messages import Envelope, Upto

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
        self.ever_received = max(self.ever_received, self.received)
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
        due, again = list[OutgoingFact](), list[OutgoingFact]()
        for stream in self._streams.values():
            for fact in stream.unreceived():
                if fact.last is None:
                    due.append(fact)
                    fact.again_after = RESEND_AFTER_MS
                elif now - fact.last >= fact.again_after and len(again) < MAX_AGAIN:
                    again.append(fact)
                    fact.again_after = min(2 * fact.again_after, RESEND_AFTER_AT_MOST_MS)
        due = again + due
        due += [one for one in self._unconfirmed() if now - (one.last or one.since) >= ASK_COMMIT_AFTER_MS]
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

    def streams(self, evening: str) -> list[tuple[str, int]]:
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

    def _unconfirmed(self) -> Iterator[OutgoingFact]:
        """The last fact of each stream that is received to its end and not committed."""
        for stream in self._streams.values():
            if stream.uncommitted() and not stream.unreceived():
                yield stream.facts[-1]

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
