"""What the head does because time has passed: it ends a round whose time is over, and says OK for tables."""

from pi_bunco.game import facts
from pi_bunco.head.effects import Effect
from pi_bunco.head.evening_log import EveningLog

MINUTE = 60_000


class Timekeeper:
    """Watches the running round; `auto_confirm` is how long (ms) a table that is done may take for its OK."""

    def __init__(self, log: EveningLog, auto_confirm: float) -> None:
        self._log = log
        self._auto_confirm = auto_confirm
        self._done_since: dict[int, float] = {}

    def tick(self, now: float) -> list[Effect]:
        """What is due at `now` (ms of the clock)."""
        log = self._log
        round_, rules, opened_t, t = log.evening.round, log.evening.rules, log.opened_t, log.t(now)
        if round_ is None or rules is None or log.bell.start_is_due:
            return []
        if round_.bell:
            return self._confirm(now)
        minutes = rules.end.minutes
        if minutes and opened_t is not None and t - opened_t >= minutes * MINUTE:
            return log.record(facts.RoundClose(t, "time", log.evening.epoch))
        return []

    def _confirm(self, now: float) -> list[Effect]:
        """Confirms for tables that are done, have told all that they rolled, and do not press OK."""
        effects: list[Effect] = []
        log = self._log
        epoch = log.evening.epoch
        for table in list(log.evening.round.tables if log.evening.round else ()):
            if not table.done or log.bell_seen.get(table.number) != epoch:
                self._done_since.pop(table.number, None)
            elif now - self._done_since.setdefault(table.number, now) >= self._auto_confirm:
                effects += log.record(facts.Confirm(log.t(now), table.number, epoch, "head"))
        return effects
