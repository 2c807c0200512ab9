"""The dimensions of a rule set as one flat dictionary: a preset's file with overrides."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pi_bunco

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
    rules = _preset(preset) | overrides
    if rules["traveling"] is True:
        rules["traveling"] = "bunco"
    if rules["traveling"] is False:
        rules["traveling"] = None
    rules = {key: None if value == "none" else value for key, value in rules.items()}
    rules["prizes"] = rules["prizes"] or []
    return rules
