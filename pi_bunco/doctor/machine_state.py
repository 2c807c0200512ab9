"""The machine under examination, its files and programs; a Pi's voltage, heat, clock and Wi-Fi."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

from pi_bunco.doctor.findings import SELF, Finding, Level, fault, fine, skipped, warning
from pi_bunco.provision import system
from pi_bunco.provision.places import Places
from pi_bunco.runtime.clock import date

Run = Callable[[Sequence[str]], str | None]
PROGRAM_TIMEOUT_S = 3.0
_THROTTLED = (
    # Raspberry Pi kernels, readable by everybody (raspberrypi/linux#2397); below soc@107c000000 on a Pi 5.
    "sys/devices/platform/soc*/soc*:firmware/get_throttled",
    "sys/devices/platform/*:firmware/get_throttled",
)
_LOW_VOLTAGE, _THROTTLED_NOW, _TEMPERATURE_LIMIT = 1 << 0, 1 << 2, 1 << 3
_LOW_VOLTAGE_SINCE_START, _TEMPERATURE_LIMIT_SINCE_START = 1 << 16, 1 << 19
"""The firmware's bits, see `vcgencmd get_throttled`."""
_HOT_C, _TOO_HOT_C = 80.0, 85.0
"""Degrees from which the firmware slows the Pi down a little, and hard (raspberrypi.com, config.txt)."""
_WEAK_DBM, _TOO_WEAK_DBM = -75, -85
"""Wi-Fi levels from which packets are lost, and the link is."""
_RELEASED = datetime(2026, 11, 1, tzinfo=UTC).timestamp()
"""No version of this software is older: an earlier time is a wrong one."""


def run(command: Sequence[str], timeout_s: float = PROGRAM_TIMEOUT_S) -> str | None:
    """The output of a program, None if there is none, it fails without a word, or takes too long."""
    done = system.command(command, timeout_s)
    return None if done.status and not done.out else done.out


def text_of(file: Path) -> str | None:
    """The text of a file, None if it cannot be read."""
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return None


class Machine(Struct, frozen=True):
    """The places of the files, and the way to ask programs."""

    places: Places = Places()
    run: Run = run

    def at(self, path: str | Path) -> Path:
        """The file at an absolute path of the machine."""
        return self.places.root / str(path).lstrip("/")

    def text(self, path: str) -> str | None:
        """The text of a file of the machine, None if it cannot be read."""
        return text_of(self.at(path))

    def texts(self, pattern: str) -> Iterator[str]:
        """The texts of the files that match `pattern` below the root and can be read, in order."""
        yield from (text for path in self.glob(pattern) if (text := text_of(path)) is not None)

    def glob(self, pattern: str) -> list[Path]:
        """The files below the root that match, sorted."""
        return sorted(self.places.root.glob(pattern))

    def names(self, file: str, name: str) -> list[str] | None:
        """The fields of `name` in a file such as `passwd(5)` or `group(5)`, None if it is not in there."""
        rows = (row.split(":") for row in (self.text(f"etc/{file}") or "").splitlines())
        return next((row for row in rows if row[0] == name), None)


def look_power(machine: Machine) -> Iterator[Finding]:
    """Voltage and heat, now and since the Pi was switched on."""
    text = next((text for pattern in _THROTTLED for text in machine.texts(pattern)), None)
    if text is None and machine.at("dev/vcio").exists():
        text = machine.run(("vcgencmd", "get_throttled"))
    bits, alarm = throttled(text or ""), _alarm(machine)
    yield _voltage(bits or 0, alarm, known=bits is not None or alarm is not None)
    yield _heat(machine, bits or 0)


def throttled(text: str) -> int | None:
    """The bits in `80008` (sysfs) or `throttled=0x80008` (vcgencmd), None if there are none."""
    found = re.fullmatch(r"\s*(?:throttled=)?(?:0x)?([0-9a-fA-F]{1,8})\s*", text)
    return int(found[1], 16) if found else None


def _alarm(machine: Machine) -> bool | None:
    """The kernel's raspberrypi-hwmon, on every Pi since kernel 4.20: 1 after under-voltage within 2 s."""
    for name in machine.glob("sys/class/hwmon/hwmon*/name"):
        if (text_of(name) or "").strip() == "rpi_volt":
            text = text_of(name.with_name("in0_lcrit_alarm"))
            return None if text is None else text.strip() == "1"
    return None


