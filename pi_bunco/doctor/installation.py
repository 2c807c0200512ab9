"""The installation on this machine: package, first start, roles, services."""

import json
import re
from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct, convert, field
from msgspec.structs import fields

from pi_bunco.config import Config
from pi_bunco.doctor.findings import Finding, fault, fine, skipped, warning
from pi_bunco.doctor.machine_state import Machine, text_of
from pi_bunco.provision.seed import LOG, MADE
from pi_bunco.provision.system import ADOPT, BROKER, HEAD, OTHER_BROKER, SERVICES, TABLE, WEB

_AGAIN = (
    "Run pi-bunco provision with the hall's folder once more, copy what it has for this Pi onto its boot"
    " partition, and switch it off and on."
)
_PACKAGE = "Install the package again: sudo apt install --reinstall ./pi-bunco_*_all.deb"
_MANY_RESTARTS = 3


def read_package(machine: Machine) -> Mapping[str, str] | None:
    """The package as dpkg knows it, by its fields; None if it does not. See `dpkg-query(1)`."""
    text = machine.text("var/lib/dpkg/status") or ""
    block = next((one for one in text.split("\n\n") if "Package: pi-bunco\n" in f"{one}\n"), None)
    if block is None:
        return None
    rows = (line.partition(": ") for line in block.splitlines() if not line.startswith(" "))
    return {name: value for name, _, value in rows}


def look_package(machine: Machine) -> Iterator[Finding]:
    """The package, whole or not, and the one that leads back."""
    found = read_package(machine)
    if found is None:
        yield skipped("package", "pi-bunco was not installed as a package here")
        return
    version = found.get("Version", "?")
    kept = machine.glob("var/lib/pi-bunco/packages/pi-bunco_*_all.deb")
    back = [f"sudo dpkg -i /{path.relative_to(machine.places.root)}" for path in kept]
    if found.get("Status") != "install ok installed":
        mend = " Or back to what ran before: ".join(["sudo dpkg --configure -a.", *back])
        text = f"The package pi-bunco {version} is not installed whole ({found.get('Status')})."
        yield fault("package", text, mend)
    else:
        way_back = f" Back to the one before: {' or '.join(back)}." if back else ""
        yield fine("package", f"pi-bunco {version} is installed.{way_back}")


def look_first_start(machine: Machine) -> Iterator[Finding]:
    """The result of cloud-init at the start that set this Pi up."""
    text = machine.text("run/cloud-init/result.json") or machine.text("var/lib/cloud/data/result.json")
    if text is None:
        yield skipped("first start", "cloud-init did not set this machine up")
        return
    try:
        errors = json.loads(text)["v1"]["errors"]
    except (ValueError, KeyError, TypeError):
        errors = ["its result cannot be read"]
    if errors:
        why = "; ".join(map(str, errors))
        mend = f"See: cloud-init status --long. {_AGAIN}"
        yield warning("first start", f"cloud-init could not do all that the card says: {why}.", mend)
    else:
        yield fine("first start", "cloud-init did all that the card says.")


def look_package_on_card(machine: Machine) -> Iterator[Finding]:
    """The first start's own sentence about what it could not do."""
    path = machine.places.boot / LOG
    if text := text_of(path):
        sentence = text.partition("\n")[0]
        yield warning("package", sentence, f"Each start tries it again; {path} has the details.")


def look_network_file(machine: Machine) -> Iterator[Finding]:
    """A password of the Wi-Fi that the boot partition still holds."""
    path = machine.places.boot / "network-config"
    text = text_of(path)
    if text is not None and text.startswith(MADE) and "password" in text:
        yield fault(
            "boot partition",
            f"{path} still holds the password of the Wi-Fi.",
            "Switch the Pi off and on, or: sudo pi-bunco adopt.",
        )


