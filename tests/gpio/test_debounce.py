from collections.abc import Iterable
from itertools import pairwise
from random import Random
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.devices.bell.host_button import BellButtonDecoder
from pi_bunco.devices.gpio.debounce import STUCK_MS, Contact, Debounce
from pi_bunco.devices.gpio.decoding import Change, Decoder
from pi_bunco.devices.panel.buttons import PanelDecoder
from pi_bunco.devices.protocols import BUTTONS, Button, Press, Stuck

Event = TypeVar("Event")


def heard(
    *edges: tuple[float, bool], hold_ms: float = 5, until: float = 14_000
) -> list[tuple[Contact, float]]:
    """Presses that the contact's edges mean, each with its beginning."""
    contact, found = Debounce(hold_ms), list[tuple[Contact, float]]()
    for at, closed in edges:
        began = contact.began
        found += [(one, began) for one in contact.edge(closed, at)]
    return found + [(one, contact.began) for one in contact.quiet(until)]


ONE_PRESS: list[tuple[Contact, float]] = [("pressed", 100), ("released", 100)]
TWO_PRESSES = [*ONE_PRESS, ("pressed", 140), ("released", 140)]
BOUNCING = [(100, True), (101, False), (101.5, True), (103, False), (104, True), (180, False)]
BOUNCING_OPEN = [(100, True), (200, False), (203, True), (209, False), (228, True), (240, False)]


@pytest.mark.parametrize(
    ("edges", "contacts"),
    [
        pytest.param(BOUNCING, ONE_PRESS, id="a press counts at its first edge"),
        pytest.param([(100, True), (104.9, False)], [], id="a horn's spike is no press"),
        pytest.param([(100, True), (105, False)], ONE_PRESS, id="a short press is one"),
        pytest.param(BOUNCING_OPEN, ONE_PRESS, id="a release that bounces is one press"),
        pytest.param(
            [(100, True), (120, False), (140, True), (150, False)], TWO_PRESSES, id="20 ms open part presses"
        ),
    ],
)
def test_a_contact_bounces(edges: list[tuple[float, bool]], contacts: list[tuple[Contact, float]]) -> None:
    assert heard(*edges) == contacts


def test_a_long_press_is_told_when_it_has_been_held() -> None:
    contact = Debounce(1000)
    assert contact.edge(True, 100) == []
    assert contact.due == 1100
    assert contact.quiet(1099) == []
    assert contact.quiet(1100) == ["pressed"]
    assert contact.quiet(1200) == []
    assert heard((100, True), (1090, False), (1101, True), (1103, False), hold_ms=1000) == []
    assert heard((100, True), (500, False), (503, True), (1300, False), hold_ms=1000) == [
        ("pressed", 100),
        ("released", 100),
    ]


def test_a_button_that_is_stuck_is_told_and_told_when_it_is_free() -> None:
    contact = Debounce()
    contact.edge(True, 0)
    assert contact.quiet(100) == ["pressed"]
    assert (contact.due, contact.quiet(STUCK_MS), contact.due) == (STUCK_MS, ["stuck"], None)
    assert contact.edge(False, 60_000) == []
    assert contact.quiet(60_020) == ["released", "free"]
    assert contact.due is None


def test_a_contact_that_flutters_for_ever_is_stuck_and_no_press() -> None:
    edges = [(float(at), at % 8 == 0) for at in range(0, 16_000, 4)]
    assert heard(*edges) == [("stuck", 0.0)]


def test_button_held_at_the_start_is_no_press() -> None:
    contact = Debounce()
    contact.closed_already(1000)
    assert contact.quiet(2000) == []
    assert contact.quiet(1000 + STUCK_MS) == ["stuck"]
    contact.edge(False, 90_000)
    assert contact.quiet(91_000) == ["free"]
    contact.edge(True, 92_000)
    assert contact.quiet(92_005) == ["pressed"]


@given(st.lists(st.floats(0.01, 60), max_size=40), st.sampled_from([5.0, 100.0]))
def test_whatever_the_edges_presses_are_apart_and_when_time_is_looked_at_makes_no_difference(
    gaps: list[float], hold_ms: float
) -> None:
    times = [sum(gaps[: n + 1]) for n in range(len(gaps))]
    edges = [(at, n % 2 == 0) for n, at in enumerate(times)]
    found = heard(*edges, hold_ms=hold_ms)
    contact, looked = Debounce(hold_ms), list[Contact]()
    latest = 0.0
    for at, closed in edges:
        for n in range(1, 6):
            looked += contact.quiet(latest + n / 6 * (at - latest))
        looked += contact.edge(closed, at)
        latest = at
    assert [*looked, *contact.quiet(14_000)] == [what for what, _ in found]
    pressed = [at for what, at in found if what == "pressed"]
    assert all(later - earlier >= 5 + 20 for earlier, later in pairwise(pressed))
    assert len([what for what, _ in found if what == "released"]) in (len(pressed), len(pressed) - 1)


