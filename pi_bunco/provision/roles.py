"""The services that a Pi runs, and the files that each needs to start.

Each unit has `ConditionPathExists=/etc/pi-bunco/role/NAME`; a role is given and taken by these files.
"""

from collections.abc import Iterable
from functools import partial

from pi_bunco.provision.handover import Device
from pi_bunco.provision.places import Places
from pi_bunco.provision.steps import Content, Step, write
from pi_bunco.provision.system import System

ADOPT, BROKER, HEAD, TABLE, WEB, PHONES = (
    f"pi-bunco-{name}.service" for name in ("adopt", "broker", "head", "table", "web", "phones")
)
SERVICES = (BROKER, HEAD, WEB, PHONES, TABLE)
"""In the order in which they start."""
OTHER_BROKER = "mosquitto.service"
"""Debian's own instance; a drop-in of the package keeps it from starting on a Pi that has a role."""


def role_of(unit: str) -> str:
    """The word for a unit in paths: `table` for `pi-bunco-table.service`."""
    return unit.removeprefix("pi-bunco-").removesuffix(".service")


def units_of(places: Places) -> tuple[str, ...]:
    """The units that are to run here: the roles that this Pi was given."""
    return tuple(unit for unit in SERVICES if (places.roles / role_of(unit)).exists())


def services(device: Device, phones: bool) -> tuple[str, ...]:
    """The units that this Pi runs; `phones` says if it has phone tables."""
    table = (TABLE,) if device.number else ()
    return (BROKER, HEAD, WEB, *((PHONES,) if phones else ()), *table) if device.role == "head" else table


def needed(device: Device) -> tuple[str, ...]:
    """The files below `/etc/pi-bunco` without which those services cannot start."""
    table = (f"secrets/table/table{device.number}",) if device.number else ()
    if device.role == "head":
        return ("broker/passwd", "broker/key.pem", "secrets/head/head", *table)
    return ("ca.pem", *table)


def given(system: System, wanted: Iterable[str]) -> list[Step]:
    """Gives this Pi the roles of the units, and takes every other of ours from it."""
    wanted = tuple(wanted)
    steps: list[Step] = []
    for unit in SERVICES:
        path = system.places.roles / role_of(unit)
        if unit in wanted:
            steps += write(path, Content(b"", 0o644), f"Let {unit} start with this Pi")
        elif path.exists():
            steps += [*write(path, None, f"Let {unit} start no more"), *stopped(system, unit)]
    return steps


def stopped(system: System, unit: str) -> list[Step]:
    """Stops a unit that runs; it goes on if what comes later fails."""
    if not system.trying(unit):
        return []
    again = partial(system.tell, "start", unit, wait=False)  # it starts after the unit that may run this
    return [Step(f"Stop {unit}", partial(system.tell, "stop", unit), after=again)]
