"""Scenarios of the box that CPython and the real MicroPython interpreter both run.

`micropython -m firmware.scenarios` runs them all.
"""

import box
from faces import ALL, CENTRE, DIAGONAL_1, DIAGONAL_2, SIDES, FaceDraw, Fault, check_oscillator
from safe import run

from firmware.fakes import FakeBoard, Play, shown, unpacked
from firmware.scenarios_link import SCENARIOS as LINK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def begins_with_hello_pulse_and_a_self_test_of_every_led() -> None:
    play = Play()
    patterns: list[int] = []
    for _ in range(200):
        play.step()
        assert play.board.leds[1] == play.board.leds[2] == play.board.leds[3]
        if patterns[-1:] != [play.board.leds[1]]:
            patterns.append(play.board.leds[1])
    assert patterns == [CENTRE, DIAGONAL_1, DIAGONAL_2, SIDES, ALL, 0]
    assert play.said[0] == ["H", "1", play.boot(), "test", "3", "1"]
    assert play.said[1][:2] + play.said[1][3:] == ["P", play.boot(), "0", ""]
    assert int(play.said[1][2]) <= 10
    assert play.kinds() == "HP"


def a_press_throws_three_dice_that_show_what_they_tell() -> None:
    play = Play()
    play.ready()
    for count in range(1, 4):
        play.throw()
        faces = [shown(groups) for groups in play.board.leds[1:]]
        assert play.settled()[-3:] == faces
        assert play.reported[-3:] == [(1, faces[0]), (2, faces[1]), (3, faces[2])]
        assert len(play.reported) == 3 * count
        play.ack(6 * count)
    told = [fields for fields in play.said if fields[0] in "BR" and int(fields[2]) <= 6]
    assert [fields[0] + fields[3] for fields in told[:6]] == ["B1", "B2", "B3", "B1", "B2", "B3"]


def times_are_since_boot_and_in_order() -> None:
    play = Play(start=777)
    play.ready()
    play.throw()
    times = {int(fields[2]): int(fields[-1]) for fields in play.said if fields[0] in "BR"}
    assert [times[seq] for seq in (1, 2, 3)] == [1005, 1005, 1005]
    assert [times[seq] - times[1] for seq in (4, 5, 6)] == [700 + ms for ms in box.SETTLE_MS]


def dice_tumble_as_long_as_the_button_is_held_but_not_for_ever() -> None:
    play = Play()
    play.ready()
    play.board.roll = True
    play.run(2000)
    assert play.board.tumbling
    assert "R" not in play.kinds()
    play.run(8000)
    assert not play.board.tumbling
    assert len(play.settled()) == 3
    play.board.roll = False
    play.run(1000)
    play.throw()
    assert len(play.settled()) == 6


def a_tumbling_die_changes_its_face_often_and_then_slower() -> None:
    play = Play()
    play.ready()
    play.board.roll = True
    changes = []
    before = play.board.leds[3]
    for i in range(320):
        play.step()
        if play.board.leds[3] != before:
            before = play.board.leds[3]
            changes.append(i * play.step_ms)
        if i == 20:
            play.board.roll = False
    gaps = [later - earlier for earlier, later in zip(changes, changes[1:])]  # noqa: B905, RUF007
    assert len(gaps) > 12
    assert max(gaps[:8]) <= 60
    assert gaps[-2] > 100


def a_spike_is_no_press_and_a_bouncing_press_is_one() -> None:
    play = Play(step_ms=1)
    play.ready()
    for closed_ms in (1, 2, 3, 4):
        play.press(closed_ms)
        play.run(10)
    assert not play.board.tumbling
    for closed_ms in (1, 3, 1, 30):
        play.press(closed_ms)
        play.run(2)
    play.run(4000)
    assert len(play.settled()) == 3


def a_press_during_a_throw_and_just_after_it_does_nothing() -> None:
    for pressed_at, throws in ((300, 1), (900, 1), (1500, 1), (1900, 1), (2300, 2)):
        play = Play()
        play.ready()
        play.press(50)
        play.run(pressed_at - 50)
        play.press(50)
        play.run(4000)
        assert len(play.settled()) == len(play.reported) == 3 * throws


def a_button_that_is_stuck_from_the_start_throws_nothing() -> None:
    play = Play()
    play.board.roll = True
    play.run(5000)
    assert "B" not in play.kinds()


def the_brightness_button_steps_through_the_levels_and_round() -> None:
    play = Play()
    play.ready()
    levels = []
    for _ in range(5):
        play.board.dimmer = True
        play.run(50)
        play.board.dimmer = False
        play.run(50)
        levels.append(play.board.bright)
    assert levels == [box.BRIGHTNESS[i] for i in (1, 2, 3, 0, 1)]


def every_chance_is_used_alike() -> None:
    """All 256 bytes, each once, so a draw is exactly fair if the bytes are."""
    draw = FaceDraw(FakeBoard().random, FakeBoard().raw)
    faces = []
    for start in (0, 64, 128, 192):
        draw._pool[:] = bytes(range(start, start + 64))
        draw._left = 64
        while draw._left:
            faces.append(draw.face())
    assert [faces.count(face) for face in range(1, 7)] == [32] * 6


def the_moment_of_the_press_decides_with_the_generator() -> None:
    drawn: list[bytes] = []
    for ticks in (1, 1, 2):
        draw = FaceDraw(FakeBoard(seed=7).random, FakeBoard(seed=8).raw)
        draw.stir(ticks)
        assert [draw.top_up(), draw.top_up()] == [True, False]
        drawn.append(bytes(draw._pool))
    assert drawn[0] == drawn[1] != drawn[2]


