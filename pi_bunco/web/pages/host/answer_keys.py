"""The keys under an answer: those that lead on from a refusal, and what takes back what was done."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pi_bunco.game import reasons
from pi_bunco.game.evening import Evening
from pi_bunco.game.prizes import results
from pi_bunco.game.table import SEATS
from pi_bunco.head.reasons import ComeLater, EveningIsOpen, NoSeatLeft
from pi_bunco.reason import N_, Reason
from pi_bunco.web.site.host_only import HOME
from pi_bunco.web.site.notices import Action
from pi_bunco.web.site.reasons import HeadAway, HeadUnreachable
from pi_bunco.wire.arguments import ArgumentError, arguments
from pi_bunco.wire.messages import WayOn

MAX_KEYS = 3
"""Keys under an answer."""
PREPARE = Action(N_("Prepare an evening"), href="/host/prepare")
REPLACE = Action(N_("Open the new one in its place"), href="/host/prepare?panel=money")
"""The place of the key that opens an evening in place of the one that is open."""
TO_HEALTH = Action(N_("To the page Health"), href="/host/health")
TO_PEOPLE = Action(N_("Leave, arrive, stand in"), href="/host?panel=people")
STAND_IN = Action(N_("Stand in for somebody"), href="/host?panel=people")
TO_RESULTS = Action(N_("To the results"), href="/host/results")
TONIGHT = Action(N_("To the page Tonight"), href=HOME)
BREAK = Action(N_("Break"), href="/host?panel=break")
TO_PACE = Action(N_("Rounds by the clock"), href="/host?panel=pace")
DRAW = N_("Draw the seats")
BEGIN_STAGE = {
    "semi_final": N_("Begin the semi-final"),
    "order": N_("Seat the final table"),
    "final": N_("Begin the final"),
    "done": N_("Confirm the grand prize"),
}
"""The words of the key that goes on to a stage of a tournament."""


def act(
    command: str,
    look: Literal["", "brass", "felt", "bad"] = "",
    ask: bool = False,
    name: str = "",
    label: str = "",
    **args: Any,
) -> Action:
    """A key that posts `command` with `args`; without a label it has the command's own."""
    return Action(label, command, json.dumps(args), look=look, ask=ask, name=name)


def tally(number: int) -> Action:
    """The key to the form for the paper score of table `number`."""
    return Action(N_("Enter the paper score"), href=f"{HOME}?table={number}&panel=tally")


def keys_on(
    evening: Evening, command: str, why: Sequence[Reason], leads_to: Sequence[WayOn] = ()
) -> tuple[Action, ...]:
    """The keys that lead on from a refusal, each once; where there are none, the page where all stands.

    `why` has every reason, `leads_to` the commands to go on with, `evening` is as it is.
    """
    found = [_leads(lead, evening) for lead in leads_to]
    found += [_place(reason, evening, command) for reason in why]
    return tuple(dict.fromkeys(key for key in found if key is not None))[:MAX_KEYS] or (TONIGHT,)


def _leads(lead: WayOn, evening: Evening) -> Action | None:
    """The key of a command: it posts a complete command; others lead to the place that asks."""
    elsewhere = _ELSEWHERE.get(lead.command)
    if elsewhere is not None or not _whole(lead):
        return elsewhere
    match lead.command, lead.args:
        case "seats_draw", {"guests": [_, *_] as guests}:
            # Before the first round a guest can only stand in for somebody.
            with_them = N_("Draw the seats with %(name)s")
            names = ", ".join(guests)
            return act("seats_draw", name=names, label=with_them, **lead.args) if evening.rounds else STAND_IN
        case "seats_draw", _ if evening.seating is not None:
            return Action(N_("Draw the seats anew"), href=f"{HOME}?ask=seats_draw")
        case "seats_draw", _:
            return act("seats_draw", label=DRAW, **lead.args)
        case "stage", _:
            following = evening.tournament.next if evening.tournament else None
            return Action(BEGIN_STAGE[following], href=f"{HOME}?ask=stage") if following else None
        case "arrive", {"player": str(name)}:
            return act("arrive", name=name, **lead.args)
        case (("evening_reopen" | "reopen" | "resume" | "round_start"), _):
            return act(lead.command, **lead.args)
    return None


def _whole(lead: WayOn) -> bool:
    try:
        arguments(lead.command, lead.args)
    except ArgumentError:
        return False
    return True


_ELSEWHERE = {
    "pace": TO_PACE,
    "branch": TO_HEALTH,
    "evening_close": Action(N_("Close the evening"), href=f"{HOME}?ask=evening_close"),
    "evening_open": REPLACE,
    "go_on": TO_HEALTH,
    "round_end": TONIGHT,
    "substitute": TO_PEOPLE,
}
"""Places for a command that asks first, or needs more than is known here."""


