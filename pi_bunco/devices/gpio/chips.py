"""Which GPIO chip is the header's; without gpiozero, whose import takes too long for who is in a hurry."""

from pathlib import Path

from pi_bunco.devices.protocols import DeviceError

CHIPS = Path("/sys/bus/gpio/devices")
COMPATIBLE = {b"raspberrypi,rp1-gpio", b"brcm,bcm2711-gpio", b"brcm,bcm2835-gpio"}
"""What the device tree calls the chip of the header; its number is not stable (Adafruit_Blinka#1119)."""


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
