from collections.abc import Iterable
from random import Random

import pytest

from gpio.box import Box, Landing, landings, spikes, worn
from pi_bunco.devices.gpio.decoding import Change, Decoder
from pi_bunco.devices.protocols import DiceEvent, DiceState, Throw, ThrowVoid
from pi_bunco.devices.throws.bus import BusDice
from pi_bunco.devices.throws.filtered_lines import LedDice
from pi_bunco.devices.throws.reasons import (
    NeverRose,
    NotThrown,
    SettledTooLate,
    ShowsNoFace,
    StayedHigh,
    ToldAsNoFace,
    WiresOfDice,
    WiresOfDie,
)
from pi_bunco.devices.throws.strobes import READ_MS
from thorough import times

THROWS = times(1000)
LED_FACES = {1: "1000", 2: "0100", 3: "1100", 4: "0110", 5: "1110", 6: "0111"}
LEDS = ("centre", "diagonal1", "diagonal2", "sides")


def decoded(
    decoder: Decoder[DiceEvent], edges: Iterable[Change], random: Random | None = None
) -> list[DiceEvent]:
    """Events that the edges mean, with the time looked at between them too, as a thread does."""
    events: list[DiceEvent] = []
    latest = 0.0
    for edge in edges:
        if random:
            events += decoder.quiet(latest + random.random() * (edge.at - latest))
        events += decoder.change(edge)
        latest = edge.at
    return [*events, *decoder.quiet(latest + 60_000)]


def throws(events: Iterable[DiceEvent]) -> list[Throw]:
    assert not [event for event in events if isinstance(event, ThrowVoid)]
    return [event for event in events if isinstance(event, Throw)]


@pytest.mark.parametrize(
    ("jitter", "bounce", "spiky"), [(0, 0, False), (4, 0, False), (2, 4, False), (1, 3, True)]
)
def test_throws_come_through_none_lost_none_double_none_wrong(
    jitter: float, bounce: float, spiky: bool
) -> None:
    random, box = Random(18), Box()
    rolled, began = [], []
    at = 1000.0
    for _ in range(THROWS):
        faces = (random.randint(1, 6), random.randint(1, 6), random.randint(1, 6))
        rolled.append(faces)
        began.append(at)
        at = box.throw(at, landings(random, faces, random.random() < 0.2))
        at += random.choice([jitter * 2, random.uniform(10, 200), random.uniform(500, 20_000)])
    edges = worn(random, box.edges, jitter, bounce)
    if spiky:
        edges = sorted(edges + spikes(random, edges, 200, 3.0), key=lambda change: change.at)
    found = throws(decoded(BusDice(), edges, random))
    assert [throw.faces for throw in found] == rolled
    for throw, start in zip(found, began, strict=True):
        assert abs(throw.began - start) <= jitter + bounce
        assert throw.began < throw.settled


def one_throw(*told: Landing) -> list[Change]:
    box = Box()
    box.throw(1000, list(told))
    box.rest()
    return sorted(box.edges, key=lambda change: change.at)


def test_a_throw_is_made_when_the_last_die_settled() -> None:
    edges = one_throw(Landing(400, 1, 6), Landing(650, 2, 2), Landing(900, 3, 5))
    assert decoded(BusDice(), edges) == [
        DiceState(1, "ok"), DiceState(2, "ok"), DiceState(3, "ok"), Throw((6, 2, 5), 1000, 1900),
    ]  # fmt: skip


def test_dice_that_are_all_told_after_they_settled_are_not_waited_for() -> None:
    edges = one_throw(Landing(900, 1, 6), Landing(900, 2, 2), Landing(900, 3, 5))
    decoder = BusDice()
    last_fall = 1900 + 6 * 45 - 10
    for edge in edges:
        if edge.at <= last_fall:
            assert not [one for one in decoder.change(edge) if isinstance(one, Throw)]
    (event,) = [one for one in decoder.quiet(last_fall + 6) if isinstance(one, Throw)]
    assert event.faces == (6, 2, 5)


