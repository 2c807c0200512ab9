"""The table controller: `step` takes one message of dice, panel or network and returns what is to be done.

Pure but for the outbox, which is memory in front of a writer that never blocks: a fact is in there before it
is sent, and on disk before it is shown as saved. Whatever plays a table's part, such as a page on a phone,
puts `Throw` and `Press` with marks of its own and shows the `LightState`.
"""

from collections.abc import Iterator
from contextlib import suppress

import msgspec
from msgspec import UNSET, UnsetType

from pi_bunco.devices.protocols import AllReported
from pi_bunco.errors import BuncoError
from pi_bunco.game import facts
from pi_bunco.log.entry import Entry
from pi_bunco.log.log_store import LogStore
from pi_bunco.reason import InEnglish
from pi_bunco.runtime.loop import Health, Tick, Warn
from pi_bunco.runtime.writer import Committed, Erase, Failed, Recovered
from pi_bunco.table.effects import ShowLights, TableEffect, TableOptions
from pi_bunco.table.equipment import Equipment
from pi_bunco.table.lights import lights
from pi_bunco.table.prediction import Prediction
from pi_bunco.table.reasons import RollAfterBell, RollIgnored
from pi_bunco.table.record import BellReports, FactRecord, Rounds, UndecidedThrows
from pi_bunco.table.uplink import Uplink
from pi_bunco.wire import messages
from pi_bunco.wire.client import Connected, Disconnected, Publish
from pi_bunco.wire.gate import Delivered, Rejects, Undelivered
from pi_bunco.wire.log_exchange import LogExchange
from pi_bunco.wire.outbox import Outbox


