"""What taking pi-bunco off a machine does: exactly what was installed goes, what the host has stays."""

from functools import partial
from pathlib import Path

from pi_bunco.ops.install import bootlines, files, units
from pi_bunco.ops.install.files import Content
from pi_bunco.ops.install.machine import Machine
from pi_bunco.ops.install.manifest import Manifest, read, spare, sum_of
from pi_bunco.ops.install.plan import OURS, Plan
from pi_bunco.ops.install.steps import Step, write
from pi_bunco.provision import handover
from pi_bunco.provision.handover import HandoverError

USER = "pi-bunco"


def removal(machine: Machine, purge: bool) -> Plan:
    """The steps; data and settings go only with `purge`."""
    found = read(machine)
    off = [units.off(machine, unit) for unit in OURS if machine.enabled(unit) or machine.trying(unit)]
    steps = [*off, *(_installed(machine, found) if found else ())]
    after = [*(_purged(machine) if purge else []), *_gone(machine, machine.places.software)]
    return Plan(steps, after, () if purge else tuple(_notes(machine)))


def _installed(machine: Machine, found: Manifest) -> list[Step]:
    steps: list[Step] = []
    for name in found.files:
        steps += units.taken(machine, found, name)
    steps += _folders(machine, found)
    steps += _boot(machine, found)
    steps += _command(machine)
    steps += [_back(machine, unit, ran) for unit, ran in found.disabled.items() if machine.has(unit)]
    if machine.booted:
        reload = partial(machine.tell, "daemon-reload")
        steps.append(Step("Let systemd forget them", reload, after=reload))
    return steps


def _folders(machine: Machine, found: Manifest) -> list[Step]:
    paths = [machine.root / name.lstrip("/") for name in found.folders]
    return [
        Step(
            f"Remove {machine.inside(path)} if it is empty",
            partial(_unmake, path),
            partial(files.folder, path),
        )
        for path in paths
        if path.is_dir()
    ]


def _unmake(path: Path) -> None:
    if not any(path.iterdir()):
        files.remove(path)


def _boot(machine: Machine, found: Manifest) -> list[Step]:
    """The firmware's settings without our lines; lines that the host changed are kept."""
    path = machine.root / found.boot.lstrip("/") if found.boot else None
    before = files.content(path) if path else None
    if path is None or before is None:
        return []
    text = before.data.decode("utf-8", "surrogateescape")
    without = bootlines.without_lines(text).encode("utf-8", "surrogateescape")
    steps = write(path, Content(without, before.mode), f"Take our lines out of {machine.inside(path)}")
    if not steps or sum_of(bootlines.ours(text).encode("utf-8", "surrogateescape")) == found.boot_print:
        return steps
    aside = spare(machine, path)
    says = f"Keep {machine.inside(path)}, whose lines were changed by hand, as {machine.inside(aside)}"
    return [*write(aside, Content(before.data, 0o644), says), *steps]


def _command(machine: Machine) -> list[Step]:
    path = machine.places.command
    target = files.target(path)
    if target is None or not target.startswith(machine.inside(machine.places.software)):
        return []
    undo = partial(files.link, path, target)
    return [Step(f"Remove {machine.inside(path)}", partial(files.remove, path), undo)]


def _back(machine: Machine, unit: str, ran: bool) -> Step:
    return Step(
        f"Enable {unit} again, as it was", partial(machine.revive, unit, ran), partial(machine.disable, unit)
    )


def _purged(machine: Machine) -> list[Step]:
    places = machine.places
    steps = [
        *_gone(machine, places.state),
        *_gone(machine, places.config),
        *_blanked(machine, places.handover),
    ]
    if units.has_user(machine.root):
        without = partial(machine.run, "userdel", USER, what=f"the user {USER} cannot be removed")
        steps.append(Step(f"Remove the user {USER}", lambda: units.void(without())))
    return steps


def _blanked(machine: Machine, path: Path) -> list[Step]:
    """The note that a card was taken over goes; a file that was not is the host's."""
    try:
        taken = path.is_file() and handover.read(path) is None
    except HandoverError:
        taken = False
    return _gone(machine, path) if taken else []


def _gone(machine: Machine, path: Path) -> list[Step]:
    return [Step(f"Remove {machine.inside(path)}", partial(files.remove, path))] if path.exists() else []


def _notes(machine: Machine) -> list[str]:
    kept = [machine.inside(path) for path in (machine.places.config, machine.places.state) if path.exists()]
    return [f"A new installation goes on with what is kept in {' and '.join(kept)}."] if kept else []
