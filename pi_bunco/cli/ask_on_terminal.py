"""Asks on a terminal what a host has not given as options."""

import contextlib
import getpass
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from pi_bunco.provision.plan import COUNTRIES, MAX_HALL_TABLES, is_zone, numbers
from pi_bunco.provision.provision import is_password
from pi_bunco.wire.topics import Name

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
        plan["hall"] = _ask(answer, _HALL, lambda text: msgspec.convert(text or "home", Name))
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
