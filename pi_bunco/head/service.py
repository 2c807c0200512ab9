"""The shell of the head service: the only part that touches the bell, the journal and the network."""

import fcntl
import logging
import os
import queue
import secrets
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import SystemRandom
from typing import Any, BinaryIO

from msgspec import Struct

from pi_bunco import __version__
from pi_bunco.clock import Clock
from pi_bunco.devices.bell import BellPolicy, Request
from pi_bunco.devices.bell import Refused as RingRefused
from pi_bunco.devices.protocols import Bell, DeviceError, Panel
from pi_bunco.errors import BuncoError
from pi_bunco.head.effects import (
    Append,
    Button,
    Committed,
    Effect,
    Failed,
    Keep,
    Rang,
    Recovered,
    Ring,
    SetAside,
    Silent,
    Warn,
)
from pi_bunco.head.news import Options
from pi_bunco.head.referee import Memory, Referee
from pi_bunco.head.rung import Rung
from pi_bunco.journal.journal import Journal, JournalError
from pi_bunco.loop import run, turn
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Client, Connected, Received, Will
from pi_bunco.wire.gate import decode, encode
from pi_bunco.wire.messages import Answer, Command, HeadStatus
from pi_bunco.wire.publish import Publish, send
from pi_bunco.wire.topics import WireError
from pi_bunco.writer import Record, Reports

log = logging.getLogger(__name__)

PROBE = 0.2  # s that a broker has to tell who is head
ANSWER = 1.5  # s that a head which is there has to answer


class HeadTaken(BuncoError):
    """Another process is head; the text says which."""


class Settings(Struct, frozen=True):
    """What the head service needs to run; `limits` bounds how long and how often the bell may sound."""

    broker: BrokerAddress
    data: Path
    hall: str = "home"
    auto_confirm: float = 60_000.0
    limits: bool = True
    runtime: Path | None = None


