"""What a host has prepared before the evening opens: people, rules, money, and how long it will take."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.errors import BuncoError
from pi_bunco.game import seating
from pi_bunco.rules import PRESETS, RuleSet, override, preset
from pi_bunco.rules.odds import PACE, odds
from pi_bunco.web import course, tables
from pi_bunco.web.models import Dimension, HostPrepare, Notice, RuleChoice
from pi_bunco.web.names import call_names, order
from pi_bunco.web.situation import HostQuery, Situation
from pi_bunco.web.tonight import frame

BETWEEN_S = 120
"""Seconds from a round's bell to the next: the last turns, OK, a tie now and then, everybody moves."""
STEPS = ("people", "rules", "money", "seats")
LATE = re.compile(r"^(.+?)[\s,]+(?:@\s*)?(\d{1,2}[:.]\d\d)$")
"""A name with the time at which somebody comes: `Gus 19:00`."""
DIMENSIONS: Mapping[str, tuple[str, ...]] = {
    "end.points": ("none", "11", "15", "21", "31"),
    "end.points_by": ("team", "player"),
    "end.bunco": ("true", "false"),
    "end.tables": ("head", "any"),
    "end.minutes": ("none", "5", "7", "10", "12", "15"),
    "after_bell": ("stop", "finish_turn", "finish_lap"),
    "scoring.match": ("one", "face"),
    "scoring.mini": ("0", "5"),
    "turn.mini_ends": ("false", "true"),
    "tie.method": ("session", "one_die", "lap"),
    "move.tables": ("losers_to_last", "down_one", "stay"),
    "evening.sets": ("1", "2", "3", "4"),
    "evening.break_after": ("none", "1", "2", "3"),
    "evening.break_minutes": ("none", "10", "15", "30", "45"),
    "prize_tie": ("split", "one_die", "three_dice", "ask"),
    "winner.auto": ("false", "true"),
    "ghosts": ("true", "false"),
}
"""The dimensions that are changed on the page, with the values to choose from."""


class House(Struct, frozen=True):
    """House rules that were saved under a name."""

    name: str
    rules: str
    overrides: dict[str, Any]


class Draft(Struct, frozen=True):
    """What is prepared; money as decimal text, times of the day as text."""

    names: tuple[str, ...] = ()
    late: tuple[tuple[str, str], ...] = ()
    rules: str = "classic"
    overrides: dict[str, Any] = {}
    house: str = ""
    houses: tuple[House, ...] = ()
    each: str = ""
    start: str = ""
    until: str = ""


def changed(draft: Draft, form: Mapping[str, str], last: tuple[str, ...] = ()) -> Draft:
    """The draft after a form of the page; `last` are the people of the evening before.

    Fields: `names` (one a line, a time behind a name for who comes late), `do=last` adds last time's,
    `rules` (a preset, or `house:NAME`), `set.KEY` (a dimension's value), `save_as`, `forget` (house rules by
    their name), `mend=KEY=VALUE`, `each`, `start`, `until`. Fields that are absent change nothing.
    """
    if "names" in form:
        draft = _with_names(draft, form["names"].splitlines())
    if form.get("do") == "last":
        draft = _with_names(draft, [*_lines(draft), *(name for name in last if name not in draft.names)])
    if form.get("rules", _chosen(draft)) != _chosen(draft):
        draft = _with_rules(draft, form["rules"])
    settings = {key[4:]: value for key, value in form.items() if key.startswith("set.")}
    if "=" in form.get("mend", ""):
        key, _, value = form["mend"].partition("=")
        settings[key] = value
    if settings:
        draft = _with_settings(draft, settings)
    if name := form.get("save_as", "").strip()[:40]:
        others = tuple(house for house in draft.houses if house.name != name)
        draft = replace(draft, house=name, houses=(*others, House(name, draft.rules, draft.overrides)))
    if "forget" in form:
        draft = replace(
            draft, house="", houses=tuple(house for house in draft.houses if house.name != form["forget"])
        )
    given = {key: form[key].strip()[:12] for key in ("each", "start", "until") if key in form}
    return replace(draft, **given)


