"""Which round was open when something happened at this table, however late it is told."""

from typing import Any


class Rounds:
    """The rounds of one evening and when they were opened; times are ms of the clock but for `opened_t`.

    A dice box keeps a throw while its table is off, and a table may hang: then what is reported happened
    before the round that is known by then, and belongs to an earlier one.
    """

    def __init__(self, started: float) -> None:
        self.evening = ""
        self.epoch = 0
        self.since = started
        """What happened from then on happened in the round `epoch`, or after it."""
        self._from_disk = True
        self._opened: dict[int, int] = {}
        self._next: tuple[str, int, int] | None = None

    def take_up(self, evening: str, epoch: int, kept: Any) -> None:
        """Goes on with the round that an earlier start of the service stored, and `plain` of it."""
        self.evening, self.epoch = evening, epoch
        match kept:
            case {"evening": str(of), "opened": dict(opened)} if of == evening:
                self._opened = {
                    int(number): t for number, t in opened.items() if number.isdigit() and isinstance(t, int)
                }

    @property
    def plain(self) -> dict[str, Any]:
        """What is to be stored."""
        return {"evening": self.evening, "opened": {str(epoch): t for epoch, t in self._opened.items()}}

    def opened(self, evening: str, epoch: int, opened_t: int | None) -> bool:
        """The round was opened at `opened_t` (ms of the evening clock); whether that is news."""
        if opened_t is None or self._opened.get(epoch) == opened_t:
            return False
        if evening != self.evening:
            self._next = (evening, epoch, opened_t)  # its view is still to come
            return False
        self._opened = {known: t for known, t in self._opened.items() if known <= epoch}
        self._opened[epoch] = opened_t
        return True

    def see(self, evening: str, epoch: int, now: float) -> bool:
        """A view of the round came; whether it is another round than before."""
        if evening != self.evening:
            self.evening, self._opened = evening, {}
            if self._next is not None and self._next[0] == evening:
                self._opened[self._next[1]] = self._next[2]
        elif epoch == self.epoch:
            return False
        self.epoch, self.since, self._from_disk = epoch, now, False
        return True

    def of(self, at: float, t: int | None) -> int | None:
        """The round in which happened what happened `at`, at `t` of the evening clock if that is measured.

        None where only a measured clock can tell.
        """
        measured = t is not None and bool(self._opened)
        if at >= self.since or (self._from_disk and not measured):
            return self.epoch
        if t is None or not self._opened:
            return None
        begun = [epoch for epoch, opened_t in self._opened.items() if opened_t <= t]
        return min(max(begun, default=max(min(self._opened) - 1, 0)), self.epoch)

    def before(self) -> int:
        """The round for what happened before the known one was, where nothing tells more."""
        return max(self.epoch - 1, 0)
