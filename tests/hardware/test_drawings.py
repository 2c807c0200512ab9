import csv
import io
import math
import re
import subprocess
import sys
import tomllib
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from gpiozero.pins.mock import MockFactory  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[2]
HARDWARE = ROOT / "hardware"
PICTURES = HARDWARE / "pictures"
SVG = "{http://www.w3.org/2000/svg}"
COLOURS = {
    "black": "BK", "brown": "BN", "red": "RD", "orange": "OG", "yellow": "YE",
    "green": "GN", "blue": "BU", "violet": "VT", "grey": "GY", "white": "WH", "pink": "PK",
}  # fmt: skip
SUPPLY = {"ground": ("GND", "BK"), "3.3 V": ("3V3", "OG"), "5 V": ("5V", "RD")}
PLANS = {
    "dice": ["dice"],
    "panel": ["panel"],
    "lights": ["lights", "display"],
    "head": ["bell", "horn", "bell_button"],
    "led7": ["led7"],
}
DRAWN = sorted(path.stem for path in PICTURES.glob("*.svg"))
Core = tuple[int, str, str, Any]
WAIT = 1200.0
"""Seconds that only a broken program takes, on however busy a machine."""


def words(svg: Path) -> list[str]:
    """The words in the picture, in the order in which they were drawn."""
    return [
        group.attrib["aria-label"] for group in ET.parse(svg).iter(f"{SVG}g") if "aria-label" in group.attrib
    ]


def pins(*groups: str) -> dict[str, dict[str, Any]]:
    """The lines of these groups, read without the code that draws."""
    file = tomllib.loads((HARDWARE / "pins.toml").read_text("utf-8"))
    found: dict[str, dict[str, Any]] = {}

    def collect(name: str, table: dict[str, Any]) -> None:
        if "gpio" in table:
            found[name] = table
        for key, value in table.items():
            if isinstance(value, dict):
                collect(f"{name}.{key}", value)

    for group in groups:
        collect(group, file[group])
    return found


def plan(name: str) -> dict[str, Any]:
    return dict(yaml.safe_load((HARDWARE / "cables" / f"{name}.yml").read_text("utf-8")))


def cores(name: str) -> list[Core]:
    """Each wire that leaves the Pi: header pin, label there, colour code, the far end's terminal."""
    read, found = plan(name), list[Core]()
    pi = dict(zip(read["connectors"]["Pi"]["pins"], read["connectors"]["Pi"]["pinlabels"], strict=True))
    for start, through, end in read["connections"]:
        if "Pi" not in start:
            continue
        ((cable, wires),) = through.items()
        ((_, terminals),) = end.items()
        colours = read["cables"][cable]["colors"]
        for pin, wire, terminal in zip(start["Pi"], wires, terminals, strict=True):
            found.append((pin, pi[pin], colours[wire - 1], terminal))
    return found


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("drawn")
    subprocess.run([sys.executable, HARDWARE / "draw.py", "--to", to], check=True, timeout=WAIT)
    return to


@pytest.mark.system("dot", "openscad")
def test_everything_is_drawn_and_nothing_else_is_kept(drawn: Path) -> None:
    for folder in ("cables", "pictures", "boards", "stripboard"):
        kept = {path.name for path in (HARDWARE / folder).iterdir()}
        assert kept == {path.name for path in (drawn / folder).iterdir()}


@pytest.mark.system("dot", "openscad")
def test_sources_and_the_parts_page_are_up_to_date(drawn: Path) -> None:
    pages = (drawn / "bom.md", drawn / "panel-holes.scad", drawn / "pictures" / "panel-template.pdf")
    for path in [*(drawn / "cables").iterdir(), *pages]:
        assert path.read_bytes() == (HARDWARE / path.relative_to(drawn)).read_bytes(), path.name


@pytest.mark.system("dot", "openscad")
@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_drawn_again_is_the_same(drawn: Path, name: str) -> None:
    """To the byte with the same versions; in other versions a line may run differently, but says the same."""
    new, kept = drawn / "pictures" / f"{name}.svg", PICTURES / f"{name}.svg"
    assert words(new) == words(kept)
    tools = [folder / "drawn-with.txt" for folder in (new.parent, PICTURES)]
    if tools[0].read_text() == tools[1].read_text():
        assert new.read_bytes() == kept.read_bytes()
        assert new.with_suffix(".png").read_bytes() == kept.with_suffix(".png").read_bytes()


