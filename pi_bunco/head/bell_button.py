"""The host's bell button: a press starts a round, a long one ends it, and a refusal blinks."""

from collections.abc import Iterable
from random import Random

from pi_bunco.head.blinking import Blinking
from pi_bunco.head.effects import Effect
from pi_bunco.head.evening_log import EveningLog
from pi_bunco.head.presence import Presence
from pi_bunco.wire.client import Publish
from pi_bunco.wire.messages import Answer, Command

SECOND_PRESS = 10_000.0
"""A second press within so many ms starts without what is missing."""
BLINKS = 5000.0
"""For so many ms the lights of the head's table blink after a refusal."""
HEAD_TABLE = 1


class BellButton:
    """What the presses ask for, and what became of them; times are ms of the clock."""

    def __init__(self, log: EveningLog, presence: Presence, random: Random, blinking: Blinking) -> None:
        self._log = log
        self._presence = presence
        self._random = random
        self._blinking = blinking
        self._pressed_at: float | None = None

    def asks(self, long: bool, now: float) -> Command:
        """The host's command that this press is."""
        id, by = f"button-{self._random.getrandbits(32):08x}", "bell button"
        if long:
            return Command(id, "round_end", by=by)
        again = self._pressed_at is not None and now - self._pressed_at <= SECOND_PRESS
        self._pressed_at, tables = now, self._log.tables
        missing = [n for n in sorted(tables) if self._presence.why_not_ready(n, now)] if again else []
        return Command(id, "round_start", {"bypass": missing} if missing else {}, by)

    def answered(self, effects: Iterable[Effect], now: float) -> None:
        """Has the head's table blink, and say why, if the head refuses; else it blinks no more."""
        answers = [one.message for one in effects if isinstance(one, Publish)]
        why = [reason for one in answers if isinstance(one, Answer) and not one.done for reason in one.why]
        if why:
            self._blinking.blink(HEAD_TABLE, "\n".join(why), now + BLINKS)
        else:
            self._blinking.stop(HEAD_TABLE)
