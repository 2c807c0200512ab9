"""The services as systemd sees them: there, started at boot, running."""

import re
from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from pi_bunco.doctor.findings import Finding, skipped
from pi_bunco.doctor.machine import Machine
from pi_bunco.provision.roles import ADOPT, BROKER, OTHER_BROKER, SERVICES, role_of

_ASKED = (
    "Id", "LoadState", "UnitFileState", "ActiveState", "SubState",
    "NRestarts", "StatusText", "SupplementaryGroups",
)  # fmt: skip
_OFTEN = 3
_PACKAGE = "Install the package again: sudo apt install --reinstall ./pi-bunco_*_all.deb"


class Unit(Struct, frozen=True):
    """What `systemctl show` tells of a unit, see `systemctl(1)`."""

    id: str
    load: str = "not-found"
    file: str = ""
    active: str = "inactive"
    sub: str = "dead"
    restarts: int = 0
    status: str = ""
    groups: frozenset[str] = frozenset()

    @property
    def loaded(self) -> bool:
        """Whether it is installed."""
        return self.load == "loaded"

    @property
    def runs(self) -> bool:
        """Whether it is running now."""
        return self.active == "active"


def parse(text: str) -> dict[str, Unit]:
    """The units of the output of `systemctl show`: a block of `Key=value` lines for each."""
    blocks = [
        dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        for block in re.split(r"\n\s*\n", text)
    ]
    return {block["Id"]: _unit(block) for block in blocks if "Id" in block}


def _unit(block: Mapping[str, str]) -> Unit:
    restarts = block.get("NRestarts", "")
    return Unit(
        block["Id"],
        block.get("LoadState", "not-found"),
        block.get("UnitFileState", ""),
        block.get("ActiveState", "inactive"),
        block.get("SubState", "dead"),
        int(restarts) if restarts.isdecimal() else 0,
        block.get("StatusText", ""),
        frozenset(block.get("SupplementaryGroups", "").split()),
    )


def read(machine: Machine) -> dict[str, Unit] | None:
    """The units by their names, None where systemd does not run."""
    if not machine.at("run/systemd/system").is_dir():
        return None
    units = (ADOPT, *SERVICES, OTHER_BROKER)
    text = machine.run(("systemctl", "show", "--no-pager", f"--property={','.join(_ASKED)}", *units))
    return None if text is None else parse(text)


def needed(machine: Machine) -> tuple[str, ...]:
    """What is to run here: the roles that this Pi was given."""
    return tuple(unit for unit in SERVICES if (machine.places.roles / role_of(unit)).exists())


def judge(units: Mapping[str, Unit] | None, needs: Collection[str], installed: bool) -> Iterator[Finding]:
    """Whether what is needed runs, and will after a power cut; `installed`: there are settings in /etc."""
    if units is None:
        yield skipped("services", "systemd does not run here, or does not answer")
        return
    ours = [unit for name, unit in units.items() if name != OTHER_BROKER]
    if not any(unit.loaded for unit in ours):
        if installed and needs:
            yield Finding("services", "fault", "The package pi-bunco is not installed here.", _PACKAGE)
        else:
            yield skipped("services", "pi-bunco is not installed as a service here")
        return
    for name in needs:
        yield from _needed(units.get(name, Unit(name)))
    for unit in ours:
        if unit.id not in needs and unit.active == "failed":
            yield Finding("services", "fault", f"{unit.id} has failed.", _why(unit))
    if BROKER in needs and units.get(OTHER_BROKER, Unit(OTHER_BROKER)).runs:
        text = "Debian's own mosquitto runs beside ours and may hold its port."
        yield Finding("services", "fault", text, "sudo systemctl disable --now mosquitto")


def _needed(unit: Unit) -> Iterator[Finding]:
    if not unit.loaded:
        yield Finding("services", "fault", f"{unit.id} is not installed.", _PACKAGE)
        return
    if unit.file not in ("enabled", "enabled-runtime", "static"):
        text = f"{unit.id} will not start by itself when the Pi is switched on."
        yield Finding("services", "fault", text, f"sudo systemctl enable --now {unit.id}")
    if not unit.runs:
        state = "restarts again and again" if unit.sub == "auto-restart" else f"does not run ({unit.active})"
        yield Finding("services", "fault", f"{unit.id} {state}.", _why(unit))
    elif unit.restarts > _OFTEN:
        text = f"{unit.id} was restarted {unit.restarts} times since the Pi was switched on."
        yield Finding("services", "warning", text, _why(unit))
    else:
        yield Finding("services", "ok", f"{unit.id} runs. {unit.status}".strip())


def _why(unit: Unit) -> str:
    return f"sudo systemctl restart {unit.id}; why it ended: journalctl -u {unit.id} -n 20"
