import queue
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clocks import FakeClock
from gpio.wires import WAIT, Board
from pi_bunco.devices.bell.limits import LONGEST_MS, BellPolicy, RingRequest, strokes
from pi_bunco.devices.bell.relays import ON_IN_A_MINUTE_MS, REST_MS, RelayBell, Relays
from pi_bunco.devices.gpio import open_gpio
from pi_bunco.devices.pins import RELAYS, shipped
from pi_bunco.devices.protocols import Blast, Blasts, DeviceError
from pi_bunco.rules.ruleset import Signal
from pi_bunco.runtime.clock import SystemClock
from thorough import times

SIGNALS: list[Signal] = ["bell", "horn", "bell+horn"]
BLASTS = st.builds(
    Blast,
    st.sampled_from(SIGNALS),
    st.integers(-100, 10_000) | st.integers(0, 400),
    st.integers(-100, 5000) | st.integers(0, 200),
)
RINGS = st.builds(Blasts, st.just("r"), st.lists(BLASTS, max_size=6).map(tuple), st.integers(-500, 3000))
ACTS = st.lists(st.tuples(st.floats(0, 4000) | st.floats(0, 100), st.none() | RINGS), max_size=25)


def wired() -> tuple[Board, Relays]:
    board = Board()
    return board, Relays(board.gpio, shipped(), board.clock)


def intervals(pin: Any) -> list[tuple[float, float]]:
    """Times of the pin's high level, from and to, in ms since its first state."""
    times, at = [], 0.0
    for state in pin.states:
        at += state.timestamp
        times.append((round(at * 1000, 6), bool(state.state)))
    found = [(on, off) for (on, level), (off, _) in pairwise(times) if level]
    assert not times[-1][1], "it is still on"
    return found


def pass_time(board: Board, relays: Relays, ms: float) -> None:
    """Lets time pass as the bell's thread would: a step whenever the last one said so."""
    end = board.clock.time + ms
    while (wait := relays.step()) is not None and board.clock.time + wait <= end:
        board.clock.advance(wait)
    board.clock.time = end
    relays.step()


@settings(max_examples=times(50))
@given(ACTS)
def test_no_relay_is_on_for_too_long_whatever_is_asked_for(acts: list[tuple[float, Blasts | None]]) -> None:
    board, relays = wired()
    for wait, ring in acts:
        pass_time(board, relays, wait)
        if ring is None:
            relays.off()
            assert not any(board.pin(relay).state for relay in RELAYS)
        else:
            assert relays.ring(ring) == board.clock.time + max(ring.wait_ms, 0)
    pass_time(board, relays, 3 * LONGEST_MS + 100_000)
    for relay in RELAYS:
        _check_limits(intervals(board.pin(relay)))
    relays.close()


def _check_limits(blasts: list[tuple[float, float]]) -> None:
    run = 0.0
    for n, (on, off) in enumerate(blasts):
        run = run + off - on if n and on - blasts[n - 1][1] < REST_MS - 1e-3 else off - on
        assert run <= LONGEST_MS + 1e-3
        minute = sum(min(b, off) - max(a, off - 60_000) for a, b in blasts[: n + 1] if b > off - 60_000)
        assert minute <= ON_IN_A_MINUTE_MS + 1e-3


@pytest.mark.parametrize("signal", SIGNALS)
def test_a_ring_is_what_was_asked_for(signal: Signal) -> None:
    board, relays = wired()
    assert relays.ring(Blasts("end", strokes("end", signal))) == 1000
    assert [bool(board.pin(relay).state) for relay in RELAYS] == [relay in signal for relay in RELAYS]
    pass_time(board, relays, 5000)
    expected = [(0, 500), (700, 1200), (1400, 1900)]
    for relay in RELAYS:
        assert intervals(board.pin(relay)) == (expected if relay in signal else [])
    relays.close()


