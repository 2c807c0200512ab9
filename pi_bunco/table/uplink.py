"""The table's link to the head: presence, the evening clock, and the watch on acknowledgements."""

from msgspec import Struct

from pi_bunco.table.effects import Effect, Renew, Warn
from pi_bunco.table.last_broker import remember
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Connected
from pi_bunco.wire.offset import Offset, next_exchange
from pi_bunco.wire.outbox import Outbox
from pi_bunco.wire.publish import Publish

BEAT = 1000.0
"""Milliseconds between two signs of life."""
PATIENCE = 10_000.0
"""A fact that the head has not heard of for so many ms makes the link suspect."""


class TableOptions(Struct, frozen=True):
    """Which table this is; `boot` is the machine's, `dice` whether there are dice at all.

    `broker` is where the broker is said to be.
    """

    hall: str = "home"
    number: int = 1
    boot: str = "0"
    version: str = ""
    dice: bool = True
    broker: str = ""

    def up(self, leaf: str) -> str:
        """The topic on which this table says `leaf`."""
        return topics.up(self.hall, topics.table_node(self.number), leaf)


class Uplink:
    """What the table knows of the broker and the head; times are ms of the clock."""

    def __init__(self, options: TableOptions, outbox: Outbox, now: float) -> None:
        self.head = ""
        """The session of the head that is there, "" while there is none."""
        self._options = options
        self._outbox = outbox
        self._offset = Offset()
        self._session = ""
        self._connected_at: float | None = None
        self._now = now
        self._asked_at: float | None = None
        self._beat_at = self._renewed_at = now

    @property
    def connected(self) -> bool:
        """Whether the broker is there."""
        return self._connected_at is not None

    def came(self, link: Connected, now: float) -> None:
        """The broker is there: what is not acknowledged is sent again."""
        self._connected_at, self._session, self._asked_at = now, link.session, None
        self._now = now
        remember(self._outbox, self._options.broker, link.at)
        self._outbox.reconnected()

    def went(self) -> None:
        """The broker is gone."""
        self._connected_at, self.head = None, ""

    def birth(self, epoch: int, replica: messages.ReplicaClaim | None) -> list[Effect]:
        """Says which round this table is in, its streams, and what is on its disk of the log."""
        options = self._options
        if not self.connected:
            return []
        estimate = self.evening_clock(self._now, self._now)
        status = messages.Status(
            "online", self._session, options.version, options.boot, epoch,
            estimate[0] if estimate else None, self._outbox.streams(), replica,
        )  # fmt: skip
        return [Publish(options.up("status"), status, 1, True)]

    def measure(self, evening: str | None, now: float) -> None:
        """Another head, or another evening, has another clock."""
        if self.head and self._offset.begin(f"{self.head} {evening}", now):
            self._asked_at = None

    def answered(self, reply: messages.ClockReply, now: float) -> None:
        """The head told the evening clock."""
        self._offset.add(reply.t0, reply.t1, reply.t2, now)

    def evening_clock(self, at: float, now: float) -> tuple[int, float] | None:
        """The evening clock (ms) at `at`, and a bound of the error; None while unmeasured."""
        estimate = self._offset.estimate(now)
        if estimate is None:
            return None
        return max(round(at + estimate[0]), 0), round(estimate[1], 2)

    def tick(self, dice: tuple[str, ...], faults: tuple[str, ...], now: float) -> list[Effect]:
        """A beat, a question about the clock, or a new link, as each is due."""
        self._now = now
        if self._connected_at is None:
            return []
        effects: list[Effect] = []
        if now - self._beat_at >= BEAT:
            self._beat_at = now
            effects.append(self._beat(dice, faults, now))
        if now >= next_exchange(self._connected_at, self._asked_at):
            self._asked_at = now
            effects.append(Publish(self._options.up("clock"), messages.ClockRequest(0, now)))
        if self._outbox.unheard_ms(now) > PATIENCE and now - self._renewed_at > PATIENCE:
            self._renewed_at = now
            effects += [Warn("The head hears nothing: the link is made anew."), Renew()]
        return effects

    def _beat(self, dice: tuple[str, ...], faults: tuple[str, ...], now: float) -> Publish:
        estimate, oldest = self._offset.estimate(now), self._outbox.oldest_ms(now)
        err = round(estimate[1], 2) if estimate else None
        return Publish(self._options.up("beat"), messages.Beat(len(self._outbox), oldest, err, dice, faults))