def open_args(draft: Draft, seed: int, replacing: bool = False) -> dict[str, Any]:
    """The arguments of `evening_open` that make an evening of the draft."""
    args: dict[str, Any] = {"rules": draft.rules, "overrides": draft.overrides, "players": list(draft.names)}
    pot = _pot(draft)
    given = {"name": draft.house or None, "pot": pot or None, "replace": replacing or None}
    return args | {"seed": seed} | {key: value for key, value in given.items() if value is not None}


def _lines(draft: Draft) -> list[str]:
    late = dict(draft.late)
    return [f"{name} {late[name]}" if name in late else name for name in draft.names]


def _with_names(draft: Draft, lines: list[str]) -> Draft:
    names, late = [], []
    for line in lines:
        text = " ".join(line.replace("\t", " ").split()).strip(",;")
        if found := LATE.match(text):
            text = found[1].strip()
            late.append((text, found[2].replace(".", ":")))
        if text:
            names.append(text)
    return replace(draft, names=tuple(names), late=tuple(late))


def _chosen(draft: Draft) -> str:
    return f"house:{draft.house}" if draft.house else draft.rules


def _with_rules(draft: Draft, chosen: str) -> Draft:
    if chosen.startswith("house:"):
        house = next((one for one in draft.houses if one.name == chosen[6:]), None)
        return (
            replace(draft, house=house.name, rules=house.rules, overrides=house.overrides) if house else draft
        )
    return replace(draft, house="", rules=chosen, overrides={}) if chosen in PRESETS else draft


def _with_settings(draft: Draft, settings: Mapping[str, str]) -> Draft:
    """The draft with these dimensions; a value that is the preset's own is no override."""
    base, overrides = preset(draft.rules), dict(draft.overrides)
    for key, value in settings.items():
        if key in DIMENSIONS:
            overrides.pop(key, None)
            if value != _text(base.dimension(key)):
                overrides[key] = _value(value)
    house = next((one for one in draft.houses if one.name == draft.house), None)
    kept = draft.house if house and house.overrides == overrides else ""
    return (
        replace(draft, overrides=overrides, house=kept)
        if not rule_problems(draft.rules, overrides)
        else draft
    )


def rule_problems(rules: str, overrides: Mapping[str, Any]) -> tuple[str, ...]:
    """Why these rules cannot be, each a sentence."""
    try:
        override(preset(rules), dict(overrides))
    except BuncoError as error:
        return tuple(str(error).splitlines())
    return ()


def _value(text: str) -> Any:
    known = {"none": None, "true": True, "false": False}
    return known[text] if text in known else int(text) if text.isdecimal() else text


