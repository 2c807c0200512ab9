"""`pi-bunco provision`: on the host's laptop, writes the cards of a hall and what is printed for it."""

import argparse
import contextlib
import getpass
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from random import SystemRandom
from typing import Any, TypeVar

import msgspec
from msgspec import structs

from pi_bunco.cli.parser import argument, read_text
from pi_bunco.config import ConfigError
from pi_bunco.provision import bootfs
from pi_bunco.provision.addresses import OWN_NAME
from pi_bunco.provision.cards import UPDATE, cards
from pi_bunco.provision.folder import KEPT, Folder
from pi_bunco.provision.hall_copy import open_copy
from pi_bunco.provision.plan import COUNTRIES, HEAD_ADDRESS, MAX_HALL_TABLES, Plan, is_zone, numbers
from pi_bunco.provision.provision import HANDOVER, Made, is_password, provision
from pi_bunco.provision.seed import PACKAGES
from pi_bunco.wire import topics
from pi_bunco.wire.topics import NodeName


def _tables(text: str) -> tuple[int, ...]:
    try:
        return numbers(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} names no tables; it must be such as 2,4-6") from error


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco provision`; what is not given stays as it was, or is asked for."""
    argument(parser, "--out DIR", "the folder of the hall, made or changed", type=Path, required=True)
    option = partial(argument, parser, default=argparse.SUPPRESS)
    option("--tables N", "how many tables play, table 1 included", type=int)
    option("--hall HALL", "the name of the hall, of a-z, 0-9 and - (default home)")
    option("--usb N,..", "these tables have a dice box at USB", type=_tables)
    option("--ordinary N,..", "these have ordinary dice and a panel", type=_tables)
    option("--keypad N,..", "these have a USB number pad as their panel", type=_tables)
    option("--phone N,..", "these have a phone in place of a Pi", type=_tables)
    option("--country XX", "the country of the Wi-Fi, two letters such as DE")
    option("--channel N", "the channel of the hall's own Wi-Fi (default 6)", type=int)
    option("--timezone ZONE", "such as Europe/Berlin (default: this laptop's)")
    option("--head ADDR", f"the head's Pi: its name or number (default {HEAD_ADDRESS}, own Wi-Fi {OWN_NAME})")
    option("--dice DICE", "of the other tables: gpio (default), serial or virtual")
    option("--panel PANEL", "gpio (default) or virtual")
    option("--lights LIGHTS", "gpio (default) or virtual")
    option("--bell BELL", "gpio (default), sound (a loudspeaker) or virtual")
    option("--wpa3", "WPA3, which old phones do not know, in place of WPA2")
    option("--wpa2", "WPA2 again, which all phones know (default)", dest="wpa3", action="store_false")
    text = "table 1 has a Pi of its own, not the head's"
    option("--no-head-table", text, dest="head_table", action="store_false")
    option("--laptop", "the head is a laptop with pi-bunco hall, at the address --head")
    one = parser.add_mutually_exclusive_group()
    argument(one, "--wifi NAME", "the Wi-Fi that the Pis join", default=argparse.SUPPRESS)
    text = "the head's Pi makes a Wi-Fi for tables, phones and the screen"
    argument(one, "--own-wifi", text, default=argparse.SUPPRESS)
    argument(one, "--cable", "no Wi-Fi: a cable to each Pi (default)")
    argument(parser, "--copy FILE", "make --out from the copy of a hall that its head's Pi made", type=Path)
    argument(parser, "--wifi-password-file FILE", "the Wi-Fi's password", type=Path)
    argument(parser, "--ssh-key FILE", "a public key that may log in by SSH", type=Path)
    text = "the package, or a folder of packages for a hall without internet, for every card"
    argument(parser, "--packages PATH", text, type=Path)
    argument(parser, "--card DIR", "the drive bootfs: copy onto it, and check", type=Path)
    argument(parser, "--only NAME", "which Pi the --card is for, such as head or table7")
    text = "an account for a host who gives commands from a laptop, such as ann; each has one of their own"
    option("--host NAME", text, dest="hosts", nargs="+", action="extend")
    text = (
        "shut the card of this table or the laptop of this host out and make a new one; or a new card"
        " for the head"
    )
    argument(parser, "--replace N|host-NAME|head", text, nargs="+", action="extend", default=[])


def run(options: argparse.Namespace) -> int:
    """Makes or changes the folder and says what to do with it; raises `BuncoError` where it cannot."""
    if (options.card is None) != (options.only is None):
        raise ConfigError(["--card and --only belong together: which drive, and which Pi it is for"])
    packages = _packages(options.packages)
    if options.copy is not None:
        _open(options.copy, options.out)
    kept = Folder(options.out).path / KEPT
    if options.replace and not kept.exists():
        raise ConfigError(
            [f"--replace is for a folder with a hall, and {options.out} has none: name it with --out"]
        )
    answers, password = _answers(options, kept)
    made = provision(
        options.out, answers, options.replace, SystemRandom(), wifi_password=password, packages=packages
    )
    print("\n".join(_summary(made, options.out, options.replace)))
    if packages and made.before and not made.hall.plan.laptop:
        print("The package is in each Pi's folder: copy the head's onto its card; tables take it from there.")
    if options.card is not None:
        pis = [*cards(made.hall), *([UPDATE] if made.before else [])]
        _put(options.out / options.only, options.card, pis)
    return 0


def _open(file: Path, out: Path) -> None:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigError([f"--copy {file} cannot be read: {error.strerror}"]) from error
    open_copy(data, hidden("The key on the head's screen: "), out)


def _answers(options: argparse.Namespace, kept: Path) -> tuple[dict[str, Any], str | None]:
    """Options, with a host's answers at a terminal to the rest; and the password of the Wi-Fi."""
    known = {field.name for field in structs.fields(Plan)}
    answers = {name: value for name, value in vars(options).items() if name in known and name != "ssh_key"}
    answers |= {"wifi": "", "own_wifi": False} if options.cable else {}
    if options.ssh_key is not None:
        answers["ssh_key"] = read_text("--ssh-key", options.ssh_key)
    file = options.wifi_password_file
    password = read_text("--wifi-password-file", file) if file else None
    new, here = not kept.exists(), sys.stdin.isatty()
    if new:
        answers.setdefault("timezone", timezone())
    try:
        if here and new and "tables" not in answers:
            return ask(input, hidden, answers, password)
        if here and password is None:
            password = password_of(answers.get("wifi", ""), hidden)
    except EOFError as error:
        raise ConfigError(["the answers ended too early, and nothing was made"]) from error
    return answers, password


def _packages(path: Path | None) -> list[Path]:
    if path is None:
        return []
    found = sorted(path.glob("*.deb")) if path.is_dir() else [path] if path.suffix == ".deb" else []
    if not any(file.name.startswith("pi-bunco_") and file.is_file() for file in found):
        raise ConfigError([f"--packages {path} has no pi-bunco_VERSION_all.deb; systemd/package makes it"])
    names = [file.name.partition("_")[0] for file in found]
    if twice := [file.name for file in found if names.count(file.name.partition("_")[0]) > 1]:
        raise ConfigError([f"--packages {path} has {' and '.join(twice)}: leave all but one version of each"])
    return found


def _for_host(folder: Path, name: str) -> str:
    return (
        f"Give {name} the folder {folder}, on a stick and not by mail: whoever has it runs the evening."
        f" There: pi-bunco host status --config {folder.name}/{HANDOVER}"
    )


def _put(folder: Path, card: Path, pis: Collection[str]) -> None:
    if folder.name not in pis:
        raise ConfigError([f"--only {folder.name} is not allowed; it must be one of {', '.join(pis)}"])
    if folder.name != UPDATE and not list(folder.glob(f"{PACKAGES}/pi-bunco_*.deb")):
        print(f"{folder} has no package: the Pi must have it already, or name it with --packages.")
    names = bootfs.put(folder, card, SystemRandom())
    count = "1 file is" if len(names) == 1 else f"{len(names)} files are"
    print(f"{count} on {card}, read back. Eject it, and put it into the Pi.")


def _summary(made: Made, out: Path, replace: list[str]) -> Iterator[str]:
    plan = made.hall.plan
    if plan.laptop:  # which reads its accounts at each start
        pis = ", ".join(map(str, plan.alone))
        yield f"The cards of the tables {pis} are in {out}; keep that folder secret."
        yield f"{out / 'README.txt'} says how they get onto the Pis, which look for the head at {plan.at}."
        if made.before is not None and made.renewed:
            yield "Start pi-bunco hall again: from then on the old passwords are refused."
        yield from _without_package(out)
        return
    if made.before is None or (made.first and not made.renewed):
        yield f"The hall {plan.hall} with {plan.counted} is in {out}; keep that folder secret and safe."
        yield (
            f"Print {out / 'labels.html'}, {out / 'first-night.html'} and {out / 'host.html'}, and read"
            f" {out / 'README.txt'}: each Pi takes one folder."
        )
        for name in plan.hosts:
            yield _for_host(out / topics.host_node(name), name)
        yield from _without_package(out)
        return
    if made.changed >= cards(made.hall).keys():
        yield "The plan has changed: every Pi is to get its folder again."
    elif len(plan.alone) > 1 and made.changed >= set(map(topics.table_node, plan.alone)):
        yield "The plan has changed: every table's Pi is to get its folder again."
    elif again := [str(out / name) for name in cards(made.hall) if name in made.changed]:
        yield f"The plan has changed for some: copy what is in {', '.join(again)} onto their cards again."
    for number in plan.alone:
        if (node := topics.table_node(number)) in made.renewed:
            yield f"Copy what is in {out / node} onto the card of table {number}."
    for name in plan.hosts:
        if (node := topics.host_node(name)) in made.renewed:
            yield _for_host(out / node, name)
    if topics.HEAD in replace:
        yield f"Copy what is in {out / topics.HEAD} onto the head's new card: the tables tell it the evening."
    elif made.renewed and topics.HEAD not in made.changed:
        until = "the old passwords work until then" if replace else "the new ones are let in then"
        yield f"Copy {out / UPDATE / HANDOVER} onto the head's card: {until}."
    elif not made.renewed:
        yield f"All files in {out} are written again; no password has changed."


def _without_package(out: Path) -> Iterator[str]:
    if not list(out.glob(f"*/{PACKAGES}/*.deb")):
        yield "No package is on the cards yet: make it with systemd/package, and name it with --packages."


# What a host has not given as options is asked for on a terminal.

_HALL = "The name of the hall, of a-z, 0-9 and -, such as barn (Enter: home): "
_PLAYS = {
    "ordinary": "Which have buttons, and ordinary dice (Enter: none)? ",
    "keypad": "Which have a USB number pad, and ordinary dice (Enter: none)? ",
    "usb": "Which have buttons, and a dice box at USB (Enter: none)? ",
    "phone": "Which have a phone in place of a Pi (Enter: none)? ",
}
_WIFI = "Wi-Fi: its name, “own” for one that the head's Pi makes, Enter for cables: "
_ZONE = "The time zone, such as Europe/Berlin (Enter: UTC): "
_NO_ZONE = "Etc/UTC"
_COUNTRY = "Which country is it in, two letters such as DE, US or GB? "
_TABLES = range(1, MAX_HALL_TABLES + 1)
Value = TypeVar("Value")
_QUOTES = "“”„\"'"


def hidden(question: str) -> str:
    """An answer that is not shown."""
    return getpass.getpass(question)


def ask(
    answer: Callable[[str], str],
    secret: Callable[[str], str],
    given: Mapping[str, Any] | None = None,
    password: str | None = None,
) -> tuple[dict[str, Any], str | None]:
    """Asks for what is not `given` of a new hall; what is no answer is asked for again.

    Fields of `Plan`, and the password of a Wi-Fi that the hall joins.
    """
    plan = dict(given or {})
    if "hall" not in plan:
        plan["hall"] = _ask(answer, _HALL, lambda text: msgspec.convert(text or "home", NodeName))
    if "tables" not in plan:
        plan["tables"] = _ask(answer, "How many tables play, such as 3? ", int, _TABLES.__contains__)
    plan |= _plays(answer, plan)
    if plan.get("timezone", _NO_ZONE) == _NO_ZONE:
        plan["timezone"] = _ask(answer, _ZONE, lambda text: text or _NO_ZONE, is_zone)
    if not {"wifi", "own_wifi"} & plan.keys():
        plan |= _network(answer)
    if (plan.get("wifi") or plan.get("own_wifi")) and "country" not in plan:
        plan["country"] = _ask(answer, _COUNTRY, str.upper, COUNTRIES.__contains__)
    return plan, password_of(plan.get("wifi", ""), secret) if password is None else password


def password_of(wifi: str, secret: Callable[[str], str]) -> str | None:
    """The password of a Wi-Fi that the hall joins; None where it joins none."""
    question = f"The password of {wifi}, 8 to 63 letters, which is not shown (Enter: it has none): "
    return _ask(secret, question, str, lambda text: not text or is_password(text)) if wifi else None


def _plays(answer: Callable[[str], str], plan: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """Asks for the devices of the tables for which none are given; says the rest."""
    found: dict[str, tuple[int, ...]] = {kind: plan[kind] for kind in _PLAYS if kind in plan}
    left = set(range(1, plan["tables"] + 1)) - {number for kind in found.values() for number in kind}
    for kind, question in _PLAYS.items():
        if left and kind not in found:
            free = ", ".join(map(str, sorted(left)))
            found[kind] = _ask(answer, f"Tables {free}. {question}", numbers, left.issuperset)
            left -= set(found[kind])
    if left and "dice" not in plan:
        print(f"Buttons, and the dice box at seven wires: {', '.join(map(str, sorted(left)))}.")
    return found


def _network(answer: Callable[[str], str]) -> dict[str, Any]:
    wifi = answer(_WIFI).strip()
    if wifi.strip(_QUOTES).casefold() == "own":
        return {"own_wifi": True}
    return {"wifi": wifi} if wifi else {}


def _ask(
    answer: Callable[[str], str],
    question: str,
    read: Callable[[str], Value],
    holds: Callable[[Value], bool] = lambda _value: True,
) -> Value:
    """The answer as `read` returns it; asks again while that cannot read it or it is not allowed."""
    while True:
        with contextlib.suppress(ValueError):
            if holds(value := read(answer(question).strip())):
                return value
        print("That cannot be; please answer as the question says, with tables that are there and free.")


def timezone(link: Path = Path("/etc/localtime")) -> str:
    """The time zone of this machine, by `/etc/localtime` or the variable TZ; Etc/UTC if neither names one."""
    named = os.environ.get("TZ", "")
    if "/" in named and not named.startswith((":", "/")):
        return named
    _, found, zone = str(link.resolve()).partition("zoneinfo/")
    return zone if found and is_zone(zone) else _NO_ZONE
