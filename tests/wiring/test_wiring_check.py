from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco.devices.bell import host_button, relays
from pi_bunco.devices.dice import header_dice
from pi_bunco.devices.dice import serial as box
from pi_bunco.devices.lights import display, shift_registers
from pi_bunco.devices.panel import buttons as button_lines
from pi_bunco.devices.pins import Part, leds, plan, shipped
from pi_bunco.devices.protocols import BUTTONS, Button, Press, Stuck, Throw, ThrowVoid
from pi_bunco.runtime.loop import Tick
from pi_bunco.wiring.check_steps import (
    PRESSED_TOGETHER_MS,
    BellPress,
    CheckEffect,
    CheckMessage,
    Light,
    PanelStep,
    PartFinding,
    Question,
    RollStep,
    SeenStep,
    Sounded,
    Statement,
    Typed,
    TypingEnded,
)
from pi_bunco.wiring.wiring_check import ANSWER_WITHIN_MS, Check, summary
from wiring.hosts import Host, whole

PARTS = 8 + 3 + len(leds()) + 1 + 1 + 2
TIMES = st.floats(0, 1e6)


def buttons() -> Check:
    return Check([PanelStep(button_lines.parts(shipped()))])


def panel() -> Check:
    check = buttons()
    check.begin(0)
    return check


def dice(encoding: str = "bus") -> Check:
    check = Check([RollStep(header_dice.parts(shipped(), encoding))])
    check.begin(0)
    return check


def said(effects: list[CheckEffect]) -> list[str]:
    return [effect.text for effect in effects if isinstance(effect, Statement)]


def outcomes(check: Check) -> dict[str, str]:
    return {found.part.key: found.outcome for found in check.findings}


def why(check: Check, key: str) -> str:
    (found,) = (found for found in check.findings if found.part.key == key)
    return found.why


def test_all_that_answers_is_fine() -> None:
    host = Host()
    check = host.walk(whole())
    assert len(check.findings) == PARTS
    assert {found.outcome for found in check.findings} == {"ok"}
    assert summary(check.findings) == [f"{PARTS} fine."]
    assert host.lit is None


@given(st.permutations(BUTTONS))
def test_every_mixed_up_button_is_found_and_no_other(wired: list[Button]) -> None:
    check = Host(wires=dict(zip(BUTTONS, wired, strict=True))).walk(buttons())
    for name, answers in zip(BUTTONS, wired, strict=True):
        assert outcomes(check)[name] == ("ok" if name == answers else "failed")
        if name != answers:
            line, other = shipped()[f"panel.{name}"], shipped()[f"panel.{answers}"]
            assert f"GPIO{line.gpio}, header pin {line.pin}, the {line.wire} wire of the panel cable" in why(
                check, name
            )
            assert f"{answers.upper()} did: are they swapped?" in why(check, name)
            assert f"GPIO{other.gpio}, header pin {other.pin}," in why(check, name)


@given(st.sets(st.sampled_from(BUTTONS)))
def test_every_broken_wire_is_named(broken: set[str]) -> None:
    check = Host(wires=dict.fromkeys(broken)).walk(buttons())
    assert {key for key, outcome in outcomes(check).items() if outcome == "failed"} == broken
    assert len(summary(check.findings)) == len(broken) + 1


def test_the_sentence_for_a_broken_wire_follows_the_config() -> None:
    lines = plan({"panel": {"one": {"gpio": 5, "wire": "yellow"}, "miss": {"gpio": 22}}}, {"panel"})
    check = Check([PanelStep(button_lines.parts(lines))])
    check.begin(0)
    assert said(check.step(Typed("s"), 1))[0] == (
        "Button ONE did not answer: GPIO5, header pin 29, the yellow wire of the panel cable."
    )


def test_a_wrong_button_is_named_and_the_right_one_may_follow() -> None:
    check = panel()
    assert said(check.step(Press("two", 10, 5), 20))[0] == "That was TWO: are ONE and TWO swapped?"
    check.step(Press("one", 900, 5), 905)
    assert outcomes(check) == {"one": "ok"}


def test_an_impatient_finger_does_no_harm() -> None:
    check = panel()
    for n in range(5):
        effects = check.step(Press("one", 100.0 * n, 5), 100.0 * n + 5)
    assert said(effects) == ["That was ONE; it is TWO's turn."]
    assert outcomes(check) == {"one": "ok"}


