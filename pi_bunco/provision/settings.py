"""The settings file: what is given or handed over goes in, all else that a host wrote stays."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomli_w

from pi_bunco.config import settle
from pi_bunco.errors import ProvisionError
from pi_bunco.provision.steps import Content, Step, content, free, write
from pi_bunco.provision.system import System

_HEADER = "# The settings of pi-bunco's services; pi-bunco adopt changes what a new card brings.\n"
Table = dict[str, Any]


def read(path: Path) -> Table:
    """The settings as they are, empty where there are none; `ProvisionError` for what is no TOML."""
    found = content(path)
    if found is None:
        return {}
    try:
        return tomllib.loads(found.data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ProvisionError(f"{path} is no TOML: {error}; mend it, or move it aside") from error


def replaced(old: Mapping[str, Any], new: Mapping[str, Any]) -> Table:
    """The old settings with the new ones in them, table by table.

    Of where the broker is nothing old stays: a card may have been another role's.
    """
    both = dict(old)
    for key, value in new.items():
        before = both.get(key)
        nested = isinstance(value, Mapping) and isinstance(before, Mapping) and key != "broker"
        both[key] = replaced(before, value) if nested and before else value
    return both


def check(settings: Mapping[str, Any], path: Path) -> None:
    """`ConfigError` has all mistakes in the settings.

    Where the broker is stays out of it: its certificate may be yet to come.
    """
    settle({}, {key: value for key, value in settings.items() if key != "broker"}, path)


def put(system: System, wanted: Table) -> list[Step]:
    """Writes the settings, if they change; a text that a host edited is kept beside, with its comments."""
    path = system.places.settings
    before = content(path)
    if before is not None and read(path) == wanted:
        return []
    text = dump(wanted)
    steps = write(path, Content(text.encode(), 0o644), f"Write {system.inside(path)}")
    if before is None or before.data.decode("utf-8-sig") == dump(read(path)) or _kept(path, before):
        return steps
    aside = free(path.with_name(f"{path.name}.before"))
    return [*write(aside, before, f"Keep the settings of before in {system.inside(aside)}"), *steps]


def _kept(path: Path, before: Content) -> bool:
    return any(old.read_bytes() == before.data for old in path.parent.glob(f"{path.name}.before*"))


def dump(settings: Mapping[str, Any]) -> str:
    """The text of the file."""
    return _HEADER + tomli_w.dumps(settings)
