"""Which tables are there, and every reason why a round cannot start."""

from collections.abc import Collection

from msgspec import Struct, field

from pi_bunco.game.evening import Evening
from pi_bunco.head.reasons import CLOSED
from pi_bunco.wire.messages import Beat, Status

OFFLINE = 3000.0
"""Milliseconds without a beat after which a table counts as offline."""


DOUBLED = 30_000.0
"""For so many ms a table counts as there twice after its number was last used by another machine."""
TWICE = "is there twice: two machines have this number. Give one of them another, or switch it off."
WITHOUT = "Start without what is missing, or press the bell button twice within 10 s."
"""How a round starts all the same."""
UNCERTAIN = 250.0
"""Milliseconds of a clock's bound beyond which a roll near the bell is not judged by its time."""
PLAYABLE = ("ok", "weak", "moved")
"""States of a die that can be rolled."""


class Present(Struct):
    """What one table says of itself; times are ms of the head's clock."""

    session: str = ""
    version: str = ""
    state: str = "unknown"
    seen_at: float | None = None
    beat: Beat | None = None
    service: str = ""
    """The run of the table's service: its stream, else the boot of its machine."""
    earlier: set[str] = field(default_factory=set)
    """The runs that another one has followed."""
    doubled_until: float = 0.0
    """Two machines have this number, as far as is known until then."""


class Presence:
    """What is known of the tables' equipment by a head of this `version`."""

    def __init__(self, version: str = "") -> None:
        self._version = version
        self.tables: dict[int, Present] = {}

    def status(self, table: int, status: Status, now: float) -> None:
        """A birth, a stop or a will; the will of an earlier session means nothing."""
        present = self.tables.setdefault(table, Present())
        if status.state == "online":
            present.session, present.state, present.seen_at = status.session, "online", now
            present.version = status.version or ""
            self._count(present, status, now)
        elif status.session == present.session:
            present.state = status.state

    def _count(self, present: Present, status: Status, now: float) -> None:
        """A run of the service that comes back after another one has not ended: there are two."""
        service = status.streams[-1][0] if status.streams else status.boot or ""
        if service == present.service:
            return
        if service in present.earlier:
            present.doubled_until = now + DOUBLED
        present.earlier.add(present.service)
        present.service = service

    def beat(self, table: int, beat: Beat, now: float) -> None:
        """A sign of life."""
        present = self.tables.setdefault(table, Present())
        present.beat, present.seen_at, present.state = beat, now, "online"

    def online(self, table: int, now: float) -> bool:
        """Whether the table was heard within the last seconds and has not said that it stops."""
        present = self.tables.get(table)
        return (
            present is not None
            and present.state == "online"
            and present.seen_at is not None
            and now - present.seen_at <= OFFLINE
        )

    def why_not_ready(self, table: int, now: float) -> list[str]:
        """Every reason why this table cannot play, each a sentence."""
        present = self.tables.get(table)
        if present is None or present.seen_at is None:
            return [f"Table {table}: not heard yet; is it switched on?"]
        if not self.online(table, now):
            if present.state == "stopped":
                return [f"Table {table}: switched off."]
            return [f"Table {table}: not heard for {(now - present.seen_at) / 1000:.0f} s."]
        states = enumerate(present.beat.dice if present.beat else (), 1)
        return [f"Table {table}: die {die} is {state}." for die, state in states if state not in PLAYABLE]

    def calls(self, table: int, now: float) -> list[str]:
        """What the table has to say that keeps nobody from playing, each a sentence."""
        present = self.tables.get(table)
        if present is None:
            return []
        doubled = [TWICE] if now < present.doubled_until else []
        faults = [*doubled, *(present.beat.faults if present.beat else ()), *self._differs(present)]
        return [f"Table {table}{'' if fault[:1].islower() else ':'} {fault}" for fault in faults]

    def _differs(self, present: Present) -> list[str]:
        """Where the table's version or clock is not the head's."""
        differs, bound = [], present.beat.offset_err_ms if present.beat else None
        if present.version not in ("", self._version):
            differs.append(f"runs pi-bunco {present.version}, the head {self._version}: upgrade one of them.")
        if bound is not None and bound > UNCERTAIN:
            differs.append("knows the evening clock only roughly: its network is slow.")
        return differs


def why_not_start(
    evening: Evening, presence: Presence, now: float, bypass: Collection[int] = ()
) -> list[str]:
    """Every reason at once why a round cannot start, and how to start without the tables that are missing.

    A table that is bypassed, or in `bypass`, is no reason.
    """
    reason = evening.why_not_open()
    why = CLOSED if evening.closed else reason.english() if reason else ""
    game = [f"{why[0].upper()}{why[1:]}."] if why else []
    if evening.rules is None or evening.round or evening.over:
        return game
    missing = not_ready(evening, presence, now, bypass)
    return game + [reason for reasons in missing.values() for reason in reasons] + [WITHOUT] * bool(missing)


def not_ready(
    evening: Evening, presence: Presence, now: float, bypass: Collection[int] = ()
) -> dict[int, list[str]]:
    """Per table whose equipment is missing and not bypassed every reason why."""
    awaited = [n for n in range(1, evening.tables + 1) if n not in evening.bypassed and n not in bypass]
    return {n: reasons for n in awaited if (reasons := presence.why_not_ready(n, now))}


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
