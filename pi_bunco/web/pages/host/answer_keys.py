"""The keys under an answer: those that lead on from a refusal, and what takes back what was done."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

from pi_bunco.game.evening import Evening
from pi_bunco.game.prizes import results
from pi_bunco.game.reasons import (
    EveningOpenAlready,
    LastRoundPlayed,
    NobodyLeft,
    NoEveningOpen,
    NoGhosts,
    NoSuchPrize,
    NotPlaying,
    PlayingAlready,
    PrizeNeedsWinner,
)
from pi_bunco.game.table import SEATS
from pi_bunco.head.reasons import ComeLater, EveningIsOpen, NoSeatLeft
from pi_bunco.reason import Reason
from pi_bunco.web.site.host_only import HOME
from pi_bunco.web.site.notices import Action
from pi_bunco.web.site.reasons import HeadAway, HeadUnreachable
from pi_bunco.wire.arguments import ArgumentError, arguments
from pi_bunco.wire.messages import WayOn

MAX_KEYS = 3
"""Keys under an answer."""
PREPARE = Action("prepare", href="/host/prepare")
REPLACE = Action("replace", href="/host/prepare?panel=money")
"""Where the key stands that opens an evening in place of the one that is open."""
HEALTH = Action("health", href="/host/health")
PEOPLE = Action("people", href="/host?panel=people")
STAND_IN = Action("stand_in", href="/host?panel=people")
RESULTS = Action("results", href="/host/results")
TONIGHT = Action("tonight", href=HOME)
BREAK = Action("break", href="/host?panel=break")


class Refusal(Struct, frozen=True):
    """A command that was refused, with every reason, the commands that lead on, and the evening as it is."""

    evening: Evening
    command: str
    why: tuple[Reason, ...]
    ways: tuple[WayOn, ...] = ()


def act(
    label: str,
    command: str,
    look: Literal["", "brass", "felt", "bad"] = "",
    ask: bool = False,
    name: str = "",
    **args: Any,
) -> Action:
    """A key that posts `command` with `args`."""
    return Action(label, command, json.dumps(args), look=look, ask=ask, name=name)


def keys_on(refused: Refusal) -> tuple[Action, ...]:
    """The keys that lead on, each once; where there are none, the page where all stands."""
    found = [_leads(way, refused.evening) for way in refused.ways]
    found += [_place(reason, refused) for reason in refused.why]
    return tuple(dict.fromkeys(key for key in found if key is not None))[:MAX_KEYS] or (TONIGHT,)


def _leads(way: WayOn, evening: Evening) -> Action | None:
    """The key of a command: it posts what is whole; what asks first, or lacks something, is elsewhere."""
    elsewhere = _ELSEWHERE.get(way.command)
    if elsewhere is not None or not _whole(way):
        return elsewhere
    match way.command, way.args:
        case "seats_draw", {"guests": [_, *_] as guests}:
            # Before the first round a guest can only stand in for somebody.
            return (
                act("draw_with", "seats_draw", name=", ".join(guests), **way.args)
                if evening.rounds
                else STAND_IN
            )
        case "seats_draw", _ if evening.seating is not None:
            return Action("draw_anew", href=f"{HOME}?ask=seats_draw")
        case "stage", _:
            following = evening.tournament.next if evening.tournament else None
            return Action(following, href=f"{HOME}?ask=stage") if following else None
        case "arrive", {"player": str(name)}:
            return act("arrives", "arrive", name=name, **way.args)
    label = _POSTED.get(way.command)
    return act(label, way.command, **way.args) if label else None


def _whole(way: WayOn) -> bool:
    try:
        arguments(way.command, way.args)
    except ArgumentError:
        return False
    return True


_POSTED = {
    "evening_reopen": "reopen_evening",
    "reopen": "reopen",
    "resume": "resume",
    "round_start": "start_without",
    "seats_draw": "draw",
}
"""What the key of a command is called."""
_ELSEWHERE = {
    "pace": Action("pace", href=f"{HOME}?panel=pace"),
    "branch": HEALTH,
    "evening_close": Action("close_early", href=f"{HOME}?ask=evening_close"),
    "evening_open": REPLACE,
    "go_on": HEALTH,
    "round_end": TONIGHT,
    "substitute": PEOPLE,
}
"""Where a host gives a command that asks first, or needs more than is known here."""


def _place(reason: Reason, refused: Refusal) -> Action | None:
    """Where a host mends a reason that names no command."""
    if place := _PLACES.get(type(reason)):
        return place
    tables = getattr(reason, "tables", ())
    only = tables[0] if isinstance(tables, tuple) and len(tables) == 1 else 0
    number = getattr(reason, "table", only)
    # Whatever is missing keeps no round from starting, if the host says so.
    if reason.ways or refused.command == "round_start" or not 0 < number <= refused.evening.tables:
        return None
    return Action("look_at", href=f"{HOME}?table={number}", name=str(number))


_PLACES: Mapping[type[Reason], Action] = {
    ComeLater: PEOPLE,
    EveningIsOpen: REPLACE,
    EveningOpenAlready: REPLACE,
    HeadAway: HEALTH,
    HeadUnreachable: HEALTH,
    LastRoundPlayed: RESULTS,
    NobodyLeft: PEOPLE,
    NoEveningOpen: PREPARE,
    NoGhosts: PEOPLE,
    NoSeatLeft: STAND_IN,
    NoSuchPrize: RESULTS,
    NotPlaying: PEOPLE,
    PlayingAlready: PEOPLE,
    PrizeNeedsWinner: RESULTS,
}
"""Where a host does what such a reason asks for."""


def keys_of_fault(fault: Reason) -> tuple[Action, ...]:
    """The keys of what the head waits for: which end of the log to go on with."""
    found = []
    for way in fault.ways:
        args = way.args_of(fault)
        if way.command == "branch":
            found.append(act("take_over", "branch", ask=True, name=str(args["table"]), **args))
        elif way.command == "go_on":
            found.append(act("go_on", "go_on", ask=True))
    return tuple(found)


def way_back(evening: Evening, command: str, args: Mapping[str, Any]) -> tuple[Action, ...]:
    """The keys that take a command back, from the evening before it; none where it stands or asked first."""
    if command == "prize":
        return _prize_again(evening, args)
    found = _table_back(evening, command, args) if "table" in args else _back(evening, command, args)
    return (found,) if found else ()


def _table_back(evening: Evening, command: str, args: Mapping[str, Any]) -> Action | None:
    number, round_ = args["table"], evening.round
    match command:
        case "bypass":
            return act("restore", "restore", table=number)
        case "restore":
            return act("bypass", "bypass", table=number)
        case "decide" | "confirm":
            return act("reopen", "reopen", table=number)
        case "tally":
            return Action("tally", href=f"{HOME}?table={number}&panel=tally")
        case "turn" if round_ and not args.get("rolls") and number <= len(round_.tables):
            table = round_.tables[number - 1]
            name, before = table.seats[table.seat], SEATS[table.seat]
            return act("turn_back", "turn", name=name, table=number, seat=before, rolls=0)
        case "undo" if round_ and number not in evening.by_hand:
            # A roll that was taken back by mistake is entered by hand.
            return act("hand_on", "hand", table=number, allowed=True)
        case "hand":
            allowed = not args.get("allowed")
            return act("hand_on" if allowed else "hand_off", "hand", table=number, allowed=allowed)
    return None


def _back(evening: Evening, command: str, args: Mapping[str, Any]) -> Action | None:
    match command:
        case "seats_draw" | "seats_set" if evening.seating is not None and not args.get("guests"):
            return act("seats_back", "seats_set", tables=[list(names) for names in evening.seating])
        case "leave":
            return act("arrives", "arrive", name=args["player"], player=args["player"])
        case "arrive":
            return act("leaves", "leave", name=args["player"], player=args["player"])
        case "substitute":
            return act(
                "stands_back", "substitute", name=args["out"], **{"out": args["in"], "in": args["out"]}
            )
        case "pause":
            return act("resume", "resume")
        case "resume":
            return BREAK
        case "silence" if args.get("minutes"):
            return act("horn_on", "silence", minutes=0)
        case "evening_close":
            return act("reopen_evening", "evening_reopen")
        case "round_end":
            return Action("false_bell", href=f"{HOME}?ask=bell_void", look="bad")
    return None


def _prize_again(evening: Evening, args: Mapping[str, Any]) -> tuple[Action, ...]:
    """The others among whom the host has decided."""
    ended = results(evening)
    place = args.get("place") or 1
    wanted = (args["for"], place)
    awards = [one for one in ended.prizes if (one.category, one.place) == wanted] if ended else []
    tied = awards[0].tied if awards else ()
    given = (args["to"],) if isinstance(args["to"], str) else tuple(args["to"])
    about = {"for": args["for"]} | ({"place": place} if place > 1 else {})
    keys = [act("prize_split", "prize", **about, to=tied)] if tied and given != tied else []
    keys += [act("prize_to", "prize", name=name, **about, to=name) for name in tied if given != (name,)]
    return tuple(keys[:MAX_KEYS])
