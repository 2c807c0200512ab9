"""`pi-bunco provision`: on the host's laptop, makes all that the Pis of a hall need to trust each other."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from random import SystemRandom
from typing import Any

from msgspec import structs

from pi_bunco.provision.cards import UPDATE
from pi_bunco.provision.plan import HEAD, Plan
from pi_bunco.provision.provision import HANDOVER, Made, provision
from pi_bunco.wire import topics

_ASKED: dict[str, dict[str, Any]] = {
    "tables": {"type": int, "metavar": "N", "help": "how many tables play, table 1 included"},
    "hall": {"metavar": "HALL", "help": "the name of the hall, of a-z, 0-9 and - (default home)"},
    "head": {
        "metavar": "ADDR",
        "help": f"where tables find the head's Pi: its name or number (default {HEAD})",
    },
    "dice": {"metavar": "DICE", "help": "gpio (default), serial:PATH or virtual"},
    "panel": {"metavar": "PANEL", "help": "gpio (default) or virtual"},
    "lights": {"metavar": "LIGHTS", "help": "gpio (default) or virtual"},
    "bell": {"metavar": "BELL", "help": "gpio (default) or virtual"},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `pi-bunco provision`; what is not said stays as it was."""
    parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="the folder of the hall, made or changed"
    )
    for name, more in _ASKED.items():
        parser.add_argument(f"--{name}", default=argparse.SUPPRESS, **more)
    parser.add_argument(
        "--no-head-table",
        dest="head_table",
        action="store_false",
        default=argparse.SUPPRESS,
        help="table 1 has a Pi of its own, not the head's",
    )
    parser.add_argument(
        "--replace",
        nargs="+",
        action="extend",
        default=[],
        metavar="N|head",
        help="shut the card of this table out and make it a new one; or a new card for the head",
    )


def run(options: argparse.Namespace) -> int:
    """Makes or changes the folder and says what to do with it; raises `BuncoError` where it cannot."""
    known = {field.name for field in structs.fields(Plan)}
    asked = {name: value for name, value in vars(options).items() if name in known}
    made = provision(options.out, asked, options.replace, SystemRandom())
    print("\n".join(_told(made, options.out, options.replace)))
    return 0


def _told(made: Made, out: Path, replace: list[str]) -> Iterator[str]:
    plan = made.hall.plan
    if made.before is None or (made.first and not made.renewed):
        yield f"The hall {plan.hall} with {plan.counted} is in {out}; keep that folder secret and safe."
        yield f"Print {out / 'labels.html'}, and read {out / 'README.txt'}: each Pi takes one file."
        return
    if structs.replace(made.before, tables=plan.tables) != plan:
        yield "The plan has changed: every Pi is to get its file again."
    for number in plan.alone:
        if (node := topics.table_node(number)) in made.renewed:
            yield f"Copy {out / node / HANDOVER} onto the card of table {number}."
    if topics.HEAD in replace:
        yield f"Copy {out / topics.HEAD / HANDOVER} onto the head's new card: the tables tell it the evening."
    elif made.renewed:
        yield f"Copy {out / UPDATE / HANDOVER} onto the head's card: the old passwords work until then."
    else:
        yield f"All files in {out} are written again; no password has changed."
