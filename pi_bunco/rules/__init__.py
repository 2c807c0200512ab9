"""The rules as data: rule sets, presets, and their exact odds. Pure."""

from pi_bunco.rules.load import PRESETS, load, override, preset, title
from pi_bunco.rules.ruleset import Prize, RuleSet

__all__ = ["PRESETS", "Prize", "RuleSet", "load", "override", "preset", "title"]
