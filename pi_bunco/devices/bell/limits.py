"""Limits of bell and horn above those of the relays (FIELD-NOTES.md, relay, bell, horn)."""

import math
from collections.abc import Iterable
from typing import Literal, get_args

from msgspec import Struct

from pi_bunco.devices.protocols import Blast, Blasts
from pi_bunco.reason import N_, Reason
from pi_bunco.rules.ruleset import Signal

RingPurpose = Literal["start", "end", "test"]

LONGEST_MS = 3000
"""Most on-time of one ring."""
GAP_MS = 200
"""Least silence between two rings."""
MINUTE_MS = 60_000
BUDGET_MS = 12_000
"""Most on-time in any minute."""
RESERVED_ENDS = 3
"""End signals whose time is kept free in every minute."""
SHORTEST_MS = 100
STROKES: dict[RingPurpose, tuple[tuple[int, int], ...]] = {
    "start": ((1000, 0),),
    "end": ((500, 200), (500, 200), (500, 0)),
    "test": ((300, 0),),
}


class RingRequest(Struct, frozen=True):
    """A wish to ring: its own id, what for, on which relays, and until when (ms) it holds."""

    id: str
    purpose: RingPurpose
    signal: Signal
    not_after: float | None = None


class OfRing(Reason, frozen=True):
    """A reason about one signal."""

    id: str


RungAlready = OfRing.declare("RungAlready", N_("signal %(id)s has been rung already"))
RingTooLate = OfRing.declare("RingTooLate", N_("signal %(id)s comes too late"))
BellStillSounds = Reason.declare("BellStillSounds", N_("the bell is still sounding; try again in a moment"))
BellNeedsRest = Reason.declare("BellNeedsRest", N_("the bell has been on too much in the last minute"))


class RingRefused(Struct, frozen=True):
    """The reason for no ring."""

    why: Reason


def length_ms(pattern: Iterable[Blast]) -> int:
    """From the first blast of the pattern to the end of its last silence."""
    return sum(blast.on_ms + blast.off_ms for blast in pattern)


def shortened(pattern: Iterable[Blast], most_ms: int) -> tuple[Blast, ...]:
    """The beginning of `pattern` that is on for at most `most_ms` altogether."""
    kept: list[Blast] = []
    for blast in pattern:
        on = min(blast.on_ms, most_ms)
        if on <= 0:
            break
        kept.append(Blast(blast.relay, on, max(blast.off_ms, 0)))
        most_ms -= on
    return tuple(kept)


_PATTERNS: dict[tuple[RingPurpose, Signal], tuple[Blast, ...]] = {
    (purpose, signal): shortened((Blast(signal, on, off) for on, off in blasts), LONGEST_MS)
    for purpose, blasts in STROKES.items()
    for signal in get_args(Signal)
}


def strokes(purpose: RingPurpose, signal: Signal) -> tuple[Blast, ...]:
    """The blasts for a purpose on the relays of `signal`, made before anybody waits for them."""
    return _PATTERNS[purpose, signal]


class BellPolicy:
    """Decides what is rung, each id once; times are ms and never fall.

    In any minute the relays are on for at most `BUDGET_MS`, of which the time of `RESERVED_ENDS` end signals
    is kept free for them: the end of a round cuts what sounds and rings in full, unless more than that many
    came within a minute; then it is shortened to what is left.
    """

    def __init__(self) -> None:
        self._rung = set[str]()
        self._on: list[tuple[float, float]] = []

    def decide(self, now: float, request: RingRequest) -> Blasts | RingRefused:
        """The ring that answers `request`, counted as rung, or why there is none."""
        if request.id in self._rung:
            return RingRefused(RungAlready(request.id))
        if request.not_after is not None and now > request.not_after:
            return RingRefused(RingTooLate(request.id))
        if request.purpose == "end":
            self._on = [(on, min(off, now)) for on, off in self._on if on < now]
        quiet = self._on[-1][1] + GAP_MS if self._on else now
        wait = max(0, math.ceil(quiet - now))
        if wait > 0 and request.purpose != "end":
            return RingRefused(BellStillSounds())
        pattern = self._fitting(now, request)
        if not pattern:
            return RingRefused(BellNeedsRest())
        return self._book(now, Blasts(request.id, pattern, wait))

    def _fitting(self, now: float, request: RingRequest) -> tuple[Blast, ...]:
        """The part that the budget has room for; all or nothing unless it is an end signal."""
        wanted = strokes(request.purpose, request.signal)
        self._on = [(on, off) for on, off in self._on if off > now - MINUTE_MS]
        room = BUDGET_MS - math.ceil(sum(off - on for on, off in self._on))
        if request.purpose != "end":
            return (
                wanted if _on_time(wanted) <= room - RESERVED_ENDS * _on_time(strokes("end", "bell")) else ()
            )
        if _on_time(wanted) <= room:
            return wanted
        return shortened(wanted, room) if room >= SHORTEST_MS else ()

    def _book(self, now: float, ring: Blasts) -> Blasts:
        self._rung.add(ring.id)
        at = now + ring.wait_ms
        for blast in ring.pattern:
            self._on.append((at, at + blast.on_ms))
            at += blast.on_ms + blast.off_ms
        return ring


def _on_time(pattern: Iterable[Blast]) -> int:
    return sum(blast.on_ms for blast in pattern)
