"""Whether the Pi gets enough voltage and stays cool: from the firmware, as the kernel hands it on."""

import re
from collections.abc import Iterator

from msgspec import Struct

from pi_bunco.doctor.findings import SELF, Finding, skipped
from pi_bunco.doctor.machine import Machine

_THROTTLED = (
    # Raspberry Pi kernels, readable by everybody (raspberrypi/linux#2397); below soc@107c000000 on a Pi 5.
    "sys/devices/platform/soc*/soc*:firmware/get_throttled",
    "sys/devices/platform/*:firmware/get_throttled",
)
_HOT, _TOO_HOT = 80.0, 85.0
"""Degrees from which the firmware slows the Pi down a little, and hard (raspberrypi.com, config.txt)."""
_SUPPLY = (
    "Use the official power supply of this Pi (5 V, 3 A for a Pi 4, 5 A for a Pi 5) with its own cable,"
    " and nothing else fed from its USB ports."
)
_COOL = "Give it air: take it out of the box or the sun, and use a case with a fan or a heat sink."


class Power(Struct, frozen=True):
    """The firmware's bits (vcgencmd get_throttled), and the kernel's own alarm of the last seconds."""

    bits: int | None = None
    alarm: bool | None = None

    def has(self, bit: int) -> bool:
        """Whether the bit is set; 0 to 3 are of now, 16 to 19 the same since the Pi was switched on."""
        return self.bits is not None and bool(self.bits >> bit & 1)


def throttled(text: str) -> int | None:
    """The bits in `80008` (sysfs) or `throttled=0x80008` (vcgencmd), None if there are none."""
    found = re.fullmatch(r"\s*(?:throttled=)?(?:0x)?([0-9a-fA-F]{1,8})\s*", text)
    return int(found[1], 16) if found else None


def read(machine: Machine) -> Power:
    """What the kernel says of the supply, else `vcgencmd`; every Pi has the one or the other."""
    texts = [machine.first(pattern) for pattern in _THROTTLED]
    text = next((text for text in texts if text is not None), None)
    if text is None and machine.at("dev/vcio").exists():
        text = machine.run(("vcgencmd", "get_throttled"))
    return Power(throttled(text or ""), _alarm(machine))


def _alarm(machine: Machine) -> bool | None:
    """The kernel's raspberrypi-hwmon, on every Pi since kernel 4.20: 1 after under-voltage within 2 s."""
    for name in machine.glob("sys/class/hwmon/hwmon*/name"):
        if (machine.text(name.relative_to(machine.places.root)) or "").strip() == "rpi_volt":
            text = machine.text(name.with_name("in0_lcrit_alarm").relative_to(machine.places.root))
            return None if text is None else text.strip() == "1"
    return None


def judge(power: Power) -> Iterator[Finding]:
    """Whether the voltage is enough, and was since the Pi was switched on."""
    if power.bits is None and power.alarm is None:
        yield skipped("power", "only a Raspberry Pi tells whether it gets enough voltage")
    elif power.has(0) or power.alarm:
        yield Finding("power", "fault", f"{SELF} gets too little voltage.", _SUPPLY)
    elif power.has(16):
        yield Finding(
            "power", "warning", f"{SELF} got too little voltage at times since it was switched on.", _SUPPLY
        )
    else:
        yield Finding("power", "ok", "The voltage is enough.")


def look(machine: Machine) -> Iterator[Finding]:
    """Both for this machine."""
    power = read(machine)
    yield from judge(power)
    yield from judge_heat(read_celsius(machine), power)


def read_celsius(machine: Machine) -> float | None:
    """The temperature of the processor: thousandths of a degree, on every Pi in the first zone."""
    text = machine.first("sys/class/thermal/thermal_zone*/temp")
    return int(text) / 1000 if text and re.fullmatch(r"\s*-?[0-9]{1,7}\s*", text) else None


def judge_heat(celsius: float | None, power: Power) -> Iterator[Finding]:
    """Whether the processor is, or was, so hot that the firmware slows it down."""
    slowed = power.has(2) or power.has(3)
    if celsius is None:
        yield skipped("temperature", "this machine does not tell how hot it is")
    elif celsius >= _TOO_HOT or (celsius >= _HOT and slowed):
        text = f"{SELF} is over {celsius // 5 * 5:.0f} degrees hot and slowed down."
        yield Finding("temperature", "fault", text, _COOL)
    elif celsius >= _HOT:
        yield Finding("temperature", "warning", f"{SELF} is over {_HOT:.0f} degrees hot.", _COOL)
    elif power.has(19):
        yield Finding(
            "temperature", "warning", f"{SELF} was too hot at times since it was switched on.", _COOL
        )
    else:
        yield Finding("temperature", "ok", f"{celsius:.0f} degrees.")
