"""Makes a hall in a folder, or changes it: more tables, or a new card in the place of a lost one."""

from collections.abc import Collection, Iterable, Mapping, Set
from pathlib import Path
from random import Random
from typing import Any

from msgspec import Struct, structs

from pi_bunco.config import ConfigError, service_of
from pi_bunco.provision import accounts, certificates, handover, labels
from pi_bunco.provision.accounts import Secrets
from pi_bunco.provision.cards import UPDATE, ProvisionedHall, cards, host, update
from pi_bunco.provision.folder import Folder, KeptHall
from pi_bunco.provision.plan import Plan, planned
from pi_bunco.provision.seed import META, PACKAGES, meta_data, seeds
from pi_bunco.wire.topics import HEAD, host_node, table_node, table_number

HANDOVER = "pi-bunco.toml"
"""The name of the file for a Pi, in a folder with the Pi's name."""
_LABELS = "labels.html"


class Made(Struct, frozen=True):
    """The result of a run: the hall, its plan before, if any, and the nodes with a new password.

    `changed` are the Pis whose folders have something new but passwords. It is the `first` one that has come
    to its end where there was no sheet of labels.
    """

    hall: ProvisionedHall
    before: Plan | None
    renewed: Set[str]
    first: bool
    changed: Set[str]


def provision(
    out: Path,
    asked: Mapping[str, Any],
    replace: Collection[str],
    random: Random,
    *,
    wifi_password: str | None = None,
    packages: Collection[Path] = (),
) -> Made:
    """Makes or changes the hall in the folder `out`; passwords are drawn from `random`.

    `asked` has fields of `Plan`, of which `hosts` are added to those there are; `replace` names tables by
    number, hosts by `host-NAME` and the head by `head`; `packages` are files that each card gets.
    `ConfigError` or `ProvisionError` says what is wrong, and nothing is changed then.
    """
    folder = Folder(out)
    with folder.alone():
        before = folder.kept()
        plan = planned(asked, before.plan if before else None)
        gone = _replaced(replace, plan, before)
        found = folder.certificates()
        old = before.accounts if before else {}
        accounts_now = accounts.completed(old, plan.tables, gone, random, plan.hosts)
        kept = KeptHall(plan, accounts_now, _secrets(before, plan, HEAD in replace, wifi_password, random))
        folder.make()
        if before is None:  # cut short, a run is known for ours by this file
            folder.keep(kept)
        if found is None:
            found = certificates.made(plan.hall)
            folder.keep_certificates(found)
        renewed = {name for name, account in kept.accounts.items() if old.get(name) != account}
        first = not (folder.path / _LABELS).exists()
        hall = ProvisionedHall(plan, kept.accounts, kept.secrets, found, folder.joined())
        changed = _changed(folder, hall, renewed)
        made = Made(hall, before.plan if before else None, renewed, first, changed)
        _write(folder, made, random)
        _put_packages(folder, cards(hall), packages, found.ca_key)
        for name, text in labels.sheets(plan, kept.secrets).items():
            folder.write(name, text)
        folder.keep(kept)  # last: a run that is cut short and repeated finds the same to do
    return made


def _secrets(
    before: KeptHall | None, plan: Plan, new_head: bool, wifi_password: str | None, random: Random
) -> Secrets:
    """The hall's secrets; `ConfigError` where the password of a Wi-Fi that the hall joins is not known."""
    found = before.secrets if before else accounts.draw_secrets(random)
    if wifi_password is not None:
        if not (is_password(wifi_password) or (plan.wifi and not wifi_password)):
            raise ConfigError(
                [
                    "the password of the Wi-Fi must have 8 to 63 letters, digits and signs without accents;"
                    " an empty file is for a network that asks for none"
                ]
            )
        found = structs.replace(found, wifi=wifi_password)
    elif plan.wifi and (before is None or before.plan.wifi != plan.wifi):
        raise ConfigError([f"the password of the Wi-Fi {plan.wifi} is missing: --wifi-password-file FILE"])
    elif before and before.plan.wifi and not plan.wifi:  # it is somebody else's, and nobody's business here
        found = structs.replace(found, wifi=accounts.draw_wifi_password(random))
    return structs.replace(found, heads=found.heads + 1) if new_head else found


