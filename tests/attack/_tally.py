"""The tally of attempts, and of those that came through."""

from collections import Counter

from msgspec import Struct, field


class Tally(Struct):
    """Counts by what was tried; `breaches` and `failures` (a right that does not work) are sentences."""

    tried: Counter[str] = field(default_factory=Counter)
    through: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)

    def note(self, kind: str, through: bool, what: str) -> None:
        """One attempt; `what` says which, if it came through."""
        self.tried[kind] += 1
        if through:
            self.through[kind] += 1
            self.told.append(f"{kind}: {what}")

    def many(self, kind: str, count: int) -> None:
        """Counts attempts of which none came through."""
        self.tried[kind] += count

    def lines(self) -> list[str]:
        """A line for each kind, and what came through."""
        width = max(map(len, self.tried), default=0)
        rows = [
            f"{kind:{width}} {count:7,} tried {self.through[kind]:5} through"
            for kind, count in self.tried.items()
        ]
        total = f"{'all':{width}} {self.tried.total():7,} tried {self.through.total():5} through"
        return [*rows, total, *self.told[:40]]
