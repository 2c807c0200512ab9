"""A round at a table driven by nothing but levels at pins, through both services and a real broker."""

import queue
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

from clocks import FakeClock
from gpio.box import Box, landings
from gpio.wires import WAIT, Board, Seen
from pi_bunco.devices.bell.host_button import open_button
from pi_bunco.devices.kinds import BELL_KINDS, DICE_KINDS, LIGHTS_KINDS, PANEL_KINDS, Hardware, Setup
from pi_bunco.devices.protocols import Put, ThrowMark
from pi_bunco.game import facts
from pi_bunco.head import service as head
from pi_bunco.runtime.loop import Stop
from pi_bunco.table import service as table
from pi_bunco.wire import topics
from pi_bunco.wire.address import BrokerAddress
from pi_bunco.wire.broker import Broker
from pi_bunco.wire.client import Connected, Received
from pi_bunco.wire.gate import decode, encode
from pi_bunco.wire.messages import Answer, Command
from wire.nodes import Node, node

STEP = 10.0


class Room:
    """One head table with its Pi, whose time passes while something is waited for."""

    def __init__(self, broker: Broker, folder: Path) -> None:
        self.clock = FakeClock(50_000.0)
        address = BrokerAddress.parse(broker.address)
        hardware = Hardware(self.clock, "mock")
        self.board = Board(self.clock, hardware.gpio)
        self.lights = Seen(self.board)
        self.box, self.random = Box(), Random(5)
        self.head = head.HeadService(
            head.HeadSettings(address, folder / "head"),
            self.clock,
            BELL_KINDS.open("gpio", Setup(hardware)),
            lambda put: open_button(hardware, put),
        )

        def devices(put: Put, mark: ThrowMark | None) -> table.Devices:
            setup = Setup(hardware, put, mark)
            return table.Devices(
                DICE_KINDS.open("gpio", setup),
                PANEL_KINDS.open("gpio", setup),
                LIGHTS_KINDS.open("gpio", setup),
            )

        self.table = table.TableService(
            table.TableSettings(address, folder / "table", 1), self.clock, devices
        )

    def until(self, condition: Callable[[], bool], why: str) -> None:
        """Lets time pass until it is so."""
        for _ in range(int(WAIT * 1000 / STEP)):
            with self.lights.changed:
                if condition() or self.lights.changed.wait_for(condition, STEP / 1000):
                    return
            self.clock.advance(STEP)
        raise AssertionError(f"{why}: {sorted(self.lights.lit)}")

    def shows(self, *lit: str) -> None:
        """Lets time pass until just these lights are on, besides those that say that all is well."""
        wanted = {*lit, "online", "saved"}
        self.until(lambda: self.lights.lit - {"ok"} == wanted - {"ok"}, f"not lit: {lit}")

    def hears(self, number: int = 1) -> None:
        """Lets time pass until the head has heard the table since now: a throw takes seconds at once."""
        now, tables = self.clock.now(), self.head.referee.presence.tables
        self.until(
            lambda: (
                number in tables and tables[number].beat is not None and (tables[number].seen_at or 0) > now
            ),
            "the table is not heard",
        )

    def throw(self, *faces: int) -> None:
        """The box is rolled."""
        one, two, three = faces
        began = max(self.clock.time, self.box.free_at + 500)
        self.box.edges.clear()
        end = self.box.throw(began, landings(self.random, (one, two, three), nudged=False))
        for edge in sorted(self.box.edges, key=lambda change: change.at):
            self.clock.time = edge.at
            self.board.drive(f"dice.{edge.name}", edge.on)
        self.clock.time = end + 100

    def relays(self) -> list[bool]:
        return [bool(state.state) for state in self.board.pin("bell").states]


@pytest.fixture
def room(broker: Broker, tmp_path: Path) -> Iterator[Room]:
    room = Room(broker, tmp_path)
    with ExitStack() as closing:
        for shell in (room.head, room.table):
            ready = threading.Event()
            thread = threading.Thread(target=shell.serve, args=(ready.set,))
            thread.start()
            room.until(ready.is_set, "not ready")
            closing.callback(shell.close)
            closing.callback(thread.join)
            closing.callback(shell.inbox.put, Stop())
        yield room
    room.board.gpio.close()


