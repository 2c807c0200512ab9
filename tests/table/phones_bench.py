"""The phone tables of a hall on a clock that is moved by hand, and a head that says what it is told to."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from disks import StepWriter
from pi_bunco.game.snapshot import TableView, snapshot
from pi_bunco.game.table import Table
from pi_bunco.rules import preset
from pi_bunco.runtime.loop import Tick, Warn
from pi_bunco.runtime.writer import Committed, Record, Reports
from pi_bunco.table.effects import TableOptions
from pi_bunco.table.phones.phone_table import PhoneControllers, PhoneTable
from pi_bunco.table.phones.phones_store import PhonesStore
from pi_bunco.table.phones.socket_messages import PhoneState, Tap, TapAnswer
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Connected, Publish
from pi_bunco.wire.gate import Delivered

SEATS = ("Ann", "Bob", "Cat", "Dee")


class PhonesBench:
    """The phones' process without its shell; `answers` are those to taps, `states` the newest by table."""

    def __init__(
        self, folder: Path, phones: Iterable[int] = (1, 2), begun: Iterable[int] | None = None
    ) -> None:
        self.path = folder / "phones.db"
        self.phones = tuple(phones)
        self.begun = self.phones if begun is None else tuple(begun)
        self.now = 1000.0
        self.epoch = self.n = 0
        self.clock_answers = True
        self.start()

    def start(self) -> None:
        self.answers: dict[int, TapAnswer] = {}
        self.states: dict[int, PhoneState] = {}
        self.published: list[Publish] = []
        self.times: list[tuple[int, messages.ClockReply]] = []
        self.evening = "e1"
        self.effects: list[Any] = []
        self.store = PhonesStore(self.path, Reports(self._committed, self._fails), StepWriter)
        self.store.forget_unused()
        self.controllers = PhoneControllers(
            self._made, self.store.shared_out, self.phones, self.begun, self.now
        )

    def _made(self, number: int, now: float) -> PhoneTable:
        options = TableOptions("home", number, "boot", "1", False)
        return PhoneTable(options, self.store.outbox(number, now), None, now)

    def _committed(self, records: list[Record]) -> None:
        self.step(Committed(tuple(records)))

    def _fails(self, why: str) -> None:
        raise AssertionError(why)

    def save(self) -> None:
        """The disk is done."""
        self.store.writer.commit()  # type: ignore[attr-defined]

    def kill(self) -> None:
        """The process is killed, and starts again."""
        self.store.writer.crash()  # type: ignore[attr-defined]
        self.start()

    def step(self, message: object) -> None:
        self._step(message)
        while self.times:
            table, reply = self.times.pop(0)
            topic = topics.down("home", topics.table_node(table), "clock")
            self._step(Delivered(topics.parse(topic), reply, False))

    def _step(self, message: object) -> None:
        for effect in self.controllers.step(message, self.now):
            self.effects.append(effect)
            match effect:
                case Publish():
                    self.published.append(effect)
                    self._asked(effect)
                case PhoneState():
                    self.states[effect.table] = effect
                case TapAnswer():
                    self.answers[effect.id] = effect

    def _asked(self, effect: Publish) -> None:
        """The head tells the time to whom asks for it."""
        if isinstance(effect.message, messages.ClockRequest) and self.clock_answers:
            asked, table = effect.message, topics.parse(effect.topic).table or 0
            t = self.now + 5000
            reply = messages.ClockReply(asked.t0, "headboot", t, t, self.evening)
            self.times.append((table, reply))

    def tap(
        self,
        table: int,
        what: Any,
        seq: int,
        round: str = "",
        boot: str = "a7c1",
        dice: Any = (),
        age: int = 0,
    ) -> None:
        """A tap, whose answer has the number `seq`."""
        self.step(Tap(table, boot, seq, what, dice, round, seq, age=age, phone=boot))

    def ticks(self, count: int) -> None:
        for _ in range(count):
            self.now += 50
            self.step(Tick())

    # What the head says.

    def connect(self) -> None:
        self.step(Connected(f"link{self.now}"))
        self.head("e1")

    def head(self, evening: str) -> None:
        self.evening = evening
        self.everybody("head", messages.HeadStatus("online", "head1", "pi", "1", evening, boot="headboot"))

    def everybody(self, leaf: str, message: Any) -> None:
        self.step(Delivered(topics.parse(topics.everyone("home", leaf)), message, True))

    def say(self, table: int, leaf: str, message: Any) -> None:
        topic = topics.down("home", topics.table_node(table), leaf)
        self.step(Delivered(topics.parse(topic), message, False))

    def open(self, *tables: int, evening: str = "e1") -> None:
        """A round is open at these tables."""
        self.epoch += 1
        self.n += 1
        for number in tables:
            table = snapshot(Table(number, SEATS, (False,) * 4, preset("bonko"), 1))
            view = messages.View(
                evening, "head1", 0, self.n, self.epoch, {}, "open", "bonko",
                seats=SEATS, set=1, round=1, state=TableView(table=table),
            )  # fmt: skip
            self.say(number, "view", view)

    def ack(self, table: int, upto: int, stream: str) -> None:
        self.say(table, "ack", messages.Ack("e1", stream, upto, upto))

    # What came of it.

    def sent(self, leaf: str) -> list[tuple[int, Any]]:
        """Per message of this leaf the table and what it said, since this was asked last."""
        parsed = [(topics.parse(one.topic), one) for one in self.published]
        self.published = [one for topic, one in parsed if topic.leaf != leaf]
        return [(topic.table or 0, one.message) for topic, one in parsed if topic.leaf == leaf]

    def unsent(self, table: int) -> int:
        return self.controllers.tables[table].unsent

    @property
    def warnings(self) -> list[str]:
        return [one.text for one in self.effects if isinstance(one, Warn)]