# The panel.


def told(decoder: Decoder[Event], edges: Iterable[Change], until: float) -> list[Event]:
    found = [event for edge in edges for event in decoder.change(edge)]
    return [*found, *decoder.quiet(until)]


def test_no_press_is_lost_at_20_a_second_on_all_eight_buttons_at_once() -> None:
    random, edges, pressed = Random(20), list[Change](), list[tuple[Button, float]]()
    for name in BUTTONS:
        at = random.uniform(0, 50)
        for _ in range(400):
            edges += _bouncing(random, at, name, True)
            edges += _bouncing(random, at + 25, name, False)
            if name != "undo":  # that one is told when it is held
                pressed.append((name, at))
            at += 50
    edges.sort(key=lambda change: change.at)
    found = told(PanelDecoder(), edges, 30_000)
    assert sorted((press.button, press.at) for press in found if isinstance(press, Press)) == sorted(pressed)
    assert len(found) == 7 * 400


def _bouncing(random: Random, at: float, name: str, closed: bool) -> list[Change]:
    times = sorted(at + random.uniform(0, 4.5) for _ in range(2 * random.randint(0, 3)))
    return [
        Change(at, name, closed),
        *(Change(one, name, closed == bool(n % 2)) for n, one in enumerate(times)),
    ]


def test_undo_is_told_only_when_it_was_held_for_a_second() -> None:
    edges = [Change(0, "undo", True), Change(990, "undo", False), Change(2000, "undo", True)]
    assert told(PanelDecoder(), edges, 3500) == [Press("undo", 2000, 1000)]


@pytest.mark.parametrize("ms", [5, 300, 1400])
def test_miss_is_told_when_it_is_let_go_with_how_long_it_was_held(ms: int) -> None:
    edges = [Change(1000, "miss", True), Change(1000 + ms, "miss", False)]
    assert told(PanelDecoder(), edges, 3000) == [Press("miss", 1000, ms)]


def test_a_miss_that_was_stuck_is_none() -> None:
    edges = [Change(0, "miss", True), Change(20_000, "miss", False)]
    assert told(PanelDecoder(), edges, 21_000) == [Stuck("miss", True), Stuck("miss", False)]


def test_a_stuck_button_is_told_and_the_others_work() -> None:
    decoder = PanelDecoder()
    held = Change(0, "miss", True, already=True)
    assert told(decoder, [held, Change(100, "ok", True), Change(200, "ok", False)], 20_000) == [
        Press("ok", 100, 5),
        Stuck("miss", True),
    ]
    assert told(decoder, [Change(30_000, "miss", False)], 31_000) == [Stuck("miss", False)]


# The bell button.


def bell_button(at: float, on: bool, already: bool = False) -> Change:
    return Change(at, "bell_button", on, already)


@pytest.mark.parametrize(
    ("held_for", "meaning"), [(4, []), (100, [False]), (1990, [False]), (2001, [True]), (9000, [True])]
)
def test_the_bell_button_starts_when_let_go_and_ends_when_held(held_for: float, meaning: list[bool]) -> None:
    button = BellButtonDecoder()
    edges = [bell_button(0, True), bell_button(held_for, False)]
    assert told(button, edges, held_for + 20) == meaning
    assert button.due is None


def test_a_bell_button_is_heard_while_it_is_held(caplog: pytest.LogCaptureFixture) -> None:
    button = BellButtonDecoder()
    assert told(button, [bell_button(0, True)], 0) == []
    assert button.due == 5
    assert told(button, [], 1999) == []
    assert told(button, [], 2000) == [True]
    assert told(button, [], 20_000) == []
    assert "bell button is stuck" in caplog.text
    assert told(button, [bell_button(21_000, False)], 21_020) == []


def test_a_bell_button_that_is_down_at_the_start_rings_nothing() -> None:
    button = BellButtonDecoder()
    assert told(button, [bell_button(0, True, already=True)], 5000) == []
    assert told(button, [bell_button(6000, False)], 7000) == []
