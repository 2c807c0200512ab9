"""The page that prepares an evening: people, rules with their length, money, seats."""

import re
import secrets
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from pi_bunco.game import seating
from pi_bunco.rules import PRESETS, RuleSet, length, override, preset
from pi_bunco.web.pages.host.frame import frame
from pi_bunco.web.pages.host.model import HostQuery, query
from pi_bunco.web.pages.host.page import ask
from pi_bunco.web.pages.host.prepare.draft import (
    DIMENSIONS,
    Draft,
    asked_of,
    changed,
    chosen,
    kept,
    lines,
    open_args,
    pot_of,
    problems,
    restored_draft,
    rule_set,
    text_of,
    too_many,
)
from pi_bunco.web.pages.host.prepare.model import Dimension, HostPrepare, RuleChoice
from pi_bunco.web.pages.shared import heading, tables
from pi_bunco.web.pages.shared.names import order
from pi_bunco.web.site.app import Answering, Page
from pi_bunco.web.site.archive import last_people
from pi_bunco.web.site.evening_now import EveningNow
from pi_bunco.web.site.forms import back, fields
from pi_bunco.web.site.host_only import HostOnly
from pi_bunco.web.site.login import HostSession
from pi_bunco.web.site.notices import Notice
from pi_bunco.web.site.page_state import PageState
from pi_bunco.web.site.viewer import Viewer

STEPS = ("people", "rules", "money", "seats")


def minutes(rules: RuleSet) -> int:
    """How long the whole evening is expected to take, breaks included."""
    return round(length.evening_minutes(rules))


def clock_minutes(text: str) -> int | None:
    """A time of the day as minutes since midnight; None for anything else."""
    found = re.fullmatch(r"(\d{1,2})[:.]?(\d\d)?", text.strip())
    return int(found[1]) % 24 * 60 + int(found[2] or 0) if found and int(found[2] or 0) < 60 else None


def _clock(minutes_: int) -> str:
    return f"{minutes_ // 60 % 24:02}:{minutes_ % 60:02}"


def shown_prepare(
    situation: EveningNow, draft: Draft, query: HostQuery, notice: Notice | None = None, last: int = 0
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
        names=tuple(lines(draft)),
        late=draft.late,
        tables=-(-len(draft.names) // 4),
        ghosts=seating.ghosts_needed(len(draft.names)),
        problems=tuple((problem, asked_of(problem)) for problem in problems(draft)),
        doubts=draft.doubts,
        rules=tuple(_choices(draft, room)),
        dimensions=tuple(_dimensions(draft, rules)),
        sets=length.rounds(rules) // len(rules.evening.faces),
        rounds=len(heading.faces(rules)),
        rolls=round(length.rolls(rules)),
        start=draft.start,
        end=_clock(start + whole) if start is not None else "",
        until=draft.until,
        minutes=whole,
        break_minutes=length.break_minutes(rules),
        title=situation.title,
        each=draft.each,
        pot=pot_of(draft),
        seats=tuple(_seats(situation)) if step == "seats" else (),
        open=_opened(situation),
        running=evening.round is not None or bool(evening.rounds and not evening.over),
        unclosed=_unclosed(situation),
        asks=query.ask == "replace" and _unclosed(situation),
        last_time=last,
        more=query.page == 2,
        room=room or 0,
        house=draft.house,
    )


def _unclosed(situation: EveningNow) -> bool:
    """Whether opening an evening needs the host's word, as another one was begun and is not closed."""
    return situation.evening.epoch > 0 and not situation.evening.closed


def _opened(situation: EveningNow) -> bool:
    return situation.evening.rules is not None and situation.evening.state == "setup"


def _seats(situation: EveningNow) -> list[Any]:
    evening = situation.evening
    if evening.round or evening.over:
        return []
    return [tables.waiting(situation, names, number) for number, names in enumerate(evening.seating or (), 1)]


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
    taken = chosen(draft) == id
    if taken:
        rules = rule_set(draft)
    whole = minutes(rules)
    too_long = whole > (room if room is not None else 240)
    mended = override(rules, {"end.points": 21}) if rules.end.points is None else rules
    return RuleChoice(
        id=id,
        name=name,
        minutes=whole,
        house=custom,
        chosen=taken,
        too_long=too_long,
        mend="end.points=21" if too_long and rules.end.points is None else "",
        mend_minutes=minutes(mended),
        rule=heading.bell_rule(rules),
        after_bell=rules.after_bell,
        moves=rules.move.tables,
        mini_ends=rules.turn.mini_ends,
    )


def _dimensions(draft: Draft, rules: RuleSet) -> list[Dimension]:
    found = []
    for key, values in DIMENSIONS.items():
        value = text_of(rules.dimension(key))
        choices = values if value in values else (value, *values)
        found.append(Dimension(key, value, choices, key in draft.overrides))
    return found


def _model(state: PageState, viewer: Viewer, _path: "re.Match[str]") -> HostPrepare:
    notice, last = state.notice(viewer.session), len(last_people(state))
    return shown_prepare(state.evening_now(), restored_draft(state.draft), query(viewer), notice, last)


def routes(state: PageState, _site: Answering) -> list[Route]:
    """Takes what a host prepares, and opens the evening."""

    async def prepare(request: Request, session: HostSession) -> Response:
        form = await fields(request)
        doing, to = form.get("do", ""), back(form.get("back", ""), "/host/prepare")
        draft = changed(restored_draft(state.draft), form, last_people(state))
        state.keep_draft(kept(draft))
        if doing in STEPS:
            read_anew = "names" in form and draft.doubts
            to = f"/host/prepare?panel={'people' if read_anew else doing}"
        if doing in ("open", "replace") and too_many(draft):
            to = "/host/prepare?panel=people"
        elif doing in ("open", "replace"):
            args = open_args(draft, secrets.randbelow(2**31), doing == "replace")
            opened = await ask(state, "evening_open", args, session)
            if opened.done:
                await ask(state, "seats_draw", {}, session)
        return RedirectResponse(to, 303)

    return [Route("/host/prepare", HostOnly(state).posted(prepare), methods=["POST"])]


PAGE = Page("/host/prepare", _model)
