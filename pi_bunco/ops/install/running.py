"""Starts the services and sees that they stay; if not, those that ran before run again."""

from collections.abc import Iterable, Sequence
from functools import partial
from time import sleep

from pi_bunco.ops.install.machine import Machine
from pi_bunco.ops.install.steps import InstallError, Step

STEADY_S = 4.0
"""Seconds for which what was started is watched: a service that ends starts again every half second."""


def started(machine: Machine, wanted: Sequence[str], changed: bool) -> list[Step]:
    """Starts what does not run, and all anew if something has `changed`."""
    if not machine.booted:
        return []
    todo = list(wanted) if changed else [unit for unit in wanted if not machine.active(unit)]
    ran = [unit for unit in todo if machine.trying(unit)]
    if not todo:
        return []
    return [
        Step(
            f"Start {', '.join(todo)} and see that they run",
            partial(start, machine, todo),
            partial(_stop, machine, [unit for unit in todo if unit not in ran]),
            partial(_again, machine, ran),
        )
    ]


def start(machine: Machine, units: Iterable[str]) -> None:
    """Starts them anew; `InstallError` says which did not stay, and its last words."""
    machine.tell("daemon-reload")
    for unit in units:
        if machine.ask("systemctl", "restart", unit).status != 0:
            raise _dead(machine, unit)
    before = {unit: _starts(machine, unit) for unit in units}
    sleep(STEADY_S)
    for unit, count in before.items():
        if not machine.active(unit) or _starts(machine, unit) != count:
            raise _dead(machine, unit)


def _starts(machine: Machine, unit: str) -> str:
    return machine.ask("systemctl", "show", "--property=NRestarts", "--value", unit).out.strip()


def _dead(machine: Machine, unit: str) -> InstallError:
    """The last words of its latest process that ended; its clean-up talks as well, and later."""
    pid = machine.ask("systemctl", "show", "--property=ExecMainPID", "--value", unit).out.strip()
    words = (_words(machine, unit, f"_PID={pid}") or _words(machine, unit)).splitlines()
    return InstallError(f"{unit} does not run: {words[-1] if words else 'it said nothing'}")


def _words(machine: Machine, unit: str, *more: str) -> str:
    matches = (f"_SYSTEMD_UNIT={unit}", *more)
    return machine.ask("journalctl", "--quiet", "--lines=5", "--output=cat", *matches).out.strip()


def _stop(machine: Machine, units: Sequence[str]) -> None:
    if units:
        machine.tell("stop", *units)


def _again(machine: Machine, units: Sequence[str]) -> None:
    machine.tell("daemon-reload")
    if units:
        machine.tell("restart", *units)
