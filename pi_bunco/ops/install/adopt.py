"""Takes over what a host dropped on the boot partition: settings, certificates, secrets, a role.

The file stays as it is until all it holds is stored and fsynced, so that after a power cut at any moment the
next start does it again, and what is done already is not done twice.
"""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from msgspec import Struct

from pi_bunco.ops.install import files, settings
from pi_bunco.ops.install.files import Content
from pi_bunco.ops.install.machine import Machine
from pi_bunco.ops.install.settings import Table
from pi_bunco.ops.install.steps import Step, move, write
from pi_bunco.ops.install.units import BROKER, HEAD, TABLE, enabling, secrets, services
from pi_bunco.provision import handover
from pi_bunco.provision.handover import Handover, HandoverError

READ_AGAIN = ("broker/passwd", "broker/acl")
"""What a broker that runs reads again without a restart."""


class Adoption(Struct, frozen=True):
    """What taking a file over means here, in this order; a failure undoes all before `blanked`."""

    stored: list[Step]
    enabled: list[Step]
    running: list[Step]
    blanked: list[Step]


def read(path: Path) -> Handover | None:
    """What the file hands over, None where that was done; the settings in it are checked as well."""
    given = handover.read(path)
    if given is not None:
        settings.checked({}, given.settings, path)
    return given


def adoption(machine: Machine, path: Path, given: Handover, wanted: Table | None = None) -> Adoption:
    """The steps that take `given` over, which was read from `path`; `wanted` are the settings to end with."""
    device, places = given.device, machine.places
    old = settings.read(places.settings)
    if wanted is None:
        wanted = settings.replaced(old, given.settings)
        wanted = wanted if "number" in given.settings else settings.numbered(wanted, device.number)
    settings.checked({}, wanted, places.settings)
    _whole(machine, path, given)
    kept = settled(machine, wanted)
    stored = {name: _stored(machine, name, text) for name, text in given.files.items()}
    units = services(device.role, device.number)
    changed = {name for name, steps in stored.items() if steps}
    anew = {HEAD, TABLE} if kept else set[str]()
    if _shuts_out(machine, given):
        anew.add(BROKER)
    return Adoption(
        [*kept, *(step for steps in stored.values() for step in steps)],
        enabling(machine, units, (BROKER, HEAD, TABLE)),
        _running(machine, units, changed, anew),
        [blanked(path, given)],
    )


def _whole(machine: Machine, path: Path, given: Handover) -> None:
    """An update brings only a part; `HandoverError` if the rest is not here."""
    needed = secrets(given.device.role, given.device.number)
    lost = [
        name for name in needed if name not in given.files and not (machine.places.config / name).exists()
    ]
    if lost:
        raise HandoverError(
            f"{path.name} is an update of the {given.device.role}, and this Pi has no {', '.join(lost)}:"
            " it is another Pi's, or this one needs its whole pi-bunco.toml first"
        )


def _stored(machine: Machine, name: str, text: str) -> list[Step]:
    path = machine.places.config / name
    new = Content(text.encode(), handover.mode(name) or 0o600)
    return write(path, new, f"Store {machine.inside(path)}")


def settled(machine: Machine, wanted: Table) -> list[Step]:
    """Writes the settings; a card that was another table's keeps what it knew, until it is that again.

    One folder goes before the settings and one comes back after them, so that after a power cut anywhere in
    between it is known whose each is.
    """
    old, new = settings.read(machine.places.settings).get("number"), wanted.get("number")
    path = machine.places.state / "table"
    back = path.with_name(f"table-{new}")
    away = _away(machine, path, old) if isinstance(old, int) and old != new and path.is_dir() else []
    kept = settings.put(machine, wanted)
    if not back.is_dir() or (path.exists() and not away):
        return [*_stopped(machine, away), *away, *kept]
    came = [move(back, path, f"Take what this card knew as table {new} back")]
    return [*_stopped(machine, came), *away, *kept, *came]


def _away(machine: Machine, path: Path, old: int) -> list[Step]:
    aside = files.free(path.with_name(f"table-{old}"))
    return [move(path, aside, f"Keep what this card knew as table {old} in {machine.inside(aside)}")]


def _stopped(machine: Machine, moves: list[Step]) -> list[Step]:
    """Nobody writes to what moves."""
    if not moves or not machine.trying(TABLE):
        return []
    again = partial(machine.tell, "start", TABLE, wait=False)  # it starts after the unit that may run this
    return [Step(f"Stop {TABLE}", partial(machine.tell, "stop", TABLE), after=again)]


def _shuts_out(machine: Machine, given: Handover) -> bool:
    """Whether an account is no more what it was: with its link goes what it left at the broker.

    A stolen card can fill the broker's memory with retained messages, which stay when only the card goes.
    """
    old, new = files.content(machine.places.broker / "passwd"), given.files.get("broker/passwd")
    if old is None or new is None:
        return False
    return not set(old.data.split()) <= set(new.encode().split())


def _running(machine: Machine, units: tuple[str, ...], changed: set[str], anew: set[str]) -> list[Step]:
    """Starts what is to run; what runs already gets what is new to it, and no more than that."""
    steps: list[Step] = []
    for unit in units if machine.booted else ():
        verb = _verb(unit, changed, unit in anew) if machine.trying(unit) else "start"
        if verb:
            apply = partial(machine.tell, verb, unit, wait=False)
            steps.append(Step(f"{verb.capitalize()} {unit}", apply))
    return steps


def _verb(unit: str, changed: set[str], anew: bool) -> str | None:
    """What a running unit needs."""
    if unit == BROKER:
        mine = {name for name in changed if name.startswith("broker/")}
        reload = mine <= set(READ_AGAIN) and not anew
        return ("reload" if reload else "restart") if mine else None
    service = unit.removeprefix("pi-bunco-").removesuffix(".service")
    secret = any(name.startswith(f"secrets/{service}/") or name == "ca.pem" for name in changed)
    return "restart" if anew or secret else None


def blanked(path: Path, given: Handover) -> Step:
    """Overwrites the secrets where they lie: a new file would leave them on the card beside it."""
    left = handover.taken(given)
    return Step(f"Overwrite the secrets in {path}", partial(blank, path, left))


def finished(path: Path) -> list[Step]:
    """The rest of an overwriting that a power cut interrupted; `path` is a file that was taken."""
    lines = path.read_text("utf-8-sig", "replace").splitlines(keepends=True)
    left = "".join(_leading(lines))
    if left == "".join(lines):
        return []
    return [Step(f"Overwrite what is left of the secrets in {path}", partial(blank, path, left))]


def _leading(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("# "):
            return
        yield line


def blank(path: Path, left: str) -> None:
    """Puts `left` at the start of the file, empty lines over all behind it, then cuts them off, each fsynced.

    The start comes first: from then on the file counts as taken, and the rest is made up for if need be.
    """
    try:
        file = os.open(path, os.O_WRONLY)
    except OSError as error:
        raise HandoverError(
            f"all is stored, but {path} still holds secrets ({error.strerror}): destroy it"
        ) from error
    try:
        data = left.encode()
        _over(file, data, 0)
        _over(file, b"\n" * (os.fstat(file).st_size - len(data)), len(data))
        os.ftruncate(file, len(data))
        os.fsync(file)
    finally:
        os.close(file)


def _over(file: int, data: bytes, at: int) -> None:
    while data:
        written = os.pwrite(file, data, at)
        data, at = data[written:], at + written
    os.fsync(file)


def named(given: Handover) -> str:
    """Which Pi it is for, in words."""
    device = given.device
    return f"the {device.role} of hall {device.hall}" + (f", table {device.number}" if device.number else "")
