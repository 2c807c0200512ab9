"""`pi-bunco pair` with dice in reach that a test shakes."""

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import pytest
from bleak.exc import BleakError

from devices.radio_dies import DIES, Die, i_am_an_old_die
from pi_bunco.cli import main
from pi_bunco.cli.pair import Near, Radio, paired
from pi_bunco.devices.throws.pixels import PIXELS

PATIENCE_S = 60.0


class Client:
    """bleak's client of a die."""

    def __init__(self, radio: "Shaken", address: str, die: Die) -> None:
        self._radio, self._address, self._die = radio, address, die
        self._notify: Callable[[Any, bytearray], None] = lambda _sender, _data: None

    async def connect(self) -> None:
        if self._address in self._radio.silent:
            raise TimeoutError

    async def disconnect(self) -> None:
        self._radio.left.append(self._address)
        raise BleakError("not connected")

    async def start_notify(self, characteristic: str, notify: Callable[[Any, bytearray], None]) -> None:
        assert characteristic == self._die.model.notifies
        self._notify = notify
        self._radio.linked(self._address, self)

    async def write_gatt_char(self, characteristic: str, data: bytes) -> None:
        assert (characteristic, data) == (PIXELS.takes, PIXELS.identify)
        old = self._address in self._radio.old
        for answer in [i_am_an_old_die()] if old else self._die.answer(data):
            self._notify(None, bytearray(answer))

    def roll(self) -> None:
        for data in (*self._die.rolls(), *self._die.lies(3)):
            self._notify(None, bytearray(data))


class Shaken(Radio):
    """Dice of the given words in reach, which are shaken in the given order once all are connected."""

    def __init__(self, words: list[str], order: str = "") -> None:
        self.dice = {f"AA:00:00:00:00:0{number}": DIES[word]() for number, word in enumerate(words, 1)}
        self.silent: set[str] = set()
        self.old: set[str] = set()
        self.left: list[str] = []
        self._order = [f"AA:00:00:00:00:0{number}" for number in order]
        self._clients: dict[str, Client] = {}

    async def near(self) -> list[Near]:
        return [
            Near(address, f"{die.model.name}_{address[-1]}", die.model) for address, die in self.dice.items()
        ]

    def client(self, die: Near) -> Client:
        return Client(self, die.address, self.dice[die.address])

    def linked(self, address: str, client: Client) -> None:
        self._clients[address] = client
        if address == [one for one in self.dice if one not in self.silent][-1]:
            for shaken in self._order:
                asyncio.get_running_loop().call_soon(self._clients[shaken].roll)


def pair(radio: Radio, within_s: float = PATIENCE_S) -> int:
    return asyncio.run(paired(radio, within_s))


@pytest.mark.parametrize("word", DIES)
def test_three_dice_are_taken_in_the_order_in_which_they_are_shaken(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    radio = Shaken([word] * 5, "333144")
    assert pair(radio) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[1] == "5 dice are in reach."
    assert told[-1] == f'dice = "{word}:AA:00:00:00:00:03,AA:00:00:00:00:01,AA:00:00:00:00:04"'
    assert sorted(radio.left) == sorted(radio.dice), "every die is free for the table's service"


def test_dice_of_two_makers_are_not_mixed(capsys: pytest.CaptureFixture[str]) -> None:
    assert pair(Shaken(["godice", "pixels", "godice", "godice"], "12234")) == 0
    told = capsys.readouterr().out
    assert told.count("Pixels_2 is one of Pixels: take three that are like die 1.") == 1
    assert told.endswith('"godice:AA:00:00:00:00:01,AA:00:00:00:00:03,AA:00:00:00:00:04"\n')


def test_a_die_that_cannot_be_played_with_is_told_and_not_taken(capsys: pytest.CaptureFixture[str]) -> None:
    radio = Shaken(["pixels"] * 4, "1234")
    radio.old = {"AA:00:00:00:00:02"}
    assert pair(radio) == 0
    told = capsys.readouterr().out
    assert "Pixels_2 cannot be played with: its firmware is older than November 2024: update it" in told
    assert told.endswith('"pixels:AA:00:00:00:00:01,AA:00:00:00:00:03,AA:00:00:00:00:04"\n')


def test_a_die_that_does_not_answer_is_not_counted(capsys: pytest.CaptureFixture[str]) -> None:
    radio = Shaken(["godice"] * 3)
    radio.silent = {"AA:00:00:00:00:02"}
    assert pair(radio) == 1
    told = capsys.readouterr().out.splitlines()
    assert told[1:3] == ["GoDice_2 does not answer: TimeoutError.", "2 dice are in reach."]
    assert told[3].startswith("Three are needed.")


def test_nobody_who_shakes_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert pair(Shaken(["godice"] * 3), 0.0) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "Shake and roll die 1.",
        "No further die rolled. Take three dice out of their case and try again.",
    ]


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (BleakError("No Bluetooth adapters found."), "No Bluetooth adapters found"),
        (FileNotFoundError(2, "No such file or directory"), "No such file or directory"),
    ],
)
def test_a_machine_without_a_radio_says_so(
    error: Exception, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    class Deaf(Radio):
        async def near(self) -> list[Near]:
            raise error

    assert pair(Deaf()) == 1
    assert f"Bluetooth cannot be used: {why}. `sudo rfkill" in capsys.readouterr().out


def test_without_bleak_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "bleak", None)
    assert main(["pair"]) == 2
    told = "pi-bunco pair: it needs bleak: install pi-bunco with its extra [bluetooth]\n"
    assert capsys.readouterr().err == told