def _place(reason: Reason, evening: Evening, command: str) -> Action | None:
    """The place where a host mends a reason that names no command."""
    if place := _PLACES.get(type(reason)):
        return place
    tables = getattr(reason, "tables", ())
    only = tables[0] if isinstance(tables, tuple) and len(tables) == 1 else 0
    number = getattr(reason, "table", only)
    # Whatever is missing keeps no round from starting, if the host says so.
    if reason.leads_to or command == "round_start" or not 0 < number <= evening.tables:
        return None
    return Action(N_("To table %(name)s"), href=f"{HOME}?table={number}", name=str(number))


_PLACES: Mapping[type[Reason], Action] = {
    ComeLater: TO_PEOPLE,
    EveningIsOpen: REPLACE,
    reasons.EveningOpenAlready: REPLACE,
    HeadAway: TO_HEALTH,
    HeadUnreachable: TO_HEALTH,
    reasons.LastRoundPlayed: TO_RESULTS,
    reasons.NamesAlike: TO_PEOPLE,
    reasons.NobodyLeft: TO_PEOPLE,
    reasons.NoEveningOpen: PREPARE,
    reasons.NoGhosts: TO_PEOPLE,
    NoSeatLeft: STAND_IN,
    reasons.NoSuchPrize: TO_RESULTS,
    reasons.NotPlaying: TO_PEOPLE,
    reasons.PlayingAlready: TO_PEOPLE,
    reasons.PrizeNeedsWinner: TO_RESULTS,
}
"""Places where a host does as such a reason asks."""


def keys_of_fault(fault: Reason) -> tuple[Action, ...]:
    """The keys of what the head waits for: which end of the log to go on with."""
    found = []
    for lead in fault.leads_to:
        args = lead.args_of(fault)
        if lead.command == "branch":
            found.append(act("branch", ask=True, name=str(args["table"]), **args))
        elif lead.command == "go_on":
            found.append(act("go_on", ask=True))
    return tuple(found)


def keys_back(evening: Evening, command: str, args: Mapping[str, Any]) -> tuple[Action, ...]:
    """The keys that take a command back, from the evening before it; none where it stands or asked first."""
    if command == "prize":
        return _prize_again(evening, args)
    found = _table_back(evening, command, args) if "table" in args else _back(evening, command, args)
    return (found,) if found else ()


def _table_back(evening: Evening, command: str, args: Mapping[str, Any]) -> Action | None:
    number, round_ = args["table"], evening.round
    match command:
        case "bypass":
            return act("restore", table=number)
        case "restore":
            return act("bypass", table=number)
        case "decide" | "confirm":
            return act("reopen", table=number)
        case "tally":
            return tally(number)
        case "turn" if round_ and not args.get("rolls") and number <= len(round_.tables):
            table = round_.tables[number - 1]
            name, before = table.seats[table.seat], SEATS[table.seat]
            return act("turn", name=name, table=number, seat=before, rolls=0)
        case "undo" if round_ and number not in evening.by_hand:
            # A roll that was taken back by mistake is entered by hand.
            return _hand(number, True)
        case "hand":
            return _hand(number, not args.get("allowed"))
    return None


def _hand(number: int, allowed: bool) -> Action:
    label = N_("Allow hand entry") if allowed else N_("Hand entry off")
    return act("hand", label=label, table=number, allowed=allowed)


def _back(evening: Evening, command: str, args: Mapping[str, Any]) -> Action | None:
    match command:
        case "seats_draw" | "seats_set" if evening.seating is not None and not args.get("guests"):
            return act("seats_set", tables=[list(names) for names in evening.seating])
        case "leave":
            return act("arrive", name=args["player"], player=args["player"])
        case "arrive":
            return act("leave", name=args["player"], player=args["player"])
        case "substitute":
            return act("substitute", name=args["out"], **{"out": args["in"], "in": args["out"]})
        case "pause":
            return act("resume")
        case "resume":
            return BREAK
        case "silence" if args.get("minutes"):
            return act("silence", minutes=0)
        case "evening_close":
            return act("evening_reopen")
        case "round_end":
            return Action(N_("That bell was false"), href=f"{HOME}?ask=bell_void", look="bad")
    return None


def _prize_again(evening: Evening, args: Mapping[str, Any]) -> tuple[Action, ...]:
    """Keys that decide a prize once more: split it, or give it to another of the tie."""
    ended = results(evening)
    place = args.get("place") or 1
    wanted = (args["for"], place)
    awards = [one for one in ended.prizes if (one.category, one.place) == wanted] if ended else []
    tied = awards[0].tied if awards else ()
    given = (args["to"],) if isinstance(args["to"], str) else tuple(args["to"])
    about = {"for": args["for"]} | ({"place": place} if place > 1 else {})
    keys = [act("prize", label=N_("Split it instead"), **about, to=tied)] if tied and given != tied else []
    to = N_("To %(name)s instead")
    keys += [act("prize", name=name, label=to, **about, to=name) for name in tied if given != (name,)]
    return tuple(keys[:MAX_KEYS])
