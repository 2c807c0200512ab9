"""The page that prepares an evening: people, rules with their length, money, seats."""

import re
import secrets
from collections.abc import Iterator
from typing import Any, Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from pi_bunco.game import seating
from pi_bunco.reason import Reason
from pi_bunco.rules import PRESETS, RuleSet, length, override, preset
from pi_bunco.rules.ruleset import Category
from pi_bunco.web.pages.host.frame import HostPage, HostQuery, frame, host_query
from pi_bunco.web.pages.host.page import ask
from pi_bunco.web.pages.host.prepare.draft import (
    DIMENSIONS,
    MAX_NAMES,
    Draft,
    House,
    changed,
    chosen,
    doubtful_name,
    draft_of,
    keep,
    lines,
    most_groups,
    open_args,
    pot_of,
    problems,
    published,
    rule_set,
    text_of,
    too_many,
    why_no_prizes,
    worth_text,
)
from pi_bunco.web.pages.shared import heading, tables
from pi_bunco.web.pages.shared.model import BellRule, TableShown
from pi_bunco.web.pages.shared.names import order
from pi_bunco.web.site.app import Form, Page
from pi_bunco.web.site.archive import last_people
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.forms import back
from pi_bunco.web.site.guard import MOST_OF_HOST_BYTES
from pi_bunco.web.site.login import HostSession
from pi_bunco.web.site.notices import Notice
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.reasons import TooManyNames
from pi_bunco.web.site.viewer import Viewer

LONG_MINUTES = 240
"""Minutes above which an evening is long where the host has not said when it ends."""
STEPS = ("people", "rules", "money", "seats")


class RuleChoice(Struct, frozen=True):
    """A rule set to choose: `minutes` of the whole evening; `published` as house rules by others."""

    id: str
    name: str
    minutes: int
    rules: RuleSet
    house: bool = False
    chosen: bool = False
    published: bool = False
    rule: BellRule | None = None


class Dimension(Struct, frozen=True):
    """One dimension of the rule set with its values in words; `changed` from the preset."""

    key: str
    value: str
    values: tuple[str, ...] = ()
    changed: bool = False


class Shorter(Struct, frozen=True):
    """A change of the rules that makes the evening `minutes` long: `points` that ring, or fewer `sets`."""

    mend: str
    minutes: int
    points: int = 0
    sets: int = 0


class HostPrepare(HostPage, frozen=True):
    """`/host/prepare`: people, rules, money, seats; `problems` are sentences about the names.

    `running` while an evening is played; `unclosed` while one would be closed by opening another, which
    the sheet `asks` about first. Beside a problem stands the name that may be of one person or two.
    """

    template = "host/prepare/host_prepare.html"
    scripts = ("seats.js", "drawer.js")
    live = False

    step: Literal["people", "rules", "money", "seats"]
    draft: Draft
    tables: int
    ghosts: int
    problems: tuple[tuple[Reason, str], ...]
    rules: tuple[RuleChoice, ...]
    dimensions: tuple[Dimension, ...]
    groups: int
    most_groups: int
    sets: int
    rounds: int
    rolls: int
    end: str
    minutes: int
    too_long: bool
    shorter: tuple[Shorter, ...]
    break_after: int
    break_minutes: int
    prizes: tuple[tuple[str, str], ...]
    pot: str
    seats: tuple[TableShown, ...]
    open: bool
    running: bool
    unclosed: bool = False
    asks: bool = False
    last_time: int = 0
    more: bool = False
    room: int = 0
    most_bytes: int = MOST_OF_HOST_BYTES
    too_many: Reason = TooManyNames(MAX_NAMES)

    @property
    def names(self) -> list[str]:
        """The lines of the list."""
        return lines(self.draft)

    @property
    def beginners_minutes(self) -> int:
        """Length of an evening by the rules for who never played."""
        return next(one.minutes for one in self.rules if one.id == "gong")

    @property
    def of_others(self) -> bool:
        """True if house rules of another group are chosen."""
        return any(one.published and one.chosen for one in self.rules)


def minutes(rules: RuleSet) -> int:
    """Expected length (min) of the whole evening, breaks included."""
    return round(length.evening_minutes(rules))


def clock_minutes(text: str) -> int | None:
    """A time of the day as minutes since midnight; None for anything else."""
    found = re.fullmatch(r"(\d{1,2})[:.]?(\d\d)?", text.strip())
    return int(found[1]) % 24 * 60 + int(found[2] or 0) if found and int(found[2] or 0) < 60 else None


def _clock(minutes_: int) -> str:
    return f"{minutes_ // 60 % 24:02}:{minutes_ % 60:02}"


