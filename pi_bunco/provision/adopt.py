"""Takes over what a host dropped on the boot partition: settings, certificates, secrets, a role.

The file stays as it is until all it holds is stored and fsynced, so that after a power cut at any moment the
next start does it again, and what is done already is not done twice.
"""

import re
from functools import partial
from itertools import takewhile
from pathlib import Path

from msgspec import structs

from pi_bunco.config import Config
from pi_bunco.provision import accounts, authority, handover, roles, seed, settings
from pi_bunco.provision.handover import Handover, HandoverError
from pi_bunco.provision.roles import BROKER, HEAD, OTHER_BROKER, TABLE, stopped
from pi_bunco.provision.steps import Content, Step, content, write
from pi_bunco.provision.system import System
from pi_bunco.runtime import files

_BEGIN, _END = "# >>> pi-bunco", "# <<< pi-bunco"
_BLOCK = re.compile(rf"^{_BEGIN}\r?\n(?:(?!{_BEGIN}).*\n)*?{_END}(?:\r?\n|$)", re.MULTILINE)
READ_AGAIN = ("broker/passwd", "broker/acl")
"""The files that a running broker reads again without a restart."""


def read(path: Path) -> Handover | None:
    """The content of the file, None where it was taken over; the settings in it are checked as well."""
    given = handover.read(path)
    if given is not None:
        settings.check(given.settings, path)
    return given


def adoption(system: System, path: Path, given: Handover) -> tuple[list[Step], list[Step]]:
    """The steps that take `given` over, which was read from `path`, and the last ones.

    A failure undoes all before these.
    """
    device = given.device
    wanted = settings.replaced(settings.read(system.places.settings), given.settings)
    if "number" not in given.settings:
        wanted.pop("number", None)
        wanted |= {"number": device.number} if device.number else {}
    settings.check(wanted, system.places.settings)
    _whole(system, path, given)
    kept = settings.put(system, wanted)
    given = structs.replace(given, files=authority.adopted(system, given.files))
    stored = {name: _stored(system, name, text) for name, text in given.files.items()} | _gone(system, given)
    units = roles.services(device, bool(wanted.get("phones")) or (system.places.state / "phones").is_dir())
    changed = {name for name, steps in stored.items() if steps}
    anew = {HEAD, TABLE} if kept else set[str]()
    if _shuts_out(system, given):
        anew.add(BROKER)
    steps = [
        *kept,
        *(step for steps in stored.values() for step in steps),
        *_boot_lines(system),
        *roles.given(system, units),
        *stopped(system, OTHER_BROKER),
        *_running(system, units, changed, anew),
    ]
    return steps, [*_without_password(system), blanked(path, given)]


def _whole(system: System, path: Path, given: Handover) -> None:
    """Raises `HandoverError` if an update leaves something out that is not here either."""
    missing = [
        name
        for name in roles.needed(given.device)
        if name not in given.files and not (system.places.config / name).exists()
    ]
    if missing:
        raise HandoverError(
            f"{path.name} is an update of the {given.device.role}, and this Pi has no {', '.join(missing)}:"
            " it is another Pi's, or this one needs its whole pi-bunco.toml first"
        )


def _gone(system: System, given: Handover) -> dict[str, list[Step]]:
    """Files of an earlier card that this one has not, such as the code of a Wi-Fi that is not used now.

    A card that is not an update brings all that its Pi is to have.
    """
    if not given.settings:
        return {}
    config = system.places.config
    found = [path.relative_to(config) for part in ("broker/*", "secrets/*/*") for path in config.glob(part)]
    strange = sorted({str(path) for path in found} - given.files.keys())
    names = [name for name in strange if handover.mode(name) is not None and (config / name).is_file()]
    return {name: write(config / name, None, f"Take {system.inside(config / name)} away") for name in names}


def _stored(system: System, name: str, text: str) -> list[Step]:
    path = system.places.config / name
    new = Content(text.encode(), handover.mode(name) or 0o600)
    return write(path, new, f"Store {system.inside(path)}")


