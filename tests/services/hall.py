"""A hall without processes: head and tables on a clock that is moved by hand and a network in memory.

Everything that happens is an event in one heap, so an evening of two hours takes as long as its arithmetic.
"""

from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from disks import StepWriter
from pi_bunco.devices.protocols import AllReported, Button, LightState, Press, ThreeFaces, Throw, ThrowMark
from pi_bunco.game.evening import Evening
from pi_bunco.game.scoreboard import scoreboard
from pi_bunco.head import effects as head_effects
from pi_bunco.head.publisher import HeadOptions
from pi_bunco.head.referee import Referee
from pi_bunco.head.service import remembered
from pi_bunco.log.chain import LogKey
from pi_bunco.log.entry import Entry
from pi_bunco.log.journal import Journal
from pi_bunco.log.log_store import Replica
from pi_bunco.play.players import Habits, Players
from pi_bunco.reason import InEnglish
from pi_bunco.runtime import loop
from pi_bunco.runtime.loop import Tick, turn
from pi_bunco.runtime.writer import Reports
from pi_bunco.table import effects as table_effects
from pi_bunco.table.controller import TableController
from pi_bunco.table.effects import TableOptions
from pi_bunco.wire import topics
from pi_bunco.wire.client import Connected, Disconnected, Publish, Received, Will
from pi_bunco.wire.gate import Delivered, delivery, encode
from pi_bunco.wire.messages import Answer, BoardMessage, Command, Status
from pi_bunco.wire.outbox import OutboxFile
from vopr.clockwork import Clockwork
from vopr.network import matches
from vopr.services import to_journal

MISS, ONE, BUNCO = (2, 3, 4), (1, 3, 4), (1, 1, 1)
TICK = 50.0
LATENCY = 1.0
DISK = 8.0


class Network:
    """A broker and its links: retained messages, wills, and nodes that can be cut off."""

    def __init__(self, hall: "Hall") -> None:
        self.hall = hall
        self.retained: dict[str, bytes] = {}
        self.nodes: dict[str, Node] = {}
        self.sent: list[tuple[float, str, bytes]] = []
        self._links = count(1)

    def publish(self, publish: Publish) -> None:
        payload = b"" if publish.message is None else encode(publish.message)
        self.raw(publish.topic, payload, publish.retain)

    def raw(self, topic: str, payload: bytes, retain: bool = False) -> None:
        self.sent.append((self.hall.clock.time, topic, payload))
        if retain:
            self.retained.pop(topic, None)
            if payload:
                self.retained[topic] = payload
        for node in list(self.nodes.values()):
            if node.hears(topic):
                self.hall.later(LATENCY, partial(node.deliver, node.link, Received(topic, payload, False)))

    def join(self, node: "Node") -> None:
        self.nodes[node.name] = node
        node.link = next(self._links)
        kept = list(self.retained.items())  # of before: what the node says now is no news to it
        node.receive(Connected(f"{node.name}-{node.link}"))
        for topic, payload in kept:
            if node.hears(topic):
                self.hall.later(LATENCY, partial(node.deliver, node.link, Received(topic, payload, True)))

    def drop(self, node: "Node", will: bool = True) -> None:
        if self.nodes.pop(node.name, None) and will and node.will:
            self.raw(node.will.topic, node.will.payload, True)


def opened(message: Any) -> Any:
    """The message as a service's link opens it."""
    return delivery(message) if isinstance(message, Received) else message


class Node:
    """Something on the network that takes messages one at a time."""

    def __init__(self, hall: "Hall", name: str, subscriptions: tuple[str, ...]) -> None:
        self.hall, self.name, self.link, self.dead = hall, name, 0, False
        self._subscriptions = subscriptions
        self.will: Will | None = None

    def hears(self, topic: str) -> bool:
        return matches(self._subscriptions, topic)

    def deliver(self, link: int, message: Received) -> None:
        if link == self.link and self.hall.network.nodes.get(self.name) is self:
            self.receive(message)

    def receive(self, message: Any) -> None:
        raise AssertionError

    def tick(self) -> None:
        if not self.dead:
            self.receive(Tick())
            self.hall.later(TICK, self.tick)


class HeadNode(Node):
    def __init__(self, hall: "Hall", auto_confirm: float) -> None:
        super().__init__(hall, "head", topics.uplinks("home"))
        reports = Reports.into(self.receive)
        self.journal = Journal(hall.folder / "journal.db", reports, StepWriter)
        memory = msgspec.structs.replace(remembered(self.journal, hall.key), noted=dict(hall.rung))
        self.options = HeadOptions("home", "head", hall.boot, "1", auto_confirm)
        self.referee = Referee(self.options, Random(next(hall.ids)), memory, hall.clock.now())

    def start(self) -> None:
        self.hall.network.join(self)
        self.tick()

    def receive(self, message: Any) -> None:
        if not self.dead:
            turn(opened(message), self.hall.clock.now(), self.referee.step, self.perform)

    def perform(self, effect: Any) -> Any:
        match effect:
            case Publish():
                if self.name in self.hall.network.nodes:
                    self.hall.network.publish(effect)
            case head_effects.Ring() if self.hall.mute:
                return head_effects.Silent(effect.id, InEnglish(self.hall.mute))
            case head_effects.Ring():
                if effect.sounded:
                    self.hall.rung.setdefault(effect.id, effect.at or 0.0)
                    return head_effects.Rang(effect.id, effect.at or 0.0)
                self.hall.rung[effect.id] = self.hall.clock.now()
                self.hall.rings.append(effect.id)
                return head_effects.Rang(effect.id, self.hall.rung[effect.id])
            case loop.Warn():
                self.hall.warnings.append(effect.text)
            case _:
                to_journal(self.journal, effect, 0.0)
                self.hall.disk(self.journal.writer, self)
        return None


