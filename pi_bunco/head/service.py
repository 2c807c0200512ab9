"""The shell of the head service: the only part that touches the bell, the journal and the network."""

import logging
import os
import socket
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from random import SystemRandom

import msgspec
from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from pi_bunco import __version__
from pi_bunco.devices.bell.limits import BellPolicy, RingRefused
from pi_bunco.devices.protocols import Bell, DeviceError, Panel
from pi_bunco.errors import BuncoError, FactError
from pi_bunco.game.apply import apply
from pi_bunco.game.evening import Evening
from pi_bunco.head import effects
from pi_bunco.head.catch_up import Memory
from pi_bunco.head.publisher import HeadOptions
from pi_bunco.head.reasons import JournalBeginsAnew
from pi_bunco.head.referee import Referee
from pi_bunco.head.role import LOCK, other_head
from pi_bunco.log.chain import LOG_KEY, SPARE_KEY, LogKey, sound_key
from pi_bunco.log.journal import OPENED, Journal, evenings, positions, read_facts
from pi_bunco.reason import InEnglish, Reason
from pi_bunco.runtime import clock
from pi_bunco.runtime.clock import Clock
from pi_bunco.runtime.files import claimed
from pi_bunco.runtime.loop import IDLE_TICK_EVERY_MS, Health, LoopInbox, Warn, run
from pi_bunco.runtime.store import DamagedError, sound
from pi_bunco.runtime.writer import Reports
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.client import Client, Connected, Publish, Will, delivering, send
from pi_bunco.wire.gate import encode
from pi_bunco.wire.messages import Answer, HeadStatus

log = logging.getLogger(__name__)


class HeadSettings(Struct, frozen=True):
    """The settings of the head service; `limits` bounds how long and how often the bell may sound.

    `probe` is where to ask for another head, as a user of its own; `log_key` is the file of the hall's log
    key, without which the head draws one and keeps it in `data`.
    """

    broker: BrokerAddress
    data: Path
    hall: str = "home"
    auto_confirm: float = 60_000.0
    limits: bool = True
    runtime: Path | None = None
    probe: BrokerAddress | None = None
    log_key: Path | None = None


class HeadService:
    """Carries out the referee's effects.

    `button` makes the host's bell button, if there is one, given where it says whether it was held; `look`
    looks after devices that are missing and tells of them when that changes.
    """

    damaged: Reason | None
    """The reason why the evenings before are gone; None where nothing is lost."""

    def __init__(
        self,
        settings: HeadSettings,
        clock: Clock,
        bell: Bell,
        button: Callable[[Callable[[bool], None]], Panel] | None = None,
        look: Callable[[], Health | None] = lambda: None,
    ) -> None:
        """Takes the head role and opens the journal; `BuncoError` if another process is head.

        A damaged journal is set aside; a card that cannot be read or written is a fault that is shown.
        """
        self.inbox = LoopInbox()
        self.clock = clock
        self._bell = bell
        self._look = look
        self._policy = BellPolicy() if settings.limits else None
        with ExitStack() as opened:  # closed again if one of the next steps fails
            already = f"is head already with the data in {settings.data}"
            opened.enter_context(claimed(settings.data, LOCK, already))
            if other := other_head(settings.probe or settings.broker, settings.hall):
                who = other.host or "another machine"
                raise BuncoError(f"{who} is head of {settings.hall} already ({settings.broker})")
            data = settings.data
            self._key, why = sound_key(settings.log_key or data / LOG_KEY, data / SPARE_KEY)
            if why:
                self.inbox.put(Health((why,), "log key"))
            self.journal, memory = self._opened(data / "journal.db")
            self.store = self.journal
            opened.callback(self.journal.close)
            self._notes = Notes((settings.runtime or settings.data) / "rung.jsonl", clock.boot)
            opened.callback(self._notes.close)
            options = HeadOptions(
                settings.hall, socket.gethostname(), clock.boot, __version__, settings.auto_confirm
            )
            memory = replace(memory, noted=self._notes.all())
            self.referee = Referee(options, SystemRandom(), memory, clock.now())
            self._button = (
                button(lambda long: self.inbox.put(effects.BellButtonPress(long))) if button else None
            )
            self._opened_parts = opened.pop_all()
        self._status = topics.everyone(settings.hall, "head")
        self.client = Client(
            settings.broker,
            topics.HEAD,
            delivering(self.inbox.deliver),
            topics.uplinks(settings.hall),
            lambda session: Will(self._status, encode(HeadStatus("lost", session))),
            hall=settings.hall,
        )

    def lives(self) -> dict[str, bool]:
        """True for each thread that lives."""
        return {
            "the link to the broker": self.client.alive,
            "the journal": self.journal.writer.alive,
            "the bell button": self._button is None or self._button.alive(),
        }

    def _opened(self, path: Path) -> tuple[Journal, Memory]:
        """Opens the journal and what it holds of the latest evening."""
        damage: list[str] = []
        journal, memory = sound(path, self._read, damage.append)
        why = "".join(damage) or journal.unread
        self.damaged = JournalBeginsAnew(why) if why else None
        if self.damaged:
            log.error("%s", self.damaged.english())
        journal.keep("started", {"boot": self.clock.boot})  # a card that cannot be written is told now
        return journal, replace(memory, damage=self.damaged)

    def _read(self, path: Path) -> tuple[Journal, Memory]:
        journal = Journal(path, Reports.into(self.inbox.put))
        try:
            return journal, remembered(journal, self._key)
        except BaseException:
            journal.close()
            raise

    def serve(self, ready: Callable[[], None], ticked: Callable[[], None] = lambda: None) -> None:
        """Works until a `Stop` is in the inbox; `ready` is called when the head hears what is sent to it."""
        if self._button:
            self._button.start()
        self.client.start()

        def step(message: object, now: float) -> Iterable[effects.HeadEffect]:
            if isinstance(message, Connected):
                ready()
            return self.referee.step(message, now)

        def look() -> None:
            for health in (self._look(), self.client.health()):
                if health is not None:
                    self.inbox.put(health)
            ticked()

        next_due = self.referee.conductor.due
        run(self.inbox, self.clock, step, self.perform, look, IDLE_TICK_EVERY_MS, next_due)

    def perform(self, effect: effects.HeadEffect) -> object | None:
        """Carries out one effect; what it reports is to be decided upon at once."""
        match effect:
            case Publish():
                send(self.client, effect)
            case effects.Ring():
                return self._ring(effect)
            case effects.Append():
                self.journal.append(*effect.entries, answer=effect.answer)
                for entry in effect.entries:
                    if entry.n == 1:
                        self.journal.keep(f"{OPENED} {entry.evening}", clock.wall_seconds())
            case effects.TakeOver():
                self.journal.take(effect.entries, effect.answer)
            case effects.Rewrite():
                self.journal.put(*effect.entries)
            case effects.WriteAnew():
                self.journal.write_anew(effect.record, effect.answer)
            case effects.SetAside():
                self.journal.set_aside(effect.aside)
            case effects.Keep():
                self.journal.keep(effect.key, effect.value)
            case Warn():
                log.warning("%s", effect.text)
        return None

    def _ring(self, ring: effects.Ring) -> effects.Rang | effects.Silent:
        """Notes the ring before the relay moves: after a crash in between it counts as rung."""
        if ring.sounded:
            if ring.at is None:
                self._notes.note(ring.id, 0.0)
            return effects.Rang(ring.id, ring.at or 0.0)
        now = self.clock.now()
        policy = self._policy or BellPolicy()
        decided = policy.decide(now, ring)
        if isinstance(decided, RingRefused):
            return effects.Silent(ring.id, decided.why)
        self._notes.note(ring.id, now + decided.wait_ms)
        try:
            return effects.Rang(ring.id, self._bell.ring(decided))
        except (DeviceError, OSError) as error:
            return effects.Silent(ring.id, InEnglish(str(error)))

    def close(self) -> None:
        """Silences the bell, says farewell, and has everything on disk."""
        self._bell.close()
        if self._button:
            self._button.close()
        if session := self.client.session:
            send(self.client, Publish(self._status, HeadStatus("stopped", session), 1, True))
        self.client.close()
        self._opened_parts.close()