def test_without_a_program_it_says_what_to_install(tmp_path: Path) -> None:
    command = [sys.executable, str(HARDWARE / "draw.py"), "--to", str(tmp_path / "drawn")]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, timeout=WAIT)
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
    assert "apt install graphviz openscad" in done.stderr


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_wires_each_line_as_the_pins_say(name: str) -> None:
    lines = {row["pin"]: (key, row) for key, row in pins(*PLANS[name]).items()}
    signals = [core for core in cores(name) if core[0] in lines]
    assert sorted(core[0] for core in signals) == sorted(lines)
    for pin, label, colour, _ in signals:
        key, row = lines[pin]
        group, _, short = key.partition(".")
        guard = " 1 kΩ" if group == "dice" else ""
        assert label == f"GPIO{row['gpio']} {(short or group).replace('_', ' ')}{guard}"
        assert colour == COLOURS[row["wire"]]


@pytest.mark.parametrize("name", PLANS)
def test_every_other_wire_of_a_plan_is_a_supply_that_is_there(name: str) -> None:
    board = MockFactory("c03114").board_info.headers["J8"].pins
    lines = {row["pin"] for row in pins(*PLANS[name]).values()}
    supplies = [core for core in cores(name) if core[0] not in lines]
    assert supplies
    for pin, label, colour, _ in supplies:
        name_at_header, expected_colour = SUPPLY[label]
        assert board[pin].name == name_at_header
        assert colour == expected_colour


@pytest.mark.parametrize("name", PLANS)
def test_in_a_cable_each_colour_and_each_terminal_is_there_once(name: str) -> None:
    read = plan(name)
    for start, through, end in read["connections"]:
        ((cable, wires),) = through.items()
        colours = read["cables"][cable]["colors"]
        assert len(set(colours)) == len(colours) == read["cables"][cable]["wirecount"]
        assert wires == list(range(1, len(colours) + 1))
        for side in (start, end):
            ((connector, terminals),) = side.items()
            assert len(set(terminals)) == len(terminals)
            assert set(terminals) <= set(read["connectors"][connector]["pins"])


def test_no_signal_has_a_colour_of_a_supply_or_one_that_no_bought_cable_has() -> None:
    din_47100 = {"white", "brown", "green", "yellow", "grey", "pink", "blue", "violet"}
    for group in ("dice", "led7", "panel", "lights", "display", "bell", "horn", "bell_button"):
        for name, row in pins(group).items():
            assert row["wire"] in din_47100, name


def test_each_dice_line_has_its_guard_at_the_pi() -> None:
    assert Counter(words(PICTURES / "dice-box.svg"))["1 kΩ"] == len(pins("dice"))
    said = (HARDWARE / "dice-box.md").read_text("utf-8")
    assert "1 kΩ" in said


def test_a_ground_goes_with_every_cable_of_signals() -> None:
    for name in PLANS:
        read = plan(name)
        for cable in read["cables"].values():
            assert "BK" in cable["colors"] or cable["wirecount"] == 1


def test_behind_the_input_board_each_wire_keeps_its_colour() -> None:
    for name, cable in (("panel", "Panel cable"), ("head", "Bell button cable")):
        inner = {core[3]: core[2] for core in cores(name)}
        read = plan(name)
        ((terminals, outer),) = [
            (end[0]["Inputs"], read["cables"][cable]["colors"])
            for end in read["connections"]
            if "Inputs" in end[0]
        ]
        for terminal, colour in zip(terminals, outer, strict=True):
            assert colour == inner.get(terminal, "BK")


def test_the_panel_has_the_buttons_in_the_order_of_the_inputs() -> None:
    labels = plan("panel")["connectors"]["Panel"]["pinlabels"]
    assert labels == [*(name.partition(".")[2].upper() for name in pins("panel")), "ground"]


