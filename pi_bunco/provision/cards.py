"""What each Pi of a hall is handed over."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from pi_bunco.config import service_of
from pi_bunco.provision import accounts, endpoint
from pi_bunco.provision.accounts import OWN, Account
from pi_bunco.provision.certificates import Certificates
from pi_bunco.provision.handover import Device, Handover
from pi_bunco.provision.plan import Plan
from pi_bunco.wire.topics import HEAD, table_node

UPDATE = "head-update"
"""The folder with what a head that runs is to be told."""
_TEMPLATE = Path(__file__).parents[1] / "ops/systemd/mosquitto.conf"


class Hall(Struct, frozen=True):
    """All that is known of a hall: its plan, its accounts and its certificates."""

    plan: Plan
    accounts: Mapping[str, Account]
    certificates: Certificates


def cards(hall: Hall, rebuild: bool = False) -> dict[str, Handover]:
    """The hand-over of each Pi, by its folder's name; to `rebuild`, a head asks the tables."""
    tables = {table_node(number): table(hall, number) for number in hall.plan.alone}
    return {HEAD: head(hall, rebuild)} | tables


def table(hall: Hall, number: int) -> Handover:
    """What the Pi of a table gets, which has no other service."""
    plan, node = hall.plan, table_node(number)
    settings = _settings(plan, endpoint.outside(plan.address)) | _devices(plan, number)
    files = {"ca.pem": hall.certificates.ca, **_secrets(hall, node)}
    return Handover(Device("table", number, plan.hall), settings, files)


def head(hall: Hall, rebuild: bool = False) -> Handover:
    """What the head's Pi gets: the broker, the head, and table 1 where that is on the same Pi."""
    plan, certificates = hall.plan, hall.certificates
    settings = _settings(plan, endpoint.inside()) | {"bell": plan.bell}
    if plan.head_table:
        settings |= _devices(plan, 1)
    files = {
        "ca.pem": certificates.ca,
        "broker/mosquitto.conf": _TEMPLATE.read_text("utf-8"),
        "broker/acl": accounts.acl(plan.hall),
        "broker/cert.pem": certificates.cert,
        "broker/key.pem": certificates.key,
        "broker/passwd": accounts.passwd(hall.accounts),
        **_secrets(hall, *OWN, *_head_tables(plan)),
    }
    return Handover(_head(plan, rebuild), settings, files)


def update(hall: Hall, nodes: Collection[str] = ()) -> Handover:
    """What a head gets when accounts changed: their hashes, and the passwords of its own `nodes`."""
    own = [node for node in (*OWN, *_head_tables(hall.plan)) if node in nodes]
    files = {"broker/passwd": accounts.passwd(hall.accounts), **_secrets(hall, *own)}
    return Handover(_head(hall.plan), {}, files)


def _head(plan: Plan, rebuild: bool = False) -> Device:
    return Device("head", int(plan.head_table), plan.hall, rebuild)


def _head_tables(plan: Plan) -> tuple[str, ...]:
    return (table_node(1),) if plan.head_table else ()


def _settings(plan: Plan, broker: dict[str, str]) -> dict[str, Any]:
    return {"hall": plan.hall, "broker": broker}


def _devices(plan: Plan, number: int) -> dict[str, Any]:
    return {"number": number, "dice": plan.dice, "panel": plan.panel, "lights": plan.lights}


def _secrets(hall: Hall, *nodes: str) -> dict[str, str]:
    return {f"secrets/{service_of(node)}/{node}": hall.accounts[node].password + "\n" for node in nodes}
