"""A table's controller on a clock that is moved by hand, and a head that says what the test makes it say."""

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from disks import StepWriter
from pi_bunco.devices.protocols import AllReported, Button, LightState, Press, ThreeFaces, Throw, ThrowMark
from pi_bunco.game.facts import Roll, kind_of
from pi_bunco.game.snapshot import TableView, snapshot
from pi_bunco.game.table import Table
from pi_bunco.rules import preset
from pi_bunco.runtime.loop import Tick
from pi_bunco.runtime.writer import Committed, Record, Reports
from pi_bunco.table.controller import TableController
from pi_bunco.table.effects import ForgetThrow, ReportUntil, ShowLights, TableOptions
from pi_bunco.wire import messages, topics
from pi_bunco.wire.client import Connected, Disconnected, Publish
from pi_bunco.wire.gate import Delivered, decode, encode
from pi_bunco.wire.messages import (
    Ack,
    Beat,
    BellSignal,
    BootOffset,
    ClockBefore,
    ClockReply,
    ClockRequest,
    Envelope,
    HeadStatus,
    RoundInfo,
    Status,
    View,
)
from pi_bunco.wire.outbox import OutboxFile

MISS, ONE, BUNCO = (2, 3, 4), (1, 3, 4), (1, 1, 1)
SEATS = ("Ann", "Bob", "Cat", "Dee")