def _text(value: Any) -> str:
    return (
        {None: "none", True: "true", False: "false"}.get(value, str(value))
        if not _is_number(value)
        else str(value)
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def rule_set(draft: Draft) -> RuleSet:
    """The rules of the draft."""
    return override(preset(draft.rules), dict(draft.overrides))


@cache
def _rolls(rules: RuleSet, face: int) -> float:
    bell = odds(rules, face).bell
    return bell.mean if bell else 0.0


def rolls(rules: RuleSet) -> int:
    """Throws of the head table to the bell, the mean of a set's rounds."""
    faces = course.faces(rules)
    return round(sum(_rolls(rules, face) for face in faces) / len(faces))


def minutes(rules: RuleSet) -> int:
    """How long the whole evening is expected to take, breaks included."""
    limit = (rules.end.minutes or 10_000) * 60.0
    a_set = sum(min(_rolls(rules, face) * PACE, limit) + BETWEEN_S for face in course.faces(rules))
    rest = (rules.evening.break_minutes or 0) if (rules.evening.break_after or 99) < rules.evening.sets else 0
    return round(rules.evening.sets * a_set / 60) + rest


def clock_minutes(text: str) -> int | None:
    """A time of the day as minutes since midnight; None for anything else."""
    found = re.fullmatch(r"(\d{1,2})[:.]?(\d\d)?", text.strip())
    return int(found[1]) % 24 * 60 + int(found[2] or 0) if found and int(found[2] or 0) < 60 else None


def _clock(minutes_: int) -> str:
    return f"{minutes_ // 60 % 24:02}:{minutes_ % 60:02}"


def _pot(draft: Draft) -> str:
    found = re.fullmatch(r"(\d{1,6})(?:[.,](\d{1,2}))?", draft.each.strip())
    if not found:
        return ""
    cents = (int(found[1]) * 100 + int((found[2] or "0").ljust(2, "0"))) * len(draft.names)
    return f"{cents // 100}.{cents % 100:02}" if cents else ""


def prepare(
    situation: Situation, draft: Draft, query: HostQuery, notice: Notice | None = None, last: int = 0
) -> HostPrepare:
    """`/host/prepare`; `query.panel` is the step, `last` how many people the evening before had."""
    rules, evening = rule_set(draft), situation.evening
    step = query.panel if query.panel in STEPS else "seats" if _opened(situation) else "people"
    start, until = clock_minutes(draft.start), clock_minutes(draft.until)
    whole = minutes(rules)
    room = None if start is None or until is None else (until - start) % 1440
    return HostPrepare(
        frame=frame(situation, "prepare", notice),
        step=step,  # type: ignore[arg-type]
        names=tuple(_lines(draft)),
        late=draft.late,
        tables=-(-len(draft.names) // 4),
        ghosts=seating.ghosts_needed(len(draft.names)),
        problems=tuple(seating.problems(draft.names, ghosts_allowed=rules.ghosts)) if draft.names else (),
        rules=tuple(_choices(draft, room)),
        dimensions=tuple(_dimensions(draft, rules)),
        sets=rules.evening.sets,
        rounds=len(course.faces(rules)),
        rolls=rolls(rules),
        start=draft.start,
        end=_clock(start + whole) if start is not None else "",
        until=draft.until,
        minutes=whole,
        break_minutes=(rules.evening.break_minutes or 0) if rules.evening.break_after else 0,
        title=situation.title,
        each=draft.each,
        pot=_pot(draft),
        seats=tuple(_seats(situation)) if step == "seats" else (),
        open=_opened(situation),
        running=evening.round is not None or bool(evening.rounds and not evening.over),
        last_time=last,
        more=query.page == 2,
        room=room or 0,
        house=draft.house,
    )


def _opened(situation: Situation) -> bool:
    return situation.evening.rules is not None and situation.evening.state == "setup"


def _seats(situation: Situation) -> list[Any]:
    evening = situation.evening
    if evening.round or evening.over:
        return []
    calls, target = call_names([*evening.people.present, *evening.people.ghosts]), course.place(evening)[2]
    return [
        tables.waiting(situation, names, number, target, calls)
        for number, names in enumerate(evening.seating or (), 1)
    ]


def _choices(draft: Draft, room: int | None) -> list[RuleChoice]:
    presets = [_choice(name, name, override(preset(name), {}), draft, room) for name in PRESETS]
    saved = [
        _choice(
            f"house:{house.name}",
            house.name,
            override(preset(house.rules), house.overrides),
            draft,
            room,
            True,
        )
        for house in sorted(draft.houses, key=lambda house: order(house.name))
    ]
    return saved + presets


def _choice(
    id: str, name: str, rules: RuleSet, draft: Draft, room: int | None, custom: bool = False
) -> RuleChoice:
    chosen = _chosen(draft) == id
    if chosen:
        rules = rule_set(draft)
    whole = minutes(rules)
    too_long = whole > (room if room is not None else 240)
    mended = override(rules, {"end.points": 21}) if rules.end.points is None else rules
    return RuleChoice(
        id=id,
        name=name,
        minutes=whole,
        house=custom,
        chosen=chosen,
        too_long=too_long,
        mend="end.points=21" if too_long and rules.end.points is None else "",
        mend_minutes=minutes(mended),
        rule=course.bell_rule(rules),
        after_bell=rules.after_bell,
        moves=rules.move.tables,
        mini_ends=rules.turn.mini_ends,
    )


def _dimensions(draft: Draft, rules: RuleSet) -> list[Dimension]:
    found = []
    for key, values in DIMENSIONS.items():
        value = _text(rules.dimension(key))
        choices = values if value in values else (value, *values)
        found.append(Dimension(key, value, choices, key in draft.overrides))
    return found


def kept(draft: Draft) -> Any:
    """The draft as plain values, to be kept."""
    return msgspec.to_builtins(draft)


def restored_draft(plain: Any) -> Draft:
    """The draft that `kept` made; an empty one for anything else."""
    try:
        return msgspec.convert(plain, Draft)
    except msgspec.ValidationError:
        return Draft()