def an_oscillator_that_is_dead_or_stops_is_a_fault() -> None:
    for stuck in (0, 255):
        board = FakeBoard()
        board.stuck_at = stuck
        _, blinked = _faulty(board)
        assert (SIDES | CENTRE,) * 3 in blinked
        assert board.noted == "the random generator is stuck"
    play = Play()
    play.ready()
    play.throw()
    play.board.stuck_at = 255
    play.board.roll = True
    signs = []
    try:
        play.run(500)
    except Fault as fault:
        signs.append(fault.sign)
    assert signs == [SIDES | CENTRE]
    assert len(play.settled()) == 3, "no face is told after it stopped"


def the_oscillator_is_judged_by_its_changes() -> None:
    for raw, good in (
        (bytes(range(32)), True), (b"\x55" * 32, True), (b"\x00" * 16 + b"\xff" * 16, False),
        (b"\x00" * 30 + b"\x55\x55", False), (b"\xff" * 32, False), (b"\x7f" * 32, True),
    ):  # fmt: skip
        try:
            check_oscillator(raw)
        except Fault:
            assert not good
        else:
            assert good


def a_stuck_generator_is_a_fault() -> None:
    same = bytes(range(64))
    for pools in ([b"\x07" * 64], [bytes(64)], [same, same]):
        fault = _drawn_out(pools)
        assert fault is not None
        assert fault.dice == (1, 2, 3)
        assert fault.sign == SIDES | CENTRE


def _drawn_out(pools: "list[bytes]") -> "Fault | None":
    try:
        draw = FaceDraw(lambda count: pools.pop(0), FakeBoard().raw)
        for _ in range(100):
            draw.face()
    except Fault as fault:
        return fault
    return None


def _faulty(board: FakeBoard) -> "tuple[list[list[str]], list[tuple[int, ...]]]":
    """The box's lines and blinks until `main.run` gives up."""
    said: list[list[str]] = []
    blinked: list[tuple[int, ...]] = []
    texts: list[bytes] = []

    def note() -> None:
        heard = board.usb.heard()
        if heard.startswith(b"# fault: "):
            texts.append(heard)
        fields = [] if heard.startswith(b"#") else unpacked(heard)
        board.uart.heard()
        if fields:
            said.append(fields)
        lit = tuple(board.leds[1:])
        if blinked[-1:] != [lit]:
            blinked.append(lit)

    board.each_wait = note
    try:
        run(board)
    except (ValueError, Fault):
        assert len(texts) >= 9, "the reason can be read as long as the box blinks"
        assert texts[0] == b"# fault: " + board.noted.encode() + b"\n"
        return said, blinked
    raise AssertionError("the fault was swallowed")


def a_fault_in_the_program_shows_on_the_leds_and_on_the_link() -> None:
    board = FakeBoard()

    def roll_pressed() -> bool:
        if board.strobes[1]:
            raise ValueError("broken")
        return 250 < board.fed < 300

    board.roll_pressed = roll_pressed  # type: ignore[method-assign]
    said, blinked = _faulty(board)
    boots = [fields[2] for fields in said if fields[0] == "H"]
    assert len(set(boots)) == 2, "a fault is a new boot, so that it voids the throw"
    assert [fields for fields in said if fields[0] == "X"][:3] == [
        ["X", boots[1], str(die), str(die), "fault", "0"] for die in (1, 2, 3)
    ]
    assert sorted(blinked[-2:]) == [(0, 0, 0), (SIDES, SIDES, SIDES)]
    assert not board.tumbling
    assert not board.faces
    assert board.strobes == [0, 0, 0, 0]
    assert board.guarded
    assert board.fed > 2000


def a_stuck_line_is_a_fault_of_its_die() -> None:
    board = FakeBoard()
    board.fault = Fault("GP5 is stuck", dice=(2,))
    said, blinked = _faulty(board)
    assert {fields[3] for fields in said if fields[0] == "X"} == {"2"}
    assert (0, SIDES, 0) in blinked
    assert (0, 0, 0) in blinked
    assert len(set(blinked)) == 2


def the_button_held_at_start_leaves_the_port_alone() -> None:
    board = FakeBoard()
    board.roll = True
    run(board)
    assert board.leds[1:] == [SIDES] * 3
    assert not board.guarded
    assert board.usb.heard() == b""


SCENARIOS: "tuple[Callable[[], None], ...]" = (
    begins_with_hello_pulse_and_a_self_test_of_every_led,
    a_press_throws_three_dice_that_show_what_they_tell,
    times_are_since_boot_and_in_order,
    dice_tumble_as_long_as_the_button_is_held_but_not_for_ever,
    a_tumbling_die_changes_its_face_often_and_then_slower,
    a_spike_is_no_press_and_a_bouncing_press_is_one,
    a_press_during_a_throw_and_just_after_it_does_nothing,
    a_button_that_is_stuck_from_the_start_throws_nothing,
    the_brightness_button_steps_through_the_levels_and_round,
    every_chance_is_used_alike,
    the_moment_of_the_press_decides_with_the_generator,
    an_oscillator_that_is_dead_or_stops_is_a_fault,
    the_oscillator_is_judged_by_its_changes,
    a_stuck_generator_is_a_fault,
    a_fault_in_the_program_shows_on_the_leds_and_on_the_link,
    a_stuck_line_is_a_fault_of_its_die,
    the_button_held_at_start_leaves_the_port_alone,
)
SCENARIOS += LINK  # MicroPython has no star within a tuple

if __name__ == "__main__":
    for scenario in SCENARIOS:
        scenario()
        print(scenario.__name__)
