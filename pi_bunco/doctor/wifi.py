"""The strength of the Wi-Fi that a Pi uses."""

import re
from collections.abc import Iterator

from pi_bunco.doctor.findings import SELF, Finding, Level, skipped
from pi_bunco.doctor.machine import Machine

_WEAK, _TOO_WEAK = -75, -85
"""dBm from which packets are lost, and the link is."""


def signals(text: str) -> dict[str, float]:
    """The level in dBm of each Wi-Fi interface in /proc/net/wireless (kernel, net/wireless/wext-proc.c)."""
    found: dict[str, float] = {}
    for line in text.splitlines()[2:]:
        name, _, rest = line.partition(":")
        fields = rest.split()
        linked = len(fields) >= 3 and fields[1].rstrip(".") != "0"
        if linked and re.fullmatch(r"-?[0-9]{1,3}\.?", fields[2]):
            level = float(fields[2].rstrip("."))
            found[name.strip()] = level - 256 if level > 63 else level  # some drivers give it as a byte
    return found


def read_signals(machine: Machine) -> dict[str, float]:
    """The Wi-Fi levels of this machine; nothing where there is none."""
    return signals(machine.text("proc/net/wireless") or "")


def judge_wifi(found: dict[str, float]) -> Iterator[Finding]:
    """Whether the Wi-Fi that is used is strong enough."""
    mend = "Bring it nearer to the router, or the router nearer; metal and people weaken it. A cable is best."
    if not found:
        yield skipped("Wi-Fi", "no Wi-Fi is in use here")
        return
    name, level = max(found.items(), key=lambda one: one[1])
    if level <= _WEAK:
        grade: Level = "fault" if level <= _TOO_WEAK else "warning"
        text = f"{SELF} has weak Wi-Fi: {level // 5 * 5:.0f} dBm at {name}."
        yield Finding("Wi-Fi", grade, text, mend)
    else:
        yield Finding("Wi-Fi", "ok", f"{level:.0f} dBm at {name}.")
