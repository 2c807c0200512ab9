"""The evening clock's lead over this machine's, measured by exchanges over a network that delays at will.

The method is NTP's (RFC 5905, section 8) with the clock filter reduced to its core: of the last exchanges
the one with the least round trip counts, because the error cannot be more than half of that.
"""

from collections import deque

from msgspec import Struct

MAX_EXCHANGES = 16
DRIFT_PER_MS = 50e-6  # two crystals may differ by 50 ppm
OFTEN_FOR_MS = 4000.0  # after connecting
OFTEN_EVERY_MS = 250.0  # between exchanges
EXCHANGE_EVERY_MS = 1000.0
_NOISE_MS = 1.0  # that a round trip may come out below zero by drift and rounding


class Exchange(Struct, frozen=True, gc=False):
    """One measured exchange: the offset that it gives, its round trip, and when it began here (ms)."""

    offset: float
    trip: float
    began: float


class Offset:
    """Evening clock minus local clock, with a bound of the error; both in ms."""

    def __init__(self) -> None:
        self._kept: deque[Exchange] = deque(maxlen=MAX_EXCHANGES)
        self._peer = ""
        self._since = float("-inf")

    def begin(self, peer: str, now: float) -> bool:
        """Starts afresh if `peer` (boots and sessions of both sides) has changed, and tells if it did.

        Exchanges that began before then are of another clock and are not taken any more.
        """
        if peer == self._peer:
            return False
        self._peer, self._since = peer, now
        self._kept.clear()
        return True

    def add(self, t0: float, t1: float, t2: float, t3: float) -> bool:
        """Takes an exchange: sent `t0`, received `t1`, answered `t2` (both evening clock), back `t3`.

        False if it is not taken: begun before `begin`, or a clock ran back meanwhile.
        """
        trip = (t3 - t0) - (t2 - t1)
        if t0 < self._since or t3 < t0 or t2 < t1 or trip < -_NOISE_MS:
            return False
        self._kept.append(Exchange(((t1 - t0) + (t2 - t3)) / 2, max(trip, 0.0), t0))
        return True

    def estimate(self, now: float) -> tuple[float, float] | None:
        """Offset and bound of its error at local time `now`; None while unmeasured."""
        if not self._kept:
            return None
        best = min(self._kept, key=lambda exchange: exchange.trip)
        return best.offset, best.trip / 2 + DRIFT_PER_MS * max(now - best.began, 0.0)


def next_exchange(connected: float, last: float | None) -> float:
    """The time of the next exchange, given when the link came up and when the last one was sent (ms)."""
    if last is None or last < connected:
        return connected
    return last + (OFTEN_EVERY_MS if last - connected < OFTEN_FOR_MS else EXCHANGE_EVERY_MS)