def _boot_lines(system: System) -> list[Step]:
    """Puts our lines into the firmware's settings, on a Pi; `restart` then asks for one more start."""
    path = system.places.boot / "config.txt"
    before, lines = content(path), content(system.places.shipped / "config.txt")
    if before is None or lines is None:
        return []
    text = with_lines(before.data.decode("utf-8", "surrogateescape"), lines.data.decode())
    new = text.encode("utf-8", "surrogateescape")
    if new == before.data:
        return []
    says = f"Put our lines into {system.inside(path)} (they count from the next start on)"
    put, put_back = (partial(files.overwrite, path, data) for data in (new, before.data))
    asked = write(system.places.restart, Content(b"", 0o644), "Ask for one more start")
    return [Step(says, put, put_back), *asked]


def with_lines(text: str, lines: str) -> str:
    """The firmware's settings with our `lines` once and at the end, in place of those of another version.

    A comment of ours that is alone is the host's.
    """
    before = None
    while text != before:
        before, text = text, _BLOCK.sub("", text)
    gap = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{gap}{lines}"


def _shuts_out(system: System, given: Handover) -> bool:
    """True if an account has changed: with its link goes all that it left at the broker.

    A stolen card can fill the broker's memory with retained messages, which stay when only the card goes.
    """
    old, new = content(system.places.broker / "passwd"), given.files.get("broker/passwd")
    if old is None or new is None:
        return False
    return not set(old.data.split()) <= set(new.encode().split())


def renewed(system: System) -> list[Step]:
    """Gives the broker here the access rules of the package that is installed, whatever its card brought."""
    path = system.places.broker / "acl"
    if content(path) is None:
        return []
    rules = accounts.acl(settings.read(system.places.settings).get("hall", Config().hall))
    steps = write(path, Content(rules.encode(), 0o600), f"Write {system.inside(path)} as this version has it")
    runs = (BROKER,) if steps and system.trying(BROKER) else ()
    return [*steps, *_running(system, runs, {"broker/acl"}, set())]


def _running(system: System, units: tuple[str, ...], changed: set[str], anew: set[str]) -> list[Step]:
    """Starts what is to run; restarts what runs already only where something is new to it."""
    steps: list[Step] = []
    for unit in units if system.booted else ():
        verb = _verb(unit, changed, unit in anew) if system.trying(unit) else "start"
        if verb:
            apply = partial(system.tell, verb, unit, wait=False)
            steps.append(Step(f"{verb.capitalize()} {unit}", apply))
    return steps


def _verb(unit: str, changed: set[str], anew: bool) -> str | None:
    if unit == BROKER:
        mine = {name for name in changed if name.startswith("broker/")}
        reload = mine <= set(READ_AGAIN) and not anew
        return ("reload" if reload else "restart") if mine else None
    service = roles.role_of(unit)
    secret = any(name.startswith(f"secrets/{service}/") or name == "ca.pem" for name in changed)
    return "restart" if anew or secret else None


def blanked(path: Path, given: Handover) -> Step:
    """Overwrites the secrets where they lie: a new file would leave them on the card beside it."""
    left = handover.taken(given)
    return Step(f"Overwrite the secrets in {path}", partial(blank, path, left))


def _without_password(system: System) -> list[Step]:
    """Overwrites the Wi-Fi's password of the card, once netplan's copy of it is on the disk."""
    path = system.places.boot / "network-config"
    found = content(path)
    if found is None or not found.data.startswith(seed.MADE.encode()) or not system.whole():
        return []
    return [Step(f"Overwrite the password in {path}", partial(blank, path, seed.TAKEN))]


def finished(system: System, path: Path) -> list[Step]:
    """The overwriting that a power cut interrupted or that came too early; `path` was taken."""
    lines = path.read_text("utf-8-sig", "replace").splitlines(keepends=True)
    left = "".join(takewhile(lambda line: line.startswith("# "), lines))
    rest = [Step(f"Overwrite what is left of the secrets in {path}", partial(blank, path, left))]
    return [*_without_password(system), *(rest if left != "".join(lines) else ())]


def blank(path: Path, left: str) -> None:
    """Overwrites the file with `left`; from its start on it counts as taken, and the rest is made up for."""
    try:
        files.overwrite(path, left.encode())
    except OSError as error:
        raise HandoverError(
            f"all is stored, but {path} still holds secrets ({error.strerror}): destroy it"
        ) from error
