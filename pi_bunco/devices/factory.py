"""Opens devices by the words of the config: `virtual`, `serial:PATH`, `recorded:FILE`, `gpio`.

What a kind needs is imported when it is asked for: a table without GPIO runs without those libraries.
"""

from collections.abc import Callable

from pi_bunco.devices.kinds import (
    BELL_KINDS,
    DICE_KINDS,
    DISPLAY_KINDS,
    LIGHTS_KINDS,
    PANEL_KINDS,
    Hardware,
    Setup,
)
from pi_bunco.devices.protocols import Bell, Dice, Lights, Panel, Put, ThrowMark
from pi_bunco.runtime.clock import Clock, SystemClock


def dice(
    option: str, put: Put, clock: Clock, resume: ThrowMark | None = None, hardware: Hardware | None = None
) -> Dice:
    """The dice of that kind; `resume` is the mark stored last. Raises `DeviceError`."""
    return DICE_KINDS.open(option, Setup(hardware or Hardware(clock), put, resume))


def panel(option: str, put: Put, clock: Clock, hardware: Hardware | None = None) -> Panel:
    """The panel of that kind. Raises `DeviceError`."""
    return PANEL_KINDS.open(option, Setup(hardware or Hardware(clock), put))


def lights(option: str, hardware: Hardware | None = None) -> Lights:
    """The lights of that kind. Raises `DeviceError`."""
    return LIGHTS_KINDS.open(option, Setup(hardware or Hardware(SystemClock())))


def display(chip: str) -> Lights:
    """The display; `DeviceError` if what drives it is not installed."""
    return DISPLAY_KINDS.open(chip, Setup(Hardware(SystemClock())))


def together(*parts: Lights) -> Lights:
    """Several that show the same."""
    from pi_bunco.devices.lights.display import Together

    return Together(*parts)


def bell(option: str, clock: Clock, hardware: Hardware | None = None) -> Bell:
    """The bell of that kind. Raises `DeviceError`."""
    return BELL_KINDS.open(option, Setup(hardware or Hardware(clock)))


def bell_button(put: Callable[[bool], object], hardware: Hardware) -> Panel:
    """The host's button beside a bell at GPIO; `put` gets whether it was held. Raises `DeviceError`."""
    from pi_bunco.devices.bell.host_button import gpio_bell_button

    return gpio_bell_button(hardware.gpio, hardware.lines, put, hardware.clock)