def ask(room: Room, host: Node, command: str, **args: Any) -> None:
    """A host's command that must succeed."""
    asked = Command(secrets.token_hex(4), command, args, "ann")
    host.client.publish(topics.up("home", "host-ann", "command"), encode(asked), qos=1)
    answers: list[Answer] = []

    def answered() -> bool:
        try:
            event = host.events.get_nowait()
        except queue.Empty:
            return False
        message = decode(event.topic, event.payload, event.retained) if isinstance(event, Received) else None
        if isinstance(message, Answer):
            answers.append(message)
        return bool(answers)

    room.until(answered, command)
    assert answers[0].done, answers[0].why


def test_a_round_is_played_with_levels_at_pins(room: Room, broker: Broker, tmp_path: Path) -> None:
    with node(broker, "host-ann", *topics.inbox("home", "host-ann")) as host:
        host.expect(Connected)
        ask(room, host, "evening_open", rules="bonko", players=["Ann", "Bob", "Cat", "Dee"], seed=1)
        ask(room, host, "seats_draw")
    room.shows()
    room.hears()
    assert room.relays() == [False]
    room.board.press("bell_button", 100)
    room.shows("turn A", "running")
    room.until(lambda: room.relays() == [False, True, False], "one start bell")
    room.throw(2, 3, 4)
    room.shows("turn B", "pass", "running")
    room.throw(1, 2, 3)
    room.shows("turn B", "roll again", "running")
    room.throw(5, 5, 5)
    room.board.press("panel.undo", 300)
    room.board.press("panel.miss")
    room.throw(2, 2, 3)
    room.shows("turn C", "pass", "running")
    room.board.press("panel.undo", 1200)
    room.shows("turn B", "roll again", "running")
    room.throw(6, 2, 3)
    room.shows("turn C", "pass", "running")
    assert room.relays() == [False, True, False]
    room.throw(1, 1, 1)
    room.shows("stop", "ok")
    room.until(lambda: room.relays() == [False] + [True, False] * 4, "three strokes more")
    room.throw(1, 1, 1)
    room.board.press("panel.ok")
    room.shows()
    room.hears()
    room.board.press("bell_button", 100)
    room.shows("turn A", "running")
    room.until(lambda: room.relays() == [False] + [True, False] * 5, "a start bell")
    room.board.press("bell_button", 2500)
    room.shows("stop", "ok")
    room.until(lambda: room.relays() == [False] + [True, False] * 8, "an end bell")
    room.board.drive("panel.two", True)
    room.clock.advance(15_000)
    room.shows("stop", "ok", "fault")
    beat = room.head.referee.presence.tables[1]
    room.until(lambda: "has a stuck button: TWO." in (beat.beat.faults if beat.beat else ()), "no fault told")
    room.board.drive("panel.two", False)
    room.shows("stop", "ok")
    (played,) = room.head.referee.log.evening.rounds
    bell = played.bell
    assert bell is not None
    assert (bell.by, bell.player) == ("bunco", played.tables[0].seats[2])
    _check_journal(room)


def _check_journal(room: Room) -> None:
    told = [entry.decoded() for entry in room.head.referee.log.entries]
    rolls = [(fact.dice, fact.source) for fact in told if isinstance(fact, facts.Roll)]
    assert rolls == [
        (dice, "dice")
        for dice in ((2, 3, 4), (1, 2, 3), (5, 5, 5), (2, 2, 3), (6, 2, 3), (1, 1, 1), (1, 1, 1))
    ]
    assert len([fact for fact in told if isinstance(fact, facts.Undo)]) == 1
    assert [fact.by for fact in told if isinstance(fact, facts.RoundOpen | facts.RoundClose)] == [
        "bell button",
        "bell button",
        "bell button",
    ]
