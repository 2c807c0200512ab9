"""What is wrong in the hall and what is well, each in a sentence with its mend."""

import json

from pi_bunco.web.models import Action, Reason
from pi_bunco.web.situation import Situation, TableSigns

BELL_TEST = Action("bell_test", "bell_test", ask=True)


def bad(situation: Situation) -> list[Reason]:
    """Everything to mend."""
    found = [] if situation.head.online else [Reason("head_away", level="bad")]
    found += [Reason("text", text=fault, level="bad") for fault in situation.head.faults]
    for number in _numbers(situation):
        found += _of_table(situation, number)
    return found


def good(situation: Situation) -> list[Reason]:
    """Everything that is well."""
    found = [Reason("head_well", level="good", actions=(BELL_TEST,))] if situation.head.online else []
    for number in _numbers(situation):
        signs = situation.tables.get(number, TableSigns())
        if signs.online and not _of_table(situation, number):
            kind = "phone_well" if signs.phone else "table_well"
            found.append(Reason(kind, number, level="good", actions=(_light(number),)))
    return found


def _numbers(situation: Situation) -> list[int]:
    return sorted({*range(1, situation.evening.tables + 1), *situation.tables})


def _of_table(situation: Situation, number: int) -> list[Reason]:
    signs = situation.tables.get(number, TableSigns())
    light = _light(number)
    found = []
    if signs.doubled:
        found.append(Reason("doubled", number, level="bad", actions=(light,)))
    if not signs.online:
        since = "" if signs.silent_s is None else str(round(signs.silent_s))
        found.append(Reason("silent", number, since, actions=(light,)))
    weak = [str(die) for die, state in enumerate(signs.dice, 1) if state not in ("ok", "weak", "moved")]
    if weak and signs.online:
        found.append(Reason("dice", number, ", ".join(weak), actions=(light,)))
    found += [Reason("fault", number, text=fault, actions=(light,)) for fault in signs.faults]
    return found


def _light(number: int) -> Action:
    return Action("light", "light", json.dumps({"table": number}), icon="lamp")
