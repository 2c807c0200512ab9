"""Asks on a terminal what a host has not given as options."""

import getpass
import os
from collections.abc import Callable, Set
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from pi_bunco.provision.plan import MOST, numbers
from pi_bunco.wire.topics import Name

_HALL = "The name of the hall, of a-z, 0-9 and -, such as barn (Enter: home): "
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
    plan: dict[str, Any] = {"hall": _asked(answer, _HALL, _hall)}
    plan["tables"] = _asked(answer, "How many tables play, such as 3? ", _count)
    left = set(range(1, plan["tables"] + 1))
    for kind, question in _PLAYS.items():
        plan[kind] = _asked(answer, question, partial(_some, left))
        left -= set(plan[kind])
    wifi = answer("Wi-Fi: its name, “own” for one that the head's Pi makes, Enter for cables: ").strip()
    if not wifi:
        return Asked(plan)
    plan["country"] = _asked(answer, "Which country is it in, two letters such as DE, US or GB? ", _country)
    if wifi == "own":
        return Asked(plan | {"own_wifi": True})
    password = _asked(secret, f"The password of {wifi}, 8 to 63 letters, which is not shown: ", _password)
    return Asked(plan | {"wifi": wifi}, password)


def _asked(answer: Callable[[str], str], question: str, read: Callable[[str], Any]) -> Any:
    while True:
        try:
            return read(answer(question).strip())
        except ValueError:
            print("That cannot be; please answer as the question says, with tables that are there and free.")


def _hall(text: str) -> str:
    return str(msgspec.convert(text or "home", Name))


def _count(text: str) -> int:
    if not 1 <= (count := int(text)) <= MOST:
        raise ValueError
    return count


def _some(left: Set[int], text: str) -> tuple[int, ...]:
    """Tables that are there and play with nothing else yet."""
    if not set(found := numbers(text)) <= left:
        raise ValueError
    return found


def _password(text: str) -> str:
    if not 8 <= len(text) <= 63:
        raise ValueError
    return text


def _country(text: str) -> str:
    """`ValueError` for UK too, which is written GB: the radio would stay off."""
    if len(text) != 2 or not (text.isascii() and text.isalpha()) or text.upper() == "UK":
        raise ValueError
    return text.upper()


def timezone(link: Path = Path("/etc/localtime")) -> str:
    """The time zone of this machine, by `/etc/localtime` or the variable TZ; Etc/UTC if neither names one."""
    named = os.environ.get("TZ", "")
    if "/" in named and not named.startswith((":", "/")):
        return named
    _, found, zone = str(link.resolve()).partition("zoneinfo/")
    return zone if found else "Etc/UTC"
