"""`pi-bunco pair`: finds the three Bluetooth dice of a table, by shaking one after the other."""

import argparse
import asyncio
import sys
from typing import Any

NAME = "GoDice_"
"""The dice's names begin with that."""
LOOK_S = 8.0
SHAKE_WITHIN_S = 120.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing to choose."""


def run(_options: argparse.Namespace) -> int:
    """Prints the setting; 1 if there are not three dice that were shaken."""
    try:
        import bleak  # noqa: F401
    except ImportError:
        print("pair needs bleak: install pi-bunco with its extra [bluetooth]", file=sys.stderr)
        return 1
    return asyncio.run(paired())


async def paired() -> int:
    """Connects to every die in reach, and takes them in the order in which they roll."""
    from contextlib import AsyncExitStack

    from bleak import BleakClient, BleakScanner
    from bleak.exc import BleakError

    from pi_bunco.devices.protocols import DICE
    from pi_bunco.devices.throws.godice import DieRolls, read
    from pi_bunco.devices.throws.godice_links import NOTIFIES

    _say("Looking for dice. Take them out of their case.")
    try:
        near = [
            device for device in await BleakScanner.discover(LOOK_S) if (device.name or "").startswith(NAME)
        ]
    except (BleakError, OSError) as error:
        _say(f"Bluetooth cannot be used: {error}. `sudo rfkill unblock bluetooth` may help.")
        return 1
    rolled: asyncio.Queue[str] = asyncio.Queue()

    def hears(address: str) -> Any:
        def take(_sender: Any, data: bytearray) -> None:
            if isinstance(read(bytes(data)), DieRolls):
                rolled.put_nowait(address)

        return take

    async with AsyncExitStack() as links:
        for device in near:
            try:
                client = await links.enter_async_context(BleakClient(device))
                await client.start_notify(NOTIFIES, hears(device.address))
            except (BleakError, OSError, TimeoutError) as error:
                _say(f"{device.name} does not answer: {error}.")
        _say(f"{len(near)} dice are in reach.")
        found: list[str] = []
        for die in DICE:
            _say(f"Shake and roll die {die}.")
            try:
                while (address := await asyncio.wait_for(rolled.get(), SHAKE_WITHIN_S)) in found:
                    pass
            except TimeoutError:
                _say("No other die rolled. Take three dice out of their case and try again.")
                return 1
            found.append(address)
    _say(f'dice = "godice:{",".join(found)}"')
    return 0


def _say(text: str) -> None:
    print(text, flush=True)
