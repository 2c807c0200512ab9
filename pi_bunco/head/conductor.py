"""Starts and ends rounds by the clock, and confirms for tables that forget to: the head's own facts."""

from math import ceil, inf

from pi_bunco.game import facts
from pi_bunco.game.pace import CLOCK, phase
from pi_bunco.head.effects import HeadEffect
from pi_bunco.head.evening_log import EveningLog
from pi_bunco.head.presence import Presence, not_ready
from pi_bunco.wire.messages import OFFLINE_AFTER_MS


class Conductor:
    """Watches the evening; `auto_confirm` is how long (ms) a table that is done may take for its OK."""

    def __init__(self, log: EveningLog, presence: Presence, auto_confirm: float) -> None:
        self._log = log
        self._presence = presence
        self._auto_confirm = auto_confirm
        self._done_since: dict[int, float] = {}
        self._waits_since: float | None = None
        """The time at which this head began to wait for equipment: a restarted one hears nobody at first."""

    def tick(self, now: float) -> list[HeadEffect]:
        """Records what is due at `now` (ms of the clock)."""
        log = self._log
        if log.evening.state != "after_bell":  # the bell was false, or a result may be reopened
            self._done_since.clear()
        if log.bell.start_is_due or log.bell.waiting:
            return []
        if log.evening.state == "after_bell":
            return self._confirm(now)
        if log.evening.round is None and (restored := self._restored(now)):
            return restored
        timed, t = phase(log.evening), log.t(now)
        if timed is None or timed.ends is None or t < timed.ends:
            self._waits_since = None
            return []
        if timed.step == "end":
            return log.record(facts.RoundClose(t, CLOCK, log.evening.epoch))
        if log.evening.why_not_open() or self._waits(now):
            return []
        missing = not_ready(log.evening, self._presence, now)
        effects = [effect for table in missing for effect in log.record(facts.Bypass(t, table, CLOCK))]
        return [*effects, *log.open_round(t, CLOCK)]

    def due(self) -> float:
        """Time (ms) of the clock's next step; `inf` where nothing is timed or the clock is stopped."""
        timed = phase(self._log.evening)
        return inf if timed is None or timed.ends is None else ceil(self._log.began + timed.ends)

    def _waits(self, now: float) -> bool:
        """True while the next round waits for equipment, by the same gate as the host's key."""
        pace = self._log.evening.pace
        if pace is None or not not_ready(self._log.evening, self._presence, now):
            return False
        if self._waits_since is None:
            self._waits_since = now
        return pace.wait_s is None or now - self._waits_since < max(1000 * pace.wait_s, OFFLINE_AFTER_MS)

    def _restored(self, now: float) -> list[HeadEffect]:
        """Waits again for tables that the clock has left out and that are back for the next round."""
        log = self._log
        left_out = set() if log.evening.closed else log.evening.bypassed_by_time & log.tables
        there = [table for table in sorted(left_out) if not self._presence.why_not_ready(table, now)]
        return [effect for table in there for effect in log.record(facts.Restore(log.t(now), table, CLOCK))]

    def _confirm(self, now: float) -> list[HeadEffect]:
        """Confirms for tables that are done, have told all that they rolled, and do not press OK."""
        effects: list[HeadEffect] = []
        log = self._log
        epoch = log.evening.epoch
        for table in list(log.evening.round.tables if log.evening.round else ()):
            if not table.done or log.bell_seen.get(table.number) != epoch:
                self._done_since.pop(table.number, None)
            elif now - self._done_since.setdefault(table.number, now) >= self._auto_confirm:
                effects += log.record(facts.Confirm(log.t(now), table.number, epoch, "head"))
        return effects
