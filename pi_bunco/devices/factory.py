"""Devices from the words of the config: `virtual`, `serial:PATH`, `recorded:FILE`, `gpio`.

What `gpio` needs is imported when it is asked for: a table without it runs without those libraries.
"""

import importlib.util
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from pi_bunco.devices.pins import Plan, shipped
from pi_bunco.devices.protocols import Bell, DeviceError, Dice, Lights, Mark, Panel, Put
from pi_bunco.devices.recorded import RecordedDice
from pi_bunco.devices.serial_dice import SerialDice
from pi_bunco.devices.virtual import VirtualBell, VirtualDice, VirtualLights, VirtualPanel
from pi_bunco.runtime.clock import Clock, SystemClock

if TYPE_CHECKING:
    from pi_bunco.devices.gpio import Gpio


class Hardware(Struct, frozen=True, dict=True):
    """What is wired to this machine's header, and how: opened when the first device asks for it.

    `backend` is one of `devices.gpio`; `encoding`, `bus` or `led7`, and `settle_ms` are those of GPIO dice;
    `display` is the chip of an OLED, or `none`.
    """

    clock: Clock
    backend: str = "gpiod"
    plan: Plan = {}
    encoding: str = "bus"
    settle_ms: float = 1200
    display: str = "none"

    @cached_property
    def gpio(self) -> "Gpio":
        """The header; `DeviceError` says why it cannot be used."""
        from pi_bunco.devices.gpio import open_gpio

        return open_gpio(self.backend, self.clock)

    @property
    def lines(self) -> Plan:
        """The lines of the header."""
        return self.plan or shipped()


def dice(
    option: str, put: Put, clock: Clock, resume: Mark | None = None, hardware: Hardware | None = None
) -> Dice:
    """`gpio`, `virtual`, `serial:PATH` or `recorded:FILE`; `resume` is the mark stored last.

    Raises `DeviceError`.
    """
    match option.partition(":"):
        case ("virtual", "", ""):
            return VirtualDice(put, clock)
        case ("serial", ":", path) if path:
            return SerialDice(path, put, clock, resume)
        case ("recorded", ":", file) if file:
            return RecordedDice(Path(file), put, clock)
        case ("gpio", "", ""):
            return _gpio_dice(put, hardware or Hardware(clock))
        case _:
            raise _refused("dice", option, "gpio, virtual, serial:PATH or recorded:FILE")


def panel(option: str, put: Put, clock: Clock, hardware: Hardware | None = None) -> Panel:
    """`gpio` or `virtual`. Raises `DeviceError`."""
    if option == "virtual":
        return VirtualPanel(put, clock)
    if option == "gpio":
        from pi_bunco.devices.panel import gpio_panel

        hardware = hardware or Hardware(clock)
        return gpio_panel(hardware.gpio, hardware.lines, put, clock)
    raise _refused("panel", option, "gpio or virtual")


def lights(option: str, hardware: Hardware | None = None) -> Lights:
    """`gpio` or `virtual`, and the display if there is one. Raises `DeviceError`."""
    hardware = hardware or Hardware(SystemClock())
    if hardware.display == "none":
        return leds(option, hardware)
    shown = display(hardware.display)
    try:
        return together(leds(option, hardware), shown)
    except BaseException:
        shown.close()
        raise


def leds(option: str, hardware: Hardware) -> Lights:
    """The lights alone: `gpio` or `virtual`. Raises `DeviceError`."""
    if option == "gpio":
        from pi_bunco.devices.lights_gpio import GpioLights

        return GpioLights(hardware.gpio, hardware.lines, hardware.clock)
    if option == "virtual":
        return VirtualLights()
    raise _refused("lights", option, "gpio or virtual")


def display(chip: str) -> Lights:
    """The display alone: `ssd1306` or `sh1106`. `DeviceError` if what drives it is not installed."""
    from pi_bunco.devices.display import CHIPS, Display

    known = [one for one in CHIPS if one == chip]
    if not known:
        raise _refused("display", chip, f"none, {' or '.join(CHIPS)}")
    if importlib.util.find_spec("luma") is None:
        raise DeviceError(f"display = {chip} needs luma.oled: install pi-bunco with its extra [display]")
    return Display(known[0])


def together(*parts: Lights) -> Lights:
    """Several that show the same."""
    from pi_bunco.devices.display import Together

    return Together(*parts)


def bell(option: str, clock: Clock, hardware: Hardware | None = None) -> Bell:
    """`gpio`, `virtual`, or `virtual:FILE` to note every ring in a JSON Lines file. Raises `DeviceError`."""
    match option.partition(":"):
        case ("virtual", "", ""):
            return VirtualBell(clock)
        case ("virtual", ":", file) if file:
            return VirtualBell(clock, Path(file))
        case ("gpio", "", ""):
            from pi_bunco.devices.bell_gpio import RelayBell

            hardware = hardware or Hardware(clock)
            return RelayBell(hardware.gpio, hardware.lines, clock)
        case _:
            raise _refused("bell", option, "gpio, virtual or virtual:FILE")


def bell_button(put: Callable[[bool], object], hardware: Hardware) -> Panel:
    """The host's button beside a bell at GPIO; `put` gets whether it was held. Raises `DeviceError`."""
    from pi_bunco.devices.bell_button import gpio_bell_button

    return gpio_bell_button(hardware.gpio, hardware.lines, put, hardware.clock)


def _gpio_dice(put: Put, hardware: Hardware) -> Dice:
    from pi_bunco.devices.dice_gpio import ENCODINGS, gpio_dice

    for encoding in ENCODINGS:
        if encoding == hardware.encoding:
            gpio, lines = hardware.gpio, hardware.lines
            return gpio_dice(gpio, lines, put, hardware.clock, encoding, hardware.settle_ms)
    raise _refused("encoding", hardware.encoding, " or ".join(ENCODINGS))


def _refused(device: str, option: str, known: str) -> DeviceError:
    return DeviceError(f"{device} = {option!r} is not known; use {known}")
