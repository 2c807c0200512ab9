import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpio.wires import WAIT, Board, Registers, Seen
from pi_bunco.devices.lights.shift_registers import HALF_BLINK_MS, GpioLights, ShiftRegisters, blinks, lit
from pi_bunco.devices.pins import leds, shipped
from pi_bunco.devices.protocols import LightState

STATES = st.builds(
    LightState,
    st.sampled_from([None, "A", "B", "C", "D"]),
    st.sampled_from([None, "roll again", "pass"]),
    st.sampled_from([None, "running", "finish", "stop"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)


@given(STATES, st.integers(0, 10**9))
def test_all_that_can_be_lit_has_an_led(state: LightState, now: int) -> None:
    assert lit(state, now) <= set(leds())
    changes = lit(state, now) != lit(state, now + HALF_BLINK_MS)
    assert changes == blinks(state)


def test_the_lights_say_what_the_table_does() -> None:
    assert lit(LightState("B", "roll again", "running"), 0) == {
        "turn B", "roll again", "running", "saved", "online",
    }  # fmt: skip
    assert lit(LightState(None, None, "stop", saved=False, ok_blinks=True), 0) == {"stop", "online", "ok"}
    assert lit(LightState(None, None, "stop", saved=False, ok_blinks=True), HALF_BLINK_MS) == {
        "stop",
        "online",
    }
    assert "running" in lit(LightState("B", None, "running", ending=True), 0)
    assert "running" not in lit(LightState("B", None, "running", ending=True), HALF_BLINK_MS)
    assert lit(LightState(online=False, fault=True, rolloff=True), 0) == {
        "online",
        "fault",
        "saved",
        "roll-off",
    }


@given(st.sets(st.sampled_from(leds())))
def test_the_registers_light_what_they_are_told_and_nothing_else(names: set[str]) -> None:
    registers = Registers(BOARD)
    shift = ShiftRegisters(BOARD.gpio, shipped())
    shift.write(names)
    assert registers.lit == names
    shift.close()


BOARD = Board()


def test_lights_are_dark_show_blink_and_are_dark_again() -> None:
    board = Board()
    seen = Seen(board)
    lights = GpioLights(board.gpio, shipped(), board.clock)
    lights.show(LightState("A", "pass", "running"))
    seen.until({"turn A", "pass", "running", "saved", "online"})
    board.clock.time = 2 * HALF_BLINK_MS
    lights.show(LightState(None, None, "stop", ok_blinks=True))
    seen.until({"stop", "saved", "online", "ok"})
    board.clock.advance(HALF_BLINK_MS)
    seen.until({"stop", "saved", "online"})
    lights.close()
    assert seen.lit == frozenset()


def test_lights_that_fail_are_told_once_and_stop_nobody(caplog: pytest.LogCaptureFixture) -> None:
    board = Board()
    lights = GpioLights(board.gpio, shipped(), board.clock)
    failed = threading.Semaphore(0)

    def driven(pin: Any) -> None:
        failed.release()
        raise OSError(5, "I/O error")

    board.gpio.factory.driven = driven
    lights.show(LightState("A"))
    lights.show(LightState("B"))
    assert failed.acquire(timeout=WAIT)
    seen = Seen(board)
    lights.show(LightState("C"))
    seen.until({"turn C", "saved", "online"})
    lights.close()
    assert caplog.text.count("the lights cannot be written") == 1


def test_all_lights_blink_together_while_a_press_of_the_bell_button_is_refused() -> None:
    state = LightState(refused=True, fault=True)
    assert lit(state, 0) == frozenset(leds())
    assert lit(state, HALF_BLINK_MS) == frozenset()
    assert blinks(state)
