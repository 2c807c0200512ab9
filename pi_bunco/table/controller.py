"""The table controller: `step` takes one message of dice, panel or network and returns what is to be done.

Pure but for the outbox, which is memory in front of a writer that never blocks: a fact is in there before it
is sent, and on disk before it is shown as saved.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from pi_bunco.devices.protocols import DiceState, LightState, Mark, PanelFault, Press, Stuck, Throw, ThrowVoid
from pi_bunco.errors import BuncoError, FactError
from pi_bunco.game import facts
from pi_bunco.game.log import Entry
from pi_bunco.game.score import CALLS
from pi_bunco.journal.replica import Replica
from pi_bunco.runtime.loop import Health, Tick
from pi_bunco.table.effects import (
    Committed,
    Effect,
    Failed,
    Recovered,
    Release,
    Show,
    Warn,
)
from pi_bunco.table.faults import Faults
from pi_bunco.table.lights import lights
from pi_bunco.table.prediction import Prediction, TableFact
from pi_bunco.table.replica import ReplicaSync
from pi_bunco.table.uplink import TableOptions, Uplink
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Connected, Disconnected, Received
from pi_bunco.wire.gate import Rejects, decode
from pi_bunco.wire.outbox import Outbox, Saved
from pi_bunco.wire.publish import Publish
from pi_bunco.wire.topics import Topic, WireError

AGAIN = 5000.0
"""A hand entry that would ring the bell is pressed again within so many ms."""


class TableController:
    """The table service without its shell: `step` is all that it does."""

    def __init__(self, options: TableOptions, outbox: Outbox, replica: Replica | None, now: float) -> None:
        """`replica` is this table's of the log, None where it keeps none."""
        self.options = options
        self.outbox = outbox
        self.prediction = Prediction(options.number)
        self._uplink = Uplink(options, outbox, now)
        self._replica = ReplicaSync(options, replica, now)
        self._rejects = Rejects()
        self._dice: dict[int, str] = {}
        self._faults = Faults()
        self._message = ""
        self._unsaved: set[tuple[str, int]] = set()
        self._pressed: tuple[str, float] | None = None
        self._shown: LightState | None = None
        self._remember(now)

    def _remember(self, now: float) -> None:
        """Goes on where the service ended: with the last view, and what the head may not have yet."""
        plain = self.outbox.kept.get("view")
        if plain is None:
            return
        try:
            self.prediction.see(msgspec.convert(plain, messages.View))
        except (BuncoError, msgspec.ValidationError):
            return
        for envelope in self.outbox.held():
            if envelope.evening == self.prediction.evening and envelope.epoch == self.prediction.epoch:
                self._apply(envelope, now)

    def step(self, message: object, now: float) -> Iterator[Effect]:
        """What is to be done about `message`, which came at `now` (ms of the clock).

        A roll is sent before the lights show it, and the lights show the bell before the head is told so.
        """
        yield from _STEPS[type(message)](self, message, now)
        yield from self._sending(now)
        yield from self._showing()
        if bell := self._unheard():
            yield from self._tell({"kind": "bell_seen", "bell": bell[2]}, now, now, {"heard": bell})
            yield from self._sending(now)
            yield from self._showing()

    # Dice and panel.

    def _throw(self, throw: Throw, now: float) -> list[Effect]:
        view, table = self.prediction.view, self.prediction.table
        awaited = self.prediction.awaited
        if view is None or (table is None and awaited is None):
            self._message = "This roll does not count: no round is open"
            return [Release(throw.mark)] if throw.mark else []
        fact: dict[str, Any] = {"kind": "roll", "dice": throw.faces, "source": "dice"}
        if table is not None and table.one_die:
            fact = {"kind": "faceoff", "dice": throw.faces[:2]}
        elif began := self._uplink.evening_clock(throw.began, now):
            fact["began"] = began[0]
        mark = {"mark": list(throw.mark)} if throw.mark else None
        return self._tell(fact, throw.settled, now, mark)

    def _void(self, void: ThrowVoid, _now: float) -> list[Effect]:
        self._message = f"Roll all three again: {void.why}"
        return []

    def _die(self, die: DiceState, _now: float) -> list[Effect]:
        self._dice[die.die] = die.state
        self._faults.die(die.die, die.why)
        return []

    def _button(self, button: Stuck, _now: float) -> list[Effect]:
        self._faults.button(button.button, button.stuck)
        return []

    def _panel(self, panel: PanelFault, _now: float) -> list[Effect]:
        self._faults.panel = panel.why
        return []

    def _press(self, press: Press, now: float) -> list[Effect]:
        self._message = ""
        table = self.prediction.table
        if press.button == "help":
            self._faults.help = not self._faults.help
            self._message = "The host is called" if self._faults.help else ""
            return []
        if table is None and press.button == "undo" and self.prediction.awaited:
            return self._tell({"kind": "undo"}, press.at, now)
        if table is None:
            self._message = "No round is open"
            return []
        if press.button == "ok":
            return self._tell({"kind": "confirm"}, press.at, now)
        if press.button == "undo":
            return self._tell({"kind": "undo"}, press.at, now)
        return self._by_hand(press, now)

    def _by_hand(self, press: Press, now: float) -> list[Effect]:
        """A roll, or in a roll-off with one die the winner, entered by hand."""
        table = self.prediction.table
        assert table is not None
        if self._dice_work and not self.prediction.by_hand:
            self._message = "The dice work: roll them"
            return []
        if table.one_die:
            dice = {"one": (2, 1), "two": (1, 2)}.get(press.button)
            if dice is None:
                self._message = "ONE if US won, TWO if THEM"
                return []
            return self._tell({"kind": "faceoff", "dice": dice, "source": "panel"}, press.at, now)
        if self.prediction.would_ring(CALLS[press.button]) and not self._again(press):
            self._message = f"{press.button.upper()} rings the bell: press it again"
            return []
        self._pressed = None
        return self._tell({"kind": "roll", "call": press.button, "source": "panel"}, press.at, now)

    def _again(self, press: Press) -> bool:
        """Whether the button was pressed a moment ago already; if not, this press is remembered."""
        before, self._pressed = self._pressed, (press.button, press.at)
        return before is not None and before[0] == press.button and press.at - before[1] <= AGAIN

    @property
    def _dice_work(self) -> bool:
        return self.options.dice and all(state in ("ok", "weak", "moved") for state in self._dice.values())

    # Facts.

    def _tell(
        self, fact: dict[str, Any], at: float, now: float, kept: dict[str, Any] | None = None
    ) -> list[Effect]:
        """Puts a fact of this table, made `at` (ms of the clock), into the outbox and applies it here.

        `kept` is stored together with it.
        """
        view = self.prediction.view
        assert view is not None
        t, err = self._uplink.evening_clock(at, now) or (None, None)
        try:
            envelope = self.outbox.append(
                evening=view.evening, epoch=view.epoch, t=t, err=err, up=max(int(at), 0),
                boot=self.options.boot, fact=fact, kept=kept,
            )  # fmt: skip
        except WireError as error:
            return [Warn(str(error))]
        self._unsaved.add((envelope.stream, envelope.seq))
        why = self._apply(envelope, now)
        self._message = f"Does not count: {why}" if why else ""
        return []

    def _apply(self, envelope: messages.Envelope, now: float) -> str | None:
        """Applies a fact of this table here; why it does not count, if so."""
        estimate = self._uplink.evening_clock(envelope.up, now) or (0, 0.0)
        t = envelope.t if envelope.t is not None else estimate[0]
        try:
            fact = facts.convert({**envelope.fact, "t": t, "table": self.options.number})
        except FactError as error:
            return str(error)
        return self.prediction.tell(TableFact(envelope.stream, envelope.seq, fact))

    def _unheard(self) -> list[Any] | None:
        """A bell that this table knows of and the head has not been told so: with it all rolls are told."""
        view, table = self.prediction.view, self.prediction.table
        if view is None or table is None or table.bell_t is None:
            return None
        bell = [view.evening, view.epoch, table.bell_t]
        return bell if self.outbox.kept.get("heard") != bell else None

    # The network.

    def _received(self, message: Received, now: float) -> list[Effect]:
        try:
            payload = decode(message.topic, message.payload, message.retained)
        except WireError as error:
            told = self._rejects.count(message.topic, now)
            return [Warn(f"A message is dropped: {error}")] if told else []
        topic = topics.parse(message.topic)
        receive = _RECEIVERS.get(type(payload))
        return receive(self, topic, payload, now) if receive and topic.direction != "up" else []

    def _view(self, _topic: Topic, view: messages.View, now: float) -> list[Effect]:
        before = (self.prediction.evening, self.prediction.epoch)
        try:
            self.prediction.see(view)
        except BuncoError as error:
            return [Warn(str(error))]
        self.outbox.keep_later("view", msgspec.to_builtins(view))
        upto = view.upto or messages.Upto("", 0)
        self.outbox.heard(view.evening, upto.stream, upto.seq)
        self._forget_other_evenings(view)
        if (view.evening, view.epoch) != before:
            self._message, self._pressed = "", None
            self._uplink.measure(view.evening, now)
        if view.evening == before[0]:
            return []
        self.outbox.renew()  # a stream has one evening, so that it has no holes where an earlier one was
        return self._birth()

    def _forget_other_evenings(self, view: messages.View) -> None:
        for evening in self.outbox.evenings():
            if evening != view.evening or view.state.closed:
                self.outbox.evening_closed(evening)

    def _bell(self, _topic: Topic, bell: messages.BellSignal, _now: float) -> list[Effect]:
        """The end of the round, before the view tells more."""
        view = self.prediction.view
        if bell.signal == "start" or view is None or (bell.evening, bell.epoch) != (view.evening, view.epoch):
            return []
        self.prediction.ring(bell.t)
        return []

    def _ack(self, _topic: Topic, ack: messages.Ack, _now: float) -> list[Effect]:
        self.outbox.acked(ack.stream, ack.committed)
        self._unsaved = {one for one in self._unsaved if one[0] != ack.stream or one[1] > ack.committed}
        return []

    def _head_status(self, _topic: Topic, status: messages.HeadStatus, now: float) -> list[Effect]:
        self._uplink.head = status.session if status.state == "online" else ""
        if not self._uplink.head:
            self.outbox.unheard()
        self._uplink.measure(self.prediction.evening, now)
        self._replica.head(status)
        return []

    def _clock(self, _topic: Topic, reply: messages.ClockReply, now: float) -> list[Effect]:
        self._uplink.answered(reply, now)
        return []

    def _entry(self, _topic: Topic, entry: Entry, now: float) -> list[Effect]:
        return self._replica.take((entry,), now)

    def _entries(self, _topic: Topic, answer: messages.LogEntries, now: float) -> list[Effect]:
        return self._replica.answered(answer, now)

    def _log_request(self, _topic: Topic, request: messages.LogRequest, _now: float) -> list[Effect]:
        return self._replica.answer(request)

    def _birth(self) -> list[Effect]:
        return self._uplink.birth(self.prediction.epoch, self._replica.claim())

    def _connected(self, message: Connected, now: float) -> list[Effect]:
        self.prediction.linked()
        self._uplink.came(message, now)
        return self._birth()

    def _disconnected(self, message: Disconnected, _now: float) -> list[Effect]:
        self._uplink.went()
        return [Warn(message.why)]

    def _tick(self, _tick: Tick, now: float) -> list[Effect]:
        dice = tuple(self._dice.get(die, "ok") for die in (1, 2, 3)) if self.options.dice else ()
        needed = self._replica.ask(now) if self._uplink.connected else []
        return [*needed, *self._uplink.tick(dice, self._faults.sentences(), now)]

    def _health(self, health: Health, _now: float) -> list[Effect]:
        return [Warn(fault) for fault in self._faults.health(health)]

    # The store.

    def _on_disk(self, message: Committed, _now: float) -> list[Effect]:
        effects: list[Effect] = []
        for record in message.records:
            if isinstance(record, Saved):
                self._unsaved.discard((record.envelope.stream, record.envelope.seq))
            elif getattr(record, "key", None) == "mark":
                boot, seq = record.value  # type: ignore[attr-defined]
                effects.append(Release(Mark(boot, seq)))
        return effects

    def _failed(self, message: Failed, _now: float) -> list[Effect]:
        self._faults.store = f"cannot save: {message.why}."
        return [Warn(self._faults.store)]

    def _recovered(self, _message: Recovered, _now: float) -> list[Effect]:
        self._faults.store = ""
        return []

    # What follows every message.

    def _sending(self, now: float) -> list[Effect]:
        if not self._uplink.connected:
            return []
        return [Publish(self.options.up("fact"), envelope, 1) for envelope in self.outbox.due(now)]

    def _showing(self) -> list[Effect]:
        state = lights(
            self.prediction, saved=not self._unsaved, online=bool(self._uplink.head),
            fault=self._faults.lit, message=self._faults.conflict or self._message,
        )  # fmt: skip
        if state == self._shown:
            return []
        self._shown = state
        return [Show(state)]


_STEPS: dict[type, Callable[[TableController, Any, float], list[Effect]]] = {
    Throw: TableController._throw,
    ThrowVoid: TableController._void,
    DiceState: TableController._die,
    Press: TableController._press,
    Stuck: TableController._button,
    PanelFault: TableController._panel,
    Received: TableController._received,
    Connected: TableController._connected,
    Disconnected: TableController._disconnected,
    Committed: TableController._on_disk,
    Failed: TableController._failed,
    Recovered: TableController._recovered,
    Health: TableController._health,
    Tick: TableController._tick,
}
_RECEIVERS: dict[type, Callable[[TableController, Topic, Any, float], list[Effect]]] = {
    messages.View: TableController._view,
    messages.BellSignal: TableController._bell,
    messages.Ack: TableController._ack,
    messages.HeadStatus: TableController._head_status,
    messages.ClockReply: TableController._clock,
    Entry: TableController._entry,
    messages.LogEntries: TableController._entries,
    messages.LogRequest: TableController._log_request,
}
