"""Presence of the tables, and every reason why a round cannot start."""

from collections import defaultdict, deque
from collections.abc import Collection

from pi_bunco.devices.protocols import CAN_BE_ROLLED
from pi_bunco.game.evening import Evening
from pi_bunco.head import reasons
from pi_bunco.reason import AndMore, Reason
from pi_bunco.wire.messages import OFFLINE_AFTER_MS, Beat, Status
from pi_bunco.wire.offset import TRUSTED_ERROR_MS
from pi_bunco.words.sentences import received

DOUBLED_FOR_MS = 30_000.0
"""A table counts as there twice for this long after another machine last used its number."""
MAX_FAULTS = 4
"""Faults of one table that stand on the scoreboard, which has to hold more than the words of one."""
MAX_RUNS = 16
"""Runs of a table's service that are remembered."""
NOT_PLAYABLE = {"unheard": reasons.DieSilent, "cocked": reasons.DieLeans, "fault": reasons.DieFaulty}


class KnownTable:
    """One table, as it tells of itself; times are ms of the head's clock."""

    def __init__(self) -> None:
        self.session = ""
        self.version = ""
        self.state = "unknown"
        self.seen_at: float | None = None
        self.beat: Beat | None = None
        self.doubled_until = 0.0
        """Two machines have this number, as far as is known until then."""
        self._service = ""
        """The run of the table's service: its stream, else the boot of its machine."""
        self._earlier = deque[str](maxlen=MAX_RUNS)
        """The runs that another one has followed, the newest."""

    def take_status(self, status: Status, now: float) -> None:
        """A birth, a stop or a will; the will of an earlier session means nothing.

        A run of the service that comes back after another one has not ended: there are two.
        """
        if status.state != "online":
            self.state = status.state if status.session == self.session else self.state
            return
        self.session, self.state, self.seen_at = status.session, "online", now
        self.version = status.version or ""
        service = status.streams[-1][0] if status.streams else status.boot or ""
        if service == self._service:
            return
        if service in self._earlier:
            self.doubled_until = now + DOUBLED_FOR_MS
        self._earlier.append(self._service)
        self._service = service

    def take_beat(self, beat: Beat, now: float) -> None:
        """A sign of life."""
        self.beat, self.seen_at, self.state = beat, now, "online"

    def online(self, now: float) -> bool:
        """True if it was heard within the last seconds and has not said that it stops."""
        return self.state == "online" and self.seen_at is not None and now - self.seen_at <= OFFLINE_AFTER_MS


class Presence:
    """The tables' equipment, as far as a head of this `version` knows it."""

    def __init__(self, version: str = "") -> None:
        self._version = version
        self.tables: defaultdict[int, KnownTable] = defaultdict(KnownTable)

    def online(self, table: int, now: float) -> bool:
        """True for a table that is there."""
        return table in self.tables and self.tables[table].online(now)

    def why_not_ready(self, table: int, now: float) -> list[Reason]:
        """Every reason why this table cannot play."""
        present = self.tables.get(table)
        if present is None or present.seen_at is None:
            return [reasons.NeverThere(table)]
        if not self.online(table, now):
            if present.state == "stopped":
                return [reasons.SwitchedOff(table)]
            return [reasons.TableSilent(table, round((now - present.seen_at) / 1000))]
        states = enumerate(present.beat.dice if present.beat else (), 1)
        return [
            NOT_PLAYABLE.get(state, reasons.DieNotReady)(table, die, state)
            for die, state in states
            if state not in CAN_BE_ROLLED
        ]

    def calls(self, table: int, now: float) -> list[Reason]:
        """Faults and calls of the table that keep nobody from playing."""
        present = self.tables.get(table)
        if present is None:
            return []
        faults: list[Reason] = [reasons.ThereTwice()] if now < present.doubled_until else []
        of_beat = received(present.beat.faults, present.beat.reasons) if present.beat else ()
        faults += of_beat[:MAX_FAULTS]
        if len(of_beat) > MAX_FAULTS:
            faults.append(AndMore(len(of_beat) - MAX_FAULTS))
        if present.version not in ("", self._version):
            faults.append(reasons.OtherVersion(present.version, self._version))
        bound = present.beat.offset_err_ms if present.beat else None
        if bound is not None and bound > TRUSTED_ERROR_MS:
            faults.append(reasons.ClockIsRough())
        return [reasons.of_table(table, fault) for fault in faults]


def why_not_start(
    evening: Evening, presence: Presence, now: float, bypass: Collection[int] = ()
) -> list[Reason]:
    """Every reason at once why a round cannot start, and how to start without the tables that are missing.

    A table that is bypassed, or in `bypass`, is no reason.
    """
    why = reasons.EveningClosed() if evening.closed else evening.why_not_open()
    game = [why] if why else []
    if evening.rules is None or evening.round or evening.over:
        return game
    missing = not_ready(evening, presence, now, bypass)
    without = [reasons.StartWithoutIt()] if missing else []
    return [*game, *(reason for found in missing.values() for reason in found), *without]


def not_ready(
    evening: Evening, presence: Presence, now: float, bypass: Collection[int] = ()
) -> dict[int, list[Reason]]:
    """Per table whose equipment is missing and not bypassed every reason why."""
    awaited = [n for n in range(1, evening.tables + 1) if n not in evening.bypassed and n not in bypass]
    return {n: found for n in awaited if (found := presence.why_not_ready(n, now))}


class Blinking:
    """Tables that blink now, and until when (ms of the clock)."""

    def __init__(self) -> None:
        self.shown: dict[int, tuple[Reason, ...]] = {}
        """Per table that blinks what its display says."""
        self._until: dict[int, float] = {}

    def blink(self, table: int, reasons: tuple[Reason, ...], until: float) -> None:
        """Blinks a table until then."""
        self.shown = {**self.shown, table: reasons}
        self._until[table] = until

    def stop(self, table: int) -> None:
        """Blinks a table no more."""
        self.shown = {number: why for number, why in self.shown.items() if number != table}
        self._until.pop(table, None)

    def clear(self) -> None:
        """Blinks nowhere any more."""
        self.shown, self._until = {}, {}

    def tick(self, now: float) -> None:
        """Ends the blinking in time."""
        for table in [table for table, until in self._until.items() if now >= until]:
            self.stop(table)
