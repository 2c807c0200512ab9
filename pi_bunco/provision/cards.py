"""The files that each Pi of a hall is handed."""

from collections.abc import Collection
from typing import Any

import tomli_w

from pi_bunco.config import service_of
from pi_bunco.provision import accounts, addresses
from pi_bunco.provision.accounts import OWN
from pi_bunco.provision.authority import JOINED
from pi_bunco.provision.certificates import Certificates
from pi_bunco.provision.folder import KeptHall
from pi_bunco.provision.handover import Handover, PiSettings
from pi_bunco.provision.plan import PAD, SERIAL, Plan
from pi_bunco.provision.seed import wifi_code
from pi_bunco.wire.topics import HEAD, host_node, table_node

LISTEN = "0.0.0.0:80"
"""The address of the page on the head's Pi: the port that a phone asks for."""
SETTINGS, CA, PASSWORD = "pi-bunco.toml", "ca.pem", "password"
"""The names of a host's files."""
UPDATE = "head-update"
"""The folder with what a head that runs is to be told."""


class ProvisionedHall(KeptHall, frozen=True):
    """All that is known of a hall: what its folder keeps, its certificates, and who joined its head."""

    certificates: Certificates
    joined: str = ""


def cards(hall: ProvisionedHall) -> dict[str, Handover]:
    """The hand-over of each Pi, by its folder's name."""
    tables = {table_node(number): table(hall, number) for number in hall.plan.alone}
    return tables if hall.plan.laptop else {HEAD: head(hall)} | tables


def table(hall: ProvisionedHall, number: int) -> Handover:
    """The files of a table's Pi, which has no other service."""
    plan, node = hall.plan, table_node(number)
    settings = _settings(plan, addresses.outside(plan.address)) | _devices(plan, number)
    files = {"ca.pem": hall.certificates.ca, **_secrets(hall, node)}
    return Handover(PiSettings("table", number, plan.hall), settings, files)


def head(hall: ProvisionedHall) -> Handover:
    """The files of the head's Pi: broker, head, page, phone tables, and table 1 if it is on this Pi."""
    plan, certificates = hall.plan, hall.certificates
    settings = _settings(plan, addresses.inside()) | {"bell": plan.bell, "listen": LISTEN}
    settings["phones"] = ",".join(map(str, plan.phone))
    if plan.head_number:
        settings |= _devices(plan, plan.head_number)
    files = {
        "ca.pem": certificates.ca,
        "broker/acl": accounts.acl(plan.hall),
        "broker/cert.pem": certificates.cert,
        "broker/key.pem": certificates.key,
        "broker/passwd": accounts.passwd(hall.accounts),
        **_secrets(hall, *OWN, *_head_tables(plan)),
        "secrets/head/log-key": hall.secrets.log_key_file,
        "secrets/web/pin": f"{hall.secrets.pin}\n",
    }
    if hall.joined:
        files[JOINED] = hall.joined
    if plan.wifi_name:
        files["secrets/web/wifi"] = f"{wifi_code(plan, hall.secrets.wifi)}\n"
    return Handover(_head(plan), settings, files)


def host(hall: ProvisionedHall, name: str) -> dict[str, str]:
    """The files for a host's own laptop, by their names; they find each other there."""
    node = host_node(name)
    broker = {**addresses.outside(hall.plan.address), "user": node, "ca": CA, "password_file": PASSWORD}
    broker.pop("secrets")
    return {
        SETTINGS: tomli_w.dumps(_settings(hall.plan, broker)),
        CA: hall.certificates.ca,
        PASSWORD: hall.accounts[node].password + "\n",
    }


def update(hall: ProvisionedHall, nodes: Collection[str] = ()) -> Handover:
    """The files of a head when accounts changed: their hashes, and the passwords of its own `nodes`."""
    names = [node for node in (*OWN, *_head_tables(hall.plan)) if node in nodes]
    files = {"broker/passwd": accounts.passwd(hall.accounts), **_secrets(hall, *names)}
    return Handover(_head(hall.plan), {}, files)


def _head(plan: Plan) -> PiSettings:
    return PiSettings("head", plan.head_number, plan.hall)


def _head_tables(plan: Plan) -> tuple[str, ...]:
    """Node of the table whose service runs on the head's Pi; phone tables go by an account of all."""
    return (table_node(plan.head_number),) if plan.head_number else ()


def _settings(plan: Plan, broker: dict[str, str]) -> dict[str, Any]:
    return {"hall": plan.hall, "broker": broker}


def _devices(plan: Plan, number: int) -> dict[str, Any]:
    panel = PAD if number in plan.keypad else plan.panel
    return device_settings(number, plan.plays(number), plan.dice, panel, plan.lights)


def device_settings(number: int, plays: str, dice: str, panel: str, lights: str) -> dict[str, Any]:
    """The settings of a table; `dice`, `panel` and `lights` are what there is at the header."""
    dice = {"gpio": dice, "usb": SERIAL, "ordinary": "none", "keypad": "none"}[plays]
    panel = PAD if plays == "keypad" else panel
    return {"number": number, "dice": dice, "panel": panel, "lights": lights}


def _secrets(hall: ProvisionedHall, *nodes: str) -> dict[str, str]:
    """Each password in the folder of the service that speaks as the node."""
    return {f"secrets/{service_of(node)}/{node}": hall.accounts[node].password + "\n" for node in nodes}