@pytest.mark.parametrize("names", [("one", "two"), ("two", "one")])
def test_wires_that_touch_are_told_whoever_is_heard_first(names: tuple[Button, Button]) -> None:
    check = panel()
    check.step(Press(names[0], 100, 5), 105)
    check.step(Press(names[1], 100 + PRESSED_TOGETHER_MS, 5), 115)
    assert outcomes(check) == {"one": "failed", "two": "failed"}
    assert "together with TWO: do their wires touch?" in why(check, "one")
    assert "GPIO23" in why(check, "two")


def test_typed_presses_do_not_touch() -> None:
    check = panel()
    check.step(Press("one", 100, 0), 100)
    check.step(Press("two", 100.1, 0), 100.1)
    assert outcomes(check) == {"one": "ok", "two": "ok"}


def test_a_stuck_button_is_named_at_once_and_asked_for_again_when_it_is_free() -> None:
    check = panel()
    assert "down all the time" in said(check.step(Stuck("two", True), 15_000))[0]
    effects = check.step(Press("one", 16_000, 5), 16_005)
    assert said(effects)[-1].startswith("Press MINI.")
    effects = check.step(Stuck("two", False), 17_000)
    assert said(effects)[0] == "Button TWO is free again."
    assert said(effects)[-1].startswith("Press TWO.")
    check.step(Press("two", 18_000, 5), 18_005)
    assert outcomes(check) == {"one": "ok", "two": "ok"}


def test_a_button_that_sticks_while_it_is_asked_for_is_not_waited_for() -> None:
    check = panel()
    assert said(check.step(Stuck("one", True), 15_000))[-1].startswith("Press TWO.")
    assert "GPIO22" in why(check, "one")


def test_check_waits_thirty_seconds_for_an_answer() -> None:
    check = panel()
    assert check.step(Tick(), ANSWER_WITHIN_MS - 1) == []
    assert said(check.step(Tick(), ANSWER_WITHIN_MS))[0].startswith("Button ONE did not answer")
    assert check.step(Tick(), 2 * ANSWER_WITHIN_MS - 1) == []
    check.step(Tick(), 2 * ANSWER_WITHIN_MS)
    assert outcomes(check) == {"one": "failed", "two": "failed"}


def test_the_host_has_all_the_time_to_look() -> None:
    check = Check([SeenStep(shift_registers.parts(shipped()))])
    assert check.begin(0)[0] == Light("turn A")
    assert check.step(Tick(), 100 * ANSWER_WITHIN_MS) == []
    assert said(check.step(Typed("what?"), 1e9)) == ["Answer y or n, or s to skip it."]
    assert check.step(Typed("s"), 1e9)[1] == Light("turn B")
    assert outcomes(check) == {"turn A": "skipped"}


def test_a_dark_light_is_named_by_its_output() -> None:
    check = Host(dark=frozenset({"pass", "stop", "display"})).walk(whole())
    assert why(check, "pass").startswith("The light PASS does not work: output QF of the first 74HC595")
    assert "output QA of the second 74HC595" in why(check, "stop")
    assert "GPIO10 (header pin 19, green)" in why(check, "stop")
    assert "GPIO2 (header pin 3, blue) and GPIO3 (header pin 5, yellow)" in why(check, "display")


@given(st.tuples(*[st.integers(1, 6)] * 3), st.tuples(*[st.integers(1, 6)] * 3))
def test_each_die_with_another_face_than_it_says_is_found(
    faces: tuple[int, int, int], told: tuple[int, int, int]
) -> None:
    check = Host(faces=faces, told=told).walk(whole())
    for die, (shows, says) in enumerate(zip(faces, told, strict=True), 1):
        assert outcomes(check)[str(die)] == ("ok" if shows == says else "failed")
        if shows != says:
            assert f"GPIO{shipped()[f'dice.strobe{die}'].gpio} " in why(check, str(die))


def test_a_void_throw_says_which_die_is_to_blame() -> None:
    check = dice()
    effects = check.step(ThrowVoid("die 2 did not settle", 10_000), 10_500)
    assert said(effects)[0] == "That was no throw: die 2 did not settle."
    check.step(Tick(), 10_500 + ANSWER_WITHIN_MS)
    assert outcomes(check) == {"1": "skipped", "2": "failed", "3": "skipped"}
    assert "GPIO26 (header pin 37, green)" in why(check, "2")
    assert check.done


