"""The dimensions of a rule set as one flat dictionary: a preset's file with overrides."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pi_bunco

USUAL = {
    "team": "pairs", "scoring.match": "one", "scoring.bunco": 21, "scoring.mini": 5, "scoring.wipe": None,
    "scoring.wipe_ends": False, "turn.mini_ends": False,
    "end.points": 21, "end.points_by": "team", "end.bunco": True, "end.tables": "head",
    "end.minutes": None, "end.seconds": None,
    "after_bell": "stop", "after_bell_head": None, "winner.auto": False, "tie.method": "session",
    "move.tables": "losers_to_last", "evening.sets": 2, "evening.faces": [1, 2, 3, 4, 5, 6],
    "evening.break_after": None, "evening.break_minutes": None,
    "card": ["wins", "losses", "buncos"], "champion": ["buncos", "wins"],
    "prizes": [], "rolls": [], "prize_tie": "split", "prize_once": False,
    "traveling": None, "traveling_nth": None, "begins": "A",
    "stake": None, "keep": None, "holds": [], "bonus": [],
    "ghosts": True, "ghost_marks": "nobody", "ghost_turn": "partner", "tournament": False,
    "signal.start": "bell", "signal.end": "bell",
}  # fmt: skip
"""Values of the dimensions that a preset's file leaves out."""
PRESETS = Path(pi_bunco.__file__).parent / "rules" / "presets"


@cache
def _preset(name: str) -> dict[str, Any]:
    return _flat(tomllib.loads((PRESETS / f"{name}.toml").read_text("utf-8")))


def _flat(node: dict[str, Any], path: str = "") -> dict[str, Any]:
    dimensions: dict[str, Any] = {}
    for key, value in node.items():
        if isinstance(value, dict):
            dimensions |= _flat(value, f"{path}{key}.")
        else:
            dimensions[path + key] = value
    return dimensions


def ruleset(preset: str, overrides: dict[str, Any]) -> dict[str, Any]:
    """All dimensions; `None` where one is none."""
    rules = USUAL | _preset(preset) | overrides
    if rules["traveling"] is True:
        rules["traveling"] = "bunco"
    if rules["traveling"] is False:
        rules["traveling"] = None
    rules = {key: None if value == "none" and key != "team" else value for key, value in rules.items()}
    return rules | {key: rules[key] or [] for key in ("prizes", "rolls", "holds", "bonus")}


def things(rules: dict[str, Any]) -> set[str]:
    """Things that rolls hand on, the bag where it travels, and those that go over to the next night."""
    handed = {one["hands"] for one in rules["rolls"] if one.get("hands", "none") != "none"}
    return handed | {*rules["holds"]} | ({"bag"} if rules["traveling"] else set())