class TableController:
    """The table service without its shell: `step` is all that it does."""

    def __init__(
        self,
        options: TableOptions,
        outbox: Outbox,
        replica: LogStore | None,
        now: float,
        *,
        phone: bool = False,
    ) -> None:
        """`replica` is this table's of the log, None if it keeps none; a `phone` table has no devices."""
        self.options = options
        self._phone_seen_at: float | None = None
        self._phone = phone
        self.outbox = outbox
        self.prediction = Prediction(options.number, outbox)
        self._uplink = Uplink(options, outbox, now)
        self._log = LogExchange(options.up, replica)
        self._rounds = Rounds(now)
        self._bell_seen = BellReports(options.dice)
        self._record = FactRecord(options, outbox, self.prediction, self._rounds, self._uplink)
        self._undecided = UndecidedThrows(self.prediction, self._rounds, self._uplink)
        self._equipment = Equipment(options, self.prediction, self._record, self._undecided, self._uplink)
        self._fact_topic = options.up("fact")
        self._rejects = Rejects()
        self._shown: ShowLights | None = None
        # The service goes on where it ended: with the last view, and all facts that are newer.
        with suppress(BuncoError, msgspec.ValidationError):
            view = msgspec.convert(outbox.kept.get("view"), messages.View | None)
            if view is not None:
                self.prediction.see(view)
                self._rounds.take_up(view.evening, view.epoch, outbox.kept.get("rounds"))
                self._uplink.measure(view.evening, now)

    def step(self, message: object, now: float) -> Iterator[TableEffect]:
        """The effects of `message`, which came at `now` (ms of the clock).

        A roll is sent before the lights show it, and the lights show the bell before the head is told so.
        """
        yield from self._take(message, now)
        if self._undecided:
            yield from self._equipment.decide(now)
        yield from self._after(now)
        untold = self._record.untold_bell()
        self._record.knows_bell(untold, now)
        yield from self._bell_seen.known(untold, now)
        if bell := self._bell_seen.due(now):
            seen = facts.SawBell(int(bell[2]))
            self._record.tell(seen, now, kept={"bell_seen": bell})
            yield from self._bell_seen.known(None, now)
            yield from self._after(now)

    def phone_seen(self, now: float) -> None:
        """A phone of this table gives a sign of life."""
        self._phone_seen_at = now

    def _take(self, message: object, now: float) -> list[TableEffect]:
        match message:
            case Delivered():
                return self._delivered(message, now)
            case Tick():
                return self._tick(now)
            case Committed(records):
                return self._record.on_disk(records)
            case AllReported(at):
                self._bell_seen.all_reported(at)
            case Undelivered():
                fresh = self._rejects.count(message.topic, now)
                return [Warn(f"A message is dropped: {message.why}")] if fresh else []
            case Connected():
                self.prediction.link_renewed()
                self._uplink.connected(message, now)
                return self._birth(now)
            case Disconnected(why):
                self._uplink.disconnected()
                return [Warn(why)]
            case Failed(why):
                return [Warn(self._equipment.faults.store_fails(why).english())]
            case Recovered():
                self._equipment.faults.store_works()
            case Health():
                return [Warn(fault) for fault in self._equipment.faults.health(message)]
            case _:
                return self._equipment.take(message, now)
        return []

    # The network.

    def _delivered(self, came: Delivered, now: float) -> list[TableEffect]:
        if came.topic.direction == "up":
            return []
        match came.message:
            case messages.Ack() as ack:
                self._uplink.acknowledged()
                return self._record.acknowledged(ack)
            case messages.View() as view:
                return self._view(view, now)
            case messages.Cleared() if came.topic.leaf == "view":
                self.prediction.no_seat()
                self.outbox.keep_later("view", None)
            case Entry() as entry:
                self._log.entry(entry)
            case messages.LogEntries() as answer:
                self._log.answer(answer)
            case messages.LogRequest() as request:
                return [*self._log.requested(request)]
            case messages.RoundInfo() as info:
                if self._rounds.take(info):
                    self.outbox.keep("rounds", self._rounds.plain)
            case messages.BellSignal(signal="end") as bell:
                self._bell(bell)
            case messages.ClockReply() as reply:
                return self._clock(reply, now)
            case messages.HeadStatus() as status:
                return self._head_status(status, now)
        return []

    def _view(self, view: messages.View, now: float) -> list[TableEffect]:
        if not self.prediction.is_newer(view):
            return []
        evening = self.prediction.view.evening if self.prediction.view else None
        was_open = self.prediction.plays
        try:
            self._see(view)
        except BuncoError as error:
            return [Warn(str(error))]
        if was_open and not self.prediction.plays:
            self._rounds.over(now)
        if self._rounds.see(view.evening, view.epoch, now):
            self._equipment.another_round()
            self.outbox.keep("rounds", self._rounds.plain)
            self.outbox.keep("view", view)  # what is rolled offline needs it
        else:
            self.outbox.keep_later("view", view)
        return [] if view.evening == evening else self._evening(view.evening, now)

    def _see(self, view: messages.View) -> None:
        """Takes the head's view, and times what is newer here."""
        if self.prediction.see(view):
            self._equipment.say(RollIgnored() if view.bell_t is None else RollAfterBell())

    def _evening(self, evening: str, now: float) -> list[TableEffect]:
        """Begins another evening: what is committed of those before will not be asked for again.

        But of the last one: the host may go on with a log of it that lacks some of that.
        """
        for other in [one for one in self.outbox.evenings() if one != evening][:-1]:
            self.outbox.evening_over(other)
        left = [one.fact for one in self.outbox.uncommitted() if one.evening != evening]
        self._equipment.faults.keeps_throws(any(isinstance(fact, facts.Rolled) for fact in left))
        self.outbox.renew()  # a stream has one evening, so that it has no holes where an earlier one was
        self._uplink.measure(self.prediction.evening, now)
        return self._birth(now)

    def _bell(self, bell: messages.BellSignal) -> None:
        """Takes the end of the round, before the view tells more."""
        view = self.prediction.view
        if view is not None and (bell.evening, bell.epoch) == (view.evening, view.epoch):
            self.prediction.ring(bell.t)

    def _head_status(self, status: messages.HeadStatus, now: float) -> list[TableEffect]:
        other = self._uplink.head_status(status)
        birth = self._birth(now) if other else []  # before the clock is measured anew
        if status.state == "online" and status.evening is not None:
            birth += self._head_has(status.evening, now)
            if self.prediction.view is not None:  # another head may judge by another clock
                self._see(self.prediction.view)
        self._uplink.measure(self.prediction.evening, now)
        self._log.head(status)
        return birth

    def _head_has(self, evening: str, now: float) -> list[TableEffect]:
        view = self.prediction.head_has(evening)
        if view is not None:
            return self._view(view, now)
        if self.prediction.without_seat and self.outbox.kept.get("view") is not None:
            self.outbox.keep_later("view", None)
        return []

    def _clock(self, reply: messages.ClockReply, now: float) -> list[TableEffect]:
        """Takes the time; a head of which the broker has told nothing is asked who it is, by a birth."""
        view = self.prediction.view
        runs = view is not None and view.phase == "open" and view.session == self._uplink.head
        if self._uplink.answered(reply, self.prediction.epoch if runs else None, now) and view is not None:
            self._see(view)
        return [] if self._uplink.head else self._birth(now)

    def _birth(self, now: float) -> list[TableEffect]:
        evening, epoch = self.prediction.evening, self.prediction.epoch
        bell = self._record.bell(evening, epoch)
        return self._uplink.birth(evening, epoch, bell, self._log.claim(), now)

    def _tick(self, now: float) -> list[TableEffect]:
        requests = self._log.ask(now) if self._uplink.linked else []
        if self._log.dropped:
            self.outbox.writer.put(Erase())  # the view of before has the name, too
        birth = self._birth(now) if self._log.grown else []
        beat = [self._beat(now)] if self._uplink.beats(now) else []
        return [*birth, *requests, *beat, *self._uplink.tick(now)]

    def _beat(self, now: float) -> Publish:
        phone_ms: int | UnsetType | None = UNSET
        if self._phone:
            phone_ms = None if self._phone_seen_at is None else round(now - self._phone_seen_at)
        equipment, length = self._equipment, self._log.length
        reasons = equipment.faults.reasons()
        return self._uplink.beat(equipment.dice, reasons, length, equipment.presses, phone_ms, now)

    # What follows every message.

    def _after(self, now: float) -> Iterator[TableEffect]:
        """Sends what is due, then shows what has changed."""
        if self._uplink.delivers(now):
            for one in self.outbox.due(now):
                yield Publish(self._fact_topic, self._record.to_send(one), 1)
        faults = self._equipment.faults
        shown = lights(
            self.prediction, saved=self._record.saved and not self._undecided,
            online=bool(self._uplink.head), fault=faults.lit,
            ending=self._rounds.ending(self._uplink.evening_clock, now),
            message=InEnglish(faults.conflict) if faults.conflict else self._equipment.message,
        )  # fmt: skip
        if shown != self._shown:
            self._shown = shown
            yield shown
