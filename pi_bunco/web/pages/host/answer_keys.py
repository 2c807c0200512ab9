"""What a host presses after an answer: the ways on from a refusal, and the way back from what was done."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec import Struct

from pi_bunco.game.evening import Evening
from pi_bunco.game.prizes import results
from pi_bunco.game.table import SEATS
from pi_bunco.web.site.notices import Action

MOST = 3
"""So many ways on stand under an answer."""
HOME = "/host"
HEALTH, PEOPLE, RESULTS = "/host/health", "/host?panel=people", "/host/results"
REPLACE = "/host/prepare?panel=money"
"""Where the key stands that opens an evening in place of the one that is open."""


class Refusal(Struct, frozen=True):
    """A command that was refused: what was asked, with every reason, and the evening as it is."""

    evening: Evening
    command: str
    args: Mapping[str, Any]
    why: tuple[str, ...]


Way = Callable[[Refusal, "re.Match[str]"], Action | None]


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


def ways_on(refused: Refusal) -> tuple[Action, ...]:
    """The ways on, each once; where a reason has none of its own, the page where all stands."""
    found = []
    for text in refused.why:
        for pattern, way in _WAYS:
            if match := pattern.match(text):
                found.append(way(refused, match))
                break
    ways = dict.fromkeys(way for way in found if way is not None)
    return tuple(ways)[:MOST] or (Action("tonight", href=HOME),)


def _to(label: str, href: str) -> Way:
    return lambda _refused, _match: Action(label, href=href)


def _post(label: str, command: str, **args: Any) -> Way:
    return lambda _refused, _match: act(label, command, **args)


def _asked(label: str, command: str) -> Way:
    return _to(label, f"{HOME}?ask={command}")


def _table(refused: Refusal, match: "re.Match[str]") -> Action | None:
    """A sentence about a table leads to it."""
    number = int(match["n"])
    if number > refused.evening.tables:
        return None
    return Action("look_at", href=f"{HOME}?table={number}", name=str(number))


def _reopen(_refused: Refusal, match: "re.Match[str]") -> Action:
    return act("reopen", "reopen", table=int(match["n"]))


def _missing(refused: Refusal, match: "re.Match[str]") -> Action | None:
    """A table whose equipment is missing keeps no round from starting, if the host says so."""
    return None if refused.command == "round_start" else _table(refused, match)


def _without(refused: Refusal, _match: "re.Match[str]") -> Action:
    named = {int(found[1]) for text in refused.why if (found := re.match(r"Table (\d+): ", text))}
    missing = sorted(named.union(refused.args.get("bypass", ())))
    return act("start_without", "round_start", bypass=missing)


def _guest(refused: Refusal, _match: "re.Match[str]") -> Action:
    """Before the first round a guest can only stand in for somebody."""
    guest = str(refused.args.get("player", ""))
    if not refused.evening.rounds:
        return Action("stand_in", href=PEOPLE)
    return act("draw_with", "seats_draw", name=guest, guests=[guest])


def _just_arrives(refused: Refusal, _match: "re.Match[str]") -> Action:
    guest = str(refused.args.get("in", refused.args.get("player", "")))
    return act("arrives", "arrive", name=guest, player=guest)


_WAYS: tuple[tuple["re.Pattern[str]", Way], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), way)
    for pattern, way in (
        (r"start without what is missing", _without),
        (r"table (?P<n>\d+): ", _missing),
        (r"(no round is open; reopen )?table (?P<n>\d+)('s result is final| first to change)", _reopen),
        (r"table (?P<n>\d+) has nobody but ghosts", _asked("draw_anew", "seats_draw")),
        (r"table (?P<n>\d+) ", _table),
        (r"no round is open; reopen table (?P<n>\d+) first", _reopen),
        (r"(still playing|rolling off|OK is missing at):? table (?P<n>\d+)", _table),
        (r"ghosts are not allowed", _to("people", PEOPLE)),
        (r"no evening is open", _to("prepare", "/host/prepare")),
        (r"an evening is open", _to("replace", REPLACE)),
        (r"close it first", _to("replace", REPLACE)),
        (r"the evening can be closed all the same", _asked("close_early", "evening_close")),
        (r"the evening is closed", _post("reopen_evening", "evening_reopen")),
        (r"the last round has been played|the prize needs|there is no prize", _to("results", RESULTS)),
        (r"nobody has a seat yet", _post("draw", "seats_draw")),
        (r"\d+ chairs are empty|fewer than two people", _asked("draw_anew", "seats_draw")),
        (r"every seat is taken", _guest),
        (r".+ (is a ghost; .+ can just arrive|has a card already and can only arrive)", _just_arrives),
        (r".+ can come when the first round is over", _to("people", PEOPLE)),
        (r".+ is (not playing|playing already)|nobody is left to play", _to("people", PEOPLE)),
        (r"the head (reads the end|did not answer: )|the head is not there", _to("health", HEALTH)),
    )
)  # fmt: skip


def ways_of_fault(fault: str) -> tuple[Action, ...]:
    """The keys of what the head waits for: which end of the log to go on with."""
    if match := re.fullmatch(r".*: choose it with branch (\d+), .*", fault):
        return (act("take_over", "branch", ask=True, name=match[1], table=int(match[1])),)
    return (act("go_on", "go_on", ask=True),) if fault.endswith("or go on with what is here.") else ()


def way_back(evening: Evening, command: str, args: Mapping[str, Any]) -> tuple[Action, ...]:
    """What takes the command back, from the evening before it; nothing where it stands or asked first."""
    if command == "prize":
        return _prize_again(evening, args)
    back = _BACK.get(command)
    found = back(evening, args) if back else None
    return (found,) if found else ()


def _of_table(label: str, command: str) -> Callable[[Evening, Mapping[str, Any]], Action]:
    return lambda _evening, args: act(label, command, table=args["table"])


def _tally_again(_evening: Evening, args: Mapping[str, Any]) -> Action:
    return Action("tally", href=f"{HOME}?table={args['table']}&panel=tally")


def _turn_back(evening: Evening, args: Mapping[str, Any]) -> Action | None:
    number = args["table"]
    if evening.round is None or args.get("rolls") or number > len(evening.round.tables):
        return None
    table = evening.round.tables[number - 1]
    before = SEATS[table.seat]
    return act("turn_back", "turn", name=table.seats[table.seat], table=number, seat=before, rolls=0)


def _hand_back(_evening: Evening, args: Mapping[str, Any]) -> Action:
    allowed = not args.get("allowed")
    return act("hand_on" if allowed else "hand_off", "hand", table=args["table"], allowed=allowed)


def _entered_again(evening: Evening, args: Mapping[str, Any]) -> Action | None:
    """A roll that was taken back by mistake is entered by hand."""
    if evening.round is None or args["table"] in evening.by_hand:
        return None
    return act("hand_on", "hand", table=args["table"], allowed=True)


def _seats_back(evening: Evening, args: Mapping[str, Any]) -> Action | None:
    if evening.seating is None or args.get("guests"):
        return None
    return act("seats_back", "seats_set", tables=[list(names) for names in evening.seating])


def _person_back(label: str, command: str) -> Callable[[Evening, Mapping[str, Any]], Action]:
    return lambda _evening, args: act(label, command, name=args["player"], player=args["player"])


def _substitute_back(_evening: Evening, args: Mapping[str, Any]) -> Action:
    values = {"out": args["in"], "in": args["out"]}
    return act("stands_back", "substitute", name=args["out"], **values)


def _prize_again(evening: Evening, args: Mapping[str, Any]) -> tuple[Action, ...]:
    """The others among whom the host has decided."""
    ended = results(evening)
    awards = [award for award in ended.prizes if award.category == args["for"]] if ended else []
    tied = awards[0].tied if awards else ()
    given = (args["to"],) if isinstance(args["to"], str) else tuple(args["to"])
    other = (
        [] if given == tied or not tied else [act("prize_split", "prize", **{"for": args["for"], "to": tied})]
    )
    names = [name for name in tied if given != (name,)]
    keys = [act("prize_to", "prize", name=name, **{"for": args["for"], "to": name}) for name in names]
    return tuple([*other, *keys][:MOST])


def _silence_back(_evening: Evening, args: Mapping[str, Any]) -> Action | None:
    return act("horn_on", "silence", minutes=0) if args.get("minutes") else None


_BACK: Mapping[str, Callable[[Evening, Mapping[str, Any]], Action | None]] = {
    "bypass": _of_table("restore", "restore"),
    "restore": _of_table("bypass", "bypass"),
    "decide": _of_table("reopen", "reopen"),
    "confirm": _of_table("reopen", "reopen"),
    "tally": _tally_again,
    "turn": _turn_back,
    "undo": _entered_again,
    "hand": _hand_back,
    "seats_draw": _seats_back,
    "seats_set": _seats_back,
    "leave": _person_back("arrives", "arrive"),
    "arrive": _person_back("leaves", "leave"),
    "substitute": _substitute_back,
    "pause": lambda _evening, _args: act("resume", "resume"),
    "resume": lambda _evening, _args: Action("break", href="/host?panel=break"),
    "silence": _silence_back,
    "evening_close": lambda _evening, _args: act("reopen_evening", "evening_reopen"),
    "round_end": lambda _evening, _args: Action("false_bell", href=f"{HOME}?ask=bell_void", look="bad"),
}
