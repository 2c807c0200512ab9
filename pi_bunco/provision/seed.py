"""cloud-init's files for the first start of a Pi (NoCloud): name, users, network, package.

`templates/` has their text. Nothing in `user-data` is secret: cloud-init keeps a copy of it.
"""

import functools
from importlib import resources
from random import Random
from typing import Any

from pi_bunco.provision.addresses import OWN_ADDRESS, OWN_NAME, fixed
from pi_bunco.provision.plan import Plan

PACKAGES = "pi-bunco"
"""The folder on the boot partition with the package, and others that it needs where there is no internet."""
SCRIPT = "pi-bunco-first-start.sh"
"""The file on the boot partition that a Pi runs at each start."""
LOG = "pi-bunco-first-start.log"
"""The file on the boot partition that says why a first start does not come to its end."""
MARKS = "var/lib/pi-bunco-card"
"""The folder where the script notes how far it is: `whole` names the card that is on the disk."""
META = "meta-data"
MADE = "# Made by pi-bunco provision. The Pi overwrites this file when it has taken over pi-bunco.toml.\n"
"""The beginning of a `network-config` of ours on the boot partition, with the password of the Wi-Fi."""
TAKEN = "# The Pi has taken its network over; netplan keeps it in /etc/netplan.\n"


def hostname(number: int) -> str:
    """The name of a table's Pi, or of the head's for 0."""
    return f"pi-bunco-table{number}" if number else "pi-bunco-head"


def seeds(plan: Plan, password: str, number: int) -> dict[str, str]:
    """The files by their names for a table's Pi, or the head's for `number` 0; `password` is the Wi-Fi's."""
    more = {
        "plan": plan,
        "number": number,
        "hostname": hostname(number),
        "script": f"/boot/firmware/{SCRIPT}",
        "made": MADE,
        "own_name": OWN_NAME,
        "own_address": OWN_ADDRESS,
        "wifi": plan.wifi_name,
        "cable": fixed(plan.hall, "cable", number),
        "radio": fixed(plan.hall, "radio", number),
    }
    return {
        "user-data": rendered("user-data", **more),
        "network-config": rendered("network-config", password=password, **more),
        SCRIPT: text(SCRIPT.removeprefix("pi-bunco-")),
    }


def meta_data(plan: Plan, number: int, random: Random) -> str:
    """The text of `meta-data`: at each new id cloud-init takes the Pi for a new one and does all again."""
    return another_id(f"instance-id: pi-bunco-{plan.hall}-{hostname(number)}-0\n", random)


def another_id(text: str, random: Random) -> str:
    """The text of `meta-data` with a new id."""
    return f"{text.strip().rpartition('-')[0]}-{random.randbytes(6).hex()}\n"


def wifi_code(plan: Plan, password: str) -> str:
    """The text of a QR code by which a phone joins the Wi-Fi (WPA3 specification, section 7.1)."""
    name, word = (
        "".join(f"\\{letter}" if letter in '\\;,":' else letter for letter in text)
        for text in (plan.wifi_name, password)
    )
    return f"WIFI:T:WPA;S:{name};P:{word};;" if password else f"WIFI:T:nopass;S:{name};;"


def text(name: str) -> str:
    """A file of `templates/` as it is."""
    return (resources.files("pi_bunco.provision") / "templates" / name).read_text("utf-8")


def rendered(name: str, **values: object) -> str:
    """A template with these values; in HTML they are escaped."""
    return str(_environment().get_template(name).render(values))


@functools.cache
def _environment() -> Any:
    import jinja2  # only where cards are made

    found = jinja2.Environment(
        loader=jinja2.FunctionLoader(text),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
        autoescape=lambda name: name is not None and name.endswith(".html"),
    )
    found.filters |= {"quoted": quoted, "qr": _qr}
    return found


def quoted(text: str) -> str:
    """The text in YAML's double quotes."""
    plain = (
        letter if letter.isprintable() and letter not in '"\\' else f"\\U{ord(letter):08X}" for letter in text
    )
    return f'"{"".join(plain)}"'


def _qr(text: str) -> Any:
    import segno
    from markupsafe import Markup

    return Markup(segno.make_qr(text, error="m").svg_inline(omitsize=True, border=4))
