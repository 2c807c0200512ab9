"""What the head tells everybody without being asked: views, the round, the scoreboard, who is head."""

from typing import Any

from msgspec import Struct

from pi_bunco.head import views
from pi_bunco.head.bell_button import HEAD_TABLE
from pi_bunco.head.effects import Effect
from pi_bunco.head.ledger import Ledger
from pi_bunco.head.presence import Presence, why_not_start
from pi_bunco.wire import messages, topics
from pi_bunco.wire.faults import fitting
from pi_bunco.wire.publish import Publish

BOARD = 100.0
"""Milliseconds between two scoreboards."""
GLANCE = 500.0
"""Milliseconds between two looks at who is waited for or calls for the host: no fact tells of that."""
VIEW = 40.0
"""Milliseconds between two views of a table while it only rolls: its own lights wait for none of them."""


class Options(Struct, frozen=True):
    """Who this head is, and how long (ms) it waits before it confirms for a table that is done."""

    hall: str = "home"
    host: str = ""
    session: str = "0"
    boot: str = "0"
    version: str = ""
    auto_confirm: float = 60_000.0


class News:
    """Publishes what has changed, while the broker is there."""

    def __init__(self, options: Options, ledger: Ledger, presence: Presence) -> None:
        self.unwritten = ""
        """Why the journal cannot be written, a sentence; empty while it can."""
        self.lost = ""
        """Why the journal began anew, a sentence; nobody is told any more once there is an evening in it."""
        self.health: dict[str, tuple[str, ...]] = {}
        """What is wrong with the machine and its devices, each a sentence."""
        self._options = options
        self._ledger = ledger
        self._presence = presence
        self._connected = False
        self._told: messages.HeadStatus | None = None
        self._round: messages.RoundInfo | None = None
        self._viewed_at: dict[int, float] = {}
        self._board_at = self._glanced_at = 0.0
        self._waits: list[str] = []

    def came(self) -> None:
        """The broker is there, and may have forgotten everything."""
        self._connected, self._ledger.stale = True, True
        self._told = self._round = None
        self._ledger.dirty = self._ledger.everywhere

    def greet(self, table: int) -> None:
        """A table came: it is told again what is kept for it, which nats can leave out (see `cli.ask`)."""
        self._told = None
        self._ledger.dirty = self._ledger.dirty | {table}

    def went(self) -> None:
        """The broker is gone."""
        self._connected = False

    def glance(self, now: float) -> None:
        """Looks now and then who is waited for."""
        if now - self._glanced_at >= GLANCE:
            self._glanced_at = now
            self._ledger.stale |= self._waiting(now) != self._waits

    def due(self, now: float) -> list[Effect]:
        """What has changed and is not published; nothing of a round before it is in the journal."""
        if not self._connected or self._ledger.opening:
            return []
        return [*self._views(now), *self._head_status(), *self._board(now)]

    def bell(self, signal: Any, t: int, cause: str, fresh: int) -> Publish:
        """The bell rang at `t` (ms of the evening clock), which means something for `fresh` ms."""
        evening = self._ledger.evening
        news = messages.BellSignal(evening.id, evening.epoch, signal, t, t + fresh, cause)
        return self.everyone("bell", news)

    def everyone(self, leaf: str, message: Any, qos: int = 0, retain: bool = False) -> Publish:
        """A message for all."""
        return Publish(topics.everyone(self._options.hall, leaf), message, qos, retain)

    def _views(self, now: float) -> list[Effect]:
        ledger = self._ledger
        if not ledger.dirty or ledger.evening.rules is None:
            return []
        info = views.round_info(ledger.evening, ledger.opened_t)
        if info != self._round:
            self._round = info
            return [self.everyone("round", info, qos=1, retain=True), *self._view(ledger.dirty, now)]
        return self._view({n for n in ledger.dirty if now - self._viewed_at.get(n, -VIEW) >= VIEW}, now)

    def _view(self, numbers: set[int], now: float) -> list[Effect]:
        ledger, hall = self._ledger, self._options.hall
        ledger.dirty = ledger.dirty - numbers
        effects: list[Effect] = []
        for number in sorted(numbers & ledger.everywhere):
            self._viewed_at[number] = now
            refused = ledger.refused if number == HEAD_TABLE else ""
            view = views.view(ledger.evening, number, ledger.upto.get(number), refused)
            effects.append(Publish(topics.down(hall, f"table{number}", "view"), view, 1, True))
        return effects

    def faults(self) -> tuple[str, ...]:
        """What is wrong with the head, each a sentence."""
        lost = "" if self._ledger.log else self.lost
        return fitting((self.unwritten, lost, *(fault for one in self.health.values() for fault in one)))

    def _head_status(self) -> list[Effect]:
        options, evening, told = self._options, self._ledger.evening.id or None, self._told
        faults = self.faults()
        if told and (told.faults, told.evening) == (faults, evening):
            return []
        length = len(self._ledger.log)
        self._told = messages.HeadStatus(
            "online", options.session, options.host, options.version, evening, length, faults
        )
        return [self.everyone("head", self._told, qos=1, retain=True)]

    def _board(self, now: float) -> list[Effect]:
        ledger = self._ledger
        if not ledger.stale or now < self._board_at:
            return []
        ledger.stale, self._board_at = False, now + BOARD
        self._waits = self._waiting(now)
        board = views.board(ledger.evening, ledger.last, ledger.last_seq, self._waits)
        score = messages.Score(ledger.evening.id or None, views.fitting(board))
        return [self.everyone("score", score, qos=1, retain=True)]

    def _waiting(self, now: float) -> list[str]:
        """Who is waited for after the bell, or why no round can start."""
        ledger, presence = self._ledger, self._presence
        round_ = ledger.evening.round
        there = ledger.everywhere or {number for number in presence.tables if presence.online(number, now)}
        calls = [call for number in sorted(there) for call in presence.calls(number)]
        if round_ is None:
            return calls + why_not_start(ledger.evening, presence, now)
        return calls + [views.waits_for(table) for table in round_.tables if round_.bell and not table.final]
