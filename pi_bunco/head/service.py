"""The shell of the head service: the only part that touches the bell, the journal and the network."""

import logging
import queue
import secrets
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import SystemRandom
from typing import Any

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from pi_bunco import __version__
from pi_bunco.devices.bell.policy import BellPolicy, Request
from pi_bunco.devices.bell.policy import Refused as RingRefused
from pi_bunco.devices.protocols import Bell, DeviceError, Panel
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
from pi_bunco.head.lost import Lost
from pi_bunco.head.news import Options
from pi_bunco.head.playable import playable
from pi_bunco.head.probe import other_head
from pi_bunco.head.rebuild import Over, Rebuild, Rebuilt
from pi_bunco.head.referee import Memory, Referee
from pi_bunco.head.role import HeadTaken, head_role
from pi_bunco.head.rung import Rung
from pi_bunco.journal.journal import Journal, JournalError
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.loop import Health, Stop, run, turn
from pi_bunco.runtime.store import DamagedError, sound
from pi_bunco.runtime.writer import Record, Reports, Store
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Client, Will
from pi_bunco.wire.gate import encode
from pi_bunco.wire.messages import Answer, HeadStatus
from pi_bunco.wire.publish import Publish, send

log = logging.getLogger(__name__)


class Settings(Struct, frozen=True):
    """What the head service needs to run; `limits` bounds how long and how often the bell may sound.

    `probe` is where to ask for another head, as a user of its own; `rebuild`: the tables have the evening.
    """

    broker: BrokerAddress
    data: Path
    hall: str = "home"
    auto_confirm: float = 60_000.0
    limits: bool = True
    runtime: Path | None = None
    probe: BrokerAddress | None = None
    rebuild: bool = False


