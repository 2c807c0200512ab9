"""The real head and the real tables as processes on simulated machines; one dies at any of its effects."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, cast

from msgspec.structs import replace

from pi_bunco.devices.protocols import AllReported
from pi_bunco.errors import BuncoError
from pi_bunco.game.facts import RoundClose
from pi_bunco.game.pace import CLOCK
from pi_bunco.head import effects as head_effects
from pi_bunco.head.publisher import HeadOptions
from pi_bunco.head.reasons import JournalBeginsAnew
from pi_bunco.head.referee import Referee
from pi_bunco.head.service import remembered
from pi_bunco.log.entry import Entry
from pi_bunco.log.journal import OPENED, Journal
from pi_bunco.log.log_store import LogStore, Replica
from pi_bunco.runtime import loop, store, writer
from pi_bunco.runtime.loop import TICK_EVERY_MS, Tick, turn
from pi_bunco.runtime.writer import Reports
from pi_bunco.table import effects as table_effects
from pi_bunco.table.controller import TableController
from pi_bunco.table.effects import TableOptions
from pi_bunco.wire import topics
from pi_bunco.wire.client import Publish
from pi_bunco.wire.gate import Delivered, encode
from pi_bunco.wire.messages import ClockReply, HeadStatus, LogRequest, Status
from pi_bunco.wire.outbox import OutboxFile
from pi_bunco.wire.session import Connected, Disconnected, Will
from vopr.cards import CardWriter
from vopr.clockwork import Machine
from vopr.network import Link
from vopr.oracle import TRUSTED_ERROR_MS

if TYPE_CHECKING:
    from vopr.hall import Hall

HALL = "home"
STIRRED_MS = 1000.0
"""So long after a start or another link a service ticks as often as it really does, else a fifth as often."""
_TICK = Tick()


class KilledError(Exception):
    """The process was killed at this effect."""


class Service(ABC):
    """A process on a machine: starts, takes one message at a time, is frozen, dies."""

    what: str

    def __init__(self, hall: "Hall", machine: Machine, link: Link) -> None:
        self.hall, self.machine, self.link = hall, machine, link
        self.running = False
        self.starts = 0
        self.dies_in: int | None = None
        """Effects until it is killed."""
        self._stirred_at = self.started_at = self.stopped_at = 0.0
        self.unread: list[Any] = []
        """Messages that came while it stood still, and those behind them."""
        self._writers: tuple[CardWriter, ...] = ()
        self._step: Callable[[Any, float], Any]

    def start(self) -> None:
        """Starts the process, if its machine is on and nothing forbids it."""
        if self.running or not self.machine.on:
            return
        self.starts += 1
        self.dies_in = None
        self.unread.clear()
        self.running = True
        self._stirred_at = self.started_at = self.hall.clockwork.time
        if not self.hall.guarded(self, self._open):
            return
        self.hall.network.start(self.link)
        self._tick(self.starts)

    @abstractmethod
    def _open(self) -> None:
        """Makes what the process works with."""

    def kill(self, *, power: bool = False) -> None:
        """As by `kill -9`: what the kernel has not is gone; with the power, what the card has not."""
        if not self.running:
            return
        self.running = False
        self.stopped_at = self.hall.clockwork.time
        self.link.frozen_until = 0.0
        self.stops()
        for one in self._writers:
            if not power and one.due and self.hall.chance.random() < 0.3:
                one.commit()  # it was on its way, and nobody was told
            one.crash()
        self.hall.network.stop(self.link, power=power)
        if self.hall.at_stake:
            self.hall.look_for_amnesia()

    def stops(self) -> None:  # noqa: B027 (most services do nothing then)
        """The process ends."""

    def freeze(self, ms: float) -> None:
        """The process does nothing for so long, then takes all that came meanwhile."""
        if self.running:
            self.link.frozen_until = max(self.link.frozen_until, self.hall.clockwork.time + ms)
            self.hall.clockwork.at(self.link.frozen_until, self._thaw)

    def take(self, message: Any) -> None:
        """A message for the loop of the service."""
        if not self.running:
            return
        if self.hall.clockwork.time < self.link.frozen_until or self.unread:
            self.unread.append(message)
            return
        if isinstance(message, Connected | Disconnected):
            self._stirred_at = self.hall.clockwork.time
        self._turn(message)

    def _thaw(self) -> None:
        while self.unread and self.running and self.hall.clockwork.time >= self.link.frozen_until:
            self._turn(self.unread.pop(0))

    def _turn(self, message: Any) -> None:
        self.hall.steps += 1
        up = self.machine.up()
        self.hall.guarded(self, turn, message, up, self._step, self._effect)
        self._to_disk()

    def _to_disk(self) -> None:
        for one in self._writers if self.running else ():
            if one.due:
                one.scheduled = True
                card = self.hall.cards_of[self.what]
                pause = 1000.0 if one.fault else 0.0
                self.hall.clockwork.later(pause + card.commit_takes_ms(), partial(self._committed, one))

    def _committed(self, one: CardWriter) -> None:
        one.scheduled = False
        if self.running and one in self._writers:
            one.commit()
            self._to_disk()

    def _effect(self, effect: Any) -> Any:
        if self.dies_in is not None:
            self.dies_in -= 1
            if self.dies_in < 0:
                raise KilledError
        return self.perform(effect)

    @abstractmethod
    def perform(self, effect: Any) -> Any:
        """Does an effect, and returns what the service wants to know of it."""

    def _tick(self, start: int) -> None:
        if self.running and self.starts == start:
            if self.hall.clockwork.time >= self.link.frozen_until:
                self._turn(_TICK)
            stirred = self.hall.clockwork.time - self._stirred_at < STIRRED_MS
            self.hall.clockwork.later(TICK_EVERY_MS * (1 if stirred else 5), lambda: self._tick(start))

    def _writer(self, open_connection: Any, reports: Reports) -> CardWriter:
        return CardWriter(open_connection, reports)

    def _reports(self) -> Reports:
        def put(message: Any) -> None:
            self.take(message)

        return Reports(
            lambda records: put(writer.Committed(tuple(records))),
            lambda why: put(writer.Failed(why)),
            lambda: put(writer.Recovered()),
        )


def written(entry: Entry) -> tuple[str, int, bytes]:
    """The content of an entry, whatever key has chained it."""
    return entry.evening, entry.n, bytes(entry.fact)


def to_journal(journal: Journal, effect: head_effects.HeadEffect, wall_s: float) -> None:
    """Carries out an effect on the log, as the head's service does."""
    match effect:
        case head_effects.Append():
            journal.append(*effect.entries, answer=effect.answer)
            for entry in effect.entries:
                if entry.n == 1:
                    journal.keep(f"{OPENED} {entry.evening}", wall_s)
        case head_effects.TakeOver():
            journal.take(effect.entries, effect.answer)
        case head_effects.Rewrite():
            journal.put(*effect.entries)
        case head_effects.WriteAnew():
            journal.write_anew(effect.record, effect.answer)
        case head_effects.SetAside():
            journal.set_aside(effect.aside)
        case head_effects.Keep():
            journal.keep(effect.key, effect.value)