def test_the_end_of_a_round_cuts_what_sounds_and_waits_for_a_silence() -> None:
    (board, relays), policy = wired(), BellPolicy()
    start, end = (RingRequest(purpose, purpose, "bell") for purpose in ("start", "end"))
    for request, rings_at in ((start, 1000), (end, 1600)):
        decided = policy.decide(board.clock.now(), request)
        assert isinstance(decided, Blasts)
        assert relays.ring(decided) == rings_at
        pass_time(board, relays, 400)
    pass_time(board, relays, 5000)
    assert intervals(board.pin("bell")) == [(0, 400), (600, 1100), (1300, 1800), (2000, 2500)]
    relays.close()


def test_a_late_step_does_what_is_due_then_and_leaves_out_what_has_passed() -> None:
    board, relays = wired()
    relays.ring(Blasts("a", (Blast("bell", 300, 200), Blast("bell", 300, 0)), 100))
    board.clock.advance(350)
    relays.step()
    board.clock.advance(1000)
    assert relays.step() is None
    assert intervals(board.pin("bell")) == [(350, 1350)]
    relays.close()


# The bell with its thread.


def test_the_bell_is_off_from_the_start_to_the_end_but_for_its_rings() -> None:
    gpio = open_gpio("mock", clock := FakeClock())  # its time stands still until each level is there
    levels: queue.SimpleQueue[tuple[str, bool]] = queue.SimpleQueue()
    gpio.factory.driven = lambda pin: levels.put((pin.info.name, bool(pin.state)))
    bell = RelayBell(gpio, shipped(), clock)
    assert all(gpio.factory.pin(shipped()[relay].gpio).function == "output" for relay in RELAYS)
    before = clock.now()
    assert before <= bell.ring(Blasts("t", (Blast("bell+horn", 20, 20), Blast("horn", 20, 0)))) <= clock.now()
    assert sorted(levels.get(timeout=WAIT) for _ in range(2)) == [("GPIO17", True), ("GPIO27", True)]
    clock.advance(20)
    assert sorted(levels.get(timeout=WAIT) for _ in range(2)) == [("GPIO17", False), ("GPIO27", False)]
    for on in (True, False):
        clock.advance(20)
        assert levels.get(timeout=WAIT) == ("GPIO27", on)
    bell.ring(Blasts("u", (Blast("horn", 2000, 0),)))
    assert levels.get(timeout=WAIT) == ("GPIO27", True)
    bell.off()
    assert levels.get(timeout=WAIT) == ("GPIO27", False)
    bell.ring(Blasts("v", (Blast("bell", 2000, 0),)))
    bell.close()
    assert not any(gpio.factory.pin(shipped()[relay].gpio).state for relay in RELAYS)
    with pytest.raises(DeviceError, match="stays silent"):
        bell.ring(Blasts("w", (Blast("bell", 20, 0),)))
    assert not gpio.factory.pin(17).state
    gpio.close()


def test_a_relay_that_cannot_be_switched_is_told_and_switched_off_when_it_can(
    caplog: pytest.LogCaptureFixture,
) -> None:
    gpio = open_gpio("mock", clock := SystemClock())
    bell = RelayBell(gpio, shipped(), clock)
    broken, levels = True, queue.SimpleQueue[bool]()

    def driven(pin: Any) -> None:
        if pin.state and broken:
            pin._state = False
            raise OSError(5, "I/O error")
        levels.put(bool(pin.state))

    gpio.factory.driven = driven
    with pytest.raises(OSError, match="I/O error"):
        bell.ring(Blasts("a", (Blast("bell", 3000, 0),)))
    broken = False
    bell.ring(Blasts("b", (Blast("bell", 10, 0),)))
    assert [levels.get(timeout=WAIT) for _ in range(2)] == [True, False]
    failures = iter([True, True, False])

    def stubborn(pin: Any) -> None:
        if not pin.state and next(failures, False):
            pin._state = True
            raise OSError(5, "I/O error")
        levels.put(bool(pin.state))

    gpio.factory.driven = stubborn
    bell.ring(Blasts("c", (Blast("bell", 10, 0),)))
    assert [levels.get(timeout=WAIT) for _ in range(2)] == [True, False]
    assert caplog.text.count("a relay cannot be switched") == 1
    bell.close()
    gpio.close()
