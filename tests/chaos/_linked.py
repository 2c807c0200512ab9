"""Tables of a large hall, each the real controller with four people and a link of its own, in one thread."""

import select
import selectors
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import Any

import paho.mqtt.client as mqtt

from pi_bunco.devices.protocols import AllReported, DeviceEvent, LightState, Press, Throw, ThrowMark
from pi_bunco.log.log_store import kept_replica
from pi_bunco.play.players import Habits, Players
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.loop import Tick, turn
from pi_bunco.runtime.writer import Committed, Record
from pi_bunco.table.controller import TableController
from pi_bunco.table.effects import RebuildLink, ReportUntil, ShowLights, TableEffect, TableOptions
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Publish, reconnect_delay
from pi_bunco.wire.gate import Delivered, Received, delivery, encode
from pi_bunco.wire.messages import BellSignal, Status
from pi_bunco.wire.outbox import Outbox, OutboxContents
from pi_bunco.wire.session import Disconnected, LinkPlan, Session, Will

from ._seats import Thrown

HALL = "home"
KEEPALIVE_S = 30
"""Seconds: one thread plays all tables, and may be late for one of them."""
TICK_MS = 1000.0
QUIET_S = 0.001
"""Seconds without a message for another table after which all are read."""
WAKE_S = 0.01
HABITS = Habits(think=3000, tumble=500, ok=1000)
Signal = tuple[int, str]
"""Epoch and name of a signal."""


class LinkedTable:
    """One table. What its outbox writes counts as on disk once the step that wrote it is over."""

    def __init__(
        self, number: int, address: BrokerAddress, folder: Path, clock: Clock, random: Random
    ) -> None:
        now, node = clock.now(), topics.table_node(number)
        self.thrown: list[Thrown] = []
        self.shown: dict[str, Counter[int]] = {"start": Counter(), "end": Counter()}
        """Per signal how often the lights showed it in each round."""
        self.heard: defaultdict[Signal, list[float]] = defaultdict(list)
        """Times of each signal (ms of the clock)."""
        self.socket: Any = None
        self.watched: Any = None
        """The link, and the one of which is known whether something has come."""
        self.tick_at = now + TICK_MS * random.random()
        self._number = number
        self._clock = clock
        self._random = random
        self._written: list[Record] = []
        self.outbox = Outbox(OutboxContents(), self, now)
        options = TableOptions(HALL, number, clock.boot, "1")
        keeps = topics.is_replica(node)
        if keeps:
            (folder / node).mkdir()
        self._replica = kept_replica(folder / node / "replica.db") if keeps else None
        self._controller = TableController(options, self.outbox, self._replica, now)
        self._players = Players(random, HABITS)
        self._lights = LightState()
        self._report_until: float | None = None
        self._plan = LinkPlan(
            address, node, f"{HALL}-{node}", topics.inbox(HALL, node, keeps),
            lambda session: Will(options.up("status"), encode(Status("lost", session))),
            KEEPALIVE_S, lambda: None,
        )  # fmt: skip
        self._session: Session | None = None
        self._paho: mqtt.Client | None = None
        self._failures, self._link_at, self._came = 0, now, now

    def put(self, *records: Record) -> None:
        """Takes what the outbox writes."""
        self._written += records

    put_later = put

    @property
    def epoch(self) -> int:
        """The round that the table plays, or played last."""
        view = self._controller.prediction.view
        return view.epoch if view else 0

    @property
    def awaited(self) -> bool:
        """True if the lights ask for a throw."""
        state = self._lights
        return bool(state.rolloff or (state.turn and state.round in ("running", "finish")))

    def take(self, message: Any, now: float) -> None:
        """One message for the controller, and all that follows."""
        turn(message, now, self._controller.step, self._perform)
        while self._written:
            records, self._written = tuple(self._written), []
            turn(Committed(records), now, self._controller.step, self._perform)

    def due(self, now: float) -> None:
        """Does what is due: a sign of life, a throw, a press, another try to reach the broker."""
        if self._paho is None and now >= self._link_at:
            self._join(now)
        if now >= self.tick_at:
            self.tick_at = now + TICK_MS
            if self._paho is not None:
                self._paho.loop_misc()
            self.take(Tick(), now)
        if self._report_until is not None:
            at, self._report_until = self._report_until, None
            self.take(AllReported(at), now)
        if self._players.due is not None and now >= self._players.due:
            event = self._players.act(now)
            if event is not None:
                self._act(event, now)
        if self._paho is not None and self._paho.want_write():
            self._paho.loop_write()
        if self._paho is not None and self._paho.socket() is None:
            self._lost()

    def read(self, came: float) -> None:
        """Reads what came at that time (ms of the clock)."""
        self._came = came
        while self._paho is not None and self.socket is not None and self._paho.loop_read() == 0:
            if self._paho.socket() is None or not select.select([self.socket], [], [], 0)[0]:
                break

    def close(self) -> None:
        """Ends the link and has the replica on disk."""
        if self._paho is not None:
            self._paho.disconnect()
        if self._replica is not None:
            self._replica.close()

    def _lost(self) -> None:
        """The link is no more; another one is made after a while."""
        session, self._paho, self.socket = self._session, None, None
        now = self._clock.now()
        self._failures = 0 if session and session.ready else self._failures + 1
        self._link_at = now + 1000 * reconnect_delay(self._failures, self._random.random())
        self.take(Disconnected("The link was lost."), now)

    def _join(self, now: float) -> None:
        self._session = Session(self._plan, self._hear, threading.Event())
        self._paho = self._session._reached()
        if self._paho is None:
            self._failures += 1
            self._link_at = now + 1000 * reconnect_delay(self._failures, self._random.random())
        else:
            self.socket = self._paho.socket()

    def _hear(self, event: object) -> None:
        message = delivery(event) if isinstance(event, Received) else event
        if isinstance(message, Delivered) and isinstance(message.message, BellSignal):
            bell = message.message
            self.heard[bell.epoch, bell.signal].append(self._came)
        self.take(message, self._clock.now())

    def _perform(self, effect: TableEffect) -> None:
        match effect:
            case Publish(topic, message, qos, retain) if self._session and self._paho:
                payload = b"" if message is None else encode(message)
                self._session.publish(topic, payload, qos, retain)
            case ShowLights(state):
                self._see(state)
            case ReportUntil(at):
                self._report_until = at
            case RebuildLink() if self._paho:
                self._paho.disconnect()

    def _see(self, state: LightState) -> None:
        before, self._lights = self._lights, state
        if state.round == "running" != before.round:
            self.shown["start"][self.epoch] += 1
        elif before.round == "running" and state.round in ("finish", "stop"):
            self.shown["end"][self.epoch] += 1
        self._players.see(state, self._clock.now())

    def _act(self, event: DeviceEvent, now: float) -> None:
        match event:
            case Throw(faces):
                mark = ThrowMark(f"box{self._number}", len(self.thrown) + 1)
                self.thrown.append(Thrown(self._number, mark, faces, now, self.awaited))
                self.take(Throw(faces, event.began, now, mark), now)
            case Press():
                self.take(event, now)


