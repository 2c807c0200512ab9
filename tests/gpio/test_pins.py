import tomllib
from pathlib import Path

import pytest
from gpiozero.pins.mock import MockFactory  # type: ignore[import-untyped]
from hypothesis import given
from hypothesis import strategies as st

from pi_bunco import config
from pi_bunco.config import ConfigError
from pi_bunco.devices import pins
from pi_bunco.devices.pins import PinsError, plan, shipped
from pi_bunco.devices.protocols import BUTTONS
from pi_bunco.devices.throws.bus import BUS

HEAD = {"dice", "panel", "lights", "display", "bell", "horn", "bell_button"}
SOURCE = Path(__file__).parents[2] / "hardware" / "pins.toml"


def problems(changes: dict[str, object], used: set[str] = HEAD) -> tuple[str, ...]:
    with pytest.raises(PinsError) as caught:
        plan(changes, used)
    return caught.value.problems


def test_everything_fits_on_the_header_of_a_head_table() -> None:
    lines = plan({}, HEAD)
    used = [line for name, line in lines.items() if name.partition(".")[0] in HEAD]
    assert len(used) == len({line.gpio for line in used}) == 23
    assert {f"dice.{name}" for name in BUS} | {f"panel.{name}" for name in BUTTONS} <= set(lines)
    assert (lines["bell"].gpio, lines["horn"].gpio) == (17, 27)
    assert all(line.wire for line in lines.values())


def test_the_shipped_file_is_the_one_in_hardware() -> None:
    assert pins.PINS_FILE.read_bytes() == SOURCE.read_bytes()
    assert pins.PINS_FILE.resolve() == SOURCE.resolve()
    for line in shipped().values():
        table = tomllib.loads(SOURCE.read_text())
        for part in line.name.split("."):
            table = table[part]
        assert table["gpio"] == line.gpio
        assert ("pull" in table) == (line.direction == "in")


def test_the_header_is_the_one_that_gpiozero_knows() -> None:
    board = MockFactory("c03114").board_info
    for gpio, pin in pins.HEADER.items():
        ((_, info),) = board.find_pin(f"GPIO{gpio}")
        assert info.number == pin
        assert (info.pull == "up") == (gpio in pins.FIXED_UP)


def test_a_line_that_is_used_twice_is_told_with_both_users() -> None:
    assert problems({"panel": {"one": {"gpio": 17}}}) == (
        "GPIO17 (header pin 11) is used twice: [panel.one] and [bell]",
    )
    assert problems({"panel": {"one": {"gpio": 17}}, "horn": {"pin": 11}}) == (
        "GPIO17 (header pin 11) is used 3 times: [panel.one], [bell] and [horn]",
    )
    assert plan({"panel": {"one": {"gpio": 17}}}, {"panel"})["panel.one"].pin == 11


def test_classic_dice_need_the_lines_of_bell_and_display() -> None:
    assert plan({"panel": {"help": {"gpio": 3}}}, {"led7", "panel", "lights"})
    told = problems({"panel": {"help": {"gpio": 3}}}, {"led7", *HEAD - {"dice"}})
    assert "GPIO17 (header pin 11) is used twice: [led7.die3.centre] and [bell]" in told
    assert "GPIO3 (header pin 5) is used twice: [panel.help] and [display.scl]" in told


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"bell": {"active": "low"}}, "[bell] GPIO17 (header pin 11) is for an active-low relay"),
        ({"horn": {"gpio": 4}}, "[horn] GPIO4 (header pin 7) is pulled up while the Pi boots"),
        ({"bell": {"gpio": 14}}, "[bell] GPIO14 (header pin 8) belongs to the serial port (UART)"),
        ({"dice": {"b0": {"gpio": 0}}}, "[dice.b0] GPIO0 (header pin 27) belongs to the HAT EEPROM"),
        ({"dice": {"b0": {"gpio": 2}}}, "[dice.b0] GPIO2 (header pin 3) is pulled up on the board"),
        ({"panel": {"ok": {"pull": "down"}}}, "[panel.ok] GPIO18 (header pin 12) is pulled down and "),
        ({"panel": {"ok": {"pull": "none"}}}, "[panel.ok] GPIO18 (header pin 12) would float"),
        ({"bell": {"gpio": 22, "pin": 11}}, "[bell] GPIO22 (header pin 11): GPIO22 is at header pin 15"),
        ({"bell": {"gpio": 28}}, "[bell] gpio = 28 is not allowed; it must be a whole number from 0 to 27"),
        ({"bell": {"gpio": True}}, "[bell] gpio = true is not allowed"),
        ({"bell": {"direction": "in"}}, '[bell] direction = "in" is not allowed; it must be "out"'),
        ({"bell": {"pin": 2}}, "[bell] pin = 2 is not allowed; it must be 3, 5, 7, 8, 10, 11"),
        ({"bell": {"gpoi": 5}}, "[bell] gpoi is not a property of a line; did you mean gpio?"),
        ({"bell": {"wire": 5}}, "[bell] wire = 5 is not allowed; it must be the name of a colour"),
        ({"panle": {"one": {"gpio": 9}}}, "[panle.one] is no line; did you mean panel.one?"),
        ({"bell": 22}, "bell is no line; write [pins.bell]"),
        ({"display": {"sda": {"gpio": 9}}}, "[display.sda] GPIO9 (header pin 21) is not on the I2C bus"),
    ],
)  # fmt: skip
def test_impossible_pins_are_refused_with_the_reason(changes: dict[str, object], told: str) -> None:
    found = problems(changes, set())
    assert found[0].startswith(told)
    assert ("what is wired cannot change that" in found[0]) == ("direction" in told)


def test_all_that_is_wrong_is_told_at_once_in_the_config(tmp_path: Path) -> None:
    file = tmp_path / "pi-bunco.toml"
    file.write_text(
        'dice = "gpio"\npanel = "gpio"\nbell = "gpio"\nhal = 1\n'
        "[pins.panel.one]\ngpio = 17\n[pins.panel.two]\ngpio = 27\n[pins.horn]\nactive = 'low'\n"
    )
    with pytest.raises(ConfigError) as caught:
        config.load({}, file)
    assert [problem.split(":")[-1].strip() for problem in caught.value.problems[-2:]] == [
        "[panel.one] and [bell]",
        "[panel.two] and [horn]",
    ]
    assert len(caught.value.problems) == 4
    file.write_text('bell = "gpio"\n[pins.bell]\ngpio = 22\n')
    assert plan(config.load({}, file).pins, {"bell"})["bell"].pin == 15


FIELDS = st.dictionaries(
    st.sampled_from(["gpio", "pin", "pull", "active", "direction", "wire", "x"]),
    st.integers(-1, 41)
    | st.sampled_from(["up", "down", "none", "high", "low", "in", "out", "red"])
    | st.booleans(),
    max_size=3,
)


@given(st.dictionaries(st.sampled_from(["bell", "horn", "bell_button"]), FIELDS))
def test_a_plan_that_is_taken_is_safe(changes: dict[str, dict[str, object]]) -> None:
    try:
        lines = plan(changes, HEAD)
    except PinsError:
        return
    used = [line for name, line in lines.items() if name.partition(".")[0] in HEAD]
    assert len({line.gpio for line in used}) == len(used)
    for relay in (lines["bell"], lines["horn"]):
        assert relay.gpio in {*range(9, 14), *range(16, 28)}
        assert (relay.active, relay.pin) == ("high", pins.HEADER[relay.gpio])
