"""`pi-bunco pair`: finds the three Bluetooth dice of a table, by shaking one after the other."""

import argparse
import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from pi_bunco.cli.parser import say
from pi_bunco.devices.dice.radio import MODELS
from pi_bunco.devices.protocols import DICE, need_modules
from pi_bunco.devices.throws.radio_dice import DieRolls, Identified, RadioModel

LOOK_S = 8.0
SHAKE_WITHIN_S = 120.0
SETTINGS_FILE = "/etc/pi-bunco/pi-bunco.toml"


class Near(Struct, frozen=True):
    """A die in reach; `device` is bleak's own word for it."""

    address: str
    name: str
    model: RadioModel
    device: Any = None


class Radio:
    """This machine's radio by bleak."""

    async def near(self) -> list[Near]:
        """Every die that can be connected to; `BleakError` or `OSError` if the radio cannot be used."""
        from bleak import BleakScanner

        found = await BleakScanner.discover(LOOK_S, return_adv=True)
        return [
            Near(device.address, name, model, device)
            for device, seen in found.values()
            for name in [seen.local_name or device.name or device.address]
            for model in MODELS
            if model.advertises(name, seen.service_uuids)
        ]

    def client(self, die: Near) -> Any:
        """bleak's client of a die."""
        from bleak import BleakClient

        return BleakClient(die.device)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing to choose."""


def run(_options: argparse.Namespace) -> int:
    """Prints the setting; 1 if there are not three dice that were shaken. `DeviceError` without bleak."""
    need_modules("it", ["bleak"], "bluetooth")
    return asyncio.run(paired(Radio()))


async def paired(radio: Radio, shake_within_s: float = SHAKE_WITHIN_S) -> int:
    """Connects to every die in reach, and takes three of one model in the order in which they roll."""
    from bleak.exc import BleakError

    say("Looking for dice. Take this table's three out of their case, and leave all others in theirs.")
    try:
        near = await radio.near()
    except (BleakError, OSError) as error:
        why = (isinstance(error, OSError) and error.strerror) or str(error)
        say(f"Bluetooth cannot be used: {why.rstrip('.')}. `sudo rfkill unblock bluetooth` switches it on;")
        say("`sudo apt install bluez` brings what this machine may lack for it.")
        return 1
    rolled: asyncio.Queue[Near] = asyncio.Queue()
    async with contextlib.AsyncExitStack() as links:
        linked = 0
        for die in near:
            try:
                await _linked(radio, die, rolled.put_nowait, links)
                linked += 1
            except (BleakError, OSError, TimeoutError) as error:
                say(f"{die.name} does not answer: {str(error) or type(error).__name__}.")
        say(f"{linked} dice are in reach.")
        if linked < len(DICE):
            say(
                "Three are needed. Charge them, wake them by shaking, and try again. What has a die connected"
            )
            say("hides it: a phone, another Pi, this table's service (`sudo systemctl stop pi-bunco-table`).")
            return 1
        found = await _shaken(rolled, shake_within_s)
    if len(found) < len(DICE):
        say("No further die rolled. Take three dice out of their case and try again.")
        return 1
    say(f"Put this line into {SETTINGS_FILE}, in place of the one that begins with dice:")
    say(f'dice = "{found[0].model.word}:{",".join(die.address for die in found)}"')
    return 0


async def _linked(
    radio: Radio, die: Near, rolled: Callable[[Near], None], links: contextlib.AsyncExitStack
) -> None:
    """Connects to the die until `links` close."""
    from bleak.exc import BleakError

    client = radio.client(die)
    await client.connect()

    async def leave() -> None:
        with contextlib.suppress(BleakError, OSError, EOFError, TimeoutError):  # gone already
            await client.disconnect()

    links.push_async_callback(leave)
    fit = not die.model.identify

    def take(_sender: Any, data: bytearray) -> None:
        nonlocal fit
        match die.model.read(bytes(data)):
            case DieRolls() if fit:
                rolled(die)
            case Identified(why):
                fit = not why
                if why:
                    say(f"{die.name} cannot be played with: {why}.")

    await client.start_notify(die.model.notifies, take)
    if die.model.identify:
        await client.write_gatt_char(die.model.takes, die.model.identify)


async def _shaken(rolled: "asyncio.Queue[Near]", within_s: float) -> list[Near]:
    """Dice in the order in which they rolled, fewer than three if nobody rolls on."""
    found: list[Near] = []
    refused: list[Near] = []
    for number in DICE:
        say(f"Shake and roll die {number}.")
        while len(found) < number:
            try:
                die = await asyncio.wait_for(rolled.get(), within_s)
            except TimeoutError:
                return found
            if found and die.model != found[0].model and die not in refused:
                refused.append(die)
                say(f"{die.name} is one of {die.model.name}: take three that are like die 1.")
            elif die not in (*found, *refused):
                found.append(die)
                say(f"Die {number} is {die.name}.")
    return found
