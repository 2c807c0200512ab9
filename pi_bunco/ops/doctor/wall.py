"""The wall clock: the game does not need it, certificates and the dates of evenings do. And the Wi-Fi."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from pi_bunco.ops.doctor.findings import SELF, Finding, Level, skipped
from pi_bunco.ops.doctor.machine import Machine

RELEASED = datetime(2026, 11, 1, tzinfo=UTC).timestamp()
"""No version of this software is older: an earlier time is a wrong one."""
_WEAK, _TOO_WEAK = -75, -85
"""dBm from which packets are lost, and the link is."""


def read_synced(machine: Machine) -> bool | None:
    """Whether the clock is set by the network, None if systemd does not tell; see `timedatectl(1)`."""
    text = machine.run(("timedatectl", "show", "--property=NTPSynchronized", "--value"))
    return {"yes": True, "no": False}.get((text or "").strip())


def date(seconds: float) -> str:
    """Wall time, in seconds since 1970, as a host reads it."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%d %B %Y, %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return "at an unknown time"


def judge_clock(seconds: float, synced: bool | None) -> Iterator[Finding]:
    """Whether the wall clock, in seconds since 1970, can be right."""
    shown = date(seconds)
    if seconds < RELEASED:
        text = f"{SELF} has a clock that is wrong: it shows {datetime.fromtimestamp(seconds, UTC):%B %Y}."
        mend = (
            "The game goes on, but the dates of evenings are wrong. Let it reach the internet once, give it"
            " an RTC battery (Pi 5), or set it: sudo date -s 'YYYY-MM-DD HH:MM'."
        )
        yield Finding("clock", "warning", text, mend)
    elif synced:
        yield Finding("clock", "ok", f"{shown}, set by the network.")
    else:
        by = "not set by the network" if synced is False else "it is not known whether the network sets it"
        yield Finding("clock", "ok", f"{shown}; {by}, which the game does not need.")


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
