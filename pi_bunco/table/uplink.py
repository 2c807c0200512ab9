"""The table's link to the head: presence, the evening clock, and the watch on what is not received."""

from collections import deque
from collections.abc import Mapping
from math import inf
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from pi_bunco.log.entry import ReplicaClaim
from pi_bunco.reason import Reason
from pi_bunco.runtime.loop import Warn
from pi_bunco.table.effects import RebuildLink, TableEffect, TableOptions
from pi_bunco.wire import messages
from pi_bunco.wire.address import AddressError, BrokerAddress
from pi_bunco.wire.client import Connected, Publish
from pi_bunco.wire.gate import fitting
from pi_bunco.wire.offset import OFTEN_FOR_MS, TRUSTED_ERROR_MS, Clocks, next_exchange
from pi_bunco.wire.outbox import Outbox

BEAT_EVERY_MS = 1000.0
"""Milliseconds between two signs of life."""
SUSPECT_LINK_AFTER_MS = 10_000.0
"""Milliseconds without an answer or a receipt of a head that is there, which make the link suspect."""
MAX_CLOCK_QUESTIONS = 20
"""Newest questions for the time that may still be answered."""
TIMED_WITHIN_MS = 8000.0
"""Milliseconds that facts wait for the clock of a head: a link that brings no answer is broken by then."""
COMPARED_WITHIN_MS = 1500.0
"""Milliseconds until a head has the word of tables that compared more clocks: facts of an unsure time wait
for what it answers then."""
_CLOCKS = "clocks"
_HEAD_AT = "head_at"


