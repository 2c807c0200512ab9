"""A loose or shorted wire of the dice box is a fault with a name at once, and never a wrong roll."""

from collections.abc import Iterable, Iterator
from itertools import combinations, product
from random import Random

import pytest

from gpio.cable import (
    WIRES,
    Fault,
    at_times,
    driven,
    edges,
    good,
    loose,
    polled,
    read,
    stuck,
    swapped,
    touching,
)
from pi_bunco.devices.gpio.decoding import Change
from pi_bunco.devices.protocols import DiceEvent, DiceState, Throw, ThrowVoid
from pi_bunco.devices.throws.bus import BusDice
from pi_bunco.devices.throws.strobes import second
from thorough import times

THROWS = times(60)
Faces = tuple[int, int, int]
Way = tuple[int | str, ...]
"""The source of each face wire's level: a driver's, or always the same."""
BAD_LEVELS = [(wire, level) for wire in WIRES for level in (False, True)]
HOWS = ("or", "and", "keeps", "one", "other", "any")
PAIRS = [(one, other, how) for one, other in combinations(WIRES, 2) for how in HOWS]


def thrown(random: Random, count: int = THROWS) -> list[Faces]:
    return [(random.randint(1, 6), random.randint(1, 6), random.randint(1, 6)) for _ in range(count)]


def decoded(faces: list[Faces], fault: Fault, way: str, random: Random) -> list[DiceEvent]:
    """The decoder's events of the throws behind that fault."""
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
    """True if a fault was told of, with a sentence, before or instead of the first roll."""
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
    events = decoded(faces, touching(one, other, how, random), way, random)
    assert not [event for event in events if isinstance(event, Throw)]
    assert named(events)


def test_no_standing_fault_of_the_face_wires_makes_a_wrong_face() -> None:
    """A wire shows any driver, ground or a supply; two that touch show now one, now the other."""
    shorts: list[list[Way]] = [
        [tuple(driver if wire in pair else wire for wire in range(3)) for driver in pair]
        for pair in combinations(range(3), 2)
    ]
    levels: list[list[int | str]] = [[wire, "low", "high"] for wire in range(3)]
    standing: set[Way] = {*product(range(3), repeat=3), *product(*levels)}
    escaped = {
        first
        for ways in [*([way] for way in standing), *shorts]
        for face in range(1, 7)
        for first, then in product(ways, ways)
        if (shown := _shown(first, face)) in range(1, 7)
        and shown != face
        and _shown(then, second(face)) == second(shown)
    }
    assert escaped == {(1, 2, 0), (2, 0, 1)}, "all three changed places, which the proof shows"


def _shown(way: Way, number: int) -> int:
    levels = {"low": 0, "high": 1} | {wire: number >> wire & 1 for wire in range(3)}
    return sum(levels[source] << place for place, source in enumerate(way))


def test_a_strobe_at_a_supply_is_named_in_every_throw() -> None:
    events = decoded([(1, 2, 3)] * 4, stuck("strobe2", True), "edges", Random(1))
    void = [event.why for event in events if isinstance(event, ThrowVoid)]
    assert void == ["die 2: strobe2 stayed high"] * len(void)
    assert len(void) >= 3


@pytest.mark.parametrize("way", ["edges", "polled"])
@pytest.mark.parametrize(("one", "other"), [("b0", "b1"), ("b0", "b2"), ("b1", "b2")])
def test_two_face_wires_that_are_swapped(one: str, other: str, way: str) -> None:
    random = Random(f"{one}{other}{way}")
    faces = thrown(random)
    events = decoded(faces, swapped(one, other), way, random)
    assert not [event for event in events if isinstance(event, Throw)]
    (fault, *_) = (event for event in events if isinstance(event, DiceState))
    assert fault.why == f"{one} and {other} are swapped"


@pytest.mark.parametrize("way", ["edges", "polled"])
@pytest.mark.parametrize("wire", WIRES)
def test_a_wire_that_makes_contact_now_and_then(wire: str, way: str) -> None:
    random = Random(f"{wire}{way}")
    faces = thrown(random)
    events = decoded(faces, loose(wire, random), way, random)
    assert not wrong(events, faces)
    assert any(isinstance(event, DiceState) and event.state != "ok" and event.why for event in events)


def test_a_box_with_a_program_that_does_not_try_the_face_wires_is_named() -> None:
    changes = [change for change in edges(driven([(1, 2, 3)], Random(1))) if not 1010 < change.at < 1110]
    events = [*_fed(decoder := BusDice(), changes), *decoder.quiet(60_000)]
    assert "newest program" in next(event.why for event in events if isinstance(event, DiceState))
    assert isinstance(events[-1], ThrowVoid)


def test_dice_that_rolled_before_the_table_read_them_are_void_and_no_fault() -> None:
    changes = list(edges(driven([(1, 2, 3), (4, 5, 6)], Random(1))))
    begun = [Change(1100, "rolling", True, already=True), *(one for one in changes if one.at > 1105)]
    events = [*_fed(decoder := BusDice(), begun), *decoder.quiet(60_000)]
    assert isinstance(events[0], ThrowVoid)
    assert events[0].why == "the dice were thrown before the table could read them"
    assert events[-1].faces == (4, 5, 6) if isinstance(events[-1], Throw) else False


@pytest.mark.parametrize("share", [0.002, 0.01, 0.05, 0.2])
def test_edges_that_are_lost_never_make_a_wrong_roll(share: float) -> None:
    random = Random(f"lost {share}")
    faces = thrown(random, max(times(400), 80))
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


def test_a_fault_that_comes_and_goes_never_makes_a_wrong_roll() -> None:
    accepted = 0
    for seed in range(times(100)):
        random = Random(f"now and then {seed}")
        faces = thrown(random, 3)
        moments = driven(faces, random)
        one, other = random.sample(WIRES, 2)
        fault = random.choice(
            (
                stuck(one, True),
                stuck(one, False),
                loose(one, random),
                touching(one, other, random.choice(HOWS), random),
            )
        )
        begins = [
            random.choice(moments).at + random.uniform(-30, 60) for _ in range(random.choice((1, 2, 5, 20)))
        ]
        seen = at_times(
            moments, fault, [(at, at + random.choice((1, 8, 15, 30, 60, 500, 3000))) for at in begins]
        )
        decoder = BusDice()
        events = [*_fed(decoder, edges(seen)), *decoder.quiet(moments[-1].at + 60_000)]
        assert not wrong(events, faces), seed
        accepted += sum(isinstance(event, Throw) for event in events)
    assert accepted > 0