def test_the_dice_box_is_wired_as_its_readme_says() -> None:
    guide = (ROOT / "firmware" / "README.md").read_text("utf-8")
    read = plan("dice")["connectors"]["Box"]
    gps = [label.split(",")[0] for label in read["pinlabels"]]
    assert gps[:7] == ["GP16", "GP17", "GP18", "GP19", "GP20", "GP21", "GP22"]
    for row in (
        f"| {' '.join(gps[:3])} | face lines b0, b1, b2 to the Pi |",
        f"| {' '.join(gps[3:6])} | strobes of die 1, 2, 3 to the Pi |",
        f"| {gps[6]} | `rolling` to the Pi |",
    ):
        assert row in guide
    assert [core[3] for core in cores("dice")] == [
        *(name.partition(".")[2] for name in pins("dice")),
        "G",
        "5 V",
    ]
    assert [core[1].split()[1] for core in cores("dice")[:7]] == [
        "b0", "b1", "b2", "strobe1", "strobe2", "strobe3", "rolling",
    ]  # fmt: skip
    assert "Put 330 Ω into each wire" in guide
    assert all(label.endswith("330 Ω") for label in read["pinlabels"][:7])


def test_the_dice_boxs_circuits_are_those_of_its_readme() -> None:
    guide = (ROOT / "firmware" / "README.md").read_text("utf-8")
    die, box = words(PICTURES / "die.svg"), words(PICTURES / "dice-box.svg")
    for number in (1, 2, 3):
        (gps,) = re.findall(rf"\| (GP\d+) GP\d+ GP\d+ (GP\d+) \| die {number}:", guide)
        assert f"die {number}: {gps[0]} to {gps[1]}" in " ".join(die)
    for button, said in (("ROLL", "roll button"), ("brightness", "brightness button")):
        (gp,) = re.findall(rf"\| (GP\d+) \| {said}", guide)
        assert gp in box
        assert button in box
    assert "Each LED has its own resistor of 1 kΩ" in guide
    assert die.count("1 kΩ") == 7


@pytest.mark.parametrize(
    ("picture", "groups", "form"),
    [
        ("dice-box", ["dice"], "{short}, {wire}: GPIO{gpio}, pin {pin}"),
        ("lights", ["lights"], "{short}, {wire}: GPIO{gpio}, pin {pin}"),
        ("input", ["panel", "bell_button"], "{short}: GPIO{gpio}, pin {pin}"),
        ("relays", ["bell", "horn"], "{short}, {wire}: GPIO{gpio}, pin {pin}"),
        ("header", ["dice", "panel", "lights", "display"], "{group} {short}, {wire} (GPIO{gpio})"),
        ("header", ["bell", "horn", "bell_button"], "{short}, {wire} (GPIO{gpio})"),
    ],
)
def test_a_circuit_names_each_line_as_the_pins_say(picture: str, groups: list[str], form: str) -> None:
    said = words(PICTURES / f"{picture}.svg")
    for name, row in pins(*groups).items():
        group, _, short = name.partition(".")
        label = form.format(group=group, short=(short or group).replace("_", " "), **row)
        assert sum(one.endswith(label) for one in said) == 1, label


def test_the_header_has_each_line_at_its_pin() -> None:
    said = words(PICTURES / "header.svg")
    used = pins("dice", "panel", "lights", "display", "bell", "horn", "bell_button")
    assert len({row["pin"] for row in used.values()}) == len(used)
    for row in used.values():
        assert said[said.index(str(row["pin"])) + 1].endswith(f", {row['wire']} (GPIO{row['gpio']})")
    board = MockFactory("c03114").board_info.headers["J8"].pins
    for label, (name, _) in SUPPLY.items():
        for pin in (pin for pin, info in board.items() if info.name == name):
            assert said[said.index(str(pin)) + 1].split(":")[0] == label


def test_the_lights_are_those_of_the_pins_in_their_order() -> None:
    leds = tomllib.loads((HARDWARE / "pins.toml").read_text("utf-8"))["leds"]
    said = words(PICTURES / "lights.svg")
    assert [word for word in said if word in leds] == leds
    assert said.count("330 Ω") == len(leds)