class Uplink:
    """The broker and the head, as far as the table knows of them; times are ms of the clock."""

    def __init__(self, options: TableOptions, outbox: Outbox, now: float) -> None:
        self.head = ""
        """The session of the head that is there, "" while there is none."""
        self._options = options
        self._outbox = outbox
        self._clocks = Clocks(options.boot, outbox.kept.get(_CLOCKS))
        self._evening: str | None = None
        self._head_boot: str | None = None
        self._session = ""
        self._measured: tuple[str, str | None, str | None] | None = None
        self._head_absent = self._unsure = False
        self._eager_from = now
        self._often_until = inf
        self._asked_at: float | None = None
        self._questions: deque[float] = deque(maxlen=MAX_CLOCK_QUESTIONS)
        self._beat_at = self._renewed_at = self._answered_at = now

    @property
    def linked(self) -> bool:
        """The broker is there."""
        return bool(self._session)

    def delivers(self, now: float) -> bool:
        """Facts may go to a head: one whose clock is known, so that none goes without its time.

        The broker confirms a message also where there is none; one that reads its log answers no question.
        """
        waited = now - self._eager_from
        if not self.linked or self._head_absent:
            return False
        sure = self._clocks.sure(self._evening, self._head_boot, now, answered=self._often_until < inf)
        timed = sure and not self._unsure
        return timed or waited >= TIMED_WITHIN_MS

    def compared(self, now: float) -> bool:
        """No surer time is to be expected: link, head and evening have been the same for a while."""
        return self.linked and now - self._eager_from >= COMPARED_WITHIN_MS

    def connected(self, link: Connected, now: float) -> None:
        """The broker is there, and every subscription is acknowledged: what is not received goes again."""
        self._session, self._head_absent = link.session, False
        self._head_boot = None  # another head may be there, whose clock is another
        self._begin(now)
        remember(self._outbox, self._options.broker, link.at)
        self._outbox.reconnected()

    def disconnected(self) -> None:
        """The broker is gone."""
        self._session = self.head = ""

    def head_status(self, status: messages.HeadStatus) -> bool:
        """Takes the head's word of itself; whether another session of a head is there now.

        A will of an earlier session means nothing.
        """
        if status.state != "online":
            if not self.head or status.session == self.head:
                self.head, self._head_absent = "", True
            return False
        before = self.head, self._head_boot
        self.head, self._head_boot, self._head_absent = status.session, status.boot, False
        if before != (self.head, self._head_boot):
            self._outbox.head_changed()
        return before[0] != self.head

    def acknowledged(self) -> None:
        """A head acknowledges facts: it is there, though a broker may leave out what it says of itself."""
        if not self.head:
            self._asked_at = None

    def birth(
        self,
        evening: str | None,
        epoch: int,
        bell: tuple[int | None, messages.ClockName | None],
        replica: ReplicaClaim | None,
        now: float,
    ) -> list[TableEffect]:
        """Says which round this table is in, its `bell` and by which clock, its streams, and its replica.

        A broker may lose that while others come: a beat follows it with the next tick.
        """
        options = self._options
        if not self.linked:
            return []
        self._beat_at = -inf
        status = messages.Status(
            "online", self._session, options.version, options.boot, epoch,
            self._clocks.present_t(evening, now), self._outbox.streams(evening), replica, bell[0],
            self._clocks.last(evening), bell[1],
        )  # fmt: skip
        return [Publish(options.up("status"), status, 1, True)]

    def measure(self, evening: str | None, now: float) -> None:
        """Another head, or another evening, may have another clock: it is asked for quickly."""
        self._evening = evening
        if self.head and (self.head, self._head_boot, evening) != self._measured:
            self._measured = (self.head, self._head_boot, evening)
            self._begin(now)

    def answered(self, reply: messages.ClockReply, running: int | None, now: float) -> bool:
        """The head told its clocks, in answer to a question of this start; whether that is news.

        Of the `running` round no fact can be behind the bell, however unsure its time is.
        """
        if reply.t0 not in self._questions:
            return False
        self._answered_at = now
        if reply.t0 < self._eager_from:  # an earlier link, head or evening was asked: clocks are compared
            return self._take(replace(reply, evening=None), now)
        self._often_until = min(self._often_until, now + OFTEN_FOR_MS)
        if reply.evening == self._evening:  # a broker may leave out what it keeps of the head
            self._head_boot = self._head_boot or reply.boot
        clock = self._clocks.last(reply.evening)
        news = self._take(reply, now)
        if clock not in (None, self._clocks.last(reply.evening)):
            self._outbox.reconnected()  # a head takes nothing by another clock than its own
        ended = [one for one in self._outbox.uncommitted() if one.epoch != running]
        early = reply.t0 - self._eager_from < COMPARED_WITHIN_MS
        self._unsure = early and any(self._is_unsure(one) for one in ended)
        return news

    def _take(self, reply: messages.ClockReply, now: float) -> bool:
        news = self._clocks.answered(reply, now)
        if news:
            self._outbox.keep(_CLOCKS, self._clocks.plain)
        return news

    def _is_unsure(self, one: messages.Envelope) -> bool:
        t = self._clocks.t(one.evening, one.boot, one.up)
        return t is None or t[1] > TRUSTED_ERROR_MS

    def evening_clock(self, at: float) -> tuple[int, float] | None:
        """The evening clock (ms) at `at`, and a bound of the error; None while unmeasured."""
        return self._clocks.t(self._evening, self._options.boot, at)

    def over(self, t: int, now: float) -> float:
        """The ms of the clock by which `t` of the evening clock was surely over; `now` if none can tell."""
        known = self.evening_clock(now) if self._clocks.knows(self._evening, self._head_boot) else None
        return now if known is None else now - (known[0] - t) + known[1]

    def timed(self, one: messages.Envelope) -> messages.Envelope:
        """The fact with its time by the clocks of the log as they are known now, None while unmeasured.

        One that has a time already was not made before that, whatever the clocks say.
        """
        late = one.err or 0.0
        known = self._clocks.t(one.evening, one.boot, one.up, late)
        if known is None:
            return one
        least = one.t or 0
        t = max(known[0], least)
        err = None if one.err is None else min(known[1], t - least)
        head_up = None if err is None else self._clocks.head_up(one.evening, one.boot, one.up - late, t)
        return replace(one, t=t, err=err, clock=self._clocks.last(one.evening), head_up=head_up)

    def clock_at(self, evening: str, t: int) -> messages.ClockName | None:
        """The clock by which the evening went at `t`, if that of the head that is there is known."""
        return self._clocks.at(evening, t, self._head_boot)

    def judged_t(self, one: messages.Envelope) -> int | None:
        """The time of the fact by the clocks of the log; None while that of the head is not among them."""
        return self.timed(one).t if self._clocks.knows(one.evening, self._head_boot) else one.t

    def beats(self, now: float) -> bool:
        """A sign of life is due."""
        return self.linked and now - self._beat_at >= BEAT_EVERY_MS

    def beat(
        self,
        dice: tuple[str, ...],
        faults: tuple[Reason, ...],
        replica: int,
        pressed: Mapping[str, int],
        phone_ms: int | UnsetType | None,
        now: float,
    ) -> Publish:
        """A sign of life.

        `replica` is how long it is, `pressed` how often each button was pressed, `phone_ms` as in `Beat`.
        """
        self._beat_at = now
        clock, oldest = self.evening_clock(now), self._outbox.oldest_ms(now)
        err = clock[1] if clock else None
        english, coded = fitting(faults)
        counts = dict(pressed) or UNSET
        beat = messages.Beat(len(self._outbox), oldest, err, dice, english, replica, counts, coded, phone_ms)
        return Publish(self._options.up("beat"), beat)

    def tick(self, now: float) -> list[TableEffect]:
        """A question for the time, or a new link, as each is due."""
        if not self.linked:
            return []
        effects: list[TableEffect] = []
        if now >= next_exchange(self._asked_at, self._often_until):
            effects.append(self._question(now))
        if self._suspect(now):
            self._renewed_at = now
            effects += [Warn("The head receives nothing: the link is made anew."), RebuildLink()]
        return effects

    def _question(self, now: float) -> Publish:
        self._asked_at = now
        self._questions.append(now)
        return Publish(self._options.up("clock"), messages.ClockRequest(now, self._clocks.links))

    def _begin(self, now: float) -> None:
        """Starts quick exchanges until one is answered, and a little longer.

        What is unsure now waits for that, whatever its round: which one is over may not be known yet.
        """
        self._eager_from = self._answered_at = now
        self._unsure = any(map(self._is_unsure, self._outbox.uncommitted()))
        self._often_until, self._asked_at = inf, None

    def _suspect(self, now: float) -> bool:
        silent = min(now - self._answered_at, now - self._renewed_at) > SUSPECT_LINK_AFTER_MS
        return bool(self.head) and silent and self._outbox.unreceived_ms(now) > SUSPECT_LINK_AFTER_MS


def remember(outbox: Outbox, configured: str, at: str) -> None:
    """The broker that is `configured` so was reached `at` HOST:PORT, "" where that tells nothing."""
    if at and outbox.kept.get(_HEAD_AT) != [configured, at]:
        outbox.keep_later(_HEAD_AT, [configured, at])


def last_reached(configured: BrokerAddress, kept: Mapping[str, Any]) -> BrokerAddress | None:
    """The other address at which this very broker was reached last, None if there is none."""
    match kept.get(_HEAD_AT):
        case [str() as before, str() as at] if before == str(configured) != at and not configured.unix:
            try:
                return configured.at(at)
            except AddressError:
                return None
    return None
