"""When a table may say that it knows of the bell: once all rolls that it made before are on their way.

PROTOCOL.md section 2, `bell_seen`: a line of a dice box that has to be sent again, or a table that hung, must
not let a roll made before the bell come behind it.
"""

from pi_bunco.table.effects import Effect, ReportUntil

PATIENCE = 3000.0
"""Milliseconds that dice which cannot be reached are waited for."""

Bell = list[str | int]
"""The bell of a round: evening, epoch, and the `t` from which on it could be heard."""


class BellReports:
    """Waits behind each bell for the dice."""

    def __init__(self, dice: bool) -> None:
        """`dice` is whether there are dice at all."""
        self._dice = dice
        self._bell: Bell | None = None
        self._since = 0.0
        self._closed = False

    def known(self, bell: Bell | None, now: float) -> list[Effect]:
        """This bell is known to the table and not told of, or none is: asks the dice for what they have."""
        if bell == self._bell:
            return []
        self._bell, self._since, self._closed = bell, now, not self._dice
        return [ReportUntil(now)] if bell is not None and self._dice else []

    def all_reported(self, at: float) -> None:
        """The dice have nothing more that was thrown up to `at`."""
        self._closed = self._closed or at >= self._since

    def due(self, now: float) -> Bell | None:
        """The bell that may be told of now."""
        ready = self._closed or now - self._since >= PATIENCE
        return self._bell if ready else None
