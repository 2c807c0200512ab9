"""GoDice: what they say, throws over radios that break, and the thread that keeps their links."""

import asyncio
import queue
import random
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from pi_bunco.devices.dice.godice import addresses
from pi_bunco.devices.protocols import (
    DICE,
    AllReported,
    DeviceError,
    DeviceEvent,
    DiceEvent,
    DiceState,
    Throw,
    ThrowVoid,
)
from pi_bunco.devices.throws.godice import (
    LINK_MS,
    Battery,
    DieLies,
    DieRolls,
    Disturbed,
    GoDiceThrows,
    read,
    side,
)
from pi_bunco.devices.throws.godice_links import GoDice
from pi_bunco.runtime.clock import SystemClock
from thorough import times

GRAVITY = {1: (-64, 0, 0), 2: (0, 0, 64), 3: (0, 64, 0), 4: (0, -64, 0), 5: (0, 0, -64), 6: (64, 0, 0)}
"""Of a die that lies with that face up, as its maker tells."""
ADDRESSES = ["AA:00:00:00:00:01", "AA:00:00:00:00:02", "AA:00:00:00:00:03"]
PATIENCE_S = 30


def lies(face: int, kind: bytes = b"S") -> bytes:
    return kind + bytes(part & 0xFF for part in GRAVITY[face])


@pytest.mark.parametrize("face", GRAVITY)
def test_a_die_that_lies_tells_its_face_though_it_lies_a_little_askew(face: int) -> None:
    assert read(lies(face)) == DieLies(face)
    askew = [part or 17 for part in GRAVITY[face]]
    assert side(askew) == face


@pytest.mark.parametrize("gravity", [(45, 45, 0), (37, 37, 37), (-46, 0, 44), (0, 0, 0)])
def test_a_die_on_an_edge_has_no_face(gravity: tuple[int, int, int]) -> None:
    assert side(gravity) is None


def test_every_notification_has_its_meaning_and_others_have_none() -> None:
    assert read(b"R") == DieRolls()
    assert read(b"Bat\x50") == Battery(80)
    assert (read(lies(3, b"FS")), read(lies(3, b"MS"))) == (Disturbed("moved"), Disturbed("moved"))
    assert read(lies(3, b"TS")) == Disturbed("cocked")
    for data in (b"", b"S", b"S\x01\x02", b"FS\x01", b"Col\x01", b"Bat", b"\xff" * 9):
        assert read(data) is None


def test_a_weak_battery_is_a_state_and_the_throw_counts() -> None:
    throws = GoDiceThrows()
    events = [event for die in DICE for event in throws.linked(die, 0)]
    events += throws.take(2, b"Bat\x08", 1)
    assert events[-1] == DiceState(2, "weak", "its battery has 8 %")
    for die in DICE:
        assert [*throws.take(die, b"R", 10)] == []
    *_, throw = (event for die in DICE for event in throws.take(die, lies(die), 1000 + die))
    assert throw == Throw((1, 2, 3), 10, 1003, err=LINK_MS)


def test_what_was_asked_is_told_when_no_message_of_that_time_can_come_any_more() -> None:
    throws = GoDiceThrows()
    [*throws.linked(1, 0)]
    throws.report_until(1000)
    assert [*throws.tick(1000 + LINK_MS - 1)] == []
    assert [*throws.tick(1000 + LINK_MS)] == [AllReported(1000)]


