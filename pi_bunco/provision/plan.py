"""What a host wants of a hall, checked; what is not said stays as it was."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from pi_bunco.config import ConfigError, meaning, option, settings
from pi_bunco.provision.endpoint import PORT, findable

HEAD = "pi-bunco-head.local"
"""The head's address if none is given: its Pi's name by mDNS, good in any network and for any number."""
MOST = 800
"""So many tables: the broker takes 900 connections from the network, and a few of them are of leavers."""
GPIO = "gpio"
_SETTINGS = {"hall", "dice", "panel", "lights", "bell"}


class Plan(Struct, frozen=True, forbid_unknown_fields=True):
    """A hall: its tables 1 to `tables`, where its head is, whether table 1 is on that Pi, its devices."""

    tables: int
    hall: str = "home"
    head: str = HEAD
    head_table: bool = True
    dice: str = GPIO
    panel: str = GPIO
    lights: str = GPIO
    bell: str = GPIO

    @property
    def counted(self) -> str:
        """How many tables there are, in words."""
        return "1 table" if self.tables == 1 else f"{self.tables} tables"

    @property
    def address(self) -> str:
        """Where tables find the broker, `HOST:PORT`."""
        return f"[{self.head}]:{PORT}" if ":" in self.head else f"{self.head}:{PORT}"

    @property
    def alone(self) -> range:
        """The tables that have a Pi of their own."""
        return range(2 if self.head_table else 1, self.tables + 1)


def planned(asked: Mapping[str, Any], before: Plan | None) -> Plan:
    """What `asked` (fields of `Plan`) makes of the plan `before`; `ConfigError` says all that is wrong."""
    problems = [*_problems(asked), *_missing(asked, before), *_changes(asked, before)]
    if problems:
        raise ConfigError(problems)
    return msgspec.structs.replace(before, **asked) if before else Plan(**asked)


def _problems(asked: Mapping[str, Any]) -> Iterator[str]:
    tables = asked.get("tables", 1)
    if not 1 <= tables <= MOST:
        yield f"--tables {tables} is not allowed; it must be a whole number from 1 (the head table) to {MOST}"
    head = asked.get("head", HEAD)
    if not findable(head):
        yield f"--head {head} is not allowed; it must be the name or number of the head's Pi, without a port"
    for name in sorted(_SETTINGS & asked.keys()):
        try:
            msgspec.convert(asked[name], settings()[name])
        except msgspec.ValidationError:
            yield f"{option(name)} {asked[name]} is not allowed; it must be {meaning(name)}"


def _missing(asked: Mapping[str, Any], before: Plan | None) -> Iterator[str]:
    if before is None and "tables" not in asked:
        yield "--tables is missing; say how many tables play, for example --tables 12"


def _changes(asked: Mapping[str, Any], before: Plan | None) -> Iterator[str]:
    """What cannot become otherwise once the cards are made."""
    if before is None:
        return
    if asked.get("hall", before.hall) != before.hall:
        yield f"this folder is that of hall {before.hall}; make another one for hall {asked['hall']}"
    if asked.get("tables", before.tables) < before.tables:
        yield f"this folder has {before.tables} tables already; a card that nobody uses does no harm"
    if asked.get("head_table", before.head_table) != before.head_table:
        where = "on the head's Pi" if before.head_table else "on a Pi of its own"
        yield f"table 1 runs {where} in this folder; make another folder to change that"
