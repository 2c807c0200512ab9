"""The header's chip, and lines driven low, for who has no time to import gpiozero."""

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from pi_bunco.devices.pins import Line
from pi_bunco.devices.protocols import DeviceError

CHIPS = Path("/sys/bus/gpio/devices")
COMPATIBLE = {b"raspberrypi,rp1-gpio", b"brcm,bcm2711-gpio", b"brcm,bcm2835-gpio"}
"""Names of the header's chip in the device tree; its number is not stable (Adafruit_Blinka#1119)."""


def header(chips: Path = CHIPS) -> str:
    """The device file of the header's chip, found by what it is. Raises `DeviceError` where there is none."""
    for chip in sorted(chips.glob("gpiochip*")):
        try:
            names = (chip / "of_node" / "compatible").read_bytes().split(b"\0")
        except OSError:  # a chip without a place in the device tree, on USB for example
            continue
        if COMPATIBLE.intersection(names):
            return f"/dev/{chip.name}"
    raise DeviceError(
        "gpio = gpiod: this machine has no GPIO header of a Raspberry Pi; use virtual devices,"
        " or name the chip: gpio = gpiod:/dev/gpiochip0"
    )


def drive_low(backend: str, lines: Iterable[Line]) -> list[str]:
    """Drives each line low and lets go of it; returns a sentence for each that cannot be driven.

    `backend` is one of `open_gpio`. Raises `DeviceError` where there is no header or not what drives it.
    """
    name, _, path = backend.partition(":")
    try:
        if name == "rpigpio":
            return list(_by_rpigpio(lines))
        return list(_by_gpiod(path or header(), lines)) if name == "gpiod" else []
    except (OSError, RuntimeError, ImportError) as error:
        raise DeviceError(f"gpio = {backend} cannot be used on this machine: {error}") from error


def _by_gpiod(path: str, lines: Iterable[Line]) -> Iterator[str]:
    import gpiod
    from gpiod.line import Direction, Value

    low = gpiod.LineSettings(direction=Direction.OUTPUT, output_value=Value.INACTIVE)
    with contextlib.closing(gpiod.Chip(path)) as chip:
        for line in lines:
            try:
                chip.request_lines({line.gpio: low}, consumer="pi-bunco").release()
            except OSError as error:  # of one line; the others are driven all the same
                owner = chip.get_line_info(line.gpio).consumer
                yield (
                    f"[{line.name}] {line} is in use by {owner}"
                    if owner
                    else f"[{line.name}] {line}: {error}"
                )


def _by_rpigpio(lines: Iterable[Line]) -> Iterator[str]:
    from RPi import GPIO  # type: ignore[import-untyped]

    GPIO.setwarnings(False)
    GPIO.setmode(GPIO.BCM)
    for line in lines:
        try:
            GPIO.setup(line.gpio, GPIO.OUT, initial=GPIO.LOW)
        except RuntimeError as error:
            yield f"[{line.name}] {line}: {error}"
