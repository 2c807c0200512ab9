"""Scenarios of the box's link to its hosts, for both interpreters (see scenarios.py)."""

from line import LineReader

from firmware.fakes import Play, line, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def what_is_not_acknowledged_is_sent_again_oldest_first() -> None:
    play = Play()
    play.ready()
    play.throw()
    play.said.clear()
    play.run(200)
    assert [fields[2] for fields in play.said if fields[0] != "P"] == ["1", "2", "3", "4", "5", "6"]
    play.board.usb.say("A," + play.said[0][1] + ",4")
    play.step()
    play.said.clear()
    play.run(400)
    assert [fields[2] for fields in play.said if fields[0] != "P"] == ["5", "6", "5", "6"]


def acknowledged_is_forgotten_and_the_uart_counts_as_well() -> None:
    play = Play()
    play.ready()
    play.throw()
    play.board.uart.say("A," + play.boot() + ",6,and fields to come")
    play.step()
    play.said.clear()
    play.run(3000)
    assert play.kinds() == "PPP"
    play.throw()
    assert min([int(fields[2]) for fields in play.said if fields[0] == "B"]) == 7


def more_than_32_messages_push_out_the_oldest_and_say_so() -> None:
    play = Play()
    play.ready()
    for _ in range(6):
        play.throw()
    play.said.clear()
    play.run(400)
    numbers = sorted({int(fields[2]) for fields in play.said if fields[0] in "BR"})
    assert numbers == list(range(5, 37))
    play.throw()
    assert [fields[5] for fields in play.said if fields[0] == "H"] == ["8", "9", "10", "11"]


def a_question_is_answered_with_hello_pulse_and_faces() -> None:
    play = Play()
    play.ready()
    boot = play.boot()
    play.board.usb.say("?")
    play.said.clear()
    play.run(100)
    assert play.said[0] == ["H", "1", boot, "test", "3", "1"]
    assert play.said[1][:2] + play.said[1][3:] == ["P", boot, "0", ""]
    assert 0 <= play.passed_ms - int(play.said[1][2]) <= 100
    assert play.said[2:] == [["F", boot, "1", "0"], ["F", boot, "2", "0"], ["F", boot, "3", "0"]]
    play.throw()
    play.ack(6)
    play.step()
    play.said.clear()
    play.board.usb.say("?,with fields to come")
    play.run(50)
    assert [int(fields[3]) for fields in play.said if fields[0] == "F"] == [
        shown(groups) for groups in play.board.leds[1:]
    ]


def a_pulse_comes_as_each_second_begins() -> None:
    play = Play(start=(1 << 30) - 2500)
    seconds = []
    for i in range(1200):
        play.step()
        for fields in play.said:
            if fields[0] == "P":
                seconds.append((i * play.step_ms, fields[2]))
        play.said.clear()
    assert [int(ms) // 1000 for _, ms in seconds] == [0, 1, 2, 3, 4, 5]
    assert all(at - int(ms) in (0, 5) and int(ms) % 1000 <= 5 for at, ms in seconds)


def a_counter_that_wraps_in_a_throw_changes_nothing() -> None:
    plain, wrapping = Play(start=0), Play(start=(1 << 30) - 2000)
    for play in (plain, wrapping):
        play.ready()
        play.throw()
        play.throw()
    assert wrapping.board.now < 10_000
    assert wrapping.said == plain.said
    assert wrapping.reported == plain.reported


def a_box_that_ran_for_a_month_tells_the_right_times() -> None:
    play = Play(step_ms=600_000)
    for _ in range(30 * 24 * 6):
        play.step()
        play.said.clear()
    play.step_ms = 5
    play.said.clear()
    play.throw()
    began = next(fields for fields in play.said if fields[0] == "B")
    assert began[-1] == str(30 * 24 * 3600 * 1000 + 5)


def noise_harm_and_strangers_change_nothing() -> None:
    play = Play()
    play.ready()
    play.throw()
    boot = play.boot()
    whole = line("A," + boot + ",6")
    play.board.usb.say_bytes(
        bytes(range(256)) + b"$$*\n$*00000000\n" + b"x" * 300 + b"$" + b"y" * 300 + b"\n"
    )
    play.board.usb.say_bytes(
        whole[:-3] + b"0\n" + whole.replace(b",6", b",9") + whole[1:] + whole[:-1] + b"$"
    )
    for payload in (
        "A,deadbeef,6",
        "A",
        "A," + boot,
        "A," + boot + ",",
        "A," + boot + ",6x",
        "A," + boot + ",-1",
    ):
        play.board.usb.say(payload)
    for payload in (
        "A," + boot + "0,6",
        "A," + boot[:7] + ",6",
        "AA," + boot + ",6",
        "A," + boot + ",6000000000",
    ):
        play.board.usb.say(payload)
    play.run(200)
    play.said.clear()
    play.run(400)
    assert {fields[2] for fields in play.said if fields[0] in "BR"} == {"1", "2", "3", "4", "5", "6"}
    play.board.usb.say_bytes(whole[:-1] + b"\r\n")
    play.step()
    play.said.clear()
    play.run(400)
    assert "B" not in play.kinds()


def an_acknowledgement_of_the_future_forgets_only_what_was() -> None:
    play = Play()
    play.ready()
    play.ack(999)
    play.throw()
    assert [int(fields[2]) for fields in play.said if fields[0] == "B"][:3] == [1, 2, 3]


def a_whole_line_is_found_after_half_a_one() -> None:
    reader = LineReader()
    assert [reader.feed(byte) for byte in b"$A,half" + line("?")][-1]
    assert reader.kind() == 63


SCENARIOS: "tuple[Callable[[], None], ...]" = (
    what_is_not_acknowledged_is_sent_again_oldest_first,
    acknowledged_is_forgotten_and_the_uart_counts_as_well,
    more_than_32_messages_push_out_the_oldest_and_say_so,
    a_question_is_answered_with_hello_pulse_and_faces,
    a_pulse_comes_as_each_second_begins,
    a_counter_that_wraps_in_a_throw_changes_nothing,
    a_box_that_ran_for_a_month_tells_the_right_times,
    noise_harm_and_strangers_change_nothing,
    an_acknowledgement_of_the_future_forgets_only_what_was,
    a_whole_line_is_found_after_half_a_one,
)
