"""Each kind of device is one file, and all that others ask of it comes from there."""

import importlib
from pathlib import Path
from typing import Any

import pytest

from clocks import FakeClock
from pi_bunco.config import Config, ConfigError, load
from pi_bunco.devices import kinds
from pi_bunco.devices.kinds import DICE_KINDS, DeviceKind, Hardware, Kinds, Setup
from pi_bunco.devices.protocols import DeviceError

ALL: list[Kinds[Any]] = [
    kinds.DICE_KINDS,
    kinds.PANEL_KINDS,
    kinds.LIGHTS_KINDS,
    kinds.DISPLAY_KINDS,
    kinds.BELL_KINDS,
]
NEW = """
from pi_bunco.devices.kinds import DeviceKind, Kinds
KINDS: Kinds[str] = Kinds("dice", "")
KINDS._package = __package__
"""


def test_a_new_kind_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "own_dice"
    package.mkdir()
    (package / "__init__.py").write_text(NEW)
    (package / "crystal.py").write_text(
        "from own_dice import KINDS, DeviceKind\n"
        'KINDS.register(DeviceKind("crystal", lambda colour, setup: colour, argument="COLOUR"))\n'
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    found: Kinds[str] = importlib.import_module("own_dice").KINDS
    assert found.words == "crystal:COLOUR"
    assert found.open("crystal:red", Setup(Hardware(FakeClock()))) == "red"
    for wrong in ("crystal", "crystal:", "glass:red"):
        with pytest.raises(DeviceError, match="is not known; use crystal:COLOUR"):
            found.find(wrong)


def test_no_name_is_taken_twice() -> None:
    with pytest.raises(DeviceError, match="two kinds of dice called gpio"):
        DICE_KINDS.register(DeviceKind("gpio", DICE_KINDS.find("gpio")[0].open))


@pytest.mark.parametrize("known", ALL, ids=lambda known: known._what)
def test_every_word_of_a_kind_is_a_setting(known: Kinds[Any]) -> None:
    for kind in known.all():
        for word in kind.words:
            option = word.replace("FILE", "/f").replace("PATH", "/dev/x").replace("SEED", "7")
            assert known.find(option)[0] is kind
            assert getattr(load({known._what: option}), known._what) == option
            assert word in known.words


@pytest.mark.parametrize("known", ALL, ids=lambda known: known._what)
@pytest.mark.parametrize("wrong", ["", ":", "gpio:", "gpio:x", "GPIO", "serial:", "none:1", "virtual\n"])
def test_unknown_kind_is_no_setting(known: Kinds[Any], wrong: str) -> None:
    with pytest.raises(DeviceError, match="is not known; use "):
        known.find(wrong)
    with pytest.raises(ConfigError, match="is not allowed; it must be"):
        load({known._what: wrong})


def test_lines_in_use_follow_from_the_kinds() -> None:
    everything = Config(dice="gpio", panel="gpio", lights="gpio", display="ssd1306", bell="gpio")
    assert everything.wired == {"dice", "panel", "lights", "display", "bell", "horn", "bell_button"}
    assert Config(dice="gpio", encoding="led7").wired == {"led7"}
    assert Config(dice="serial:/dev/x", panel="virtual", bell="virtual:/f").wired == set()
