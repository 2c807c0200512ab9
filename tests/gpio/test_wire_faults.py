"""A loose or shorted wire of the dice box is a fault with a name at once, and never a wrong roll."""

from collections.abc import Iterable, Iterator
from itertools import combinations
from random import Random

import pytest

from gpio.cable import WIRES, Fault, driven, edges, good, polled, read, stuck, touching
from pi_bunco.devices.dice.bus import BusDice
from pi_bunco.devices.gpio.decoding import Change
from pi_bunco.devices.protocols import DiceEvent, DiceState, Throw, ThrowVoid
from thorough import times

THROWS = 60
Faces = tuple[int, int, int]
BAD_LEVELS = [(wire, level) for wire in WIRES for level in (False, True)]
PAIRS = [
    (one, other, how)
    for one, other in combinations(WIRES, 2)
    for how in ("or", "and", "keeps", "any")
    if how != "any" or "b" not in (one[0], other[0]) or one[0] != other[0]
]
"""Which of two face wires wins is the same each time: both drivers have the same strength and resistors."""


def thrown(random: Random, count: int = THROWS) -> list[Faces]:
    return [(random.randint(1, 6), random.randint(1, 6), random.randint(1, 6)) for _ in range(count)]


def decoded(faces: list[Faces], fault: Fault, way: str, random: Random) -> list[DiceEvent]:
    """What the decoder makes of the throws behind that fault."""
    moments = read(driven(faces, random), fault)
    decoder = BusDice()
    events: list[DiceEvent] = []
    if way == "edges":
        events = _fed(decoder, edges(moments))
    else:
        for now, change in polled(moments, random, late_ms=1.0):
            events += decoder.change(change) if change else decoder.quiet(now - 20)
    return [*events, *decoder.quiet(moments[-1].at + 60_000)]


def _fed(decoder: BusDice, changes: Iterable[Change]) -> list[DiceEvent]:
    return [event for change in changes for event in decoder.change(change)]


def wrong(events: Iterable[DiceEvent], faces: list[Faces]) -> list[Faces]:
    """Rolls that are not among what was thrown, in its order."""
    rest: Iterator[Faces] = iter(faces)
    found = (event.faces for event in events if isinstance(event, Throw))
    return [roll for roll in found if not any(roll == face for face in rest)]


def named(events: list[DiceEvent]) -> bool:
    """Whether a fault was told of, with a sentence, before or instead of the first roll."""
    for event in events:
        if isinstance(event, DiceState) and event.state in ("fault", "unheard"):
            return bool(event.why)
        if isinstance(event, Throw):
            return False
    return False


@pytest.mark.parametrize("way", ["edges", "polled"])
def test_good_wires_tell_every_throw(way: str) -> None:
    random = Random(1)
    faces = thrown(random, times(300))
    events = decoded(faces, good, way, random)
    assert [event.faces for event in events if isinstance(event, Throw)] == faces
    assert not [event for event in events if isinstance(event, ThrowVoid)]


@pytest.mark.parametrize("way", ["edges", "polled"])
@pytest.mark.parametrize(("wire", "level"), BAD_LEVELS)
def test_a_wire_that_is_open_or_at_ground_or_at_a_supply(wire: str, level: bool, way: str) -> None:
    random = Random(f"{wire}{level}{way}")
    faces = thrown(random)
    events = decoded(faces, stuck(wire, level), way, random)
    assert not [event for event in events if isinstance(event, Throw)]
    assert named(events)
    faults = [event for event in events if isinstance(event, DiceState) and event.state != "ok"]
    assert wire in faults[0].why
    assert ("stayed" if level or wire[0] == "b" else "never rose") in faults[0].why


@pytest.mark.parametrize("way", ["edges", "polled"])
@pytest.mark.parametrize(("one", "other", "how"), PAIRS)
def test_two_wires_that_touch(one: str, other: str, how: str, way: str) -> None:
    random = Random(f"{one}{other}{how}{way}")
    faces = thrown(random)
    telling = [roll for roll in faces if not blind(one, other, roll)]
    events = decoded(faces, touching(one, other, how, random), way, random)
    assert not wrong(events, faces)
    rolls = [event.faces for event in events if isinstance(event, Throw)]
    assert not [roll for roll in rolls if not blind(one, other, roll)], telling
    assert any(isinstance(event, DiceState) and event.state != "ok" and event.why for event in events)


def blind(one: str, other: str, roll: Faces) -> bool:
    """Whether the two wires carry the same for all three dice, so that touching changes nothing."""
    if one[0] != "b" or other[0] != "b":
        return False
    return all(face >> int(one[1]) & 1 == face >> int(other[1]) & 1 for face in roll)


@pytest.mark.parametrize("share", [0.002, 0.01, 0.05, 0.2])
def test_edges_that_are_lost_never_make_a_wrong_roll(share: float) -> None:
    random = Random(f"lost {share}")
    faces = thrown(random, times(400))
    changes = [change for change in edges(driven(faces, random)) if random.random() >= share]
    decoder = BusDice()
    events = [*_fed(decoder, changes), *decoder.quiet(changes[-1].at + 60_000)]
    assert not wrong(events, faces)
    assert any(isinstance(event, Throw) for event in events) == (share < 0.2)
    assert any(isinstance(event, ThrowVoid) for event in events)


def test_a_wire_that_breaks_in_the_midst_of_a_throw_never_makes_a_wrong_roll() -> None:
    for seed in range(times(200)):
        random = Random(seed)
        faces = thrown(random, 3)
        moments = driven(faces, random)
        wire, level = random.choice(BAD_LEVELS)
        broken = random.randrange(len(moments))
        bad = stuck(wire, level)
        seen = [*moments[:broken], *read(moments[broken:], bad)]
        decoder = BusDice()
        events = [*_fed(decoder, edges(seen)), *decoder.quiet(moments[-1].at + 60_000)]
        assert not wrong(events, faces), (seed, wire, level)
