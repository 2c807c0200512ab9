"""The wall clock: the game does not need it, the dates of evenings do."""

from collections.abc import Iterator
from datetime import UTC, datetime

from pi_bunco.doctor.findings import SELF, Finding
from pi_bunco.doctor.machine import Machine
from pi_bunco.runtime.clock import date

RELEASED = datetime(2026, 11, 1, tzinfo=UTC).timestamp()
"""No version of this software is older: an earlier time is a wrong one."""


def read_synced(machine: Machine) -> bool | None:
    """Whether the clock is set by the network, None if systemd does not tell; see `timedatectl(1)`."""
    text = machine.run(("timedatectl", "show", "--property=NTPSynchronized", "--value"))
    return {"yes": True, "no": False}.get((text or "").strip())


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