def judge_roles(roles: Collection[str], config: Config) -> Iterator[Finding]:
    """Roles of an installed package and settings that do not belong together."""
    if not roles:
        yield fault("role", "This Pi has no role: nobody has told it what it is.", _AGAIN)
    if TABLE in roles and config.number is None:
        yield fault("role", "This Pi is a table's, and its settings have no number.", _AGAIN)
    if TABLE not in roles and HEAD not in roles and config.number is not None:
        yield fault("role", f"The settings say table {config.number}, and this Pi has not that role.", _AGAIN)
    if WEB in roles and config.listen is None:
        text = "This Pi serves the page, and its settings do not say where (listen)."
        yield fault("role", text, 'Set listen = "0.0.0.0:80" in /etc/pi-bunco/pi-bunco.toml.')


class Unit(Struct, frozen=True):
    """A unit as `systemctl show` tells of it, see `systemctl(1)`."""

    id: str = field(name="Id", default="")
    load: str = field(name="LoadState", default="not-found")
    file: str = field(name="UnitFileState", default="")
    active: str = field(name="ActiveState", default="inactive")
    sub: str = field(name="SubState", default="dead")
    restarts: str = field(name="NRestarts", default="0")
    status: str = field(name="StatusText", default="")
    groups: str = field(name="SupplementaryGroups", default="")

    @property
    def loaded(self) -> bool:
        """True if it is installed."""
        return self.load == "loaded"

    @property
    def runs(self) -> bool:
        """True if it is running now."""
        return self.active == "active"


def read_units(machine: Machine) -> dict[str, Unit] | None:
    """The units of pi-bunco and Debian's own broker; None where systemd does not run, or does not answer."""
    if not machine.at("run/systemd/system").is_dir():
        return None
    properties, names = ",".join(one.encode_name for one in fields(Unit)), (ADOPT, *SERVICES, OTHER_BROKER)
    text = machine.run(("systemctl", "show", "--no-pager", f"--property={properties}", *names))
    return None if text is None else parse_units(text)


def parse_units(text: str) -> dict[str, Unit]:
    """The units of the output of `systemctl show`: a block of `Key=value` lines for each."""
    blocks = (
        dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        for block in re.split(r"\n\s*\n", text)
    )
    units = [convert(block, Unit) for block in blocks if block]
    return {unit.id: unit for unit in units}


def judge_units(
    units: Mapping[str, Unit] | None, needs: Collection[str], installed: bool
) -> Iterator[Finding]:
    """Units that do not run, or will not after a power cut; `installed`: settings are in /etc."""
    if units is None:
        yield skipped("services", "systemd does not run here, or does not answer")
        return
    ours = [unit for name, unit in units.items() if name != OTHER_BROKER]
    if not any(unit.loaded for unit in ours):
        if installed and needs:
            yield fault("services", "The package pi-bunco is not installed here.", _PACKAGE)
        else:
            yield skipped("services", "pi-bunco is not installed as a service here")
        return
    for name in needs:
        yield from _needed(units.get(name, Unit(name)))
    for unit in ours:
        if unit.id not in needs and unit.active == "failed":
            yield fault("services", f"{unit.id} has failed.", _why(unit))
    if BROKER in needs and units.get(OTHER_BROKER, Unit(OTHER_BROKER)).runs:
        text = "Debian's own mosquitto runs beside ours and may hold its port."
        yield fault("services", text, "sudo systemctl disable --now mosquitto")


def _needed(unit: Unit) -> Iterator[Finding]:
    if not unit.loaded:
        yield fault("services", f"{unit.id} is not installed.", _PACKAGE)
        return
    if unit.file not in ("enabled", "enabled-runtime", "static"):
        text = f"{unit.id} will not start by itself when the Pi is switched on."
        yield fault("services", text, f"sudo systemctl enable --now {unit.id}")
    if not unit.runs:
        state = "restarts again and again" if unit.sub == "auto-restart" else f"does not run ({unit.active})"
        yield fault("services", f"{unit.id} {state}.", _why(unit))
    elif unit.restarts.isdecimal() and int(unit.restarts) > _MANY_RESTARTS:
        text = f"{unit.id} was restarted {unit.restarts} times since the Pi was switched on."
        yield warning("services", text, _why(unit))
    else:
        yield fine("services", f"{unit.id} runs. {unit.status}".strip())


def _why(unit: Unit) -> str:
    return f"sudo systemctl restart {unit.id}; why it ended: journalctl -u {unit.id} -n 20"