class Shell:
    """Carries out the referee's effects.

    `button` makes the host's bell button, if there is one, given where it says whether it was held.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        bell: Bell,
        button: Callable[[Callable[[bool], None]], Panel] | None = None,
    ) -> None:
        """Takes the head role and opens the journal; `HeadTaken`, `StoreError` if that cannot be."""
        self.inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.clock = clock
        self._bell = bell
        self._policy = BellPolicy() if settings.limits else None
        self.session = secrets.token_hex(4)
        with ExitStack() as opened:  # closed again if one of the next steps fails
            self._lock = opened.enter_context(_locked(settings.data / "head.lock"))
            if other := _other_head(settings):
                who = other.host or "another machine"
                raise HeadTaken(f"{who} is head of {settings.hall} already ({settings.broker})")
            reports = Reports(
                self._committed, lambda why: self.inbox.put(Failed(why)), lambda: self.inbox.put(Recovered())
            )
            self.journal = Journal(settings.data / "journal.db", reports)
            opened.callback(self.journal.close)
            self._rung = Rung((settings.runtime or settings.data) / "rung.jsonl", clock.boot)
            opened.callback(self._rung.close)
            options = Options(
                settings.hall,
                socket.gethostname(),
                self.session,
                clock.boot,
                __version__,
                settings.auto_confirm,
            )
            self.referee = Referee(options, SystemRandom(), self._memory(), clock.now())
            self._button = button(lambda held: self.inbox.put(Button(held))) if button else None
            opened.pop_all()
        topic = topics.everyone(settings.hall, "head")
        will = Will(topic, encode(HeadStatus("lost", self.session)))
        self._stopped = Publish(topic, HeadStatus("stopped", self.session), 1, True)
        self.client = Client(
            settings.broker, topics.HEAD, self.inbox.put, topics.uplinks(settings.hall), lambda _: will
        )

    def _memory(self) -> Memory:
        latest = self.journal.latest()
        entries = self.journal.read(latest) if latest else []
        return Memory(entries, self.journal.positions(), self.journal.answers(), self.journal.kept)

    def serve(self, ready: Callable[[], None], ticked: Callable[[], None] = lambda: None) -> None:
        """Works until a `Stop` is in the inbox."""
        self.client.start()
        for effect in self.referee.resume():
            if report := self.perform(effect):
                turn(report, self.clock.now(), self.referee.step, self.perform)
        if self._button:
            self._button.start()
        ready()
        run(self.inbox, self.clock, self.referee.step, self.perform, ticked)

    def perform(self, effect: Effect) -> object | None:
        """Carries out one effect; what it reports is to be decided upon at once."""
        match effect:
            case Publish():
                send(self.client, effect)
            case Ring():
                return self._ring(effect)
            case Append():
                self.journal.append(*effect.entries, answer=effect.answer)
            case SetAside():
                self._set_aside(effect)
            case Keep():
                self.journal.keep(effect.key, effect.value)
            case Warn():
                log.warning("%s", effect.text)
        return None

    def _ring(self, ring: Ring) -> Rang | Silent:
        """Noted before the relay moves: after a crash in between it counts as rung."""
        noted = self._rung.at(ring.id)
        if noted is not None:
            return Rang(ring.id, noted)
        now = self.clock.now()
        policy = self._policy or BellPolicy()
        decided = policy.decide(now, Request(ring.id, ring.signal, _signal(ring.sounds), ring.not_after))
        if isinstance(decided, RingRefused):
            return Silent(ring.id, decided.why)
        self._rung.note(ring.id, now + decided.wait_ms)
        try:
            return Rang(ring.id, self._bell.ring(decided))
        except (DeviceError, OSError) as error:
            return Silent(ring.id, str(error))

    def _set_aside(self, effect: SetAside) -> None:
        try:
            self.journal.set_aside(effect.aside)
        except JournalError as error:
            log.info("%s", error)

    def _committed(self, records: list[Record]) -> None:
        self.inbox.put(Committed(tuple(records)))

    def close(self) -> None:
        """Silences the bell, says farewell, and has everything on disk."""
        self._bell.close()
        if self._button:
            self._button.close()
        send(self.client, self._stopped)
        self.client.close()
        self.journal.close()
        self._rung.close()
        self._lock.close()


def _signal(sounds: str) -> Any:
    return sounds


def _locked(path: Path) -> BinaryIO:
    """Holds the lock on the data of the head role; `HeadTaken` says who has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a+b")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.seek(0)
        holder = file.read().decode("ascii", "replace").strip()
        file.close()
        raise HeadTaken(f"process {holder} is head already with the data in {path.parent}") from error
    file.truncate(0)
    file.write(str(os.getpid()).encode())
    file.flush()
    return file


def _other_head(settings: Settings) -> HeadStatus | None:
    """Who else is head at this broker; None too if the broker cannot be asked now."""
    events: queue.SimpleQueue[object] = queue.SimpleQueue()
    node = f"probe-{secrets.token_hex(4)}"
    topic = topics.everyone(settings.hall, "head")
    probe = Client(settings.broker, node, events.put, [topic, topics.down(settings.hall, node, "answer")])
    probe.start()
    try:
        found = _said(events, PROBE)
        if not isinstance(found, HeadStatus) or found.state != "online":
            return None
        # A broker with a memory tells of heads from before a power cut: one that is there answers anything.
        send(probe, Publish(topics.up(settings.hall, node, "command"), Command(node, "who"), 1))
        match _said(events, ANSWER):
            case Answer() | HeadStatus(state="online"):
                return found
            case _:
                return None
    finally:
        probe.close()


def _said(events: "queue.SimpleQueue[object]", seconds: float) -> HeadStatus | Answer | None:
    try:
        while True:
            event = events.get(timeout=seconds)
            if isinstance(event, Received):
                try:
                    message = decode(event.topic, event.payload, event.retained)
                except WireError:
                    continue
                if isinstance(message, HeadStatus | Answer):
                    return message
            elif not isinstance(event, Connected):
                return None
    except queue.Empty:
        return None
