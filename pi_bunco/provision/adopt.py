"""Takes over what a host dropped on the boot partition: settings, certificates, secrets, a role.

The file stays as it is until all it holds is stored and fsynced, so that after a power cut at any moment the
next start does it again, and what is done already is not done twice.
"""

import re
import tomllib
from codecs import BOM_UTF8
from collections.abc import Mapping
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

import tomli_w
from msgspec import structs

from pi_bunco.config import Config, settle
from pi_bunco.errors import ProvisionError
from pi_bunco.provision import accounts, authority, handover, seed
from pi_bunco.provision.handover import Handover, HandoverError
from pi_bunco.provision.system import (
    BROKER,
    HEAD,
    OTHER_BROKER,
    TABLE,
    Content,
    Step,
    System,
    content,
    files_needed,
    free,
    role_of,
    roles_given,
    services,
    stopped,
    write,
)  # fmt: skip
from pi_bunco.runtime import files

_HEADER = "# The settings of pi-bunco's services; pi-bunco adopt changes what a new card brings.\n"
TomlTable = dict[str, Any]
_BEGIN, _END = "# >>> pi-bunco", "# <<< pi-bunco"
_BLOCK = re.compile(rf"^{_BEGIN}\r?\n(?:(?!{_BEGIN}).*\n)*?{_END}(?:\r?\n|$)", re.MULTILINE)
READ_AGAIN = ("broker/passwd", "broker/acl")
"""The files that a running broker reads again without a restart."""


def read(path: Path) -> Handover | None:
    """The content of the file, None where it was taken over; the settings in it are checked as well."""
    given = handover.read(path)
    if given is not None:
        _check(given.settings, path)
    return given


def adoption(system: System, path: Path, given: Handover) -> tuple[list[Step], list[Step]]:
    """The steps that take `given` over, which was read from `path`, and the last ones.

    A failure undoes all before these.
    """
    device = given.device
    wanted = _replaced(read_settings(system.places.settings), given.settings)
    if "number" not in given.settings:
        wanted.pop("number", None)
        wanted |= {"number": device.number} if device.number else {}
    _check(wanted, system.places.settings)
    _whole(system, path, given)
    kept = _put_settings(system, wanted)
    given = structs.replace(given, files=authority.adopted(system, given.files))
    stored = _stored(system, given)
    units = services(device, bool(wanted.get("phones")) or (system.places.state / "phones").is_dir())
    changed = {name for name, steps in stored.items() if steps}
    anew = {HEAD, TABLE} if kept else set[str]()
    if _shuts_out(system, given):
        anew.add(BROKER)
    steps = [
        *kept,
        *(step for steps in stored.values() for step in steps),
        *_boot_lines(system),
        *roles_given(system, units),
        *stopped(system, OTHER_BROKER),
        *_running(system, units, changed, anew),
    ]
    return steps, [*_without_password(system), blanked(path, given)]


def _whole(system: System, path: Path, given: Handover) -> None:
    """Raises `HandoverError` if an update leaves something out that is not here either."""
    missing = [
        name
        for name in files_needed(given.device)
        if name not in given.files and not (system.places.config / name).exists()
    ]
    if missing:
        raise HandoverError(
            f"{path.name} is an update of the {given.device.role}, and this Pi has no {', '.join(missing)}:"
            " it is another Pi's, or this one needs its whole pi-bunco.toml first"
        )


def read_settings(path: Path) -> TomlTable:
    """The settings as they are, empty where there are none; `ProvisionError` for what is no TOML."""
    found = content(path)
    if found is None:
        return {}
    try:
        return tomllib.loads(found.data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProvisionError(f"{path} is no TOML: {error}; mend it, or move it aside") from error


def _replaced(old: Mapping[str, Any], new: Mapping[str, Any]) -> TomlTable:
    """The old settings with the new ones in them, table by table.

    Of where the broker is nothing old stays: a card may have been another role's.
    """
    both = dict(old)
    for key, value in new.items():
        before = both.get(key)
        nested = isinstance(value, Mapping) and isinstance(before, Mapping) and key != "broker"
        both[key] = _replaced(before, value) if nested and before else value
    return both


def _check(settings: Mapping[str, Any], path: Path) -> None:
    """Raises `ConfigError` with all mistakes, but of the broker, whose certificate may be yet to come."""
    settle({}, {key: value for key, value in settings.items() if key != "broker"}, path)


def _put_settings(system: System, wanted: TomlTable) -> list[Step]:
    """Writes the settings, if they change; a text that a host edited is kept beside, with its comments."""
    path = system.places.settings
    before, old = content(path), read_settings(path)
    if before is not None and old == wanted:
        return []
    text, as_made = (f"{_HEADER}{tomli_w.dumps(settings)}".encode() for settings in (wanted, old))
    steps = write(path, Content(text, 0o644), f"Write {system.inside(path)}")
    known = [as_made, *(one.read_bytes() for one in path.parent.glob(f"{path.name}.before*"))]
    if before is None or before.data.removeprefix(BOM_UTF8) in known or before.data in known:
        return steps
    aside = free(path.with_name(f"{path.name}.before"))
    return [*write(aside, before, f"Keep the settings of before in {system.inside(aside)}"), *steps]


def _stored(system: System, given: Handover) -> dict[str, list[Step]]:
    """The steps for each file: stores it, or takes it away if an earlier card had it and this one has not.

    Such is the code of a Wi-Fi that is not used now. A card that is no update brings all files of its Pi.
    """
    config = system.places.config
    before = [path for part in ("broker/*", "secrets/*/*") for path in config.glob(part) if path.is_file()]
    known = {name for path in before if handover.mode(name := str(path.relative_to(config))) is not None}
    gone = sorted(known - given.files.keys()) if given.settings else []
    new = {name: Content(text.encode(), handover.mode(name) or 0o600) for name, text in given.files.items()}
    return {
        name: write(config / name, new.get(name), says.format(system.inside(config / name)))
        for says, names in (("Store {}", new), ("Take {} away", gone))
        for name in names
    }


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
    rules = accounts.acl(read_settings(system.places.settings).get("hall", Config().hall))
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
    service = role_of(unit)
    secret = any(name.startswith(f"secrets/{service}/") or name == "ca.pem" for name in changed)
    return "restart" if anew or secret else None


def blanked(path: Path, given: Handover) -> Step:
    """Overwrites the secrets where they lie: a new file would leave them on the card beside it."""
    left = handover.taken(given)
    return Step(f"Overwrite the secrets in {path}", partial(blank, path, left))


def _without_password(system: System) -> list[Step]:
    """Overwrites the Wi-Fi's password of the card, once netplan's copy of it is on the disk.

    The first start says so by a mark with the name of the card whose files have all reached it.
    """
    path, places = system.places.boot / "network-config", system.places
    found, card, mark = map(content, (path, places.boot / seed.META, places.root / seed.MARKS / "whole"))
    whole = card is not None and mark is not None and mark.data.strip() in card.data.split()
    if found is None or not found.data.startswith(seed.MADE.encode()) or not whole:
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
