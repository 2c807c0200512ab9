"""The network of a Pi in netplan's words, as cloud-init reads it from `network-config`, version 2.

Each Pi asks for a number, and has a fixed one beside it, by which the tables find the head all the same where
nobody gives numbers or answers names.

NetworkManager carries it out; in mode `ap` it shares its address range by DHCP and answers names (dnsmasq).
"""

from collections.abc import Mapping
from typing import Any

from pi_bunco.provision.addresses import OWN_ADDRESS, fixed
from pi_bunco.provision.plan import Plan

MADE = "# Made by pi-bunco provision. The Pi overwrites this file when it has taken over pi-bunco.toml.\n"
"""The beginning of a file of ours on the boot partition."""
_MANAGER = "NetworkManager"
_PATIENT = {"ipv4.dhcp-timeout": "2147483647", "connection.autoconnect-retries": "0"}
"""NetworkManager's words for: for ever."""
TAKEN = "# The Pi has taken its network over; netplan keeps it in /etc/netplan.\n"


def name(plan: Plan) -> str:
    """The name of the Wi-Fi that phones join, "" if none is known."""
    return plan.access_point if plan.own_wifi else plan.wifi


def config(plan: Plan, password: str, number: int) -> str:
    """The text of `network-config` for a table's Pi, or the head's for `number` 0.

    `password` is the Wi-Fi's, in plain text: a hashed one did not work.
    """
    cable = {"eth0": _given(str(fixed(plan.hall, "cable", number)))}
    network: dict[str, Any] = {"version": 2, "renderer": _MANAGER, "ethernets": cable}
    if plan.own_wifi or plan.wifi:
        makes_it = plan.own_wifi and not number
        radio = _access_point(plan, password) if makes_it else _station(plan, password, number)
        network["wifis"] = {"wlan0": {"optional": True, "regulatory-domain": plan.country, **radio}}
    return MADE + to_yaml({"network": network})


def to_yaml(value: Mapping[str, Any]) -> str:
    """YAML as cloud-init and netplan read it, in the order of `value`; a text of several lines is a block."""
    import yaml  # only where cards are made

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, _value: Any) -> bool:
            return True  # netplan knows none

        def represent_text(self, text: str) -> yaml.ScalarNode:
            return self.represent_scalar("tag:yaml.org,2002:str", text, "|" if "\n" in text else None)

    Dumper.add_representer(str, Dumper.represent_text)
    return str(yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=float("inf")))


def _given(*fixed_ones: str) -> dict[str, Any]:
    """A link with a number that somebody gives, and fixed ones.

    By itself NetworkManager lets go of a link on which nobody gives numbers, and of the fixed one with it,
    and stops trying after a while.
    """
    numbers = {"addresses": list(fixed_ones)} if fixed_ones else {}
    given = {"dhcp4": True, "optional": True, **numbers}
    return given | {"renderer": _MANAGER, "networkmanager": {"passthrough": _PATIENT}}


def _access_point(plan: Plan, password: str) -> dict[str, Any]:
    point = {"mode": "ap", "band": "2.4GHz", "channel": plan.channel, "auth": _auth(plan, password)}
    return {"addresses": [f"{OWN_ADDRESS}/24"], "access-points": {plan.access_point: point}}


def _station(plan: Plan, password: str, number: int) -> dict[str, Any]:
    """In a Wi-Fi of the hall's own the head gives numbers, so no fixed one is needed."""
    found: dict[str, Any] = {"auth": _auth(plan, password)} if password else {}
    numbers = [] if plan.own_wifi else [str(fixed(plan.hall, "radio", number))]
    return _given(*numbers) | {"access-points": {name(plan): found}}


def _auth(plan: Plan, password: str) -> dict[str, Any]:
    """WPA2, or WPA3 where all devices know it."""
    return {"key-management": "sae" if plan.wpa3 else "psk", "password": password}


def sign(plan: Plan, password: str) -> str:
    """The text of a QR code by which a phone joins the Wi-Fi (WPA3 specification, section 7.1)."""
    escaped = [_escaped(text) for text in (name(plan), password)]
    kind = "WPA" if password else "nopass"
    return f"WIFI:T:{kind};S:{escaped[0]};P:{escaped[1]};;" if password else f"WIFI:T:{kind};S:{escaped[0]};;"


def _escaped(text: str) -> str:
    return "".join(f"\\{letter}" if letter in '\\;,":' else letter for letter in text)
