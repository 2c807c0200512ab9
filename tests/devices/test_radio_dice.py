"""Throws of three Bluetooth dice over radios that break, and the thread that keeps their links."""

import asyncio
import contextlib
import itertools
import queue
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from typing import Any

import pytest

from devices.radio_dies import DIES, MODELS, Die, i_am_a_die, i_am_an_old_die, telemetry
from devices.radio_table import Table, played, swapped
from pi_bunco.devices.dice.radio import addresses
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
from pi_bunco.devices.throws.radio_dice import (
    LIES_WITHIN_MS,
    LINK_MS,
    ONE_HAND_MS,
    RadioModel,
    RadioThrows,
)
from pi_bunco.devices.throws.radio_links import RadioDice
from pi_bunco.devices.throws.reasons import ThrownAlone, Tilted
from pi_bunco.runtime.clock import SystemClock
from thorough import times

ADDRESSES = ["AA:00:00:00:00:01", "AA:00:00:00:00:02", "AA:00:00:00:00:03"]
PATIENCE_S = 60
both = pytest.mark.parametrize("word", DIES)


class Hand:
    """Three dice at good links, whose questions are answered at once: `events` of the last move."""

    def __init__(self, word: str) -> None:
        self.dice: dict[int, Die] = {die: DIES[word]() for die in DICE}
        self.throws = RadioThrows(MODELS[word])
        for die in DICE:
            [*self.throws.linked(die, 0)]
            self.says(die, [], 0)

    def says(self, die: int, said: Iterable[bytes], at: float) -> list[DiceEvent]:
        events = [event for data in said for event in self.throws.take(die, data, at)]
        for question in self.throws.questions.pop(die, ()):
            events += self.says(die, self.dice[die].answer(question), at)
        return events

    def rolls(self, die: int, at: float) -> list[DiceEvent]:
        return self.says(die, self.dice[die].rolls(), at)

    def lies(self, die: int, face: int, at: float, flat: bool = True) -> list[DiceEvent]:
        return self.says(die, self.dice[die].lies(face, flat), at)


@both
def test_a_throw_has_the_times_at_which_the_dice_began_and_lay(word: str) -> None:
    hand = Hand(word)
    for die in DICE:
        assert hand.rolls(die, 10 + die) == []
    *_, throw = (event for die in DICE for event in hand.lies(die, die, 1000 + die))
    assert throw == Throw((1, 2, 3), 11, 1003, err=LINK_MS)


@both
def test_a_die_that_leans_or_was_turned_by_hand_is_named_and_makes_no_throw(word: str) -> None:
    hand = Hand(word)
    for die in DICE:
        hand.rolls(die, 10)
    assert hand.lies(1, 4, 900) == hand.lies(2, 4, 900) == []
    assert hand.lies(3, 4, 1000, flat=False) == [DiceState(3, "cocked")]
    assert [*hand.throws.tick(20_000)] == [ThrowVoid.because(Tilted(3), 10_010)]
    assert hand.says(3, hand.dice[3].moved(2), 21_000) == [DiceState(3, "moved")]
    assert hand.rolls(3, 22_000) == [DiceState(3, "ok")]


@both
def test_a_weak_battery_is_a_state_and_the_throw_counts(word: str) -> None:
    hand = Hand(word)
    weak = {"godice": b"Bat\x08", "pixels": b"\x22\x08\x03"}[word]
    assert hand.says(2, [weak], 1) == [DiceState(2, "weak", "its battery has 8 %")]
    assert [event for die in DICE for event in hand.rolls(die, 10)] == []
    *_, throw = (event for die in DICE for event in hand.lies(die, die, 1000 + die))
    assert isinstance(throw, Throw)
    charged = weak[:-2] + b"\x50\x02" if word == "pixels" else b"Bat\x50"
    assert hand.says(2, [charged], 2000) == [DiceState(2, "ok")]


@both
def test_a_die_that_rolls_long_after_the_others_is_of_another_hand(word: str) -> None:
    hand = Hand(word)
    hand.rolls(1, 0)
    hand.rolls(2, 0)
    late = ONE_HAND_MS + LINK_MS + 1
    assert hand.rolls(3, late) == [ThrowVoid.because(ThrownAlone(3), late)]
    assert [*hand.lies(3, 6, late + 500), *hand.lies(1, 6, late + 500), *hand.throws.tick(60_000)] == []
    for die in DICE:
        hand.rolls(die, late + 1000)
    *_, throw = (event for die in DICE for event in hand.lies(die, die, late + 2000))
    assert isinstance(throw, Throw), "the next throw counts at once"


@both
@pytest.mark.parametrize("order", [*itertools.permutations(DICE)])
def test_a_die_that_was_knocked_does_not_void_the_throws_after_it(word: str, order: tuple[int, ...]) -> None:
    hand = Hand(word)
    hand.rolls(1, 1000)
    hand.lies(1, 2, 1500)
    for now in range(6000, 30_000, 6000):
        told = [event for late, die in enumerate(order) for event in hand.rolls(die, now + 50 * late)]
        assert len(told) == (now == 6000), "the knocked die's throw is void"
        *_, throw = (event for die in DICE for event in hand.lies(die, die, now + 1000 + die))
        assert throw == Throw((1, 2, 3), now, now + 1003, err=LINK_MS)


