"""A host's draft of the next evening: people, rules, money."""

import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.errors import RulesError
from pi_bunco.game import seating
from pi_bunco.game.opening import alike, same
from pi_bunco.game.reasons import NamesAlike, NameTwice
from pi_bunco.reason import Reason
from pi_bunco.rules import PRESETS, RuleSet, override, preset
from pi_bunco.rules.load import EXAMPLES, changes, load
from pi_bunco.rules.reasons import SharesOff
from pi_bunco.rules.ruleset import Prize
from pi_bunco.web.pages.host.prepare.pasted import Doubt, corrected, read
from pi_bunco.web.site.page_state import DRAFT, PageState
from pi_bunco.web.site.reasons import TooManyNames
from pi_bunco.wire.gate import COMMAND_LIMIT_BYTES

MAX_NAMES = 1500
NAMES_BYTES = COMMAND_LIMIT_BYTES - 16 * 1024
"""Bytes of all names in a command that opens an evening."""
DIMENSIONS: Mapping[str, tuple[str, ...]] = {
    "team": ("pairs", "none", "table"),
    "end.points": ("none", "11", "15", "21", "31"),
    "end.points_by": ("team", "player"),
    "end.bunco": ("true", "false"),
    "end.tables": ("head", "any"),
    "end.minutes": ("none", "5", "7", "10", "12", "15"),
    "end.seconds": ("none", "60", "90", "150"),
    "after_bell": ("stop", "finish_turn", "finish_lap", "first_lap"),
    "scoring.match": ("one", "face"),
    "scoring.mini": ("0", "5"),
    "scoring.wipe": ("none", "1", "2", "3", "4", "5", "6"),
    "scoring.wipe_ends": ("false", "true"),
    "turn.mini_ends": ("false", "true"),
    "tie.method": ("session", "one_die", "lap", "one_roll", "no_chance"),
    "move.tables": (
        *("losers_to_last", "down_one", "stay"),
        *("losers_round", "winners_round", "chain", "partners"),
    ),
    "evening.sets": ("1", "2", "3", "4"),
    "evening.break_after": ("none", "1", "2", "3"),
    "evening.break_minutes": ("none", "10", "15", "30", "45"),
    "traveling": ("none", "bunco", "mini", "1", "2", "3", "4", "5", "6"),
    "prize_tie": ("split", "one_die", "three_dice", "ask"),
    "winner.auto": ("false", "true"),
    "ghosts": ("true", "false"),
}
"""The dimensions that are changed on the page, with the values to choose from."""
WITH_TEAM: Mapping[str, Mapping[str, str]] = {
    "none": {"move.tables": "chain", "tie.method": "one_roll"},
    "table": {"end.points_by": "team"},
}
"""Rules that go with a choice of who plays together, as nothing else can be played."""


class House(Struct, frozen=True):
    """House rules that were saved under a name."""

    name: str
    rules: str
    overrides: dict[str, Any]


@cache
def published() -> tuple[House, ...]:
    """House rules that others have published."""
    found = [load(name) for name in EXAMPLES]
    return tuple(House(one.name or "", one.preset, changes(one, preset(one.preset))) for one in found)


def _house(draft: "Draft", name: str) -> House | None:
    """House rules of this name: the host's own, or published ones."""
    return next((house for house in (*draft.houses, *published()) if house.name == name), None)


class Draft(Struct, frozen=True):
    """The host's preparations; money as decimal text, times of the day as text.

    `doubts` are those of the list that was read last, until it is sent again or they are answered; the tables
    move in `groups` groups, each among themselves.
    """

    names: tuple[str, ...] = ()
    late: tuple[tuple[str, str], ...] = ()
    rules: str = "classic"
    overrides: dict[str, Any] = {}
    house: str = ""
    houses: tuple[House, ...] = ()
    each: str = ""
    start: str = ""
    until: str = ""
    doubts: tuple[Doubt, ...] = ()
    groups: int = 1


