"""The readings that cost next to nothing, all about this machine: for a service to take while it works."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pi_bunco.doctor import card, clock, power, wifi
from pi_bunco.doctor.findings import Finding, guarded
from pi_bunco.doctor.machine import Machine
from pi_bunco.provision.places import Places


def glance(places: Places, data: Path, now: float, slowest_ms: Callable[[], float]) -> Iterator[Finding]:
    """What is found now, `now` in seconds since 1970; no program is run, nothing written."""
    machine = Machine(places, lambda _: None)
    checks: tuple[tuple[str, Callable[[], Iterable[Finding]]], ...] = (
        ("power", lambda: power.look(machine)),
        ("card", lambda: card.judge_mounts(card.read_mounts(machine), (str(data.resolve()),))),
        ("card health", lambda: card.judge_wear(*card.read_wear(machine))),
        ("card speed", lambda: card.judge_slowest(slowest_ms() / 1000)),
        ("disk space", lambda: card.judge_room(card.read_room(data))),
        ("memory", lambda: card.judge_memory(card.read_memory(machine))),
        ("clock", lambda: clock.judge_clock(now, None)),
        ("Wi-Fi", lambda: wifi.judge_wifi(wifi.read_signals(machine))),
    )
    for check, look in checks:
        yield from guarded(check, look)