def test_dice_that_say_nothing_are_all_named() -> None:
    check = dice("led7")
    check.step(Typed("s"), 1)
    assert outcomes(check) == dict.fromkeys("123", "failed")
    assert "GPIO17 (header pin 11, white)" in why(check, "3")
    assert "of cable 3" in why(check, "3")


def test_repeated_throw_of_a_box_is_no_answer() -> None:
    check = Check([RollStep(box.parts("/dev/ttyACM0"))])
    check.begin(5000)
    assert check.step(Throw((1, 1, 1), 4000, 4900), 5100) == []
    assert check.step(ThrowVoid("die 1 was not thrown", 4900), 5100) == []
    assert said(check.step(Throw((1, 2, 3), 5200, 6000), 6001))[0].startswith("Die 1 says 1")


def test_nothing_sounds_before_the_host_agrees() -> None:
    host = Host(silent=frozenset({"horn"}))
    check = host.walk(whole())
    assert outcomes(check)["bell"] == "ok"
    assert why(check, "horn").startswith("The horn did not sound: it is in use; GPIO27, header pin 13,")


def test_where_nobody_types_the_devices_are_still_asked() -> None:
    check = whole()
    check.begin(0)
    assert said(check.step(TypingEnded(devices=False), 1)) == []
    for button in BUTTONS:
        check.step(Press(button, 1, 0), 2)
    check.step(Throw((1, 2, 3), 3, 4), 5)
    assert "bell_button" not in outcomes(check)
    check.step(BellPress(), 8)
    assert check.done
    done = outcomes(check)
    assert [done[key] for key in ("one", "bell_button", "1", "stop", "horn")] == [
        "ok",
        "ok",
        *["failed"] * 3,
    ]


def test_where_nobody_is_at_all_the_check_ends_at_once() -> None:
    check = whole()
    check.begin(0)
    check.step(TypingEnded(devices=True), 1)
    assert check.done
    assert set(outcomes(check).values()) == {"failed"}


MESSAGES: st.SearchStrategy[CheckMessage] = st.one_of(
    st.builds(Press, st.sampled_from(get_args(Button)), TIMES, st.sampled_from([0, 5, 1000])),
    st.builds(Stuck, st.sampled_from(get_args(Button)), st.booleans()),
    st.builds(Throw, st.just((1, 2, 3)), TIMES, TIMES),
    st.builds(ThrowVoid, st.sampled_from(["die 1 did not settle", "the link broke"]), TIMES),
    st.builds(Typed, st.sampled_from(["y", "n", "s", "", "skip", "hm"])),
    st.sampled_from([BellPress(), Sounded(), Sounded("no"), Tick(), TypingEnded(False)]),
)


@given(st.lists(MESSAGES, max_size=120))
def test_whatever_happens_the_check_ends_with_one_finding_for_each_part(messages: list[CheckMessage]) -> None:
    check = whole()
    effects = check.begin(0)
    assert isinstance(effects[-1], Question)
    for n, message in enumerate(messages):
        check.step(message, n * 9000.0)
        assert len(check.findings) <= PARTS
    if not check.done:
        check.step(TypingEnded(True), 1e9)
    assert check.done
    assert len({found.part.name for found in check.findings}) == len(check.findings) == PARTS
    check.step(Stuck("one", False), 2e9)
    assert check.done


@given(st.lists(st.sampled_from(["ok", "failed", "skipped"]), min_size=1))
def test_the_summary_has_a_sentence_for_all_that_is_not_fine(results: list[str]) -> None:
    part = Part("x", "X", "")
    findings = [PartFinding(part, result, f"{n}!") for n, result in enumerate(results)]  # type: ignore[arg-type]
    *sentences, count = summary(findings)
    assert sentences == [f"{n}!" for n, result in enumerate(results) if result != "ok"]
    assert sum(int(word) for word in count.split() if word.isdigit()) == len(results)


def test_the_parts_have_all_the_lines_of_a_head_table() -> None:
    stages = [
        button_lines.parts(shipped()),
        header_dice.parts(shipped(), "bus"),
        shift_registers.parts(shipped()),
        (display.part(shipped()), host_button.part(shipped())),
        relays.parts(shipped()),
    ]
    named = {line.name for stage in stages for part in stage for line in part.lines}
    assert named == {name for name in shipped() if not name.startswith("led7")}
    names = [part.name for stage in stages for part in stage]
    assert len(set(names)) == len(names) == PARTS