class HeadProcess(Service):
    """The head service on its machine."""

    what = "head"
    journal: Journal
    referee: Referee
    seeks = True
    """It has not told since its start that it has the end of its log."""
    had: set[str]
    """The macs of its journal as it started, and of all that it took of replicas since."""
    broker_had = ""
    """The mac of the last entry that a broker had kept, as it has read since its start."""

    def __init__(self, hall: "Hall", machine: Machine) -> None:
        status = topics.everyone(HALL, "head")
        link = Link(
            "head", tuple(topics.uplinks(HALL)), self.take, Random(f"{hall.seed} link head"),
            will=lambda session: Will(status, encode(HeadStatus("lost", session))),
        )  # fmt: skip
        super().__init__(hall, machine, link)

    def _open(self) -> None:
        hall, machine = self.hall, self.machine

        def read(path: Path) -> tuple[Journal, Any]:
            journal = Journal(path, self._reports(), self._writer)
            return journal, remembered(journal, hall.key)

        damage: list[str] = []
        self.journal, memory = store.sound(Path("/cards/head/journal.db"), read, damage.append)
        damaged = JournalBeginsAnew("".join(damage)) if damage else None
        memory = replace(memory, damage=damaged, noted=dict(machine.notes))
        self._writers = (cast(CardWriter, self.journal.writer),)
        self.journal.keep("started", {"boot": machine.boot})
        self.seeks = True
        options = HeadOptions(HALL, "head", machine.boot, "1", hall.auto_confirm_ms)
        random = Random(f"{hall.seed} head {self.starts}")
        self.referee = Referee(options, random, memory, machine.up())
        self.had = {entry.mac for entry in self.referee.log.entries}
        self.broker_had = ""
        self._step = self.referee.step
        hall.look_for_online()

    def kill(self, *, power: bool = False) -> None:
        """Notes when a head whose card was full had entries in memory alone: nobody can know of its bells."""
        full = self.running and self.hall.cards_of[self.what].full
        super().kill(power=power)
        if full:
            self.hall.look_for_forgotten()

    def stops(self) -> None:
        self.hall.oracle.head_ended(self.hall.clockwork.time)

    def _turn(self, message: Any) -> None:
        match message:
            case Delivered(message=Entry(mac=mac), retained=True):
                self.broker_had = mac
        super()._turn(message)

    def perform(self, effect: Any) -> Any:
        match effect:
            case Publish():
                if self.seeks and isinstance(effect.message, HeadStatus) and effect.message.boot:
                    self.seeks = False
                    self.hall.oracle.head_told()
                    self.hall.look_for_haste()
                self.hall.network.publish(self.link, effect)
            case head_effects.Ring():
                return self._ring(effect)
            case loop.Warn():
                self.hall.story("head", effect.text)
                for offer in self.referee.catch_up.recovery.offers.values():
                    self.hall.offered.update(
                        (one.mac, one.decoded().__struct_config__.tag) for one in offer.entries
                    )
            case _:
                if isinstance(effect, head_effects.Append | head_effects.TakeOver):
                    self.hall.made_by |= dict.fromkeys(
                        (one.mac for one in effect.entries), self.referee.log.key.id
                    )
                    log, taken = self.referee.log, isinstance(effect, head_effects.TakeOver)
                    for entry in effect.entries:
                        now, fact = self.hall.clockwork.time, entry.decoded()
                        self.hall.entered.setdefault(written(entry), now)
                        if entry.n == log.opened_n:
                            self.hall.opened[entry.evening, log.evening.epoch].add(entry.mac)
                        if (round_ := log.evening.round) and round_.rang_at == entry.n:
                            self.hall.ended[entry.evening, round_.epoch].add(entry.mac)
                        if isinstance(fact, RoundClose) and fact.by == CLOCK and not taken:
                            self.hall.oracle.closed_by_time(fact.epoch or 0, now)
                if isinstance(effect, head_effects.TakeOver):
                    self.had |= {entry.mac for entry in effect.entries}
                to_journal(self.journal, effect, self.machine.wall_ahead_s)
        return None

    def _ring(self, ring: head_effects.Ring) -> Any:
        notes = self.machine.notes
        if ring.sounded:
            notes.setdefault(ring.id, ring.at or 0.0)
            return head_effects.Rang(ring.id, ring.at or 0.0)
        notes[ring.id] = self.machine.up()
        self.hall.rang(ring.id)
        return head_effects.Rang(ring.id, notes[ring.id])


