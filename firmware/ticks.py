"""Milliseconds that wrap as a Pico's do, so that no sum outgrows the 31 bits of its small integers."""

MASK = 0x3FFFFFFF


def since(then: int, now: int) -> int:
    """The ms from `then` to `now`, two readings of the wrapping counter less than twelve days apart."""
    return (now - then) & MASK


class Uptime:
    """The time since boot as `seconds` and the `ms` beyond them: one number would be too long in 12 days."""

    def __init__(self, now: int) -> None:
        self.seconds = 0
        self.ms = 0
        self._at = now

    def advance(self, now: int) -> None:
        """It is `now`; to be told at least every few minutes."""
        self.ms += since(self._at, now)
        self._at = now
        self.seconds += self.ms // 1000
        self.ms %= 1000