class TableNode(Node):
    language = "en"

    def __init__(self, hall: "Hall", number: int, habits: Habits | None) -> None:
        node = f"table{number}"
        super().__init__(hall, node, topics.inbox("home", node, topics.is_replica(node)))
        self.number = number
        reports = Reports.into(self.receive)
        folder = hall.folder / f"table{number}"
        folder.mkdir(exist_ok=True)
        now = hall.clock.now()
        self.outbox = OutboxFile(folder / "outbox.db", reports, now, f"st{next(hall.ids)}", StepWriter)
        quiet = Reports(lambda _: None, lambda _: None)
        keeps = topics.is_replica(topics.table_node(number))
        self.replica = Replica(folder / "replica.db", quiet, StepWriter) if keeps else None
        self.controller = TableController(
            TableOptions("home", number, hall.boot, "1"), self.outbox, self.replica, now
        )
        self.players = Players(Random(next(hall.ids)), habits) if habits else None
        self.lights = LightState()

    def start(self) -> None:
        self.hall.network.join(self)
        self.tick()

    def receive(self, message: Any) -> None:
        if self.dead:
            return
        if isinstance(message, Connected):
            status = Status("lost", message.session)
            self.will = Will(topics.up("home", self.name, "status"), encode(status))
        turn(opened(message), self.hall.clock.now(), self.controller.step, self.perform)
        if self.outbox.writer.waiting:
            self.hall.disk(self.outbox.writer, self)
        if self.replica and self.replica.writer.waiting:
            self.hall.disk(self.replica.writer, self)

    def perform(self, effect: Any) -> None:
        match effect:
            case Publish():
                if self.name in self.hall.network.nodes:
                    self.hall.network.publish(effect)
            case table_effects.ShowLights():
                self.lights = effect.in_language(self.language)
                if self.players:
                    self.players.see(self.lights, self.hall.clock.now())
                    self._plan()
            case table_effects.ReportUntil():
                self.hall.later(0, partial(self.receive, AllReported(effect.at)))
            case table_effects.RebuildLink():
                self.hall.warnings.append(f"{self.name} renews")
            case loop.Warn():
                self.hall.warnings.append(effect.text)

    def throw(self, faces: ThreeFaces, mark: ThrowMark | None = None) -> None:
        """The dice tell of a throw that has just settled."""
        now = self.hall.clock.now()
        self.receive(Throw(faces, now - 300, now, mark))

    def press(self, button: Button) -> None:
        """A button at the table is pressed."""
        self.receive(Press(button, self.hall.clock.now(), 0))

    def _plan(self) -> None:
        if self.players and self.players.due is not None:
            self.hall.at(self.players.due, partial(self._act, self.players.due))

    def _act(self, due: float) -> None:
        if self.dead or self.players is None or self.players.due != due:
            return
        event = self.players.act(self.hall.clock.now())
        self._plan()
        if event is not None:
            self.receive(event)


class HostNode(Node):
    """Asks for what a host asks for, and remembers answers and the scoreboard."""

    def __init__(self, hall: "Hall") -> None:
        super().__init__(hall, "host-ann", topics.inbox("home", "host-ann"))
        self.answers: dict[str, Answer] = {}
        self.board = scoreboard(Evening(), {})

    def receive(self, message: Any) -> None:
        match opened(message):
            case Delivered(message=Answer() as answer):
                self.answers[answer.id] = answer
            case Delivered(message=BoardMessage(board=board)):
                self.board = board