class Shell:
    """Carries out the referee's effects.

    `button` makes the host's bell button, if there is one, given where it says whether it was held; `look`
    looks after devices that are missing and tells of them when that changes.
    """

    damaged: str | None
    """Why there is nothing of the evenings before, a sentence; None where nothing is lost."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        bell: Bell,
        button: Callable[[Callable[[bool], None]], Panel] | None = None,
        look: Callable[[], Health | None] = lambda: None,
    ) -> None:
        """Takes the head role and opens the journal; `HeadTaken` if another process is head, `NotEmpty`.

        A damaged journal is set aside; a card that cannot be read or written is a fault that is shown.
        """
        self.inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.clock = clock
        self._bell = bell
        self._look = look
        self._policy = BellPolicy() if settings.limits else None
        self.session = secrets.token_hex(4)
        with ExitStack() as opened:  # closed again if one of the next steps fails
            opened.enter_context(head_role(settings.data))
            if other := other_head(settings.probe or settings.broker, settings.hall):
                who = other.host or "another machine"
                raise HeadTaken(f"{who} is head of {settings.hall} already ({settings.broker})")
            memory = self._opened(settings.data / "journal.db")
            opened.callback(self.journal.close)
            self._rung = Rung((settings.runtime or settings.data) / "rung.jsonl", clock.boot)
            opened.callback(self._rung.close)
            self._lost = Lost(self.journal, settings.rebuild, self.damaged is not None)
            self._options = Options(
                settings.hall,
                socket.gethostname(),
                self.session,
                clock.boot,
                __version__,
                settings.auto_confirm,
            )
            self.referee = Referee(self._options, SystemRandom(), memory, clock.now())
            self._button = button(lambda held: self.inbox.put(Button(held))) if button else None
            self._held = opened.pop_all()
        topic = topics.everyone(settings.hall, "head")
        will = Will(topic, encode(HeadStatus("lost", self.session)))
        self._stopped = Publish(topic, HeadStatus("stopped", self.session), 1, True)
        self.client = Client(
            settings.broker,
            topics.HEAD,
            self.inbox.put,
            topics.uplinks(settings.hall),
            lambda _: will,
            hall=settings.hall,
        )
        self._conflict = ""

    @property
    def store(self) -> Store:
        """Where the warnings are kept."""
        return self.journal

    def dead(self) -> list[str]:
        """The threads that have ended although the service works: without them it is deaf, or forgets all."""
        lives = {
            "the link to the broker": self.client.alive,
            "the journal": self.journal.writer.alive,
            "the bell button": self._button is None or self._button.alive(),
        }
        return [name for name, alive in lives.items() if not alive]

    def _opened(self, path: Path) -> Memory:
        """Opens the journal, and what it holds of the latest evening."""
        (self.journal, memory), lost = sound(path, self._read)
        lost = lost or self.journal.unread
        self.damaged = f"The journal begins anew: {lost}." if lost else None
        if self.damaged:
            log.error("%s", self.damaged)
        self.journal.keep("started", {"boot": self.clock.boot})  # a card that cannot be written is told now
        return replace(memory, lost=self.damaged or "")

    def _read(self, path: Path) -> tuple[Journal, Memory]:
        reports = Reports(
            self._committed, lambda why: self.inbox.put(Failed(why)), lambda: self.inbox.put(Recovered())
        )
        journal = Journal(path, reports)
        try:
            return journal, _memory(journal)
        except BaseException:
            journal.close()
            raise

    def _rebuilt(self, ticked: Callable[[], None]) -> bool:
        """Takes the evening from the tables, as far as they have one; False if a `Stop` came in between."""
        known = [] if self.journal.empty else [evening.id for evening in self.journal.evenings()]
        rebuild = Rebuild(self._options.hall, self.referee.ledger.log, known, self._lost.late)
        later = list[object]()

        def step(message: object, now: float) -> list[Effect | Rebuilt | Over]:
            if isinstance(message, Health | Failed | Recovered):
                later.append(message)
            return rebuild.step(message, now)

        self.client.start()
        run(self.inbox, self.clock, step, self._perform_rebuild, ticked)
        self.client.close()  # the referee begins with a link of its own, so it hears what the broker keeps
        if not rebuild.over:
            return False
        for message in later:
            self.inbox.put(message)
        self._lost.asked(rebuild)
        return True

    def _perform_rebuild(self, effect: Effect | Rebuilt | Over) -> object | None:
        match effect:
            case Rebuilt(entries, signals, sounded):
                for id in signals:
                    self._rung.note(id, 0.0)
                self.journal.rebuild(entries)
                memory = Memory(entries, self.journal.upto, sounded=sounded)
                self.referee = Referee(self._options, SystemRandom(), memory, self.clock.now())
            case Over():
                self.inbox.put(Stop())
            case _:
                return self.perform(effect)
        return None

    def serve(self, ready: Callable[[], None], ticked: Callable[[], None] = lambda: None) -> None:
        """Works until a `Stop` is in the inbox; first takes the evening from the tables, if that is lost.

        `ready` is called before, since nobody knows when the tables will be there.
        """
        if self._button:
            self._button.start()
        ready()
        goes_on = True
        while goes_on:
            rebuilt = not self._lost.wanted or self._rebuilt(lambda: self._ticked(ticked))
            goes_on = rebuilt and self._refereed(ticked)

    def _refereed(self, ticked: Callable[[], None]) -> bool:
        """Referees until a `Stop`, or until a table comes that may have the lost evening: whether it came."""
        came = False
        self.client.start()
        for effect in self.referee.resume():
            if report := self.perform(effect):
                turn(report, self.clock.now(), self.referee.step, self.perform)

        def looked() -> None:
            nonlocal came
            self._ticked(ticked)
            if not came and self._lost.may_be_at_a_table(self.referee.presence, self.clock.now()):
                came = True
                self.inbox.put(Stop())

        run(self.inbox, self.clock, self.referee.step, self.perform, looked)
        if came:
            send(self.client, self._stopped)
            self.client.close()
        return came

    def _ticked(self, ticked: Callable[[], None]) -> None:
        if (health := self._look()) is not None:
            self.inbox.put(health)
        if (conflict := self.client.conflict) != self._conflict:
            self._conflict = conflict
            self.inbox.put(Health((conflict,) if conflict else (), "name"))
        ticked()

    def perform(self, effect: Effect) -> object | None:
        """Carries out one effect; what it reports is to be decided upon at once."""
        match effect:
            case Publish():
                send(self.client, effect)
            case Ring():
                return self._ring(effect)
            case Append():
                self._lost.give_up()  # before another evening is in the journal
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
        if ring.sounded:
            self._rung.note(ring.id, 0.0)
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
        self._held.close()


def _memory(journal: Journal) -> Memory:
    if journal.unread:
        return Memory()
    latest = journal.latest()
    entries = journal.read(latest) if latest else []
    possible, answers = len(playable(entries)[0]), journal.answers()
    if possible < len(entries):
        raise DamagedError(
            f"the journal {journal.path}: fact {possible + 1} of evening {latest} cannot be; it is kept"
        )
    try:
        convert(answers, dict[str, Answer])
    except ValidationError as error:
        raise DamagedError(f"the journal {journal.path} has no such answer ({error}); it is kept") from error
    return Memory(entries, journal.positions(), answers, journal.kept)


def _signal(sounds: str) -> Any:
    return sounds