class TableProcess(Service):
    """The service of one table, its dice and its lights."""

    outbox: OutboxFile
    replica: LogStore | None
    controller: TableController

    def __init__(self, hall: "Hall", machine: Machine, number: int) -> None:
        self.number = number
        self.what = f"table{number}"
        status = topics.up(HALL, self.what, "status")
        link = Link(
            self.what, tuple(topics.inbox(HALL, self.what, topics.is_replica(self.what))), self.take,
            Random(f"{hall.seed} link {number}"),
            will=lambda session: Will(status, encode(Status("lost", session))),
        )  # fmt: skip
        super().__init__(hall, machine, link)
        self._shown: list[Any] | None = None
        """Its round as it showed it when its process was killed, all of it saved and before the bell."""
        self._met: set[str] = set()
        """Boots of heads whose answers are not on its card yet, as far as those compare the clocks well."""
        self.when_asked: Callable[[], object] | None = None
        """The fault that happens as it is asked next for its log."""

    def _open(self) -> None:
        folder, now = Path(f"/cards/{self.what}"), self.machine.up()
        reports, quiet = self._reports(), Reports(lambda _: None, lambda _: None)
        stream = f"s{self.number}.{self.starts}"
        self.outbox = store.sound(
            folder / "outbox.db",
            lambda path: OutboxFile(path, reports, now, stream, self._writer),
            quiet.failed,
        )
        self.outbox.keep("number", self.number)
        self.outbox.keep("started", {"boot": self.machine.boot})
        self._writers = (cast(CardWriter, self.outbox.writer),)
        self.replica = None
        if topics.is_replica(self.what):
            replica = store.sound(
                folder / "replica.db", lambda path: Replica(path, quiet, self._writer), quiet.failed
            )
            self.replica = replica
            self._writers += (cast(CardWriter, replica.writer),)
        options = TableOptions(HALL, self.number, self.machine.boot, "1")
        self.controller = TableController(options, self.outbox, self.replica, now)
        self._step = self.controller.step
        shown = self._shows()
        honest = self.number not in self.hall.oracle.liars
        if honest and self._shown and shown and self._shown[0] == shown[0] and self._shown != shown:
            self.hall.oracle.find(
                "unlike", f"{self.what} showed {self._shown}, and shows {shown} after a restart"
            )
        self.hall.people[self.number].starts()

    def _shows(self) -> list[Any] | None:
        """The table's round and points, None without any before the bell."""
        shown = self.controller.prediction
        if shown.table is None or shown.table.bell_t is not None:
            return None
        return [(self.machine.boot, shown.evening, shown.epoch), list(shown.table.points)]

    def stops(self) -> None:
        self._met.clear()
        well = not self.hall.crashes and self.controller._record.saved and not self.outbox.writer._waiting
        self._shown = self._shows() if well else None
        self.hall.people[self.number].stops()

    def take(self, message: Any) -> None:
        match message:
            case Delivered(message=LogRequest()) if strikes := self.when_asked:
                self.when_asked = None
                strikes()
            case Delivered(message=HeadStatus() as head) if self.hall.adversary:
                self.hall.adversary.heard(self.number, head)
        super().take(message)

    def _turn(self, message: Any) -> None:
        match message:
            case Delivered(message=ClockReply() as reply):
                trip = self.machine.up() - reply.t0 - (reply.t2 - reply.t1)
                if trip <= 2 * TRUSTED_ERROR_MS:
                    self._met.add(reply.boot)
            case writer.Committed():  # a process that is killed before has compared nothing
                now = self.hall.clockwork.time
                while self._met:
                    self.hall.oracle.compared(self.number, self.machine.boot, self._met.pop(), now)
        super()._turn(message)

    def perform(self, effect: Any) -> None:
        match effect:
            case Publish():
                self.hall.network.publish(self.link, effect)
            case table_effects.ShowLights():
                self.hall.people[self.number].see(effect.state)
            case table_effects.ForgetThrow():
                self.hall.people[self.number].forget(effect.mark)
            case table_effects.ReportUntil():
                at = effect.at
                self.hall.clockwork.later(2.0, lambda: self.take(AllReported(at)))
            case table_effects.RebuildLink():
                self.hall.network.rebuild(self.link)
            case loop.Warn():
                self.hall.story(self.what, effect.text)


__all__ = ["BuncoError", "HeadProcess", "KilledError", "Service", "TableProcess", "written"]
