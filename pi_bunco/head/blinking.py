"""Tables whose lights blink, with a sentence on their display: after a refused press, or to be found."""


class Blinking:
    """Which tables blink now, and until when (ms of the clock)."""

    def __init__(self) -> None:
        self.shown: dict[int, str] = {}
        """Per table that blinks the sentence on its display."""
        self._until: dict[int, float] = {}

    def blink(self, table: int, sentence: str, until: float) -> None:
        """Blinks a table until then."""
        self.shown = {**self.shown, table: sentence}
        self._until[table] = until

    def stop(self, table: int) -> None:
        """Blinks a table no more."""
        self.shown = {number: text for number, text in self.shown.items() if number != table}
        self._until.pop(table, None)

    def clear(self) -> None:
        """Blinks nowhere any more."""
        self.shown, self._until = {}, {}

    def tick(self, now: float) -> None:
        """Ends the blinking in time."""
        for table in [table for table, until in self._until.items() if now >= until]:
            self.stop(table)
