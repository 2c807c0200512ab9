"""The GPIO header and the serial port of the dice: there, permitted, and nobody else's."""

import grp
import os
import pwd
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from pi_bunco.config import Config
from pi_bunco.devices.gpio.low import header
from pi_bunco.devices.kinds import DICE_KINDS, DISPLAY_KINDS, PANEL_KINDS, DeviceFile
from pi_bunco.devices.pins import Line, used
from pi_bunco.devices.protocols import DeviceError
from pi_bunco.doctor.findings import Finding, fault, fine, skipped
from pi_bunco.doctor.machine_state import Machine
from pi_bunco.words.sentences import ended

USER = "pi-bunco"
OURS = "pi-bunco"
"""The kernel's name for the holder of a line that a service of ours has taken."""


class ServiceUser(Struct, frozen=True):
    """The user of the devices: the services' own where there is one, else the one who asks."""

    name: str
    groups: frozenset[str]


class DevicePath(Struct, frozen=True):
    """A device file with its group's name and whether that may read and write it; all may: `open`."""

    path: str
    group: str
    shared: bool
    open: bool = False


def person(machine: Machine, more: Collection[str] = ()) -> ServiceUser:
    """The services' user with its groups, and those that systemd adds (`more`)."""
    if machine.names("passwd", USER) is None:
        return ServiceUser(
            pwd.getpwuid(os.getuid()).pw_name, frozenset(_group(one) for one in os.getgroups())
        )
    rows = (row.split(":") for row in (machine.text("etc/group") or "").splitlines())
    groups = {row[0] for row in rows if len(row) == 4 and USER in row[3].split(",")}
    return ServiceUser(USER, frozenset(groups | set(more)))


def _group(number: int) -> str:
    try:
        return grp.getgrgid(number).gr_name
    except KeyError:
        return str(number)


def read_device(path: Path) -> DevicePath | None:
    """The device file, None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    shared, every = stat.S_IRGRP | stat.S_IWGRP, stat.S_IROTH | stat.S_IWOTH
    return DevicePath(
        str(path), _group(found.st_gid), found.st_mode & shared == shared, found.st_mode & every == every
    )


def judge_device(check: str, device: DevicePath, who: ServiceUser) -> Iterator[Finding]:
    """The right of that person to use the device."""
    if device.open or who.name == "root" or (device.shared and device.group in who.groups):
        yield fine(check, f"{device.path} is there, and {who.name} may use it.")
    elif device.shared:
        mend = f"sudo usermod --append --groups {device.group} {who.name}, then switch the Pi off and on."
        yield fault(check, f"The user {who.name} may not use {device.path}.", mend)
    else:
        text = f"Only root may use {device.path}."
        yield fault(check, text, "Install pi-bunco again: that sets the rights of the devices.")


def look_header(machine: Machine, config: Config, who: ServiceUser) -> Iterator[Finding]:
    """The lines that are wired: there, permitted, and free."""
    if not config.wired:
        yield skipped("GPIO", "nothing is wired by these settings")
        return
    backend, _, path = config.gpio.partition(":")
    if backend != "gpiod":
        yield skipped("GPIO", f"the lines are driven by {backend}, which does not tell who holds them")
        return
    try:
        path = path or header(machine.at("sys/bus/gpio/devices"))
    except DeviceError as error:
        yield fault("GPIO", ended(str(error)), "On a Pi: update it (sudo apt full-upgrade) and restart.")
        return
    device = read_device(machine.at(path))
    if device is None:
        mend = (
            "Name the right one (gpioinfo lists them), or leave gpio at gpiod: the header is found by itself."
        )
        yield fault("GPIO", f"The GPIO chip {path} is not there.", mend)
        return
    yield from judge_device("GPIO", device, who)
    lines = [line for line in used(config.pins, config.wired) if line.direction != "i2c"]
    try:
        import gpiod

        with gpiod.Chip(device.path) as chip:
            infos = {line.name: chip.get_line_info(line.gpio) for line in lines}
    except ImportError:
        text = "The library gpiod is not installed."
        yield fault("GPIO lines", text, "Install pi-bunco with its extra [gpio].")
    except OSError as error:
        yield skipped(
            "GPIO lines", f"{device.path} cannot be opened by this user ({error.strerror or error})"
        )
    else:
        holders = {name: info.consumer or "the kernel" for name, info in infos.items() if info.used}
        yield from judge_lines(lines, holders)


def judge_lines(lines: Collection[Line], holders: Mapping[str, str]) -> Iterator[Finding]:
    """Every line that somebody else holds."""
    taken = [(line, holders[line.name]) for line in lines if holders.get(line.name, OURS) != OURS]
    for line, holder in taken:
        mend = f"Stop what uses it (an overlay in config.txt?), or wire it otherwise: [pins.{line.name}]."
        yield fault("GPIO lines", f"[{line.name}] {line} is in use by {holder}.", mend)
    if not taken:
        ours = sum(holders.get(line.name) == OURS for line in lines)
        yield fine("GPIO lines", f"{len(lines)} lines are wired, {ours} in use by pi-bunco, the others free.")


def look_files(machine: Machine, config: Config, who: ServiceUser) -> Iterator[Finding]:
    """The device files that dice, panel and display need."""
    dice, argument = DICE_KINDS.find(config.dice)
    files = dice.files(argument)
    if not files and dice.name != "none":
        yield skipped("dice port", f"the dice are {dice.name}, not at a serial port")
    panel, argument = PANEL_KINDS.find(config.panel or "virtual")
    display, port = DISPLAY_KINDS.find(config.display)
    for file in (*files, *panel.files(argument), *display.files(port)):
        yield from _look_file(machine, file, who)


def _look_file(machine: Machine, file: DeviceFile, who: ServiceUser) -> Iterator[Finding]:
    others = machine.glob(file.others) if file.others else []
    there = [f"/{one.relative_to(machine.places.root)}" for one in others]
    path = file.path or next(iter(there), "")
    if path and (device := read_device(machine.at(path))):
        yield from judge_device(file.check, device, who)
        return
    seen = f"There is {', '.join(there)}: name that in the settings." if there else ""
    yield fault(file.check, file.missing, f"{file.mend} {seen}".strip())