def test_a_die_thrown_again_in_an_open_throw_counts_whenever_that_is() -> None:
    hand = Hand("pixels")
    for die in DICE:
        hand.rolls(die, 0)
        hand.lies(die, 5, 800, flat=die != 2)
    hand.rolls(2, 6000)
    assert hand.lies(2, 6, 6800) == [*hand.throws.tick(6799 + LINK_MS)] == []
    assert [*hand.throws.tick(6800 + LINK_MS)] == [Throw((5, 6, 5), 0, 6800, err=LINK_MS)]


@both
def test_an_old_face_is_none_of_a_throw_whose_last_die_was_told_late(word: str) -> None:
    """Die 2 leaned, all three are thrown again, and dice 2 and 3 lie before it is known that die 1 rolls."""
    hand = Hand(word)
    for die in DICE:
        hand.rolls(die, 0)
        hand.lies(die, 5, 800, flat=die != 2)
    told = [event for die in (2, 3) for event in (*hand.rolls(die, 3000), *hand.lies(die, 6, 3500))]
    told += [*hand.throws.tick(3900), *hand.rolls(1, 3900), *hand.throws.tick(4200)]
    assert [event for event in told if isinstance(event, Throw)] == []
    hand.lies(1, 4, 4300)
    assert [*hand.throws.tick(4300 + LINK_MS)] == [Throw((4, 6, 6), 0, 4300, err=LINK_MS)]


@both
def test_request_is_reported_once_no_earlier_message_can_come(word: str) -> None:
    throws = Hand(word).throws
    throws.report_until(1000)
    assert [*throws.tick(1000 + LINK_MS - 1)] == []
    assert [*throws.tick(1000 + LINK_MS)] == [AllReported(1000)]


def pixels() -> RadioThrows:
    throws = RadioThrows(MODELS["pixels"])
    for die in DICE:
        assert [*throws.linked(die, 0)] == []
        assert throws.questions.pop(die) == [b"\x01"]
        assert [*throws.take(die, i_am_a_die(), 0)] == [DiceState(die, "ok")]
    return throws


def test_a_claimed_face_waits_for_its_measurement_and_keeps_its_time() -> None:
    throws = pixels()
    for die in DICE:
        [*throws.take(die, b"\x03\x03\x00", 0)]
        [*throws.take(die, bytes([3, 1, die]), 1000 * die)]
    throws.report_until(3000)
    assert throws.questions == {die: [b"\x1a\x01\x00\x00"] for die in DICE}
    for die in (3, 2):
        assert [*throws.take(die, telemetry(die + 1), 3900)] == []
    assert [*throws.tick(3950)] == [], "a throw of then is still to come"
    assert [*throws.take(1, telemetry(2), 3990)] == [Throw((2, 3, 4), 0, 3000, err=LINK_MS)]
    assert [*throws.tick(4000)] == [AllReported(3000)]


def test_a_face_that_the_die_does_not_confirm_is_none() -> None:
    throws = pixels()
    for die in DICE:
        [*throws.take(die, b"\x03\x03\x00", 0)]
        [*throws.take(die, bytes([3, 1, die]), 1000)]
    assert [*throws.take(1, telemetry(3), 1100)] == [DiceState(1, "moved")]
    [*throws.take(2, telemetry(3), 1100)]
    throws.report_until(1000)
    late = 1000 + LIES_WITHIN_MS + 1
    assert [*throws.tick(late)] == [DiceState(3, "fault", "it does not say how it lies"), AllReported(1000)]
    assert [*throws.take(3, telemetry(4), late)] == []
    assert [event for event in throws.tick(20_000) if isinstance(event, Throw)] == []


def test_a_die_that_cannot_be_played_with_is_named_and_never_thrown() -> None:
    throws = pixels()
    [*throws.unlinked(1, 5, "gone"), *throws.linked(1, 6)]
    unknown = [*throws.take(1, b"\x03\x03\x00", 7)]
    assert unknown == [DiceState(1, "fault", "it has not said what it is")]
    [old] = throws.take(1, i_am_an_old_die(), 8)
    assert isinstance(old, DiceState)
    assert (old.state, old.why[:35]) == ("fault", "its firmware is older than November")
    told: list[DiceEvent] = []
    for die in DICE:
        for data in (b"\x03\x03\x00", b"\x03\x01\x05", telemetry(6)):
            told += throws.take(die, data, 10)
    assert not any(isinstance(event, Throw) for event in (*told, *throws.tick(30_000)))


@both
@pytest.mark.parametrize("seed", range(4))
def test_no_throw_is_wrong_or_told_twice_whatever_the_radios_do(word: str, seed: int) -> None:
    count = played(Table(word, seed), times(1250))
    assert (count.wrong, count.double) == (0, 0)
    assert count.counted > count.made / 6
    assert count.void


@both
def test_dice_swapped_between_tables_make_no_throw_while_the_other_table_rests(word: str) -> None:
    voids = swapped(Table(word, 1), times(200))
    assert len(voids) > times(200) / 4
    assert all("was not thrown" in why for why in voids)