def changed(draft: Draft, form: Mapping[str, str], people: tuple[str, ...] = ()) -> Draft:
    """The draft after a form of the page; the others of these people are added.

    Fields: `names` (one a line, a time behind a name for who comes late; `before` as they stood when the
    host began, so that what another host wrote meanwhile stays), `otherwise=N` takes the other meaning of
    the Nth doubt, `one=NAME` drops the last of that name, `two=NAME` gives it a 2, `rules` (a preset, or
    `house:NAME`), `set.KEY` (a dimension's value), `save_as`, `forget` (house rules by their name),
    `mend=KEY=VALUE`, `prize.CATEGORY` (a share as `20%`, an amount, or a thing), `groups` (how many), `each`,
    `start`, `until`.
    What is absent changes nothing.
    """
    if "names" in form:
        doubts = draft.doubts
        typed, before = form["names"].splitlines(), form.get("before", "").splitlines()
        draft = _with_names(draft, _merged(lines(draft), before, typed) if "before" in form else typed)
        draft = _answered(draft, doubts, form)
    if people:
        here = set(map(same, draft.names))
        more = [name for name in people if same(name) not in here]
        draft = _with_names(replace(draft, names=(*draft.names, *more)), [*lines(draft), *more])
    if form.get("rules", chosen(draft)) != chosen(draft):
        draft = _with_rules(draft, form["rules"])
    settings = {key[4:]: value for key, value in form.items() if key.startswith("set.")}
    if "=" in form.get("mend", ""):
        key, _, value = form["mend"].partition("=")
        settings[key] = value
    if settings:
        draft = _with_settings(draft, settings)
    if any(map(_of_prize, form)) and not why_no_prizes(draft, form):
        draft = replace(draft, overrides=_with_prizes(draft, form), house="")
    if name := form.get("save_as", "").strip()[:40]:
        others = tuple(house for house in draft.houses if house.name != name)
        draft = replace(draft, house=name, houses=(*others, House(name, draft.rules, draft.overrides)))
    if "forget" in form:
        draft = replace(
            draft, house="", houses=tuple(house for house in draft.houses if house.name != form["forget"])
        )
    if (groups := form.get("groups", "")).isdecimal() and len(groups) < 5:
        draft = replace(draft, groups=max(int(groups), 1))
    given = {key: form[key].strip()[:12] for key in ("each", "start", "until") if key in form}
    return replace(draft, **given)


def open_args(draft: Draft, seed: int, replacing: bool = False) -> dict[str, Any]:
    """The arguments of `evening_open` that make an evening of the draft."""
    args: dict[str, Any] = {"rules": draft.rules, "overrides": draft.overrides, "players": list(draft.names)}
    pot = pot_of(draft)
    given = {
        "name": draft.house or None,
        "pot": pot or None,
        "replace": replacing or None,
        "groups": groups_of(draft),
    }
    return args | {"seed": seed} | {key: value for key, value in given.items() if value is not None}


