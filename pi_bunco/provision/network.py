"""The network of a Pi in netplan's words, as cloud-init reads it from `network-config`, version 2.

NetworkManager carries it out; in mode `ap` it shares its address range by DHCP and answers names (dnsmasq).
"""

from typing import Any

from pi_bunco.provision import yaml
from pi_bunco.provision.endpoint import OWN_ADDRESS
from pi_bunco.provision.plan import Plan

MADE = "# Made by pi-bunco provision. The Pi overwrites this file when it has taken over pi-bunco.toml.\n"
"""How a file of ours on the boot partition begins."""
TAKEN = "# The Pi has taken its network over; netplan keeps it in /etc/netplan.\n"


def access_point_name(plan: Plan) -> str:
    """The name of the hall's own Wi-Fi."""
    return f"Bunco {plan.hall}"


def name(plan: Plan) -> str:
    """The name of the Wi-Fi that phones join, "" if none is known."""
    return access_point_name(plan) if plan.own_wifi else plan.wifi


def config(plan: Plan, password: str, *, head: bool) -> str:
    """The text of `network-config`; `password` is the Wi-Fi's, in plain text: a hashed one did not work."""
    cable = {"eth0": {"dhcp4": True, "optional": True}}
    network: dict[str, Any] = {"version": 2, "renderer": "NetworkManager", "ethernets": cable}
    if plan.own_wifi or plan.wifi:
        radio = _access_point(plan, password) if head and plan.own_wifi else _station(plan, password)
        network["wifis"] = {"wlan0": {"optional": True, "regulatory-domain": plan.country, **radio}}
    return MADE + yaml.dump({"network": network})


def _access_point(plan: Plan, password: str) -> dict[str, Any]:
    point = {"mode": "ap", "band": "2.4GHz", "channel": plan.channel, "auth": _auth(plan, password)}
    return {"addresses": [f"{OWN_ADDRESS}/24"], "access-points": {access_point_name(plan): point}}


def _station(plan: Plan, password: str) -> dict[str, Any]:
    found: dict[str, Any] = {"auth": _auth(plan, password)} if password else {}
    return {"dhcp4": True, "access-points": {name(plan): found}}


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