class Hall:
    """All of it."""

    def __init__(
        self,
        folder: Path,
        tables: int = 3,
        habits: Habits | None = None,
        auto_confirm: float = 60_000,
        seed: int = 1,
    ) -> None:
        self.folder = folder
        self.clock = Clockwork()
        self.clock.time = 1000.0
        self.at, self.later = self.clock.at, self.clock.later
        self.boot = "boot1"
        self.key = LogKey(b"k" * 32)
        self.ids = count(seed)
        self.rung: dict[str, float] = {}
        self.rings: list[str] = []
        self.mute = ""
        """The reason why the bell cannot sound."""
        self.warnings: list[str] = []
        self._disks: set[int] = set()
        self.network = Network(self)
        self.habits = habits
        self.auto_confirm = auto_confirm
        self.host = HostNode(self)
        self.network.join(self.host)
        self.head = self.start_head()
        self.tables = {n: self.start_table(n) for n in range(1, tables + 1)}

    # What the head and the tables have.

    @property
    def evening(self) -> Evening:
        return self.head.referee.log.evening

    @property
    def log(self) -> list[Entry]:
        return list(self.head.referee.log.entries)

    def macs(self) -> list[str]:
        return [entry.mac for entry in self.log]

    def replicated(self, number: int) -> list[str]:
        """The macs of the entries of this evening that a table would hand back."""
        replica = self.tables[number].replica
        assert replica is not None
        return [one.mac for one in replica.read(self.evening.id)]

    # Time.

    def disk(self, writer: Any, node: Node) -> None:
        """The disk is done with what waits a little later."""
        if id(writer) in self._disks:
            return
        self._disks.add(id(writer))

        def commit() -> None:
            self._disks.discard(id(writer))
            if not node.dead:
                writer.commit()

        self.later(DISK, commit)

    def until(self, condition: Callable[[], bool], limit: float = 3_600_000.0) -> None:
        """Lets time pass until `condition` holds; fails after `limit` ms."""
        well = condition() or self.clock.run(self.clock.time + limit, condition)
        assert well, f"still not so after {limit} ms; {self.state()}"

    def wait(self, ms: float) -> None:
        """Lets `ms` pass."""
        self.clock.run(self.clock.time + ms)

    # People and machines.

    def start_head(self) -> HeadNode:
        self.head = HeadNode(self, self.auto_confirm)
        self.head.start()
        return self.head

    def start_table(self, number: int) -> TableNode:
        table = TableNode(self, number, self.habits)
        table.start()
        if hasattr(self, "tables"):
            self.tables[number] = table
        return table

    def kill(self, node: Any) -> None:
        """As by `kill -9`: what was not on disk is lost."""
        node.dead = True
        self.network.drop(node)
        for name in ("journal", "outbox", "replica"):
            if store := getattr(node, name, None):
                store.writer.crash()

    def lose_head(self) -> Path:
        """The head dies with its card, and with what was in its memory; where its journal was."""
        self.kill(self.head)
        lost = self.folder / f"lost-{next(self.ids)}"
        lost.mkdir()
        for path in self.folder.glob("journal.db*"):
            path.rename(lost / path.name)
        self.rung.clear()
        self.boot = f"boot{next(self.ids)}"
        return lost / "journal.db"

    def cut(self, node: Node) -> None:
        """The cable is out."""
        self.network.drop(node)
        node.receive(Disconnected("cut"))

    def heal(self, node: Node) -> None:
        self.network.join(node)

    def ask(self, command: str, **args: Any) -> Answer:
        """A host's command, and its answer."""
        answer = self.ask_again(f"k{next(self.ids)}", command, **args)
        for sentence, coded in zip(
            (*answer.why, *answer.after), (*answer.reasons, *answer.outcomes), strict=True
        ):
            reason = coded.reason()
            assert reason is None or reason.english().rstrip(".?")[1:] == sentence.rstrip(".?")[1:]
        return answer

    def ask_again(self, id: str, command: str, **args: Any) -> Answer:
        """The answer to a command that has this id, perhaps not for the first time."""
        self.host.answers.pop(id, None)
        self.network.publish(
            Publish(topics.up("home", "host-ann", "command"), Command(id, command, args, "ann"))
        )
        self.until(lambda: id in self.host.answers, 10_000)
        return self.host.answers[id]

    def ask_as(self, node: str, command: str, **args: Any) -> Answer:
        """The head's answer to a command of another node."""
        asked = Command(f"k{next(self.ids)}", command, args)
        self.network.publish(Publish(topics.up("home", node, "command"), asked))
        topic = topics.down("home", node, "answer")
        self.wait(1000)
        sent = [payload for _, to, payload in self.network.sent if to == topic]
        return msgspec.json.decode(sent[-1], type=Answer)

    def says(self, table: int, leaf: str, message: Any, retain: bool = False) -> None:
        """Publishes as anybody with the account of that table can."""
        self.network.publish(Publish(topics.up("home", f"table{table}", leaf), message, 1, retain))

    def roll(self, table: int, *faces: int) -> None:
        """A throw at a table, through its dice, that the head knows of."""
        self.wait(500)
        a, b, c = faces
        self.tables[table].throw((a, b, c))
        self.wait(100)

    def do(self, command: str, **args: Any) -> None:
        """A command that must succeed."""
        answer = self.ask(command, **args)
        assert answer.done, answer.why

    def open(self, players: int = 12, rules: str = "classic", seed: int = 1, **overrides: Any) -> None:
        names = [f"P{n}" for n in range(1, players + 1)]
        self.do("evening_open", rules=rules, players=names, seed=seed, overrides=overrides, replace=True)
        self.do("seats_draw")
        self.wait(2000)

    def play_round(self) -> None:
        self.do("round_start")
        played = len(self.evening.rounds)
        self.until(lambda: len(self.evening.rounds) > played)
        self.wait(1500)

    def state(self) -> str:
        return msgspec.json.encode(self.host.board).decode()

    def close(self) -> None:
        self.head.journal.close()
        for table in self.tables.values():
            table.outbox.close()
            if table.replica:
                table.replica.close()