class Table:
    """Three dice that are thrown, each at a radio that breaks: `told` is what the table makes of them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.throws = GoDiceThrows()
        self.told: list[DiceEvent] = [event for die in DICE for event in self.throws.linked(die, 0)]
        self.truth: list[tuple[float, float, tuple[int, ...]]] = []

    def play(self, count: int) -> None:
        """Throws the dice; now and then a link breaks for a while, or a message comes twice."""
        happens: list[tuple[float, int, bytes | str]] = []
        now = 1000.0
        for _ in range(count):
            faces = tuple(self.random.randint(1, 6) for _ in DICE)
            ends = []
            for die, face in zip(DICE, faces, strict=True):
                begins = now + self.random.uniform(0, 400)
                ends.append(begins + self.random.uniform(400, 2500))
                happens += [(begins, die, b"R"), (ends[-1], die, lies(face))]
                if self.random.random() < 0.05:
                    happens.append((ends[-1] + self.random.uniform(50, 3000), die, lies(face, b"MS")))
            self.truth.append((now, max(ends), faces))
            if self.random.random() < 0.3:
                begins, die = now + self.random.uniform(-3000, 3000), self.random.choice(DICE)
                happens += [(begins, die, "breaks"), (begins + self.random.uniform(2000, 9000), die, "back")]
            now = max(ends) + self.random.choice((600, 2000, 9000))
        self._hear(sorted(happens, key=lambda one: one[0]), now)

    def _hear(self, happens: list[tuple[float, int, bytes | str]], end: float) -> None:
        down, latest = dict.fromkeys(DICE, 0), dict.fromkeys(DICE, 0.0)
        arrives: list[tuple[float, int, bytes | str]] = []
        for at, die, what in happens:
            if isinstance(what, bytes):
                if not down[die]:
                    latest[die] = max(latest[die], at + self.random.choice((8, 30, 400)))  # in its order
                    arrives += [(latest[die], die, what)] * (2 if self.random.random() < 0.05 else 1)
                continue
            down[die] += 1 if what == "breaks" else -1
            if what == "breaks" or not down[die]:
                latest[die] = max(latest[die], at + (420 if what == "breaks" else 0))
                arrives.append((latest[die], die, what))
        for at, die, what in sorted(arrives, key=lambda one: one[0]):
            self.told += self.throws.tick(at)
            if isinstance(what, bytes):
                self.told += self.throws.take(die, what, at)
            else:
                self.told += (
                    self.throws.linked(die, at) if what == "back" else self.throws.unlinked(die, at, "")
                )
        self.told += self.throws.tick(end + 60_000)


@pytest.mark.parametrize("seed", range(4))
def test_no_throw_is_wrong_or_told_twice_whatever_the_radios_do(seed: int) -> None:
    """A throw that is told lies within one that was made, has its faces, and is told once."""
    table = Table(seed)
    table.play(times(250))
    told = [event for event in table.told if isinstance(event, Throw)]
    made = set[float]()
    for throw in told:
        truth = [one for one in table.truth if one[0] <= throw.settled - (throw.err or 0) <= one[1]]
        assert [faces for _, _, faces in truth] == [throw.faces]
        assert truth[0][0] not in made
        made.add(truth[0][0])
    assert len(told) > len(table.truth) / 6
    assert any(isinstance(event, ThrowVoid) for event in table.told)


class Radio:
    """Dice that answer at this machine's radio, as bleak shows them."""

    def __init__(self) -> None:
        self.links: dict[str, Link] = {}
        self.loop: asyncio.AbstractEventLoop | None = None
        self.linked: queue.Queue[str] = queue.Queue()

    def client(self, address: str, broken: Callable[[Any], None]) -> "Link":
        self.loop = asyncio.get_running_loop()
        return Link(self, address, broken)

    def say(self, address: str, *data: bytes) -> None:
        assert self.loop
        for one in data:
            self.loop.call_soon_threadsafe(self.links[address].notify, None, bytearray(one))

    def break_link(self, address: str) -> None:
        assert self.loop
        self.loop.call_soon_threadsafe(self.links.pop(address).broken, None)


class Link:
    def __init__(self, radio: Radio, address: str, broken: Callable[[Any], None]) -> None:
        self._radio, self._address, self.broken = radio, address, broken
        self.notify: Callable[[Any, bytearray], None] = lambda _sender, _data: None

    async def __aenter__(self) -> "Link":
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def start_notify(self, _characteristic: str, notify: Callable[[Any, bytearray], None]) -> None:
        self.notify = notify
        self._radio.links[self._address] = self

    async def write_gatt_char(self, _characteristic: str, data: bytes) -> None:
        assert data == b"\x03"
        self.notify(None, bytearray(b"Bat\x63"))
        self._radio.linked.put(self._address)


def test_three_dice_are_read_and_one_whose_link_broke_is_connected_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pi_bunco.devices.throws.godice_links.AGAIN_AFTER_S", 0.0)
    radio, events = Radio(), queue.Queue[DeviceEvent]()

    def next_throw() -> Throw:
        while not isinstance(event := events.get(timeout=PATIENCE_S), Throw):
            pass
        return event

    dice = GoDice(ADDRESSES, events.put, SystemClock(), radio.client)
    dice.start()
    with closing(dice):
        assert {radio.linked.get(timeout=PATIENCE_S) for _ in DICE} == set(ADDRESSES)
        for address, face in zip(ADDRESSES, (6, 5, 4), strict=True):
            radio.say(address, b"R", lies(face))
        assert next_throw().faces == (6, 5, 4)
        radio.break_link(ADDRESSES[1])
        assert radio.linked.get(timeout=PATIENCE_S) == ADDRESSES[1]
        dice.report_until(0.0)
        for address, face in zip(ADDRESSES, (1, 2, 3), strict=True):
            radio.say(address, b"R", lies(face))
        assert next_throw().faces == (1, 2, 3)
    assert not dice.alive()


@pytest.mark.parametrize("argument", ["", "AA:00:00:00:00:01", ",".join([ADDRESSES[0]] * 3), "a,b,c"])
def test_what_are_not_three_addresses_is_told(argument: str) -> None:
    assert addresses(",".join(ADDRESSES).lower()) == ADDRESSES
    with pytest.raises(DeviceError, match="pi-bunco pair"):
        addresses(argument)
