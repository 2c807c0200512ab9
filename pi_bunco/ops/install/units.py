"""Where the files of `systemd/` go, and which services a Pi of a role runs."""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from pi_bunco.ops.install import bootlines, files
from pi_bunco.ops.install.files import Content
from pi_bunco.ops.install.machine import Machine
from pi_bunco.ops.install.manifest import Manifest, kept_aside, sum_of
from pi_bunco.ops.install.steps import Step, write
from pi_bunco.provision.handover import Role
from pi_bunco.provision.places import Places

ADOPT = "pi-bunco-adopt.service"
BROKER = "pi-bunco-broker.service"
HEAD = "pi-bunco-head.service"
TABLE = "pi-bunco-table.service"
THEIRS = "mosquitto.service"
"""Debian's broker, which would take our broker's place."""
SNIPPETS = {
    "sysusers.conf": "etc/sysusers.d/pi-bunco.conf",
    "tmpfiles.conf": "etc/tmpfiles.d/pi-bunco.conf",
    "modules-load.conf": "etc/modules-load.d/pi-bunco.conf",
    "journald.conf": "etc/systemd/journald.conf.d/60-pi-bunco.conf",
    "watchdog.conf": "etc/systemd/system.conf.d/60-pi-bunco.conf",
}
BOOT_LINES = "config.txt"
_UNITS = (".service", ".socket", ".target", ".timer", ".path", ".slice")


def services(role: Role, number: int) -> tuple[str, ...]:
    """What a Pi of the role runs; `number` is its table's, 0 for none."""
    table = (TABLE,) if number else ()
    return (BROKER, HEAD, *table) if role == "head" else table


def secrets(role: Role, number: int) -> tuple[str, ...]:
    """The files below `/etc/pi-bunco` without which those services cannot start."""
    table = (f"secrets/table/table{number}",) if number else ()
    if role == "head":
        return ("broker/mosquitto.conf", "secrets/head/head", *table)
    return ("ca.pem", *table)


def placed(shipped: Mapping[str, bytes], places: Places) -> dict[Path, bytes]:
    """The files of `systemd/` that go somewhere, by where that is."""
    units = {places.units / name: data for name, data in shipped.items() if Path(name).suffix in _UNITS}
    snippets = {places.root / to: shipped[name] for name, to in SNIPPETS.items() if name in shipped}
    return units | snippets


def put(machine: Machine, wanted: Mapping[Path, bytes], manifest: Manifest) -> list[Step]:
    """Puts the files in their places; what the host changed there is kept aside."""
    steps: list[Step] = []
    for path, data in wanted.items():
        name = machine.inside(path)
        new = write(path, Content(data, 0o644), f"Write {name}")
        theirs = kept_aside(machine, path, manifest.files.get(name)) if new else []
        steps += theirs + new
    return steps


def counts_later(step: Step) -> bool:
    """Whether what the step writes is read only when the machine starts."""
    return any(folder in step.says for folder in ("modules-load.d", "journald.conf.d", "system.conf.d"))


def dropped(machine: Machine, wanted: Iterable[Path], manifest: Manifest) -> list[Step]:
    """Takes away what an older version had put somewhere and this one does not."""
    kept = {machine.inside(path) for path in wanted}
    return [step for name in manifest.files if name not in kept for step in taken(machine, manifest, name)]


def taken(machine: Machine, manifest: Manifest, name: str) -> list[Step]:
    """Takes one of our files away; if the host changed it, it is kept aside."""
    path = machine.root / name.lstrip("/")
    before = files.content(path)
    if before is None:
        return []
    aside = kept_aside(machine, path, manifest.files[name])
    undo = partial(files.restore, path, before)
    return aside or [Step(f"Remove {name}", partial(files.remove, path), undo)]


def accounts(machine: Machine, wanted: Mapping[Path, bytes], changed: bool) -> list[Step]:
    """Makes the user, the groups and the folders that the snippets name."""
    steps = []
    if changed or not has_user(machine.root):
        steps += _by("systemd-sysusers", "etc/sysusers.d/pi-bunco.conf", "the user pi-bunco", machine, wanted)
    if changed or not machine.places.state.is_dir():
        steps += _by("systemd-tmpfiles", "etc/tmpfiles.d/pi-bunco.conf", "the folders", machine, wanted)
    return steps


def _by(program: str, conf: str, of: str, machine: Machine, wanted: Mapping[Path, bytes]) -> list[Step]:
    if machine.root / conf not in wanted:
        return []
    create = ("--create",) if program == "systemd-tmpfiles" else ()
    apply = partial(machine.run, program, *create, f"/{conf}", what=f"{of} cannot be made")
    return [Step(f"Make {of} that /{conf} names", lambda: void(apply()))]


def void(_: object) -> None:
    """Nobody asks for it."""


def has_user(root: Path) -> bool:
    """Whether there is the user as whom the services run."""
    found = files.content(root / "etc/passwd")
    return found is not None and any(line.startswith(b"pi-bunco:") for line in found.data.splitlines())


def boot_config(machine: Machine) -> Path | None:
    """Where the firmware's settings are; None on a machine that is no Pi."""
    places = (machine.places.boot / BOOT_LINES, machine.root / "boot" / BOOT_LINES)
    return next((path for path in places if path.is_file()), None)


def boot_lines(machine: Machine, shipped: Mapping[str, bytes]) -> list[Step]:
    """Puts our lines into the firmware's settings."""
    path, lines = boot_config(machine), shipped.get(BOOT_LINES)
    before = files.content(path) if path else None
    if path is None or before is None or lines is None:
        return []
    text = bootlines.with_lines(before.data.decode("utf-8", "surrogateescape"), lines.decode())
    new = Content(text.encode("utf-8", "surrogateescape"), before.mode)
    return write(path, new, f"Put our lines into {machine.inside(path)} (they count from the next start on)")


def boot_print(shipped: Mapping[str, bytes]) -> str:
    """The sum of what we put into the firmware's settings."""
    return sum_of(bootlines.inner(shipped.get(BOOT_LINES, b"").decode()).encode())


def enabling(machine: Machine, wanted: Iterable[str], known: Iterable[str]) -> list[Step]:
    """Lets these units start when the machine does, and no other of ours."""
    wanted = tuple(wanted)
    new = [unit for unit in wanted if not machine.enabled(unit)]
    old = [unit for unit in known if unit not in wanted and machine.enabled(unit)]
    return [_on(machine, unit) for unit in new] + [off(machine, unit) for unit in old]


def _on(machine: Machine, unit: str) -> Step:
    return Step(f"Enable {unit}", partial(machine.enable, unit), partial(machine.disable, unit))


def off(machine: Machine, unit: str) -> Step:
    """Stops the unit, for good."""
    back = partial(machine.revive, unit, machine.trying(unit))
    return Step(f"Stop and disable {unit}", partial(machine.disable, unit), back)


def without_theirs(machine: Machine) -> list[Step]:
    """Debian's own broker stops and does not start again: ours has its place."""
    return [off(machine, THEIRS)] if machine.enabled(THEIRS) or machine.trying(THEIRS) else []