class LinkedTables:
    """All tables, played by whoever calls `step`."""

    def __init__(self, count: int, address: str, folder: Path, clock: Clock, seed: int) -> None:
        place = BrokerAddress.parse(address)
        self.of = [
            LinkedTable(number, place, folder, clock, Random(f"{seed}/{number}"))
            for number in range(1, count + 1)
        ]
        self._clock = clock
        self._sockets = selectors.DefaultSelector()

    def step(self) -> None:
        """Reads what has come and does what is due; what comes at once is noted first and read then."""
        came: dict[LinkedTable, float] = {}
        ready = self._sockets.select(WAKE_S)
        while len(came) < len(ready):
            now = self._clock.now()
            came = {key.data: now for key, _ in ready} | came
            time.sleep(QUIET_S)
            ready = self._sockets.select(0)
        for table, at in came.items():
            table.read(at)
        for table in self.of:
            table.due(self._clock.now())
        if any(table.socket is not table.watched for table in self.of):
            self._watch()

    def _watch(self) -> None:
        """Watches the links that there are now; those that are gone first, whose numbers others may have."""
        fresh = [table for table in self.of if table.socket is not table.watched]
        for table in fresh:
            if table.watched is not None:
                self._sockets.unregister(table.watched)
            table.watched = table.socket
        for table in fresh:
            if table.socket is not None:
                self._sockets.register(table.socket, selectors.EVENT_READ, table)

    def close(self) -> None:
        """Ends all links."""
        for table in self.of:
            table.close()
        self._sockets.close()
