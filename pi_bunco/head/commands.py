"""Host commands (PROTOCOL.md section 5) as facts, or every reason why not."""

from collections.abc import Sequence
from random import Random
from typing import Any

from pi_bunco.errors import BuncoError, FactError
from pi_bunco.game import facts, seating
from pi_bunco.game.evening import Evening
from pi_bunco.head.effects import Effect
from pi_bunco.rules import PRESETS, load, preset
from pi_bunco.rules.load import changes

LONGEST = 80
"""Letters of a name."""
FACTS = {
    "seats_set": "seating",
    "round_end": "round_close",
    "pause": "pause",
    "resume": "resume",
    "bypass": "bypass",
    "restore": "restore",
    "decide": "decide",
    "undo": "undo",
    "turn": "turn",
    "bell_void": "bell_void",
    "round_cancel": "round_cancel",
    "reopen": "reopen",
    "hand": "hand",
    "confirm": "confirm",
    "substitute": "substitute",
    "arrive": "arrive",
    "leave": "leave",
    "evening_close": "evening_close",
}
"""The commands that are just a fact, with its kind."""

_OURS = ("kind", "t", "by", "epoch", "began", "source")


class Refused(BuncoError):
    """A command that cannot be carried out; `why` has every reason, `effects` what was done all the same."""

    def __init__(self, why: Sequence[str], effects: Sequence[Effect] = ()) -> None:
        self.why = tuple(_sentence(reason) for reason in why[:64])
        self.effects = list(effects)
        super().__init__(" ".join(self.why))


def _sentence(text: str) -> str:
    text = text[:1].upper() + text[1:399]
    return text if text.endswith((".", "?", "!")) else f"{text}."


def opening(args: dict[str, Any], id: str, by: str) -> facts.EveningOpen:
    """The fact that opens an evening with `args` {rules, overrides, players, sets}; `Refused` says why."""
    players, changed = args.get("players"), args.get("overrides") or {}
    if not isinstance(players, list) or not all(isinstance(name, str) for name in players):
        raise Refused(["players must be a list of names"])
    if any(len(name) > LONGEST for name in players):
        raise Refused([f"a name has at most {LONGEST} letters"])
    if not isinstance(changed, dict):
        raise Refused(["overrides must be an object of dimensions and their values"])
    overrides = dict(changed)
    if args.get("sets") is not None:
        overrides["evening.sets"] = args["sets"]
    name = args.get("rules", "classic")
    if name not in PRESETS:
        raise Refused([f"there is no rule set {str(name)[:40]!r}; there are {', '.join(PRESETS)}"])
    try:
        rules = load(name, overrides)
    except BuncoError as error:
        raise Refused(str(error).splitlines()) from error
    names = tuple(player.strip() for player in players)
    found = seating.problems(names, ghosts_allowed=rules.ghosts)
    if found:
        raise Refused(found)
    ghosts = tuple(f"Ghost {k}" for k in range(1, seating.ghosts_needed(len(names)) + 1))
    return facts.EveningOpen(
        0, name, names, id=id, overrides=changes(rules, preset(name)), ghosts=ghosts, by=who(by)
    )


def draw(evening: Evening, random: Random, t: int, by: str) -> facts.Seating:
    """A seating by lot: the first one, and between rounds one for whoever is there."""
    people = evening.people
    ghosts = people.ghosts_for(people.present) if evening.rounds else people.ghosts
    tables = seating.draw(people.present, ghosts, random)
    return facts.Seating(t, tuple(tables), by=who(by))


def simple(command: str, args: dict[str, Any], t: int, by: str) -> facts.Fact:
    """The fact that a command of `FACTS` is, made at `t` (ms); `Refused` says why not."""
    if command not in FACTS:
        raise Refused([f"there is no command {command}"])
    known = {key: value for key, value in args.items() if key not in _OURS}
    try:
        return facts.convert({**known, "by": who(by), "kind": FACTS[command], "t": t})
    except FactError as error:
        raise Refused([f"{command.replace('_', ' ')}: {error}"]) from error


def who(by: str) -> str:
    """Who asked, as a fact says it; "time" is the clock's own word there."""
    return "host" if by in ("", "time") else by
