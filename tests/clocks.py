"""Time that a test moves."""

from msgspec import Struct


class FakeClock(Struct):
    """A clock that stands still until a test moves it."""

    time: float = 0.0
    boot: str = "fake"

    def now(self) -> float:
        """The time that was set last (ms)."""
        return self.time

    def advance(self, ms: float) -> None:
        """Lets `ms` milliseconds pass."""
        self.time += ms
