"""How pi-bunco came onto this machine: the package, its first start by cloud-init, and the roles it has."""

import json
from collections.abc import Collection, Iterator, Mapping

from pi_bunco.config import Config
from pi_bunco.doctor.findings import Finding, skipped
from pi_bunco.doctor.machine import Machine
from pi_bunco.provision import network
from pi_bunco.provision.roles import HEAD, TABLE, WEB
from pi_bunco.provision.seed import FIRST_START

_NAME = "pi-bunco"
_WHOLE = "install ok installed"
_AGAIN = (
    "Copy this Pi's folder of pi-bunco provision onto its boot partition again, and switch it off and on."
)


def read_package(machine: Machine) -> Mapping[str, str] | None:
    """What dpkg knows of the package, by its fields; None if nothing. See `dpkg-query(1)`."""
    text = machine.text("var/lib/dpkg/status") or ""
    block = next((one for one in text.split("\n\n") if f"Package: {_NAME}\n" in f"{one}\n"), None)
    if block is None:
        return None
    rows = (line.partition(": ") for line in block.splitlines() if not line.startswith(" "))
    return {name: value for name, _, value in rows}


def look_package(machine: Machine) -> Iterator[Finding]:
    """Whether the package is whole, and which one leads back."""
    found = read_package(machine)
    if found is None:
        yield skipped("package", "pi-bunco was not installed as a package here")
        return
    version = found.get("Version", "?")
    kept = machine.glob("var/lib/pi-bunco/packages/pi-bunco_*_all.deb")
    back = [f"sudo dpkg -i /{path.relative_to(machine.places.root)}" for path in kept]
    if found.get("Status") != _WHOLE:
        mend = " Or back to what ran before: ".join(["sudo dpkg --configure -a.", *back])
        text = f"The package pi-bunco {version} is not installed whole ({found.get('Status')})."
        yield Finding("package", "fault", text, mend)
    else:
        way = f" Back to the one before: {' or '.join(back)}." if back else ""
        yield Finding("package", "ok", f"pi-bunco {version} is installed.{way}")


def look_first_start(machine: Machine) -> Iterator[Finding]:
    """What cloud-init says of the start at which it set this Pi up."""
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
        yield Finding(
            "first start", "warning", f"cloud-init could not do all that the card says: {why}.", mend
        )
    else:
        yield Finding("first start", "ok", "cloud-init did all that the card says.")


def look_card(machine: Machine) -> Iterator[Finding]:
    """Whether the package that lies on the card could be installed at this start."""
    if not machine.at("run/systemd/system").is_dir():
        return
    command = ("systemctl", "show", "--property=ActiveState,SubState,NRestarts", FIRST_START)
    shown = dict(line.split("=", 1) for line in (machine.run(command) or "").splitlines() if "=" in line)
    tries = shown.get("NRestarts", "0")
    if shown.get("ActiveState") == "failed" or shown.get("SubState") == "auto-restart" or tries != "0":
        text = f"The package on the card could not be installed so far ({tries} tries)."
        mend = (
            "It needs the internet once, or all that it needs beside it on the card (README.txt of the hall's"
            f" folder). What apt says: journalctl -u {FIRST_START} -n 20"
        )
        yield Finding("package", "warning", text, mend)


def look_network_file(machine: Machine) -> Iterator[Finding]:
    """Whether the boot partition still holds the password of the Wi-Fi."""
    path = machine.places.boot / "network-config"
    text = machine.text(path.relative_to(machine.places.root))
    if text is not None and text.startswith(network.MADE) and "password" in text:
        yield Finding(
            "boot partition",
            "fault",
            f"{path} still holds the password of the Wi-Fi.",
            "Switch the Pi off and on, or: sudo pi-bunco adopt.",
        )


def judge_roles(roles: Collection[str], config: Config, installed: bool) -> Iterator[Finding]:
    """Whether the roles of this Pi and its settings belong together; `installed`: there is the package."""
    if not installed:
        return
    if not roles:
        yield Finding("role", "fault", "This Pi has no role: nobody has told it what it is.", _AGAIN)
    if TABLE in roles and config.number is None:
        yield Finding("role", "fault", "This Pi is a table's, and its settings have no number.", _AGAIN)
    if TABLE not in roles and HEAD not in roles and config.number is not None:
        text = f"The settings say table {config.number}, and this Pi has not that role."
        yield Finding("role", "fault", text, _AGAIN)
    if WEB in roles and config.listen is None:
        text = "This Pi serves the page, and its settings do not say where (listen)."
        yield Finding("role", "fault", text, 'Set listen = "0.0.0.0:80" in /etc/pi-bunco/pi-bunco.toml.')
