"""The host's bell button: a press starts a round, a long one ends it, and a refusal blinks."""

from collections.abc import Iterable
from random import Random

from pi_bunco.head.effects import Effect
from pi_bunco.head.evening_log import EveningLog
from pi_bunco.head.presence import Presence
from pi_bunco.wire.messages import Answer, Command
from pi_bunco.wire.publish import Publish

SECOND_PRESS = 10_000.0
"""A second press within so many ms starts without what is missing."""
BLINKS = 5000.0
"""For so many ms the lights of the head's table blink after a refusal."""
HEAD_TABLE = 1


class BellButton:
    """What the presses ask for, and what became of them; times are ms of the clock."""

    def __init__(self, log: EveningLog, presence: Presence, random: Random) -> None:
        self._log = log
        self._presence = presence
        self._random = random
        self._pressed_at: float | None = None
        self._blinks_until = 0.0
        self.refused = ""
        """Why the last press was refused, for as long as that is shown."""

    def asks(self, held: bool, now: float) -> Command:
        """The host's command that this press is."""
        id, by = f"button-{self._random.getrandbits(32):08x}", "bell button"
        if held:
            return Command(id, "round_end", by=by)
        again = self._pressed_at is not None and now - self._pressed_at <= SECOND_PRESS
        self._pressed_at, tables = now, self._log.tables
        missing = [n for n in tables if self._presence.why_not_ready(n, now)] if again else []
        return Command(id, "round_start", {"bypass": missing}, by)

    def answered(self, effects: Iterable[Effect], now: float) -> None:
        """Has the head's table blink, and say why, if the head refuses."""
        answers = [one.message for one in effects if isinstance(one, Publish)]
        why = [reason for one in answers if isinstance(one, Answer) and not one.done for reason in one.why]
        self._blinks_until = now + BLINKS
        self.refused = "\n".join(why)

    def tick(self, now: float) -> None:
        """Ends the blinking in time."""
        if now >= self._blinks_until:
            self.refused = ""