def is_password(text: str) -> bool:
    """True if a Wi-Fi can have it (IEEE 802.11i, annex M.4.1: 8 to 63 characters, 32 to 126)."""
    return 8 <= len(text) <= 63 and text.isascii() and text.isprintable()


def _changed(folder: Folder, hall: ProvisionedHall, renewed: Set[str]) -> Set[str]:
    """Pis of before that are to have something else than new passwords."""
    found = set[str]()
    for name, card in cards(hall).items():
        place = folder.path / name
        if not (place / HANDOVER).exists():
            continue
        new = seeds(hall.plan, hall.secrets.wifi, table_number(name) or 0)
        same = all((place / file).exists() and (place / file).read_text("utf-8") == new[file] for file in new)
        before = handover.read(place / HANDOVER)
        if (
            not same
            or before is None
            or _without_accounts(before, renewed) != _without_accounts(card, renewed)
        ):
            found.add(name)
    return found


def _without_accounts(given: handover.Handover, renewed: Set[str]) -> handover.Handover:
    """A hand-over but for what an update of the head, or a replaced card, brings."""
    new = {f"secrets/{service_of(node)}/{node}" for node in renewed}
    new |= {"broker/passwd", "secrets/head/log-key"}
    return structs.replace(given, files={path: text for path, text in given.files.items() if path not in new})


def _write(folder: Folder, made: Made, random: Random) -> None:
    for name, card in cards(made.hall).items():
        folder.write(f"{name}/{HANDOVER}", handover.dump(card))
        number = table_number(name) or 0
        for file, text in seeds(made.hall.plan, made.hall.secrets.wifi, number).items():
            folder.write(f"{name}/{file}", text)
        folder.write(f"{name}/{META}", meta_data(made.hall.plan, number, random))
    for name in made.hall.plan.hosts:
        for file, text in host(made.hall, name).items():
            folder.write(f"{host_node(name)}/{file}", text)
    if made.before and made.renewed and not made.hall.plan.laptop:
        file = f"{UPDATE}/{HANDOVER}"
        folder.write(
            file, handover.dump(update(made.hall, made.renewed | _renewed_before(folder.path / file)))
        )
    folder.write("README.txt", labels.readme(made.hall.plan))


def _put_packages(folder: Folder, pis: Iterable[str], packages: Collection[Path], ca_key: str) -> None:
    """Puts the packages onto each card in place of older ones; ours is signed, as the head hands it out."""
    given = {package.name: package.read_bytes() for package in packages}
    signed = {
        f"{name}.sig": certificates.vouch(ca_key, data)
        for name, data in given.items()
        if name.startswith("pi-bunco_")
    }
    for name in pis if packages else ():
        place = folder.path / name / PACKAGES
        for old in place.glob("*.deb*"):
            old.unlink()
        for file, data in (given | signed).items():
            folder.write(f"{name}/{PACKAGES}/{file}", data)


def _renewed_before(file: Path) -> set[str]:
    """Nodes whose passwords an earlier update has: the head may not have taken it yet."""
    earlier = handover.read(file) if file.exists() else None
    return {Path(path).name for path in earlier.files if path.startswith("secrets/")} if earlier else set()


def _replaced(replace: Collection[str], plan: Plan, before: KeptHall | None) -> set[str]:
    """Nodes of tables and hosts that get new passwords."""
    tables = {one for one in replace if one.isascii() and one.isdecimal() and 1 <= int(one) <= plan.tables}
    names = (*(() if plan.laptop else (HEAD,)), *map(host_node, plan.hosts))
    problems = [] if before or not replace else ["--replace is for a folder that has a hall already"]
    named = f"{', '.join(names)} or " if names else ""
    problems += [
        f"--replace {one} is not allowed; it must be {named}a table from 1 to {plan.tables}"
        for one in replace
        if one not in names and one not in tables
    ]
    if problems:
        raise ConfigError(problems)
    return {table_node(int(one)) if one in tables else one for one in replace} - {HEAD}
