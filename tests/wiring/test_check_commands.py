import json
import signal
import sys
from pathlib import Path

import pytest

from cli.processes import WAIT, Service, head, run
from pi_bunco.cli.serve import head_folder
from pi_bunco.config import Config
from pi_bunco.devices.bell.sound import wav
from pi_bunco.devices.pins import leds, shipped
from pi_bunco.devices.protocols import BUTTONS, Blast
from pi_bunco.wire.broker import Broker

GPIO = ("--panel", "gpio", "--dice", "gpio", "--lights", "gpio", "--bell", "gpio")
PRESSES = [f"{'hold' if name == 'undo' else 'press'} {name}" for name in BUTTONS]
FINE = [*PRESSES, "roll 1 4 6", *["y"] * 3, *["y"] * len(leds()), "press bell", *["y"] * 4]


def typed(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def test_a_check_of_virtual_devices_is_typed(tmp_path: Path) -> None:
    rings = tmp_path / "rings"
    checked = run("check", "--stdin", "--bell", f"virtual:{rings}", given=typed(*FINE))
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.decode().splitlines()[-1] == f"{8 + 3 + len(leds()) + 3} fine."
    assert [json.loads(line)["pattern"] for line in rings.read_text().splitlines()] == [
        [["bell", 200, 0]],
        [["horn", 200, 0]],
    ]


def test_a_check_over_mock_pins_hears_every_line(tmp_path: Path) -> None:
    options = ("check", *GPIO, "--gpio", "mock", "--stdin", "--json", "--data", tmp_path)
    first = FINE.index("roll 1 4 6") + 4
    faces = ["roll 1 4 6", "y", "y", "roll 3 2 5", "y"]
    checked = run(*options, given=typed(*FINE[:first], *faces, *FINE[first:]))
    told = json.loads(checked.stdout)
    assert (checked.returncode, told["ok"]) == (0, True), checked.stderr
    assert {part["result"] for part in told["parts"]} == {"ok"}
    named = {line["name"] for part in told["parts"] for line in part["lines"]}
    assert named == {name for name in shipped() if name.partition(".")[0] not in ("led7", "display")}
    assert "Die 2 says 4" in checked.stderr.decode()


def test_what_is_wrong_is_told_and_the_status_says_so() -> None:
    lines = ["press two", "press two", "press one", "press one", "s", "press undo", "press bunco"]
    options = ("check", "--stdin", "--panel", "gpio", "--gpio", "mock", "--json")
    checked = run(*options, given=typed(*lines))
    assert checked.returncode == 1
    told = {part["part"]: part for part in json.loads(checked.stdout)["parts"]}
    assert told["Button ONE"]["why"].startswith("Button ONE did not answer, TWO did: are they swapped?")
    assert told["Button MINI"]["why"] == (
        "Button MINI did not answer: GPIO24, header pin 18, the white wire of the panel cable."
    )
    assert told["Button MINI"]["lines"] == [{"name": "panel.mini", "gpio": 24, "pin": 18, "wire": "white"}]
    assert told["Button BUNCO"]["result"] == "ok"
    assert told["The horn"]["result"] == "failed"
    assert "No device reported anything." in checked.stderr.decode()


def test_a_head_that_runs_keeps_the_bell(broker: Broker, tmp_path: Path) -> None:
    rings = tmp_path / "rings"
    bell = ("--bell", f"virtual:{rings}", "--data", tmp_path / "head")
    with head(broker, tmp_path / "head") as referee:
        assert referee.ready()
        tested = run("bell", "test", *bell, given=b"press bell\n")
        checked = run("check", "--stdin", *bell, given=typed(*FINE))
        assert referee.terminate()[0] == 0
    assert (tested.returncode, tested.stdout) == (2, b"")
    assert tested.stderr.decode().endswith("and has the bell: use pi-bunco host bell-test\n")
    assert checked.returncode == 0
    assert "The bell, the horn and the bell button were skipped: process" in checked.stdout.decode()
    assert not rings.exists()
    assert run("bell", "test", *bell, given=b"press bell\n").returncode == 0
    assert rings.exists()


@pytest.mark.parametrize("line", ["press bell", ""])
def test_the_bell_rings_once_it_is_pressed(tmp_path: Path, line: str) -> None:
    rings = tmp_path / "rings"
    tested = run("bell", "test", "--bell", f"virtual:{rings}", given=typed("hello", line))
    assert tested.returncode == 0
    told = tested.stdout.decode().splitlines()
    assert told[1:] == ["That does not ring it: press the button.", "The bell rang for 0.3 s."]
    assert json.loads(rings.read_text())["pattern"] == [["bell", 300, 0]]


def test_nobody_is_startled_by_a_bell_that_nobody_pressed(tmp_path: Path) -> None:
    rings = tmp_path / "rings"
    tested = run("bell", "test", "--bell", f"virtual:{rings}")
    assert tested.returncode == 1
    assert tested.stdout.decode().endswith("Nobody pressed, so the bell stays silent.\n")
    assert not rings.exists()


def test_a_bell_at_mock_pins_waits_for_its_button(tmp_path: Path) -> None:
    options = ("bell", "test", "--bell", "gpio", "--gpio", "mock", "--data", tmp_path)
    tested = run(*options, given=typed("", "press bell"))
    assert tested.returncode == 0
    assert tested.stdout.decode().splitlines()[1:] == [
        "That does not ring it: press the button.",
        "The bell rang for 0.3 s.",
    ]


@pytest.fixture
def loudspeaker(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """The program that plays sounds, the first one found and the only one, and the environment for that."""
    program = tmp_path / "bin" / ("afplay" if sys.platform == "darwin" else "pw-play")
    program.parent.mkdir()
    return program, {"PATH": f"{program.parent}:/bin"}


def plays(program: Path, text: str) -> None:
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)


@pytest.mark.parametrize("command", ["test", "check"])
def test_a_loudspeaker_sounds_to_its_end(
    loudspeaker: tuple[Path, dict[str, str]], tmp_path: Path, command: str
) -> None:
    program, env = loudspeaker
    plays(program, f"wc -c < $1 >> {tmp_path}/played; exec sleep 0.3")
    if command == "test":
        ended = run("bell", "test", "--bell", "sound:50", given=typed(""), env=env)
        rings = [(Blast("bell", 300, 0),)]
        assert ended.stdout.decode().splitlines()[-1] == "The bell rang for 0.3 s."
    else:
        ended = run("check", "--bell", "sound", "--data", tmp_path, given=typed(*["y"] * 4), env=env)
        rings = [(Blast("bell", 200, 0),), (Blast("horn", 200, 0),)]
        assert ended.stdout.decode().splitlines()[-1] == "2 fine."
    assert ended.returncode == 0
    assert [int(size) for size in (tmp_path / "played").read_text().split()] == [len(wav(r)) for r in rings]


def test_a_loudspeaker_that_cannot_sound_is_told(
    loudspeaker: tuple[Path, dict[str, str]], tmp_path: Path
) -> None:
    program, env = loudspeaker
    plays(program, "echo 'no card' >&2; exit 1")
    why = f"this machine cannot play it ({program.name}: no card)"
    tested = run("bell", "test", "--bell", "sound", given=typed(""), env=env)
    assert (tested.returncode, tested.stdout.decode().splitlines()[1:]) == (
        1,
        [f"The bell did not ring: {why}."],
    )
    checked = run("check", "--bell", "sound", "--data", tmp_path, given=typed("y", "y"), env=env)
    assert checked.returncode == 1
    place = "the loudspeaker at HDMI, USB or Bluetooth, its cable and its own volume"
    assert checked.stdout.decode().splitlines()[-3:] == [
        *(f"The {name} did not sound: {why}; {place}." for name in ("bell", "horn")),
        "2 to be looked at.",
    ]


def test_a_pis_own_head_is_known_without_being_named(tmp_path: Path) -> None:
    assert head_folder(Config(data="here"), tmp_path) == Path("here")
    assert head_folder(Config(), tmp_path) is None
    (service := tmp_path / "var/lib/pi-bunco/head").mkdir(parents=True)
    assert head_folder(Config(), tmp_path) == service


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_stopped_test_ends_at_once_and_lets_go(number: signal.Signals) -> None:
    with Service("bell", "test") as waiting:
        assert waiting.ready()
        waiting.process.send_signal(number)
        assert waiting.process.wait(WAIT) == 130


def pins(*arguments: str | Path) -> dict[int, str]:
    told = json.loads(run("pins", "--json", *arguments).stdout)
    assert [pin["pin"] for pin in told] == list(range(1, 41))
    return {pin["pin"]: pin["name"] for pin in told if pin["is"] == "line"}


def test_the_header_has_all_lines_that_are_wired() -> None:
    groups = {"dice", "panel", "lights"}
    table = {line.pin: name for name, line in shipped().items() if name.partition(".")[0] in groups}
    relays = {shipped()[name].pin: name for name in ("bell", "horn", "bell_button")}
    assert pins() == pins("table") == table
    assert pins("head") == table | relays
    assert pins("table", "--display", "sh1106") == table | {3: "display.sda", 5: "display.scl"}
    drawn = run("pins", "head").stdout.decode().splitlines()
    assert len(drawn) == 20
    assert "panel.one GPIO22, brown  (15) (16)  panel.two GPIO23, pink" in drawn[7]


def test_the_header_is_that_of_the_config(tmp_path: Path) -> None:
    config = tmp_path / "bunco.toml"
    config.write_text('panel = "gpio"\n[pins.panel.one]\ngpio = 12\nwire = "pink"\n')
    assert pins("--config", config)[32] == "panel.one"
    assert len(pins("--config", config)) == 8
    assert "panel.one GPIO12, pink" in run("pins", "--config", config).stdout.decode()


def test_every_conflict_is_told_at_once(tmp_path: Path) -> None:
    config = tmp_path / "bunco.toml"
    config.write_text('[pins.bell]\ngpio = 13\nactive = "low"\n[pins.panel.one]\ngpio = 5\n')
    ended = run("pins", "head", "--config", config)
    assert ended.returncode == 2
    told = ended.stderr.decode()
    assert "[dice.rolling] and [bell]" in told
    assert "[panel.one] and [panel.miss]" in told
    assert "active-low relay" in told
