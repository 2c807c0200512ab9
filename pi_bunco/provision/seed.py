"""The first start of a Pi by cloud-init (NoCloud): name, clock, access, and the package.

Nothing here is secret: cloud-init keeps a copy of `user-data`.
"""

import hashlib
from typing import Any

from pi_bunco.provision.addresses import OWN_ADDRESS, OWN_NAME
from pi_bunco.provision.network import to_yaml
from pi_bunco.provision.plan import Plan

PACKAGES = "pi-bunco"
"""The folder on the boot partition with the package, and others that it needs where there is no internet."""
USER = "bunco"
_SCRIPT = "/usr/local/lib/pi-bunco-first-start"
FIRST_START = "pi-bunco-first-start.service"
"""Installs what came on the card."""
_FIRST_START_SCRIPT = f"""\
#!/bin/sh
# Installs the package that came on the card, at this start or, if the power failed meanwhile, at a later one;
# again only when another one is put there.
# cloud-init tells its log the network at each start, the password of the Wi-Fi with it.
sed -i '/access-points/d' /var/log/cloud-init.log
state=$(dpkg-query --show --showformat='${{db:Status-Status}}' pi-bunco 2>/dev/null)
done=/var/lib/pi-bunco-first-start
set -- /boot/firmware/{PACKAGES}/*.deb
card=$(cat "$@" 2>/dev/null | sha256sum)
if [ "$state" = installed ]; then
    [ -e "$1" ] || exit 0
    [ "$card" = "$(cat $done 2>/dev/null)" ] && exit 0
fi
export DEBIAN_FRONTEND=noninteractive
dpkg --configure -a
get() {{ apt-get install --yes --no-install-recommends --allow-downgrades /boot/firmware/{PACKAGES}/*.deb; }}
get || {{ apt-get update && get; }} || exit 1
echo "$card" >$done
# What the firmware reads at a start only.
[ ! -e /run/pi-bunco-adopt/restart ] || systemctl --no-block reboot
"""
_SERVICE = f"""\
[Unit]
Description=Bunco: install the package that came on the card
After=network-online.target NetworkManager.service
Wants=network-online.target

[Service]
Type=oneshot
ExecStart={_SCRIPT}
Restart=on-failure
RestartSec=15s

[Install]
WantedBy=multi-user.target
"""
_NAMES = f"address=/{OWN_NAME}/{OWN_ADDRESS}\n"


def hostname(number: int) -> str:
    """The name of a table's Pi, or of the head's for 0."""
    return f"pi-bunco-table{number}" if number else "pi-bunco-head"


def user_data(plan: Plan, number: int) -> str:
    """The text of `user-data` for a table's Pi, or the head's for `number` 0."""
    config: dict[str, Any] = {
        "hostname": hostname(number),
        "timezone": plan.timezone,
        "ssh_pwauth": False,
        "disable_root": True,
        "users": [_user(plan)],
        "write_files": list(_files(plan, number)),
        "runcmd": _commands(plan),
    }
    return "#cloud-config\n# Made by pi-bunco provision.\n" + to_yaml(config)


def meta_data(plan: Plan, number: int, *texts: str) -> str:
    """The text of `meta-data`: where `texts` change, cloud-init takes it for a new Pi and does all again."""
    digest = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]
    return to_yaml({"instance-id": f"pi-bunco-{plan.hall}-{hostname(number)}-{digest}"})


def _user(plan: Plan) -> dict[str, Any]:
    """Nobody can log in with a password; with the key that was given one can, and is root by sudo."""
    user: dict[str, Any] = {
        "name": USER,
        "lock_passwd": True,
        "shell": "/bin/bash",
        "sudo": "ALL=(ALL) NOPASSWD:ALL",
    }
    return user | ({"ssh_authorized_keys": [plan.ssh_key]} if plan.ssh_key else {})


def _files(plan: Plan, number: int) -> list[dict[str, Any]]:
    files: list[dict[str, Any]] = [
        {"path": _SCRIPT, "permissions": "0755", "content": _FIRST_START_SCRIPT},
        {"path": f"/etc/systemd/system/{FIRST_START}", "permissions": "0644", "content": _SERVICE},
    ]
    if plan.own_wifi and number:  # so that no answer of a name server is needed
        files.append({"path": "/etc/hosts", "append": True, "content": f"{OWN_ADDRESS} {OWN_NAME}\n"})
    if plan.own_wifi and not number:
        path = "/etc/NetworkManager/dnsmasq-shared.d/pi-bunco.conf"
        files.append({"path": path, "permissions": "0644", "content": _NAMES})
    return files


def _commands(plan: Plan) -> list[list[str]]:
    """The wizard for a user on the Pi's own screen is not needed; SSH runs where somebody has a key."""
    ssh = "enable" if plan.ssh_key else "disable"
    return [
        ["sh", "-c", "systemctl disable --now userconfig.service || true"],
        ["sh", "-c", f"systemctl {ssh} --now ssh.service || true"],
        ["systemctl", "daemon-reload"],
        ["systemctl", "enable", FIRST_START],
        ["systemctl", "start", "--no-block", FIRST_START],
    ]