def most_groups(draft: Draft) -> int:
    """The most groups that these tables can move in, of two tables at least; a tournament makes its own."""
    tables = -(-len(draft.names) // 4)
    return 1 if rule_set(draft).tournament else max(tables // 2, 1)


def groups_of(draft: Draft) -> list[list[int]] | None:
    """The tables of each group, as even as they can be; None where all move together."""
    tables, groups = -(-len(draft.names) // 4), min(draft.groups, most_groups(draft))
    if groups < 2:
        return None
    ends = [tables * k // groups for k in range(groups + 1)]
    return [[*range(first + 1, last + 1)] for first, last in pairwise(ends)]


def too_many(draft: Draft) -> bool:
    """True if the names fit in no command that opens an evening."""
    return len(draft.names) > MAX_NAMES or len(msgspec.json.encode(draft.names)) > NAMES_BYTES


def problems(draft: Draft) -> list[Reason]:
    """Every reason why these people cannot play by these rules; none while there are none."""
    if too_many(draft):
        return [TooManyNames(MAX_NAMES)]
    if not draft.names:
        return []
    return [*seating.problems(draft.names, ghosts_allowed=rule_set(draft).ghosts), *alike(draft.names)]


def doubtful_name(problem: Reason) -> str:
    """The name that may stand for one person or two; "" where a problem is another."""
    match problem:
        case NamesAlike(other=name) | NameTwice(name=name):
            return name
    return ""


def lines(draft: Draft) -> list[str]:
    """The names, each with the time of who comes late, as they are typed."""
    late = dict(draft.late)
    return [f"{name} {late[name]}" if name in late else name for name in draft.names]


def _merged(now: list[str], before: list[str], typed: list[str]) -> list[str]:
    """Lines that a host typed, with what another host has changed in those of `before` meanwhile."""
    if now == before:
        return typed
    gone, known = set(before) - set(now), {*before, *typed}
    return [line for line in typed if line not in gone] + [line for line in now if line not in known]


def _with_names(draft: Draft, typed: list[str]) -> Draft:
    """The draft with the people of these lines; those that it has stand as they are."""
    found = read(typed, set(lines(draft)))
    return replace(draft, names=found.names, late=found.late, doubts=found.doubts)


def with_name(draft: Draft, name: str) -> Draft:
    """The draft with one more person, taken as the name stands."""
    known = replace(draft, names=(*draft.names, name))
    return replace(_with_names(known, [*lines(draft), name]), doubts=draft.doubts)


def _answered(draft: Draft, doubts: tuple[Doubt, ...], form: Mapping[str, str]) -> Draft:
    """The draft after a key under one of the doubts that the page showed; the others stay."""
    number, left = form.get("otherwise", ""), lines(draft)
    if number.isdecimal() and len(number) < 5 and int(number) < len(doubts):
        doubt = doubts[int(number)]
        draft = _with_names(replace(draft, names=(*draft.names, *doubt.otherwise)), corrected(left, doubt))
        return replace(draft, doubts=tuple(one for one in doubts if one is not doubt))
    for key, more in (("one", ()), ("two", (f"{form.get('two', '')} 2",))):
        if (name := form.get(key, "")) in draft.names:
            at = len(draft.names) - 1 - draft.names[::-1].index(name)
            names = (*draft.names[:at], *more, *draft.names[at + 1 :])
            times = tuple(one for one in draft.late if one[0] in names)
            return replace(draft, names=names, late=times, doubts=doubts)
    return draft


def chosen(draft: Draft) -> str:
    """The id of the rule set that is chosen: a preset, or `house:NAME`."""
    return f"house:{draft.house}" if draft.house else draft.rules


def _with_rules(draft: Draft, chosen: str) -> Draft:
    if chosen.startswith("house:"):
        house = _house(draft, chosen[6:])
        return (
            replace(draft, house=house.name, rules=house.rules, overrides=house.overrides) if house else draft
        )
    return replace(draft, house="", rules=chosen, overrides={}) if chosen in PRESETS else draft


def _with_settings(draft: Draft, settings: Mapping[str, str]) -> Draft:
    """The draft with these dimensions; a value that is the preset's own is no override."""
    if settings.get("team", "") != rule_set(draft).team:
        settings = {**settings, **WITH_TEAM.get(settings.get("team", ""), {})}
    base, overrides = preset(draft.rules), dict(draft.overrides)
    for key, value in settings.items():
        if key in DIMENSIONS:
            overrides.pop(key, None)
            if value != text_of(base.dimension(key)):
                overrides[key] = value if key == "team" else _value(value)  # its "none" is a word
    house = _house(draft, draft.house)
    kept = draft.house if house and house.overrides == overrides else ""
    return (
        replace(draft, overrides=overrides, house=kept)
        if not rule_problems(draft.rules, overrides)
        else draft
    )


def _with_prizes(draft: Draft, form: Mapping[str, str]) -> dict[str, Any]:
    """The overrides with one prize of each category that the form names; other prizes of the rules stay."""
    typed = {key[6:]: text.strip()[:60] for key, text in form.items() if _of_prize(key)}
    before = rule_set(draft).prizes
    kept = [one for one in before if one.category not in typed or one.place > 1]
    prizes = [{"for": key} | _worth(text) for key, text in typed.items() if text]
    return draft.overrides | {"prizes": [*prizes, *msgspec.to_builtins(kept)]}


def why_no_prizes(draft: Draft, form: Mapping[str, str]) -> tuple[Reason, ...]:
    """Reasons why the prizes of this form cannot be; none where they can."""
    if not any(map(_of_prize, form)):
        return ()
    overrides = _with_prizes(draft, form)
    shares = [one["percent"] for one in overrides["prizes"] if "percent" in one]
    if sum(shares) > 100:  # more than any share can be
        return (SharesOff(sum(shares)),)
    return rule_problems(draft.rules, overrides)


def _of_prize(key: str) -> bool:
    return key.startswith("prize.")


def _worth(text: str) -> dict[str, Any]:
    """A prize's worth: a share of the pot, an amount, a thing; `-` for the honour alone."""
    if found := re.fullmatch(r"(\d{1,3})\s*%", text):
        return {"percent": int(found[1])}
    if found := re.fullmatch(r"(\d{1,6})(?:[.,](\d{1,2}))?", text):
        return {"amount": f"{found[1]}.{found[2].ljust(2, '0')}" if found[2] else found[1]}
    return {} if text == "-" else {"award": text}


def worth_text(prize: Prize) -> str:
    """A prize's worth as a host types it."""
    if prize.percent is not None:
        return f"{prize.percent}%"
    return prize.amount or prize.award or "-"


def rule_problems(rules: str, overrides: Mapping[str, Any]) -> tuple[Reason, ...]:
    """Reasons why these rules cannot be."""
    try:
        override(preset(rules), dict(overrides))
    except RulesError as error:
        return error.reasons
    return ()


def _value(text: str) -> Any:
    known = {"none": None, "true": True, "false": False}
    return known[text] if text in known else int(text) if text.isdecimal() else text


def text_of(value: Any) -> str:
    """A dimension's value as the page writes it."""
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def rule_set(draft: Draft) -> RuleSet:
    """The rules of the draft."""
    return override(preset(draft.rules), dict(draft.overrides))


def pot_of(draft: Draft) -> str:
    """The sum of all stakes as decimal text; empty without money."""
    found = re.fullmatch(r"(\d{1,6})(?:[.,](\d{1,2}))?", draft.each.strip())
    if not found:
        return ""
    cents = (int(found[1]) * 100 + int((found[2] or "0").ljust(2, "0"))) * len(draft.names)
    return f"{cents // 100}.{cents % 100:02}" if cents else ""


def keep(state: PageState, draft: Draft) -> None:
    """Keeps what is prepared; all hosts see it."""
    state.backend.archive.keep(DRAFT, msgspec.to_builtins(draft))
    state.changes.changed()


def draft_of(state: PageState) -> Draft:
    """The draft for the next evening; an empty one for nothing."""
    try:
        return msgspec.convert(state.backend.archive.kept.get(DRAFT), Draft)
    except msgspec.ValidationError:
        return Draft()
