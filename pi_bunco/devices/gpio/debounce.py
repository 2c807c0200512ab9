"""From a line's edges to what they mean, on timestamps alone: contacts bounce, and a horn makes spikes."""

import math
from typing import Literal

PRESS_MS = 5.0
"""A contact that is closed without an edge for less is a spike."""
STEADY_MS = 20.0
"""A contact can be pressed again once it was open without an edge for that."""
EQUAL_READINGS = 3
"""Equal readings in a row that make a level of a line that is polled."""
STUCK_MS = 15_000.0
"""Nobody presses a button for that long."""

Contact = Literal["pressed", "released", "stuck", "free"]


class Debounce:
    """One button: `pressed` once per press, when it has been held for `hold_ms` at least, and `released`.

    `began` is the first edge of the present or latest press. `stuck` when the contact has not been open for
    long, `free` when it is again. Times are ms; one that is smaller than the time before is taken as that.
    """

    def __init__(self, hold_ms: float = PRESS_MS) -> None:
        self.began = -math.inf
        self.lasted = 0.0
        """The length of the latest press that is over (ms)."""
        self._hold = max(hold_ms, PRESS_MS)
        self._closed = False
        self._since = -math.inf
        self._busy = False
        self._pressed = False
        self._counted = False
        self._stuck = False

    @property
    def due(self) -> float | None:
        """Time (ms) at which an unchanged line means something; None for never."""
        if not self._busy:
            return None
        times = [] if self._stuck else [self.began + STUCK_MS]
        if not self._closed:
            times.append(self._since + STEADY_MS)
        elif not self._counted:
            times.append(max(self._since + PRESS_MS, self.began + self._hold))
        return min(times, default=None)

    def closed_already(self, at: float) -> None:
        """The contact was closed already when its reading began: that is no press."""
        self._closed = self._busy = self._counted = True
        self.began = self._since = at

    def edge(self, closed: bool, at: float) -> list[Contact]:
        """The contact closed or opened at `at`: what follows from the time before."""
        at = max(at, self._since)
        contacts = self.quiet(at)
        if closed != self._closed:
            self._closed, self._since = closed, at
            if not self._busy:
                self.began, self._busy = at, True
        return contacts

    def quiet(self, now: float) -> list[Contact]:
        """The contacts that follow from no edge having come up to `now`."""
        if not self._busy:
            return []
        contacts: list[Contact] = []
        steady = now - self._since
        if not self._closed and steady >= STEADY_MS:
            contacts += self._open()
        elif self._closed and steady >= PRESS_MS and not self._counted and now - self.began >= self._hold:
            self._pressed = self._counted = True
            contacts.append("pressed")
        if self._busy and not self._stuck and now - self.began >= STUCK_MS:
            self._stuck = True
            contacts.append("stuck")
        return contacts

    def _open(self) -> list[Contact]:
        self.lasted = self._since - self.began
        contacts: list[Contact] = ["released"] if self._pressed else []
        if self._stuck:
            contacts.append("free")
        self._busy = self._pressed = self._counted = self._stuck = False
        return contacts


class Readings:
    """A line that is polled: its level changes when `EQUAL_READINGS` in a row say so, from the first on."""

    def __init__(self, level: int) -> None:
        self.level = level
        self._since = 0.0
        self._other = 0

    def reading(self, level: int, at: float) -> float | None:
        """Takes a reading; returns when the new level began, if it is one now."""
        if level == self.level:
            self._other = 0
            return None
        if self._other == 0:
            self._since = at
        self._other += 1
        if self._other < EQUAL_READINGS:
            return None
        self.level, self._other = level, 0
        return self._since


class Filter:
    """A line without what is shorter than `ms`: its level changes when the new one has lasted for that."""

    def __init__(self, ms: float) -> None:
        self.on = False
        self._ms = ms
        self._raw = False
        self._since = -math.inf

    def begin(self, on: bool) -> None:
        """The level when the reading of the line begins."""
        self.on = self._raw = on

    @property
    def due(self) -> float | None:
        """Time (ms) at which the level changes if no edge comes before; None for never."""
        return self._since + self._ms if self._raw != self.on else None

    def edge(self, on: bool, at: float) -> None:
        """The line changed; `quiet(at)` has been asked before."""
        if on != self._raw:
            self._raw, self._since = on, at

    def quiet(self, now: float) -> float | None:
        """Takes over a level that has lasted up to `now`; returns when it began (ms), None if it is old."""
        if self._raw == self.on or now < self._since + self._ms:
            return None
        self.on = self._raw
        return self._since