class Radio:
    """Dice that answer at this machine's radio, as bleak shows them."""

    def __init__(self, word: str) -> None:
        self.links: dict[str, Link] = {}
        self.loop: asyncio.AbstractEventLoop | None = None
        self.linked: queue.Queue[str] = queue.Queue()
        self.connecting = 0
        self.model: RadioModel = MODELS[word]
        self.dice: dict[str, Die] = {address: DIES[word]() for address in ADDRESSES}

    def client(self, address: str, broken: Callable[[Any], None]) -> "Link":
        self.loop = asyncio.get_running_loop()
        return Link(self, address, broken)

    def throw(self, faces: tuple[int, ...]) -> None:
        assert self.loop
        for address, face in zip(ADDRESSES, faces, strict=True):
            die = self.dice[address]
            for data in (*die.rolls(), *die.lies(face)):
                self.loop.call_soon_threadsafe(self.links[address].notify, None, bytearray(data))

    def break_link(self, address: str) -> None:
        assert self.loop
        self.loop.call_soon_threadsafe(self.links.pop(address).broken, None)


class Link:
    """The link to one die."""

    def __init__(self, radio: Radio, address: str, broken: Callable[[Any], None]) -> None:
        self._radio, self._address, self.broken = radio, address, broken
        self.notify: Callable[[Any, bytearray], None] = lambda _sender, _data: None

    async def __aenter__(self) -> "Link":
        assert self._radio.connecting == 0, "a radio connects to one die at a time"
        self._radio.connecting += 1
        await asyncio.sleep(0)
        self._radio.connecting -= 1
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def start_notify(self, characteristic: str, notify: Callable[[Any, bytearray], None]) -> None:
        assert characteristic == self._radio.model.notifies
        self.notify = notify
        self._radio.links[self._address] = self

    async def write_gatt_char(self, characteristic: str, data: bytes) -> None:
        assert characteristic == self._radio.model.takes
        answers = self._radio.dice[self._address].answer(data)
        assert answers, data
        for answer in answers:
            self.notify(None, bytearray(answer))
        if data == self._radio.model.battery:
            self._radio.linked.put(self._address)


@both
def test_three_dice_are_read_and_one_whose_link_broke_is_connected_anew(
    monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.setattr("pi_bunco.devices.throws.radio_links.AGAIN_AFTER_S", 0.0)
    radio, events = Radio(word), queue.Queue[DeviceEvent]()

    def next_throw() -> Throw:
        while not isinstance(event := events.get(timeout=PATIENCE_S), Throw):
            pass
        return event

    dice = RadioDice(radio.model, ADDRESSES, events.put, SystemClock(), radio.client)
    dice.start()
    with closing(dice):
        assert {radio.linked.get(timeout=PATIENCE_S) for _ in DICE} == set(ADDRESSES)
        radio.throw((6, 5, 4))
        assert next_throw().faces == (6, 5, 4)
        radio.break_link(ADDRESSES[1])
        assert radio.linked.get(timeout=PATIENCE_S) == ADDRESSES[1]
        dice.report_until(0.0)
        radio.throw((1, 2, 3))
        assert next_throw().faces == (1, 2, 3)
    assert not dice.alive()


def test_a_link_that_is_made_in_spite_of_the_end_ends_all_the_same() -> None:
    begun = threading.Event()

    class Stubborn(Link):
        """A link that takes no end while it is made."""

        async def start_notify(self, characteristic: str, notify: Callable[[Any, bytearray], None]) -> None:
            begun.set()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.Event().wait()

    radio = Radio("godice")
    dice = RadioDice(
        radio.model,
        ADDRESSES,
        lambda _event: None,
        SystemClock(),
        lambda address, broken: Stubborn(radio, address, broken),
    )
    dice.start()
    assert begun.wait(PATIENCE_S)
    ends = threading.Thread(target=dice.close, daemon=True)
    ends.start()
    ends.join(PATIENCE_S)
    assert not dice.alive()


def test_a_reader_that_fails_by_what_nobody_expects_is_not_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = queue.Queue[Any]()
    monkeypatch.setattr(threading, "excepthook", failed.put)

    def client(_address: str, _broken: Callable[[Any], None]) -> Link:
        raise LookupError("a mistake in the program")

    dice = RadioDice(MODELS["godice"], ADDRESSES, lambda _event: None, SystemClock(), client)
    dice.start()
    assert isinstance(failed.get(timeout=PATIENCE_S).exc_value, ExceptionGroup)
    dice.close()
    assert not dice.alive()


@both
@pytest.mark.parametrize("argument", ["", "AA:00:00:00:00:01", ",".join([ADDRESSES[0]] * 3), "a,b,c"])
def test_radio_dice_need_three_addresses(word: str, argument: str) -> None:
    assert addresses(MODELS[word], ",".join(ADDRESSES).lower()) == ADDRESSES
    with pytest.raises(DeviceError, match=f"{word} needs .* `pi-bunco pair`"):
        addresses(MODELS[word], argument)
