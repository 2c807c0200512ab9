"""What an installation or an upgrade does on this machine, worked out from what is there now."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.ops.install import adopt, files, running, settings, units, versions
from pi_bunco.ops.install.adopt import Adoption
from pi_bunco.ops.install.machine import Machine
from pi_bunco.ops.install.manifest import Manifest, Version, noted, read, sum_of
from pi_bunco.ops.install.settings import Table
from pi_bunco.ops.install.sources import Source
from pi_bunco.ops.install.steps import InstallError, Step, carry_out
from pi_bunco.ops.install.units import ADOPT, BROKER, HEAD, TABLE, THEIRS
from pi_bunco.ops.install.wish import Wish

OURS = (BROKER, HEAD, TABLE, ADOPT)


class Plan(Struct, frozen=True):
    """What would be done: a failure undoes all `steps`; `after` them nothing is undone any more."""

    steps: list[Step]
    after: list[Step] = []
    notes: tuple[str, ...] = ()

    def says(self) -> list[str]:
        """A sentence for each step."""
        return [step.says for step in (*self.steps, *self.after)]

    def carry_out(self, tell: Callable[[str], None]) -> None:
        """Does it."""
        carry_out(self.steps, tell)
        for step in self.after:
            tell(step.says)
            step.apply()


class _Work(Struct, frozen=True):
    """What the steps are made of."""

    machine: Machine
    wish: Wish
    source: Source
    before: Manifest
    version: Version
    wanted: Table
    adoption: Adoption | None
    ready: bool


def plan(machine: Machine, wish: Wish, source: Source) -> Plan:
    """The steps; `InstallError` or `ConfigError` with every reason why it cannot be done."""
    before = read(machine) or Manifest()
    wanted = _wanted(machine, wish)
    if problems := list(_problems(machine, wish, source, wanted)):
        raise InstallError(*problems)
    version = versions.wanted(machine, source, before)
    given, file = wish.handover, wish.file
    adoption = adopt.adoption(machine, file, given, wanted) if given else None
    return _planned(
        _Work(machine, wish, source, before, version, wanted, adoption, not _lacking(machine, wish))
    )


def _wanted(machine: Machine, wish: Wish) -> Table:
    """The settings that there will be: what is given wins over what is handed over, and that over the old."""
    path = machine.places.settings
    old = settings.read(path)
    if wish.handover:
        wanted = settings.replaced(old, wish.handover.settings)
    else:
        known = settings.role(old) == wish.role and wish.head is None
        where = {} if known else {"broker": settings.broker(wish.role, wish.head)}
        wanted = settings.replaced(old, where)
    wanted = settings.numbered(wanted, wish.number)
    return settings.merged(wanted, settings.checked(wish.given, wanted, path))


def _problems(machine: Machine, wish: Wish, source: Source, wanted: Table) -> Iterator[str]:
    yield from versions.problems(machine, source)
    if wish.role == "head" and not (machine.root / "usr/sbin/mosquitto").exists():
        yield "the head's Pi needs the broker: sudo apt install mosquitto"
    if source.offline and wanted.get("gpio") == "rpigpio":
        yield "gpio = rpigpio needs RPi.GPIO, which has to be compiled and is in no bundle: use gpiod"
    if TABLE not in source.units:
        yield f"{source.name} holds {source.version}, which brings no services: use a newer version"


def _lacking(machine: Machine, wish: Wish) -> list[str]:
    """What the services need and is neither here nor handed over."""
    given = wish.handover.files if wish.handover else {}
    needed = units.secrets(wish.role, wish.number)
    return [name for name in needed if name not in given and not (machine.places.config / name).exists()]


def _planned(work: _Work) -> Plan:
    machine, before, adoption = work.machine, work.before, work.adoption
    placed = units.placed(work.source.units, machine.places)
    after = _manifest(work, placed)
    meanwhile = replace(
        after, versions=before.versions, files=dict(sorted((before.files | after.files).items()))
    )
    new = _new(work)
    put = [*units.dropped(machine, placed, before), *units.put(machine, placed, before)]
    stored = adoption.stored if adoption else adopt.settled(machine, work.wanted)
    boot = units.boot_lines(machine, work.source.units)
    steps = [
        *versions.leftovers(machine, before),
        *noted(machine, meanwhile),
        *new,
        *put,
        *units.accounts(machine, placed, bool(put)),
        *stored,
        *(versions.tried(machine, work.version) if work.ready and work.version != before.current else []),
        *boot,
        *noted(machine, after),
        *versions.switch(machine, work.version),
        *versions.command(machine),
        *_services(work, bool(put or stored or work.version != before.current)),
    ]
    blanked = adoption.blanked if adoption else _rest(work.wish.file)
    gone = [one for one in before.versions if one not in after.versions]
    return Plan(
        steps,
        [*blanked, *map(partial(_removal, machine), gone)],
        tuple(_notes(work, bool(boot) or any(map(units.counts_later, put)))),
    )


def _rest(file: Path) -> list[Step]:
    """What a power cut left to do at the file that was taken."""
    return adopt.finished(file) if file.is_file() else []


def _new(work: _Work) -> list[Step]:
    if work.version in work.before.versions:
        return []
    extras = versions.extras(work.wanted.get("gpio"))
    return [versions.make(work.machine, work.source, work.version, extras)]


def _removal(machine: Machine, version: Version) -> Step:
    folder = machine.places.software / version.folder
    return Step(f"Remove {machine.inside(folder)}", partial(files.remove, folder))


def _manifest(work: _Work, placed: dict[Path, bytes]) -> Manifest:
    machine, before = work.machine, work.before
    others = [one for one in before.versions if one != work.version]
    made = {machine.inside(folder) for path in placed for folder in files.missing(path)}
    off = {THEIRS: machine.active(THEIRS)} if _theirs(work) else {}
    boot = units.boot_config(machine)
    return Manifest(
        (*others[-1:], work.version),
        dict(sorted((machine.inside(path), sum_of(data)) for path, data in placed.items())),
        tuple(sorted({*before.folders, *made}, key=lambda name: (-len(name), name))),
        off | before.disabled,
        machine.inside(boot) if boot else None,
        units.boot_print(work.source.units) if boot else "",
    )


def _theirs(work: _Work) -> bool:
    """Whether Debian's broker is in the way of ours."""
    return work.wish.role == "head" and bool(units.without_theirs(work.machine))


def _services(work: _Work, changed: bool) -> list[Step]:
    """The units of the role are enabled, and run."""
    machine, wish = work.machine, work.wish
    wanted = units.services(wish.role, wish.number) if work.ready else ()
    return [
        *(units.without_theirs(machine) if wish.role == "head" else []),
        *units.enabling(machine, (*wanted, ADOPT), OURS),
        *running.started(machine, wanted, changed),
    ]


def _notes(work: _Work, restart: bool) -> Iterable[str]:
    if restart:
        yield "Restart the Pi once, for what its firmware and systemd read only then: sudo reboot"
    if not work.ready:
        yield (
            f"Nothing runs yet: {work.wish.name} has no {', '.join(_lacking(work.machine, work.wish))}."
            " Put the pi-bunco.toml that pi-bunco provision made for it on the boot partition and restart the"
            " Pi, or: sudo pi-bunco adopt FILE"
        )
