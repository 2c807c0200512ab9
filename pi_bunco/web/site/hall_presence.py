"""Presence of tables and head: there or not, and what is wrong with them."""

from collections import deque
from collections.abc import Mapping
from types import MappingProxyType

from msgspec import UNSET, Struct, field

from pi_bunco.log.entry import FIRST_TABLES
from pi_bunco.reason import Reason
from pi_bunco.table.reasons import CallsForHost
from pi_bunco.web.site.evening_now import HeadPresence, TablePresence
from pi_bunco.wire.messages import OFFLINE_AFTER_MS, Beat, HeadStatus, Status
from pi_bunco.words.sentences import received

DOUBLED_BIRTHS = 4
"""Two devices that claim one number throw each other out: this number of births within `DOUBLED_MS`."""
SILENT_MS = 5000.0
"""Milliseconds that the head is not there after which pages say so."""
DOUBLED_MS = 60_000.0


class _Table(Struct):
    session: str = ""
    online: bool = False
    since: float | None = None
    beat: Beat | None = None
    faults: tuple[Reason, ...] = ()
    """Those of the last beat."""
    births: deque[float] = field(default_factory=lambda: deque(maxlen=DOUBLED_BIRTHS))
    presses: dict[str, float] = {}
    """The time at which a press of each button was last received."""


class Presences:
    """The last message of each table and head; times are ms of this machine's clock."""

    def __init__(self, now: float, rewritten: Mapping[int, int] = MappingProxyType({})) -> None:
        """`rewritten` is what tables told an earlier page."""
        self.rewritten = dict(rewritten)
        """Per table with a replica: how often it knows that logs were written anew (`ReplicaClaim`)."""
        self.head: HeadStatus | None = None
        self.linked = False
        """True while the broker is there."""
        self.why = ""
        """The reason why it is not, a sentence."""
        self._tables: dict[int, _Table] = {}
        self._silent_since: float | None = now
        self.head_silent = False
        """True if a head that answered before, and is online as the broker has it, answers no more."""
        self._answered = False
        self._waits_since: float | None = None
        self._ticked_at = now

    @property
    def head_online(self) -> bool:
        """True if a head is known to be there."""
        known = self.linked and self.head is not None and self.head.state == "online"
        return known and not self.head_silent

    def link(self, linked: bool, now: float, why: str = "") -> None:
        """The link to the broker came or went; what the broker keeps will be told anew."""
        self.linked, self.why, self.head = linked, why, None
        self._forget_answers()
        self._note(now)

    def head_status(self, status: HeadStatus | None, now: float) -> bool:
        """The head's birth, stop or will (None: taken away); whether it is another session than before.

        The will of an earlier session means nothing.
        """
        before = self.head
        if status and before and status.state == "lost" and before.session not in ("", status.session):
            return False
        if status is None or before is None or status.session != before.session:
            self._forget_answers()
        self.head = status
        self._note(now)
        known = before is not None and status is not None and before.session == status.session
        return self.head_online and not known

    def asks_head(self, now: float) -> bool:
        """The head is asked for a sign of life; whether it has become silent meanwhile."""
        if now - self._ticked_at > OFFLINE_AFTER_MS / 2:
            self._waits_since = None  # this machine itself stood still
        self._ticked_at = now
        before = self.head_silent
        if self._waits_since is None:
            self._waits_since = now
        self.head_silent = self._answered and now - self._waits_since >= OFFLINE_AFTER_MS
        self._note(now)
        return self.head_silent and not before

    def head_answers(self, now: float) -> bool:
        """The head's sign of life; whether it was silent before."""
        before, self.head_silent = self.head_silent, False
        self._answered, self._waits_since = True, None
        self._note(now)
        return before

    def _forget_answers(self) -> None:
        self.head_silent, self._answered, self._waits_since = False, False, None

    def status(self, table: int, status: Status, now: float, retained: bool) -> None:
        """A table's birth, stop or will."""
        one = self._tables.setdefault(table, _Table())
        if status.state == "online":
            if status.session != one.session and not retained:
                one.births.append(now)
            one.session, one.online = status.session, True
            if status.replica and table <= FIRST_TABLES:
                self.rewritten[table] = status.replica.rewritten
            one.since = one.since if retained else now
        elif status.session == one.session or not one.session:
            one.online = False

    def beat(self, table: int, beat: Beat, now: float) -> None:
        """A table's sign of life."""
        one = self._tables.setdefault(table, _Table())
        known, counts = _pressed(one.beat), _pressed(beat)
        if one.beat is not None:  # before the first one nobody knows when they were
            new = [button for button, count in counts.items() if count != known.get(button, 0)]
            one.presses |= dict.fromkeys(new, now)
        if one.beat is None or (beat.faults, beat.reasons) != (one.beat.faults, one.beat.reasons):
            one.faults = received(beat.faults, beat.reasons)
        one.beat, one.since, one.online = beat, now, True

    def tables(self, now: float, phones: frozenset[int] = frozenset()) -> dict[int, TablePresence]:
        """The signs of every table that was ever heard of, and of those in `phones`."""
        known = {number: self._sign(one, now, number in phones) for number, one in self._tables.items()}
        return {number: TablePresence(phone=True) for number in phones} | known

    def with_old_logs(self) -> tuple[int, ...]:
        """The tables that have not said that their logs with a deleted name are gone."""
        rewritten = sum(self.head.rewritten.values()) if self.head else 0
        return tuple(n for n, times in sorted(self.rewritten.items()) if rewritten and times != rewritten)

    def summary(self, now: float) -> dict[int, object]:
        """The part of a table's signs that changes a page; equal as long as nothing does."""
        return {
            n: (
                one.online,
                one.faults,
                one.dice,
                one.doubled,
                one.help,
                one.phone_gone,
                tuple(self._tables[n].presses.items()),
            )
            for n, one in self.tables(now).items()
        }

    def head_presence(self, now: float) -> HeadPresence:
        """The head's signs."""
        silent = self._silent_since is not None and now - self._silent_since >= SILENT_MS
        faults = received(self.head.faults, self.head.reasons) if self.head else ()
        return HeadPresence(self.head_online, silent, faults)

    def _note(self, now: float) -> None:
        if self.head_online:
            self._silent_since = None
        elif self._silent_since is None:
            self._silent_since = now

    def _sign(self, one: _Table, now: float, phone: bool) -> TablePresence:
        beat = one.beat
        silent = None if one.since is None else (now - one.since) / 1000
        return TablePresence(
            online=one.online and silent is not None and silent * 1000 <= OFFLINE_AFTER_MS,
            silent_s=silent,
            faults=one.faults,
            dice=beat.dice if beat else (),
            outbox=beat.outbox if beat else 0,
            phone=phone or (beat is not None and beat.phone_ms is not UNSET),
            phone_s=beat.phone_ms / 1000 if beat and isinstance(beat.phone_ms, int) else None,
            presses={button: (now - at) / 1000 for button, at in one.presses.items()},
            help=CallsForHost() in one.faults,
            doubled=len(one.births) == DOUBLED_BIRTHS and now - one.births[0] <= DOUBLED_MS,
        )


def _pressed(beat: Beat | None) -> dict[str, int]:
    return beat.pressed if beat is not None and isinstance(beat.pressed, dict) else {}
