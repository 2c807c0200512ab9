"""Makes a hall in a folder, or changes it: more tables, or a new card in the place of a lost one."""

from collections.abc import Collection, Mapping, Set
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from msgspec import Struct

from pi_bunco.config import ConfigError
from pi_bunco.errors import BuncoError
from pi_bunco.provision import accounts, handover, readme
from pi_bunco.provision.cards import UPDATE, Hall, cards, update
from pi_bunco.provision.folder import Folder, Kept
from pi_bunco.provision.plan import Plan, planned
from pi_bunco.wire.topics import HEAD

HANDOVER = "pi-bunco.toml"
"""The name of the file for a Pi, in a folder with the Pi's name."""
_LABELS = "labels.html"


class NotInstalled(BuncoError, ImportError):
    """What only a host's laptop needs is not installed; the text says how to get it."""


class Made(Struct, frozen=True):
    """What a run has made: the hall, its plan before, if any, and the nodes with a new password.

    It is the `first` one that has come to its end where there was no sheet of labels.
    """

    hall: Hall
    before: Plan | None
    renewed: Set[str]
    first: bool


def provision(out: Path, asked: Mapping[str, Any], replace: Collection[str], random: Random) -> Made:
    """Makes or changes the hall in the folder `out`; passwords are drawn from `random`.

    `asked` has fields of `Plan`; `replace` names tables by number and the head by `head`. `ConfigError`,
    `FolderError` or `NotInstalled` says what is wrong, and nothing is changed then.
    """
    makers = _makers()
    folder = Folder(out)
    with folder.alone():
        return _provision(folder, makers, asked, replace, random)


def _provision(
    folder: Folder, makers: "_Makers", asked: Mapping[str, Any], replace: Collection[str], random: Random
) -> Made:
    before = folder.kept()
    plan = planned(asked, before.plan if before else None)
    numbers = _replaced(replace, plan, before)
    found = folder.certificates()
    old = before.accounts if before else {}
    kept = Kept(plan, accounts.completed(old, plan.tables, numbers, random))
    folder.make()
    if before is None:  # cut short, a run is known for ours by this file
        folder.keep(kept)
    if found is None:
        found = makers.certificates.made(plan.hall)
        folder.keep_certificates(found)
    renewed = {name for name, account in kept.accounts.items() if old.get(name) != account}
    first = not (folder.path / _LABELS).exists()
    made = Made(Hall(plan, kept.accounts, found), before.plan if before else None, renewed, first)
    _write(folder, made, replace)
    folder.write(_LABELS, makers.labels.sheet(plan))
    folder.keep(kept)  # last: a run that is cut short and repeated finds the same to do
    return made


class _Makers(Struct, frozen=True):
    certificates: ModuleType
    labels: ModuleType


def _makers() -> _Makers:
    """What needs packages that only a host's laptop has."""
    try:
        from pi_bunco.provision import certificates, labels
    except ModuleNotFoundError as error:
        raise NotInstalled(
            f"the package {error.name} is missing, which makes certificates or labels;"
            " pip install 'pi-bunco[provision]' brings it"
        ) from error
    return _Makers(certificates, labels)


def _write(folder: Folder, made: Made, replace: Collection[str]) -> None:
    for name, card in cards(made.hall, rebuild=HEAD in replace).items():
        folder.write(f"{name}/{HANDOVER}", handover.dump(card))
    if made.before and made.renewed:
        file = f"{UPDATE}/{HANDOVER}"
        folder.write(file, handover.dump(update(made.hall, made.renewed | _told_before(folder.path / file))))
    folder.write("README.txt", readme.text(made.hall.plan))


def _told_before(file: Path) -> set[str]:
    """The nodes whose passwords an earlier update has: the head may not have taken it yet."""
    earlier = handover.read(file) if file.exists() else None
    return {Path(path).name for path in earlier.files if path.startswith("secrets/")} if earlier else set()


def _replaced(replace: Collection[str], plan: Plan, before: Kept | None) -> list[int]:
    problems = [] if before or not replace else ["--replace is for a folder that has a hall already"]
    strange = [one for one in replace if one != HEAD and not _is_table(one, plan)]
    problems += [
        f"--replace {one} is not allowed; it must be head or a table from 1 to {plan.tables}"
        for one in strange
    ]
    if problems:
        raise ConfigError(problems)
    return [int(one) for one in replace if one != HEAD]


def _is_table(text: str, plan: Plan) -> bool:
    return text.isascii() and text.isdecimal() and 1 <= int(text) <= plan.tables
