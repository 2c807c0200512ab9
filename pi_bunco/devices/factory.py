"""Devices from the words of the config: `virtual`, `serial:PATH`, `recorded:FILE`, `gpio`."""

from pathlib import Path

from pi_bunco.clock import Clock
from pi_bunco.devices.protocols import Bell, DeviceError, Dice, Lights, Mark, Panel, Put
from pi_bunco.devices.recorded import RecordedDice
from pi_bunco.devices.serial_dice import SerialDice
from pi_bunco.devices.virtual import VirtualBell, VirtualDice, VirtualLights, VirtualPanel


def dice(option: str, put: Put, clock: Clock, resume: Mark | None = None) -> Dice:
    """`virtual`, `serial:PATH` or `recorded:FILE`; `resume` is the mark stored last. Raises `DeviceError`."""
    match option.partition(":"):
        case ("virtual", "", ""):
            return VirtualDice(put, clock)
        case ("serial", ":", path) if path:
            return SerialDice(path, put, clock, resume)
        case ("recorded", ":", file) if file:
            return RecordedDice(Path(file), put, clock)
        case _:
            raise _refused("dice", option, "virtual, serial:PATH or recorded:FILE")


def panel(option: str, put: Put, clock: Clock) -> Panel:
    """`virtual`. Raises `DeviceError`."""
    if option == "virtual":
        return VirtualPanel(put, clock)
    raise _refused("panel", option, "virtual")


def lights(option: str) -> Lights:
    """`virtual`. Raises `DeviceError`."""
    if option == "virtual":
        return VirtualLights()
    raise _refused("lights", option, "virtual")


def bell(option: str, clock: Clock) -> Bell:
    """`virtual`, or `virtual:FILE` to note every ring in a JSON Lines file. Raises `DeviceError`."""
    match option.partition(":"):
        case ("virtual", "", ""):
            return VirtualBell(clock)
        case ("virtual", ":", file) if file:
            return VirtualBell(clock, Path(file))
        case _:
            raise _refused("bell", option, "virtual or virtual:FILE")


def _refused(device: str, option: str, known: str) -> DeviceError:
    if option == "gpio":
        return DeviceError(f"{device} = gpio: this build has no GPIO backend yet; use {known}")
    return DeviceError(f"{device} = {option!r} is not known; use {known}")
