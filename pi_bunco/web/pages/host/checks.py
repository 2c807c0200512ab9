"""All that is wrong in the hall and all that is well, each in a sentence with its mend."""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.devices.protocols import CAN_BE_ROLLED
from pi_bunco.reason import N_, Reason
from pi_bunco.web.pages.host.answer_keys import act, keys_of_fault
from pi_bunco.web.pages.shared.model import TableShown
from pi_bunco.web.site.evening_now import EveningNow, TablePresence
from pi_bunco.web.site.host_only import HOME
from pi_bunco.web.site.notices import Action

TO_SCREENS = Action(N_("Screens and phones"), href="/host/screens")
BELL_TEST = act("bell_test", ask=True)
ICONS = {
    "doubled": "hand",
    "finishing": "bell",
    "head_away": "net",
    "help": "hand",
    "left_out": "pen",
    "needs_word": "pen",
    "not_ok": "pen",
    "not_there": "net",
    "roll_each": "d3",
    "rolloff": "d3",
    "silent": "net",
}


class HostNote(Struct, frozen=True):
    """A fault, or a reason why it does not go on: `kind` names a text of `HostWords`, or `why` is one."""

    kind: str
    table: int = 0
    name: str = ""
    shown: TableShown | None = None
    why: Reason | None = None
    level: Literal["", "bad", "good"] = ""
    actions: tuple[Action, ...] = ()

    @property
    def icon(self) -> str:
        """The picture in front of it."""
        return ICONS.get(self.kind, "check" if self.level == "good" else "warn")


def bad(now: EveningNow) -> list[HostNote]:
    """Everything to mend."""
    found = [] if now.head.online else [HostNote("head_away", level="bad")]
    faults = now.head.faults
    found += [HostNote("text", why=fault, level="bad", actions=keys_of_fault(fault)) for fault in faults]
    found += [HostNote("text", why=now.crowd, level="bad")] if now.crowd else []
    for number in _numbers(now):
        found += _of_table(now, number)
    return found + _screens(now)


def _screens(now: EveningNow) -> list[HostNote]:
    """The TVs that are gone, and that nobody could hear."""
    tvs = [screen for screen in now.screens if screen.kind == "tv" and not screen.closed]
    found = [
        HostNote("screen_gone", name=str(round(tv.seen_s)), actions=(TO_SCREENS,)) for tv in tvs if tv.gone
    ]
    if any(tv.sound == "silent" and not tv.gone for tv in tvs):
        found.append(HostNote("screens_silent", actions=(TO_SCREENS,)))
    return found


def good(now: EveningNow) -> list[HostNote]:
    """Everything that is well."""
    found = [HostNote("head_well", level="good", actions=(BELL_TEST,))] if now.head.online else []
    for number in _numbers(now):
        presence = now.tables.get(number, TablePresence())
        if presence.online and not _of_table(now, number):
            kind = "phone_well" if presence.phone else "table_well"
            found.append(HostNote(kind, number, level="good", actions=(_light(number),)))
    return found


def _numbers(now: EveningNow) -> list[int]:
    return sorted({*range(1, now.evening.tables + 1), *now.tables})


def _of_table(now: EveningNow, number: int) -> list[HostNote]:
    presence = now.tables.get(number, TablePresence())
    light = _light(number)
    found = []
    if presence.doubled:
        found.append(HostNote("doubled", number, level="bad", actions=(light,)))
    if not presence.online:
        found.append(silent_note(number, presence, light))
    elif presence.phone_gone:
        found.append(phone_note(number, presence, show_code(number)))
    states = [(str(die), state) for die, state in enumerate(presence.dice, 1) if presence.online]
    if bad := [die for die, state in states if state not in CAN_BE_ROLLED]:
        found.append(HostNote("dice", number, ", ".join(bad), actions=(light,)))
    if weak := [die for die, state in states if state == "weak"]:
        found.append(HostNote("battery", number, ", ".join(weak), actions=(light,)))
    found += [HostNote("fault", number, why=fault, actions=(light,)) for fault in presence.faults]
    return found


def silent_note(number: int, presence: TablePresence, *actions: Action) -> HostNote:
    """Nothing is received from a table: for how long, if it was ever there."""
    if presence.silent_s is None:
        return HostNote("not_there", number, actions=actions)
    return HostNote("silent", number, str(round(presence.silent_s)), actions=actions)


def phone_note(number: int, presence: TablePresence, *actions: Action) -> HostNote:
    """Nobody has the page of a phone table open: for how long, if anybody ever had."""
    if presence.phone_s is None:
        return HostNote("phone_never", number, actions=actions)
    return HostNote("phone_gone", number, str(round(presence.phone_s)), actions=actions)


def show_code(number: int) -> Action:
    """The key to the picture by which a phone becomes table `number`."""
    return Action(N_("Show its code"), href=f"{HOME}?table={number}#code")


def _light(number: int) -> Action:
    return replace(act("light", table=number), icon="lamp")
