"""What a table still has to tell the head, and when it says it again; time is a parameter (ms)."""

from bisect import bisect_right
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.wire.messages import Envelope

WINDOW = 64  # facts in flight
PATIENCE = 3000.0  # ms without an acknowledgement until a fact is sent again


class Held(Struct):
    """An envelope that is kept, since when, how often it was sent and when last."""

    envelope: Envelope
    since: float
    sent: int = 0
    last: float | None = None


class Stream:
    """The facts of one stream in the order of `seq`; the first `done` of them are acknowledged.

    The head knows those up to number `heard`, although it may not be able to keep them.
    """

    def __init__(self) -> None:
        self.held: list[Held] = []
        self.done = self.heard = 0

    @property
    def known(self) -> int:
        """So many of them the head has heard of."""
        return max(self.done, bisect_right(self.held, self.heard, key=lambda held: held.envelope.seq))

    def front(self, window: int) -> list[Held]:
        """What may be in flight: the first `window` without an acknowledgement, and of those not heard of."""
        end, known = self.done + window, self.known
        return self.held[self.done : end] + self.held[max(end, known) : known + window]

    def acked(self, seq: int, now: float) -> bool:
        """All up to `seq` have arrived; what had arrived after it is lost and due. Whether that is news."""
        done = bisect_right(self.held, seq, key=lambda held: held.envelope.seq)
        for held in self.held[done : self.done]:
            held.since = now
        if done < self.done:
            self.forget_sending(done)
        before, self.done = self.done, done
        return done != before

    def forget_sending(self, start: int) -> None:
        """Makes what is held from index `start` on due at once."""
        for held in self.held[start:]:
            held.last = None

    def drop(self, evening: str) -> None:
        """Drops what is acknowledged of the evening."""
        arrived = [held for held in self.held[: self.done] if held.envelope.evening != evening]
        self.held[: self.done] = arrived
        self.done = len(arrived)


class Sending:
    """The streams of a table, oldest first, its own of this start last.

    A later stream waits until the head has heard of all of the earlier ones; of another evening's it wants
    nothing in order. Of an earlier one a single fact is in flight: the head may give up its gaps, and then
    takes a fact that was overtaken for a repeat.
    """

    def __init__(self, stream: str) -> None:
        self.stream = stream
        self._streams: dict[str, Stream] = {}
        self._now = 0.0

    def add(self, envelope: Envelope, now: float) -> None:
        """Keeps an envelope; its `seq` is greater than any before it in its stream."""
        self._now = now
        self._streams.setdefault(envelope.stream, Stream()).held.append(Held(envelope, now))

    def due(self, now: float) -> list[Envelope]:
        """What is to be sent now, in this order, and counts as sent by that."""
        self._now = now
        due = [held for held in self._front() if held.last is None or now - held.last >= PATIENCE]
        for held in due:
            held.last = now
            held.sent += 1
        return [replace(held.envelope, sent=held.sent) for held in due]

    def acked(self, stream: str, seq: int) -> bool:
        """The head has all of the stream up to `seq` and nothing after it; whether that is news."""
        return stream in self._streams and self._streams[stream].acked(seq, self._now)

    def heard(self, evening: str, stream: str, seq: int) -> None:
        """The head knows all of the evening up to this place and nothing after it, journaled or not."""
        before = stream in self._streams
        for name, one in self._streams.items():
            before = before and name != stream
            last = one.held[-1].envelope
            whole = before or last.evening != evening
            one.heard = last.seq if whole else seq if name == stream else 0

    def lost(self) -> list[str]:
        """The head may have nothing any more: all is due until it says what it has. The streams of that."""
        self.unheard()
        return [name for name, stream in self._streams.items() if stream.acked(0, self._now)]

    def unheard(self) -> None:
        """The head that had heard of facts may be gone, and they with it."""
        for stream in self._streams.values():
            stream.heard = 0

    def reconnected(self) -> None:
        """What was in flight may be lost: all that is not acknowledged is due at once."""
        self.unheard()
        for stream in self._streams.values():
            stream.forget_sending(stream.done)

    def drop(self, evening: str) -> None:
        """Drops what is acknowledged of an evening that is over."""
        for name, stream in list(self._streams.items()):
            stream.drop(evening)
            if not stream.held:
                del self._streams[name]

    def held(self) -> list[Envelope]:
        """What is not acknowledged, oldest first."""
        return [held.envelope for stream in self._streams.values() for held in stream.held[stream.done :]]

    def ends(self) -> dict[str, int]:
        """Per stream the last place in it."""
        return {name: stream.held[-1].envelope.seq for name, stream in self._streams.items() if stream.held}

    def evenings(self) -> list[str]:
        """The evenings of what is held, the oldest first."""
        return list(dict.fromkeys(held.envelope.evening for held in self._all()))

    def oldest_ms(self, now: float) -> int:
        """The age of the oldest fact that is not acknowledged; 0 where there is none."""
        return max((round(now - held.since) for held in self._front()), default=0)

    def unheard_ms(self, now: float) -> int:
        """The age of the oldest fact that the head has not heard of; 0 where there is none."""
        unheard = (held for stream in self._streams.values() for held in stream.held[stream.known :][:1])
        return max((round(now - held.since) for held in unheard), default=0)

    def __len__(self) -> int:
        return sum(len(stream.held) - stream.done for stream in self._streams.values())

    def _all(self) -> Iterator[Held]:
        for stream in self._streams.values():
            yield from stream.held

    def _front(self) -> list[Held]:
        front: list[Held] = []
        for name, stream in self._streams.items():
            front += stream.front(WINDOW if name == self.stream else 1)
            if stream.known < len(stream.held):
                break
        return front