@pytest.mark.parametrize("face", [0, 7])
def test_no_face_under_a_strobe_is_a_fault_of_that_die(face: int) -> None:
    edges = one_throw(Landing(400, 1, 6), Landing(650, 2, face), Landing(900, 3, 5))
    decoder = BusDice()
    events = decoded(decoder, edges)
    assert [event.die for event in events if isinstance(event, DiceState)] == [2]
    assert events[-1] == ThrowVoid.because(WiresOfDie(2, ToldAsNoFace((), face)), 2080)
    again = [Change(edge.at + 100_000, edge.name, edge.on) for edge in one_throw(*good(2))]
    assert DiceState(2, "ok") in decoded(decoder, again)


def good(face: int) -> list[Landing]:
    return [Landing(400 + 10 * die, die, face) for die in (1, 2, 3)]


def test_a_die_that_is_not_told_voids_the_throw_and_is_not_heard() -> None:
    decoder = BusDice()
    events = decoded(decoder, one_throw(Landing(400, 1, 6), Landing(650, 3, 5)))
    assert events == [
        DiceState(2, "unheard", "strobe2 never rose"),
        ThrowVoid.because(WiresOfDie(2, NeverRose(("strobe2",))), 11_000),
    ]  # fmt: skip
    again = [Change(edge.at + 200_000, edge.name, edge.on) for edge in one_throw(*good(3))]
    assert decoded(decoder, again)[-1] == Throw((3, 3, 3), 201_000, 201_430)


def test_of_two_dice_that_are_not_told_the_wire_that_moved_is_not_blamed() -> None:
    short = [Change(3000, "strobe3", True), Change(3000 + READ_MS - 6, "strobe3", False)]
    edges = sorted([*one_throw(Landing(400, 1, 6)), *short], key=lambda change: change.at)
    assert [event.why for event in decoded(BusDice(), edges) if isinstance(event, DiceState)] == [
        "strobe2 never rose", "strobe2 never rose",
    ]  # fmt: skip


def test_a_die_that_settles_too_late_is_not_mixed_with_the_next_throw() -> None:
    box = Box()
    box.throw(1000, [Landing(400, 1, 6), Landing(650, 2, 6), Landing(10_400, 3, 6)])
    box.throw(14_000, good(2))
    events = decoded(BusDice(), sorted(box.edges, key=lambda change: change.at))
    outcomes = [event for event in events if not isinstance(event, DiceState)]
    assert outcomes == [ThrowVoid.because(SettledTooLate(), 11_400), Throw((2, 2, 2), 14_000, 14_430)]


def test_three_dice_at_the_last_moment_still_count() -> None:
    found = throws(decoded(BusDice(), one_throw(*[Landing(9990, die, die) for die in (1, 2, 3)])))
    assert found == [Throw((1, 2, 3), 1000, 10_990)]


def test_a_rolling_line_that_stays_high_is_a_fault_until_it_falls() -> None:
    decoder = BusDice()
    faults = [DiceState(die, "fault", "rolling stayed high") for die in (1, 2, 3)]
    void = WiresOfDice(StayedHigh(("rolling",)))
    assert decoded(decoder, [Change(1000, "rolling", True)]) == [*faults, ThrowVoid.because(void, 11_000)]
    again = [
        Change(edge.at + 200_000, edge.name, edge.on)
        for edge in one_throw(*good(3))
        if edge.name != "rolling"
    ]
    (event,) = decoded(decoder, again)
    assert isinstance(event, ThrowVoid)
    assert event.why == "the dice: rolling stayed high"
    assert decoded(decoder, [Change(390_000, "rolling", False)]) == [
        DiceState(die, "ok") for die in (1, 2, 3)
    ]