def shown_prepare(now: EveningNow, draft: Draft, query: HostQuery, last: int = 0) -> HostPrepare:
    """`/host/prepare`; `query.panel` is the step, `last` how many people the evening before had."""
    rules, evening = rule_set(draft), now.evening
    step = query.panel if query.panel in STEPS else "seats" if _opened(now) else "people"
    start, until = clock_minutes(draft.start), clock_minutes(draft.until)
    whole = minutes(rules)
    room = None if start is None or until is None else (until - start) % 1440
    return HostPrepare(
        frame=frame(now, "prepare", query),
        step=step,  # type: ignore[arg-type]
        draft=draft,
        tables=-(-len(draft.names) // 4),
        ghosts=seating.ghosts_needed(len(draft.names)),
        problems=tuple((problem, doubtful_name(problem)) for problem in problems(draft)),
        rules=tuple(_choices(draft)),
        dimensions=tuple(_dimensions(draft, rules)),
        groups=min(draft.groups, most_groups(draft)),
        most_groups=most_groups(draft),
        sets=length.rounds(rules) // len(rules.evening.faces),
        rounds=len(rules.evening.faces),
        rolls=round(length.rolls(rules)),
        end=_clock(start + whole) if start is not None else "",
        minutes=whole,
        too_long=whole > (room if room is not None else LONG_MINUTES),
        shorter=tuple(_shorter(rules, room if room is not None else LONG_MINUTES)),
        break_after=rules.evening.break_after or 0,
        break_minutes=length.break_minutes(rules),
        prizes=tuple(_prizes(rules)),
        pot=pot_of(draft),
        seats=tuple(_seats(now)) if step == "seats" else (),
        open=_opened(now),
        running=evening.round is not None or bool(evening.rounds and not evening.over),
        unclosed=_unclosed(now),
        asks=query.ask == "replace" and _unclosed(now),
        last_time=last,
        more=query.page == 2,
        room=room or 0,
    )


def _unclosed(now: EveningNow) -> bool:
    """True if opening an evening needs the host's word, as another one was begun and is not closed."""
    return now.evening.epoch > 0 and not now.evening.closed


def _opened(now: EveningNow) -> bool:
    return now.evening.rules is not None and now.evening.state == "setup"


def _seats(now: EveningNow) -> list[Any]:
    evening = now.evening
    if evening.round or evening.over:
        return []
    return [tables.waiting(now, names, number) for number, names in enumerate(evening.seating or (), 1)]


def _choices(draft: Draft) -> list[RuleChoice]:
    presets = [_choice(name, name, override(preset(name), {}), draft) for name in PRESETS]
    mine = sorted(draft.houses, key=lambda house: order(house.name))
    known = {house.name for house in mine}
    return [
        *(_of_house(house, draft) for house in mine),
        *presets,
        *(_of_house(house, draft, published=True) for house in published() if house.name not in known),
    ]


def _of_house(house: House, draft: Draft, published: bool = False) -> RuleChoice:
    rules = override(preset(house.rules), house.overrides)
    choice = _choice(f"house:{house.name}", house.name, rules, draft)
    return replace(choice, house=not published, published=published)


def _choice(id: str, name: str, rules: RuleSet, draft: Draft) -> RuleChoice:
    taken = chosen(draft) == id
    if taken:
        rules = rule_set(draft)
    return RuleChoice(
        id=id,
        name=name,
        minutes=minutes(rules),
        rules=rules,
        chosen=taken,
        rule=heading.bell_rule(rules),
    )


def _shorter(rules: RuleSet, room: int) -> Iterator[Shorter]:
    """Ways to fit an evening that is too long into `room` minutes, each by itself."""
    if minutes(rules) <= room:
        return
    if rules.end.points is None:
        yield Shorter("end.points=21", minutes(override(rules, {"end.points": 21})), points=21)
    for sets in range(rules.evening.sets - 1, 0, -1):
        length_ = minutes(override(rules, {"evening.sets": sets}))
        if length_ <= room or sets == 1:
            yield Shorter(f"evening.sets={sets}", length_, sets=sets)
            return


def _prizes(rules: RuleSet) -> Iterator[tuple[str, str]]:
    """The first prize of each category and what it is worth, as the host types it; empty for none."""
    given = {one.category: worth_text(one) for one in reversed(rules.prizes) if one.place == 1}
    for category in get_args(Category):
        if category != "grand_prize" or rules.tournament:
            yield category, given.get(category, "")


def _dimensions(draft: Draft, rules: RuleSet) -> list[Dimension]:
    found = []
    for key, values in DIMENSIONS.items():
        value = text_of(rules.dimension(key))
        choices = values if value in values else (value, *values)
        found.append(Dimension(key, value, choices, key in draft.overrides))
    return found


def _model(state: PageState, viewer: Viewer, _path: "re.Match[str]") -> HostPrepare:
    draft, last = draft_of(state), len(last_people(state))
    return shown_prepare(state.evening_now(), draft, host_query(state, viewer), last)


async def _prepare(state: PageState, session: HostSession, form: dict[str, str]) -> str:
    """Takes what a host prepares, and opens the evening."""
    doing, to = form.get("do", ""), back(form.get("back", ""), "/host/prepare")
    before = draft_of(state)
    more = _people_before(state, form)
    draft = changed(before, form, more)
    if why := why_no_prizes(before, form):
        state.notify(session, Notice(False, "evening_open", why), to)
    keep(state, draft)
    if "names" in form or more:
        state.guests.listed(draft.names, dict(draft.late), state.unix_s())
        state.changes.changed()
    if doing in STEPS:
        read_anew = "names" in form and draft.doubts
        to = f"/host/prepare?panel={'people' if read_anew else doing}"
    if doing in ("open", "replace") and too_many(draft):
        to = "/host/prepare?panel=people"
    elif doing in ("open", "replace"):
        args = open_args(draft, secrets.randbelow(2**31), doing == "replace")
        opened = await ask(state, "evening_open", args, session, to)
        if opened.done:
            await ask(state, "seats_draw", {}, session, to)
    return to


def _people_before(state: PageState, form: dict[str, str]) -> tuple[str, ...]:
    """People of an evening before whom the form adds: of the last one, or of that in `people_of`."""
    if form.get("do") == "last":
        return last_people(state)
    past = state.backend.archive.evenings() if "people_of" in form else []
    return next((one.players for one in past if one.id == form["people_of"]), ())


PAGE = Page("/host/prepare", _model)
FORM = Form("/host/prepare", _prepare)
