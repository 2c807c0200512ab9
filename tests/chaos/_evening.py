"""One evening: a host without hands, three tables of people, and trouble."""

import queue
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, get_args

from msgspec import Struct

from pi_bunco.game.board import Board
from pi_bunco.game.replay import replay
from pi_bunco.hall import evidence
from pi_bunco.hall.demo import names
from pi_bunco.log import journal
from pi_bunco.log.entry import Entry
from pi_bunco.play.autohost import Autohost, HostPlan, Waits
from pi_bunco.runtime.clock import SystemClock
from pi_bunco.runtime.store import StoreError
from pi_bunco.wire import messages, topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import BrokerKind
from pi_bunco.wire.client import Client, Publish, Received, send
from pi_bunco.wire.gate import decode

from ._ledger import Verdict, examined, rings
from ._machines import BROKER, HEAD, Machines
from ._trouble import Trouble

KINDS: tuple[BrokerKind, ...] = get_args(BrokerKind)
TABLES = 3
HALL, NODE = "home", "host-chaos"
WAKE = 0.01  # s
SETTLE = 30_000.0  # ms that all has to arrive once nothing goes wrong any more
STUCK = 240_000.0  # ms without any change on the scoreboard
READING = 25_000.0  # ms from the loss of a card until the head has surely read the replicas
QUIET = 1000.0  # ms
TOLD_LATER = 200.0  # ms that a head tells of its log after a bell that was due


class Setting(Struct, frozen=True):
    """`kills` end the trouble of the evening, whose round is then played to its end; `gap` is in ms."""

    rules: str
    broker: BrokerKind
    seed: int
    kills: int
    gap: float = 1200.0
    points: int | None = None
    """That end a round, if not those of the preset."""


class Play:
    """The evening from the host's side; times are ms of the clock."""

    def __init__(self, setting: Setting, folder: Path) -> None:
        self.clock = SystemClock()
        self.machines = Machines(folder, TABLES, setting.broker, self.clock, setting.seed)
        self.trouble = Trouble(self.machines, Random(setting.seed), setting.gap)
        self.board: Board | None = None
        self.whole: list[float] = []
        """Times (ms) at which a head had the whole log, by its own word."""
        self._setting = setting
        self._changed = self.clock.now()
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        overrides = {"end.points": setting.points} if setting.points else {}
        plan = HostPlan(setting.rules, names(4 * TABLES), seed=setting.seed, overrides=overrides)
        self._host = Autohost(plan, Waits(between=300, missing=1000), f"chaos-{setting.seed}")
        address = BrokerAddress.parse(self.machines.broker.address)
        self._client = Client(address, NODE, self._inbox.put, topics.inbox(HALL, NODE))
        self._client.start()

    def rounds(self) -> bool:
        """Plays until the trouble is over and no round is open; False if nothing goes on any more."""
        while not self._done:
            now = self._step()
            begun = self.board is not None and self.board.epoch and not self._host.played
            if begun and self._kills < self._setting.kills:
                self.trouble.tick(now)
            if now - self._changed > STUCK:
                return False
        return True

    def close_evening(self) -> tuple[list[Entry], dict[evidence.FactKey, Any]]:
        """Waits until all has arrived, and closes; the log, and what the tables had saved."""
        until, log, saved = self.clock.now() + SETTLE, list[Entry](), dict[evidence.FactKey, Any]()
        quiet = self.clock.now() + QUIET
        while (now := self._step(ask=False)) < quiet or (now < until and evidence.missing(saved, log)):
            log = journal.latest(self.machines.folder / HEAD / "journal.db")
            saved = evidence.saved(self.machines.folder, log[0].evening if log else "")
        self._host.close()
        self._until(lambda: self._host.closed)
        self._until(self.equal)
        return journal.latest(self.machines.folder / HEAD / "journal.db"), saved

    def _until(self, so: Callable[[], bool]) -> None:
        until = self.clock.now() + SETTLE
        while not so() and self._step() < until:
            pass

    def equal(self) -> bool:
        """True if the last scoreboard is what a replay of the export gives."""
        with suppress(StoreError):  # of a journal without an evening
            path = self.machines.folder / HEAD / "journal.db"
            return not evidence.differences(self.board, replay(journal.export(path), "journal"))
        return False

    def close(self) -> None:
        self._client.close()
        self.machines.close()

    @property
    def _kills(self) -> int:
        return sum(self.machines.kills.values())

    @property
    def _done(self) -> bool:
        if self._host.played:
            return self.machines.well
        over = self._kills >= self._setting.kills and self.machines.well
        return over and self.board is not None and self.board.state == "between_rounds"

    def _step(self, ask: bool = True) -> float:
        with suppress(queue.Empty):
            self._take(self._inbox.get(timeout=WAKE), self.clock.now())
        now = self.clock.now()
        self.machines.tick(now)
        if ask and (command := self._host.due(now)):
            send(self._client, Publish(topics.up(HALL, NODE, "command"), command, 1))
        return now

    def _take(self, event: object, now: float) -> None:
        if not isinstance(event, Received):
            return
        payload = decode(event.topic, event.payload, event.retained)
        if isinstance(payload, messages.BoardMessage):
            self._changed = now if payload.board != self.board else self._changed
            self.board = payload.board
            self._host.board(payload.board, now)
        elif isinstance(payload, messages.HeadStatus):
            if payload.evening and not any("reads the end" in fault for fault in payload.faults):
                self.whole.append(now - TOLD_LATER)
        elif isinstance(payload, messages.Answer):
            self._host.answer(payload, now)


def play(setting: Setting, folder: Path) -> Verdict:
    """An evening with its files in `folder`."""
    evening = Play(setting, folder)
    machines = evening.machines
    try:
        goes_on = evening.rounds()
        log, saved = evening.close_evening()
    finally:
        evening.close()
    thrown = [throw for seats in machines.seats for throw in seats.thrown]

    def back(table: int) -> list[float]:
        """A head with a new card is back when it says that it has read the replicas."""
        new = [at for card in evening.trouble.cards for at in evening.whole if card < at < card + READING]
        return [*_back(machines, HEAD, BROKER, f"table{table}"), *new]

    verdict = examined(log, saved, thrown, rings(machines.bells, log[0].evening if log else ""), back)
    verdict.kills, verdict.others = sum(machines.kills.values()), evening.trouble.others
    verdict.complaints += machines.deaths
    if not goes_on:
        verdict.complaints.append(f"nothing goes on any more: {evening.board}")
    if not evening.equal():
        verdict.complaints.append("the replay of the export is not the last scoreboard")
    return verdict


def _back(machines: Machines, *names: str) -> list[float]:
    """Times (ms) at which these processes, and the links of the tables among them, came back."""
    links = [machines.links.of[int(name[5:]) - 1].back for name in names if name.startswith("table")]
    return [at for times in (*links, *(machines.back[name] for name in names)) for at in times]