def test_a_strobe_as_short_as_a_spike_is_none() -> None:
    edges = [Change(1000, "b0", True), Change(1020, "strobe1", True), Change(1024, "strobe1", False)]
    assert decoded(BusDice(), edges) == []


# Classic dice at their LEDs.


class Leds:
    """Three dice of which each shows faces one after the other."""

    def __init__(self) -> None:
        self.edges: list[Change] = []
        self._lit = dict.fromkeys((1, 2, 3), "0000")

    def show(self, at: float, die: int, lit: str) -> None:
        for led, before, after in zip(LEDS, self._lit[die], lit, strict=True):
            if before != after:
                self.edges.append(Change(at, f"die{die}.{led}", after == "1"))
        self._lit[die] = lit

    def tumble(self, random: Random, at: float, die: int, face: int) -> float:
        """Runs through faces, slower and slower, and stays on `face`; returns when it came to it."""
        pause = 20.0
        while pause < 700:
            self.show(
                at,
                die,
                LED_FACES[random.choice([one for one in LED_FACES if LED_FACES[one] != self._lit[die]])],
            )
            at += pause
            pause *= random.uniform(1.2, 1.6)
        if self._lit[die] == LED_FACES[face]:
            self.show(at, die, LED_FACES[7 - face])
            at += pause
        self.show(at, die, LED_FACES[face])
        return at


@pytest.mark.parametrize("bounce", [0, 3])
def test_classic_dice_are_read_at_their_leds(bounce: float) -> None:
    random, leds = Random(4), Leds()
    rolled: list[tuple[tuple[int, ...], float]] = []
    at = 1000.0
    for _ in range(times(200)):
        faces = tuple(random.randint(1, 6) for _ in range(3))
        settled = [
            leds.tumble(random, at + random.uniform(0, 300), die, face) for die, face in enumerate(faces, 1)
        ]
        rolled.append((faces, max(settled)))
        at = max(settled) + 1200 + random.uniform(100, 5000)
    edges = worn(random, sorted(leds.edges, key=lambda change: change.at), 0, bounce)
    found = throws(decoded(LedDice(), edges, random))
    assert [throw.faces for throw in found] == [faces for faces, _ in rolled]
    assert all(
        0 <= throw.settled - settled <= bounce for throw, (_, settled) in zip(found, rolled, strict=True)
    )


def test_a_classic_die_that_saves_its_battery_has_not_been_thrown() -> None:
    leds = Leds()
    for die in (1, 2, 3):
        leds.show(1000, die, LED_FACES[5])
        leds.show(1100, die, LED_FACES[6])
    leds.show(9000, 2, "0000")
    events = decoded(LedDice(), sorted(leds.edges, key=lambda change: change.at))
    assert [event for event in events if not isinstance(event, DiceState)] == [Throw((6, 6, 6), 1000, 1100)]


def test_either_diagonal_is_a_two_or_a_three_and_other_lights_are_no_face() -> None:
    leds = Leds()
    for die, lit in ((1, "0010"), (2, "1010"), (3, "1001")):
        leds.show(1000, die, "1000")
        leds.show(1500, die, lit)
    events = decoded(LedDice(), leds.edges)
    assert events[:3] == [DiceState(1, "ok"), DiceState(2, "ok"), DiceState(3, "fault")]
    assert events[3:] == [ThrowVoid.because(ShowsNoFace(3), 11_000)]


def test_die_lit_at_the_start_is_no_tumble_and_a_lone_die_no_throw() -> None:
    decoder = LedDice(settle_ms=500)
    assert list(decoder.change(Change(0, "die1.centre", True, already=True))) == []
    assert list(decoder.quiet(50_000)) == []
    edges = [Change(60_000, "die1.diagonal1", True), Change(60_001, "die2.centre", True)]
    events = decoded(decoder, edges)
    assert events[:2] == [DiceState(1, "ok"), DiceState(2, "ok")]
    assert events[2:] == [ThrowVoid.because(NotThrown(3), 70_000)]
