"""Asks on a terminal what a host has not given as options."""

import getpass
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from pi_bunco.provision.plan import numbers

_PLAYS = {
    "usb": "Which have a dice box at USB, such as 2,4-6 (Enter: none)? ",
    "ordinary": "Which have ordinary dice and type in what was thrown (Enter: none)? ",
    "phone": "Which have a phone in place of a Pi (Enter: none)? ",
}


class Asked(Struct, frozen=True):
    """What was answered: fields of `Plan`, and the password of a Wi-Fi that the hall joins."""

    plan: dict[str, Any]
    wifi_password: str | None = None


def hidden(question: str) -> str:
    """An answer that is not shown."""
    return getpass.getpass(question)


def ask(answer: Callable[[str], str], secret: Callable[[str], str]) -> Asked:
    """Asks for a new hall; what is no answer is asked for again."""
    plan: dict[str, Any] = {"tables": _asked(answer, "How many tables play? ", _count)}
    for kind, question in _PLAYS.items():
        plan[kind] = _asked(answer, question, numbers)
    wifi = answer("Wi-Fi: its name, “own” for one that the head's Pi makes, Enter for cables: ").strip()
    if not wifi:
        return Asked(plan)
    plan["country"] = _asked(answer, "Which country is it in, two letters such as DE? ", _country)
    if wifi == "own":
        return Asked(plan | {"own_wifi": True})
    return Asked(plan | {"wifi": wifi}, secret(f"The password of {wifi}: "))


def _asked(answer: Callable[[str], str], question: str, read: Callable[[str], Any]) -> Any:
    while True:
        try:
            return read(answer(question).strip())
        except ValueError:
            print("That is not understood; please answer as in the example.")


def _count(text: str) -> int:
    if (count := int(text)) < 1:
        raise ValueError
    return count


def _country(text: str) -> str:
    if len(text) != 2 or not (text.isascii() and text.isalpha()):
        raise ValueError
    return text.upper()


def timezone(link: Path = Path("/etc/localtime")) -> str:
    """The time zone of this machine, by `/etc/localtime` or the variable TZ; Etc/UTC if neither names one."""
    named = os.environ.get("TZ", "")
    if "/" in named and not named.startswith((":", "/")):
        return named
    _, found, zone = str(link.resolve()).partition("zoneinfo/")
    return zone if found else "Etc/UTC"