def test_the_panel_has_a_hole_for_each_button_and_light_and_none_meets_another() -> None:
    file = tomllib.loads((HARDWARE / "pins.toml").read_text("utf-8"))
    said = words(PICTURES / "panel-template.svg")
    for name in [*file["leds"], *(name.upper() for name in file["panel"])]:
        assert said.count(name) == 1
    scad = (HARDWARE / "panel-holes.scad").read_text("utf-8")
    (listed,) = re.findall(r"^holes = \[(.*?)^\];", scad, re.DOTALL | re.MULTILINE)
    rows_ = re.findall(r"\[([\d.]+), ([\d.]+), ([\d.]+)\]", listed)
    holes = [(float(x), float(y), float(diameter) / 2) for x, y, diameter in rows_]
    assert len(holes) == 4 + len(file["leds"]) + len(file["panel"])
    for place, (x, y, r) in enumerate(holes):
        assert r + 2 < x < 176 - r - 2
        assert r + 2 < y < 150 - r - 2
        assert all(math.hypot(x - u, y - v) > r + s + 3 for u, v, s in holes[:place])


def rows() -> list[dict[str, str]]:
    with (HARDWARE / "bom.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


VARIANTS = ("keypad", "panel", "usb dice", "gpio dice", "led7 dice", "bell", "horn")


FILLED = {"hat": "table-hat", "dice board": "dice-board", "bell board": "bell-board"}
"""Variants with a board that a factory fills."""


def bought() -> dict[str, dict[str, int]]:
    """The number of each part that each variant takes."""
    return {row["part"]: {variant: int(row[variant]) for variant in VARIANTS} for row in rows()}


def taken(**counts: int) -> dict[str, int]:
    return dict.fromkeys(VARIANTS, 0) | {name.replace("_", " "): count for name, count in counts.items()}


def test_every_part_is_of_some_variant_and_has_a_number_and_a_price_and_says_whether_it_was_checked() -> None:
    read = {"Omron G5V-2 DC5", "Finder 80.01.0.240.0000", "Traco Power TEL 5-1212"}
    for row in rows():
        assert None not in [*row, *row.values()], row["part"]
        assert any(int(row[variant]) for variant in (*VARIANTS, *FILLED)), row["part"]
        assert row["checked"] == ("data sheet" if row["order number"] in read else "no"), row["part"]
        assert row["order number"], row["part"]
        assert float(row["price"]) > 0, row["part"]
    assert len(bought()) == len(rows())


def test_there_are_parts_for_all_that_is_drawn() -> None:
    said = {name: Counter(words(PICTURES / f"{name}.svg")) for name in DRAWN}
    inputs, lights, box, die, relays = (
        len(pins("panel")),
        said["lights"],
        said["dice-box"],
        said["die"],
        said["relays"],
    )
    each = relays["1 kΩ"] // 2
    leds = 3 * die["1 kΩ"]
    classic = len(pins("led7"))
    expected = {
        "resistor 330 Ω 0.25 W": taken(panel=lights["330 Ω"], gpio_dice=box["330 Ω"]),
        "resistor 1 kΩ 0.25 W": taken(
            panel=inputs, usb_dice=leds, gpio_dice=leds + box["1 kΩ"], bell=each + 1, horn=each
        ),
        "LED red or yellow 5 mm": taken(panel=lights["330 Ω"], usb_dice=leds, gpio_dice=leds),
        "resistor 470 Ω 0.25 W": taken(panel=inputs, bell=1),
        "resistor 4.7 kΩ 0.25 W": taken(panel=inputs, bell=1),
        "diode BAT85": taken(panel=2 * inputs, bell=2),
        "capacitor 100 nF": taken(panel=inputs + 2, bell=1),
        "resistor 100 Ω 0.25 W": taken(panel=lights["100 Ω"], led7_dice=2),  # R1, R2 of HELP
        "resistor 10 kΩ 0.25 W": taken(led7_dice=classic, bell=1, horn=relays["10 kΩ"] - 1),
        "resistor 18 kΩ 0.25 W": taken(led7_dice=classic),
        "transistor BC337-40": taken(bell=1, horn=relays["BC337-40"] - 1),
        "diode 1N4007": taken(bell=2, horn=relays["1N4007"]),
        "diode 1N5817": taken(gpio_dice=box["1N5817"]),
        "push button that closes": taken(panel=inputs),
        "74HC595 (DIP-16)": taken(panel=2),
        "socket DIP-16": taken(panel=2, bell=1, horn=1),
        "socket strip 20 pins 2.54 mm": taken(usb_dice=2, gpio_dice=2),
    }
    assert {part: bought()[part] for part in expected} == expected


@pytest.mark.parametrize("variant", FILLED)
def test_there_are_parts_for_all_that_a_factory_places_and_plugs_for_its_headers(variant: str) -> None:
    name = FILLED[variant]
    with zipfile.ZipFile(HARDWARE / "boards" / f"{name}.zip") as archive:
        listed = csv.DictReader(io.StringIO(archive.read(f"{name}-parts.csv").decode()))
        board = Counter[str]()
        for row in listed:
            if row["kind"] != "pads 2":  # bare pads, to be bridged
                board[f"{row['value']}, {row['kind']}"] += len(row["part"].split())
    bill = {row["placed as"]: int(row[variant]) for row in rows() if row["placed as"]}
    assert Counter({part: count for part, count in bill.items() if count}) == board
    for row in rows():
        if row["part"].startswith("plug with screws"):
            (poles,) = re.findall(r", (\d) poles", row["part"])
            assert int(row[variant]) == board[f"{poles} poles, pluggable {poles}"]


def test_the_guide_begins_with_what_the_ways_cost() -> None:
    sums = {v: sum(float(row["price"]) * int(row[v]) for row in rows()) for v in (*VARIANTS, *FILLED)}
    (told,) = re.findall(r"^\| costs .*$", (HARDWARE / "README.md").read_text("utf-8"), re.MULTILINE)
    for variant, words_ in {
        "keypad": "{} € a table with a Pi and a pad", "panel": "{} € a table", "usb dice": "{} € its box",
        "bell": "{} € the bell", "hat": "{} € a table with the HAT",
        "dice board": "{} € its box with the dice board",
        "bell board": "{} € the bell with its board",
    }.items():  # fmt: skip
        assert words_.format(10 * round(sums[variant] / 10)) in told, variant


def blocks(*poles: int) -> int:
    """The number of two-pole blocks for the poles on each side of a board."""
    return sum(-(-count // 2) for count in poles)


def test_there_are_terminals_for_every_wire_that_comes_to_a_board() -> None:
    panel, head = plan("panel"), plan("head")
    inner = len(panel["connectors"]["Inputs"]["pins"])
    outer = panel["cables"]["Panel cable"]["wirecount"]
    lights = len(plan("lights")["connectors"]["Lights"]["pins"])
    dice = len(plan("dice")["connectors"]["Box"]["pins"])
    divider = len(plan("led7")["connectors"]["Die 1"]["pins"])
    relays, button = (
        len(head["connectors"]["Relays"]["pins"]),
        head["cables"]["Bell button cable"]["wirecount"],
    )
    grown = blocks(inner + 1, outer + button) - blocks(inner, outer)
    assert inner + outer + lights + dice == 33
    assert bought()["screw terminal 2 poles 5.08 mm"] == taken(
        panel=blocks(inner, outer, lights),
        gpio_dice=blocks(dice),
        led7_dice=3 * blocks(divider),
        bell=blocks(relays, 2) + grown,
        horn=blocks(2),
    )


def test_every_picture_is_shown_and_every_link_leads_somewhere() -> None:
    shown = set[str]()
    for page in HARDWARE.glob("*.md"):
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (HARDWARE / target).is_file(), f"{page.name}: {target}"
            shown.add(target)
    assert {f"pictures/{name}.svg" for name in DRAWN} <= shown


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_light_and_needs_no_font(name: str) -> None:
    svg, png = PICTURES / f"{name}.svg", PICTURES / f"{name}.png"
    assert max(svg.stat().st_size, png.stat().st_size) < 320_000
    picture = ET.parse(svg).getroot()
    assert not list(picture.iter(f"{SVG}text"))
    ground = picture[0]
    assert (ground.tag, ground.get("fill")) == (f"{SVG}rect", "white"), "black lines on a dark page"
    assert " ".join(ground.get(side, "") for side in ("x", "y", "width", "height")) == picture.get("viewBox")
    assert words(svg)