def remembered(journal: Journal, key: LogKey) -> Memory:
    """The latest evening of a journal; `DamagedError` if that is no evening."""
    if journal.unread:
        return Memory(key)
    known = evenings(journal.path)
    playing = known[-1].id if known else ""
    log = read_facts(journal.path, playing) if known else []
    answers, evening = journal.answers(), Evening()
    for entry, fact in log:
        try:
            apply(evening, fact)
        except FactError as error:
            raise DamagedError(
                f"the journal {journal.path}: fact {entry.n} of evening {entry.evening} cannot be: {error};"
                " it is kept"
            ) from error
    try:
        convert(answers, dict[str, Answer])
    except ValidationError as error:
        raise DamagedError(f"the journal {journal.path} has no such answer ({error}); it is kept") from error
    return Memory(
        key,
        log,
        positions(journal.path, playing),
        answers,
        journal.kept,
        no=journal.highest_no(),
        rewritten=journal.rewritten(),
    )


class Note(Struct, frozen=True):
    """The signal `id` was sounded at `at` (ms of the clock of `boot`)."""

    id: str
    boot: str
    at: float


class Notes:
    """The notes of this boot in the file `path`, which lies in memory (the runtime directory) on a Pi.

    Where it cannot be written the bell rings all the same: a journaled signal is not sounded again either.
    """

    def __init__(self, path: Path, boot: str) -> None:
        self._path = path
        self._boot = boot
        self._complained = False
        self._file: int | None = None
        self._notes: dict[str, Note] = {}
        try:
            self._notes = {note.id: note for note in _read(path) if note.boot == boot}
            self._file = self._opened()
        except OSError as error:
            self._complain(error)

    def all(self) -> dict[str, float]:
        """Per signal when it was sounded (ms of the clock)."""
        return {id: note.at for id, note in self._notes.items()}

    def note(self, id: str, at: float) -> None:
        """Notes that the signal is sounded at `at` (ms of the clock)."""
        note = self._notes[id] = Note(id, self._boot, at)
        try:
            if self._file is None:
                self._file = self._opened()
            os.write(self._file, msgspec.json.encode(note) + b"\n")
        except OSError as error:
            self._complain(error)

    def close(self) -> None:
        """Frees the file."""
        if self._file is not None:
            os.close(self._file)

    def _opened(self) -> int:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def _complain(self, error: OSError) -> None:
        if not self._complained:
            log.warning("what has rung cannot be noted in %s: %s", self._path, error.strerror)
        self._complained = True


def _read(path: Path) -> list[Note]:
    notes = []
    for line in path.read_bytes().splitlines() if path.exists() else ():
        try:
            notes.append(msgspec.json.decode(line, type=Note))
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            continue  # a line that was cut off by a crash: its relay never moved
    return notes