class Bench:
    """Table `number`; the evening clock is 5000 ms ahead of the table's."""

    AHEAD = 5000.0

    def __init__(self, folder: Path, number: int = 2, rules: str = "bonko") -> None:
        self.folder = folder
        self.number = number
        self.rules = rules
        self.now = 1000.0
        self.starts = self.boots = 0
        self.evening = "e1"
        self.session = "head1"
        self.head_boot = "h1"
        self.since = 0
        """The evening clock goes by this boot of the head since then."""
        self.began = 0.0
        self.before: tuple[ClockBefore, ...] = ()
        self.links: tuple[BootOffset, ...] = ()
        self.n = 1
        self.epoch = 0
        self.table: Table | None = None
        self.upto: dict[str, int] = {}
        self.sent: list[Any] = []
        self.released: list[ThrowMark] = []
        self.asked: list[float] = []
        self.lights: LightState | None = None
        self.dice_answer = True
        self.clock_answers = True
        self.start()

    # The table's life.

    def start(self, boot: bool = True) -> None:
        self.starts += 1
        self.boots += boot
        reports = Reports(self._committed, self._fails)
        self.outbox = OutboxFile(self.folder / "outbox.db", reports, self.now, f"s{self.starts}", StepWriter)
        options = TableOptions("home", self.number, f"boot{self.boots}", "1")
        self.controller = TableController(options, self.outbox, None, self.now)

    def _committed(self, records: list[Record]) -> None:
        self.step(Committed(tuple(records)))

    def _fails(self, why: str) -> None:
        raise AssertionError(why)

    def kill(self, off_ms: float = 0.0, boot: bool = True) -> None:
        """Pulls the plug, or kills the service alone; the table starts again after `off_ms`."""
        self.outbox.writer.crash()  # type: ignore[attr-defined]
        self.now += off_ms
        self.start(boot)

    def save(self) -> None:
        """The disk is done."""
        self.outbox.writer.commit()  # type: ignore[attr-defined]

    def step(self, message: object) -> list[Any]:
        """Returns what is published."""
        published = []
        for effect in self.controller.step(message, self.now):
            match effect:
                case Publish():
                    published.append(effect.message)
                case ShowLights():
                    self.lights = effect.in_language()
                case ForgetThrow():
                    self.released.append(effect.mark)
                case ReportUntil():
                    self.asked.append(effect.at)
        self.sent += published
        for message in published:
            if isinstance(message, ClockRequest) and self.clock_answers:
                t = self.now + self.AHEAD
                reply = ClockReply(
                    message.t0, self.head_boot, t, t, self.evening, self.began, self.since,
                    self.before, self.links,
                )  # fmt: skip
                self.step(self._received("down", "clock", reply))
        if self.asked and self.dice_answer:
            at = self.asked.pop()
            self.asked.clear()
            self.step(AllReported(at))
        return published

    def run(self, ms: float, step: float = 50.0) -> None:
        for _ in range(int(ms / step)):
            self.now += step
            self.step(Tick())

    # What happens to it.

    def connect(self, clock: bool = True) -> None:
        """The broker and the head are there, and the clock is measured."""
        self.step(Connected(f"link{self.now}"))
        self.head()
        if clock:
            self.run(50)

    def step_connected(self) -> None:
        """The broker is there; nobody has told of a head yet."""
        self.step(Connected(f"link{self.now}"))

    def disconnect(self) -> None:
        self.step(Disconnected("The plug."))

    def throw(
        self, faces: ThreeFaces, mark: ThrowMark | None = None, at: float | None = None, **more: Any
    ) -> None:
        at = self.now if at is None else at
        self.step(Throw(faces, at - 300, at, mark, **more))

    def press(self, button: Button, mark: ThrowMark | None = None, held_ms: int = 0) -> None:
        self.step(Press(button, self.now, held_ms, mark))

    # What the head says.

    def _received(self, direction: str, leaf: str, message: Any, retained: bool = False) -> Delivered:
        node = topics.table_node(self.number)
        topic = topics.everyone("home", leaf) if direction == "all" else topics.down("home", node, leaf)
        decoded = decode(topic, encode(message) if message else b"", retained)
        return Delivered(topics.parse(topic), decoded, retained)

    def head(self, state: Any = "online", evening: str | None = "", *, reads: bool = False) -> None:
        evening = self.evening if evening == "" else evening
        status = HeadStatus(state, self.session, "pi", "1", evening if state == "online" else None)
        status = replace(status, boot=None if reads else self.head_boot)
        self.step(self._received("all", "head", status, True))

    def open(self, opened_t: int | None = None) -> None:
        """A round is opened, now if not said otherwise."""
        self.epoch += 1
        self.table = Table(self.number, SEATS, (False,) * 4, preset(self.rules), 1)
        opened_t = round(self.now + self.AHEAD) if opened_t is None else opened_t
        self.round(opened_t)
        self.view()

    def round(self, opened_t: int | None, phase: messages.Phase = "open", ends_t: int | None = None) -> None:
        info = RoundInfo(self.evening, self.epoch, 1, 1, phase, opened_t, None, self.rules, ends_t)
        self.step(self._received("all", "round", info, True))

    def close(self) -> None:
        """The round is over for all tables."""
        self.table = None
        self.view("between")

    def a_view(self, phase: messages.Phase = "open", **changed: Any) -> View:
        self.n += 1
        table = snapshot(self.table) if self.table else None
        view = View(
            self.evening, self.session, 0, self.n, self.epoch, self.upto, phase, self.rules,
            seats=SEATS, set=1, round=1, bell_t=self.table.bell_t if self.table else None,
            state=TableView(table=table),
        )  # fmt: skip
        return replace(view, **changed)

    def view(self, phase: messages.Phase = "open", **changed: Any) -> None:
        self.step(self._received("down", "view", self.a_view(phase, **changed), True))

    def seen(self, stream: str, seq: int) -> None:
        """The head has this throw, a ONE, and says so."""
        assert self.table is not None
        self.table.roll(Roll(round(self.now + self.AHEAD), self.number, ONE), self.n)
        self.upto = {**self.upto, stream: seq}
        self.view()

    def no_view(self) -> None:
        self.step(self._received("down", "view", None, True))

    def bell(self, t: int) -> None:
        signal = BellSignal(self.evening, self.epoch, "end", t, t + 5000, "points")
        self.step(self._received("all", "bell", signal))

    def ack(self, received: int, committed: int | None = None, stream: str | None = None) -> None:
        committed = received if committed is None else committed
        ack = Ack(self.evening, stream or self.outbox.stream, received, committed)
        self.step(self._received("down", "ack", ack))

    # What came of it.

    def take(self, kind: type = Envelope) -> list[Any]:
        """The messages of this kind since this was asked last; the rest is forgotten."""
        sent, self.sent = self.sent, []
        return [message for message in sent if isinstance(message, kind)]

    def facts(self) -> list[tuple[str, int, int]]:
        """Kind, epoch and place of the facts that were sent."""
        return [(kind_of(one.fact), one.epoch, one.seq) for one in self.take()]

    def births(self) -> list[Status]:
        return self.take(Status)

    def beats(self) -> list[Beat]:
        return self.take(Beat)

    @property
    def message(self) -> str:
        assert self.lights is not None
        return self.lights.message