def _voltage(bits: int, alarm: bool | None, *, known: bool) -> Finding:
    mend = (
        "Use the official power supply of this Pi (5 V, 3 A for a Pi 4, 5 A for a Pi 5) with its own cable,"
        " and nothing else fed from its USB ports."
    )
    if not known:
        return skipped("power", "only a Raspberry Pi tells whether it gets enough voltage")
    if alarm or bits & _LOW_VOLTAGE:
        return fault("power", f"{SELF} gets too little voltage.", mend)
    if bits & _LOW_VOLTAGE_SINCE_START:
        return warning("power", f"{SELF} got too little voltage at times since it was switched on.", mend)
    return fine("power", "The voltage is enough.")


def _heat(machine: Machine, bits: int) -> Finding:
    """The temperature of the processor: thousandths of a degree, on every Pi in the first zone."""
    mend = "Give it air: take it out of the box or the sun, and use a case with a fan or a heat sink."
    text = next(machine.texts("sys/class/thermal/thermal_zone*/temp"), "")
    if not re.fullmatch(r"\s*-?[0-9]{1,7}\s*", text):
        return skipped("temperature", "this machine does not tell how hot it is")
    celsius, slowed = int(text) / 1000, bits & (_THROTTLED_NOW | _TEMPERATURE_LIMIT)
    if celsius >= _TOO_HOT_C or (celsius >= _HOT_C and slowed):
        text = f"{SELF} is over {celsius // 5 * 5:.0f} degrees hot and slowed down."
        return fault("temperature", text, mend)
    if celsius >= _HOT_C:
        return warning("temperature", f"{SELF} is over {_HOT_C:.0f} degrees hot.", mend)
    if bits & _TEMPERATURE_LIMIT_SINCE_START:
        return warning("temperature", f"{SELF} was too hot at times since it was switched on.", mend)
    return fine("temperature", f"{celsius:.0f} degrees.")


def look_clock(machine: Machine, now: float) -> Iterator[Finding]:
    """The wall clock, `now` in seconds since 1970: the game does not need it, the dates of evenings do."""
    synced = (machine.run(("timedatectl", "show", "--property=NTPSynchronized", "--value")) or "").strip()
    if now < _RELEASED:
        text = f"{SELF} has a clock that is wrong: it shows {datetime.fromtimestamp(now, UTC):%B %Y}."
        mend = (
            "The game goes on, but the dates of evenings are wrong. Let it reach the internet once, give it"
            " an RTC battery (Pi 5), or set it: sudo date -s 'YYYY-MM-DD HH:MM'."
        )
        yield warning("clock", text, mend)
    elif synced == "yes":
        yield fine("clock", f"{date(now)}, set by the network.")
    else:
        by = "not set by the network" if synced == "no" else "it is not known whether the network sets it"
        yield fine("clock", f"{date(now)}; {by}, which the game does not need.")


def look_wifi(machine: Machine) -> Iterator[Finding]:
    """The strength of the Wi-Fi that is used."""
    mend = "Bring it nearer to the router, or the router nearer; metal and people weaken it. A cable is best."
    levels = wifi_levels(machine.text("proc/net/wireless") or "")
    if not levels:
        yield skipped("Wi-Fi", "no Wi-Fi is in use here")
        return
    name, level = max(levels.items(), key=lambda one: one[1])
    if level <= _WEAK_DBM:
        grade: Level = "fault" if level <= _TOO_WEAK_DBM else "warning"
        yield Finding("Wi-Fi", grade, f"{SELF} has weak Wi-Fi: {level // 5 * 5:.0f} dBm at {name}.", mend)
    else:
        yield fine("Wi-Fi", f"{level:.0f} dBm at {name}.")


def wifi_levels(text: str) -> dict[str, float]:
    """The level in dBm of each Wi-Fi interface in /proc/net/wireless (kernel, net/wireless/wext-proc.c)."""
    levels: dict[str, float] = {}
    for line in text.splitlines()[2:]:
        name, _, rest = line.partition(":")
        fields = rest.split()
        linked = len(fields) >= 3 and fields[1].rstrip(".") != "0"
        if linked and re.fullmatch(r"-?[0-9]{1,3}\.?", fields[2]):
            level = float(fields[2].rstrip("."))
            levels[name.strip()] = level - 256 if level > 63 else level  # some drivers give it as a byte
    return levels
